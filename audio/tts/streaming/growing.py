"""Trims a phrase and places its words while its audio is still growing.

PURE. All windows together give exactly what ``pieces.trim`` and ``pieces.place`` make of the whole:
what cannot be known yet (whether a silence is the last) is held back until it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audio.tts import pieces
from audio.tts.pieces import Span, Trimmed

Placed = list[tuple[Span, int, int]]


class GrowingPhrase:
    """One piece of a phrase as it comes out of the decoder, window by window."""

    def __init__(
        self, spans: Sequence[Span], edges: NDArray[np.int64], rate: int, final: str, begin: int = 0
    ) -> None:
        """``spans``, ``edges`` and ``final`` as for ``pieces``; ``begin`` is the first sample.

        What comes before ``begin``, a multiple of the trimming window, counts as silence.
        """
        self._spans = spans
        self._edges = edges
        self._rate = rate
        self._final = final
        self._audio = np.zeros(0, np.float32)  # from ``begin``
        self._begin = begin
        self._given = 0  # samples handed out
        self._placed: Placed = []

    def add(self, audio: NDArray[np.float32], *, last: bool) -> tuple[NDArray[np.float32], Placed]:
        """The samples that are certain now, and the words that end in what was handed out.

        Samples of words count from the phrase's first sample that was handed out.
        """
        self._audio = np.concatenate([self._audio, audio])
        trimmed = pieces.trim(self._audio, self._rate, self._final)
        if not (last or len(trimmed.samples)):
            return trimmed.samples, []  # nothing but silence so far
        end = len(trimmed.samples) if last else self._certain(trimmed)
        samples = trimmed.samples[self._given : end]
        self._given = end
        edges = self._edges - self._begin
        placed = pieces.place(self._spans, edges, trimmed)
        if not last:
            # only when a sound was heard behind a word does no later one move its end
            heard = min(trimmed.sound_end, end)
            placed = [item for item in placed[:-1] if edges[item[0].end] - trimmed.offset <= heard]
        new = placed[len(self._placed) :]
        self._placed += new
        return samples, new

    def _certain(self, trimmed: Trimmed) -> int:
        """Up to where more audio changes nothing: the end fades, the last silence is cut."""
        had = len(self._audio) - trimmed.offset
        certain = min(len(trimmed.samples), had) - int(self._rate * pieces.FADE_S)
        return max(self._given, certain)
