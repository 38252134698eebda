"""Cuts a phrase's phonemes into pieces that the model can say in one go, and trims what it said.

PURE. One symbol is one token, so an index into a piece's text is an index of a token.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.tts.base import WordMark
from audio.tts.phonemes import PAUSES

SOFT_LIMIT = 160  # tokens: about ten seconds of speech; longer pieces are cut where it pauses
HARD_LIMIT = 400  # tokens: cut even inside a clause; the model takes 510, at a cost in memory

# Silence after the last sound of a piece, by its final punctuation: what readers leave.
_PAUSE_S = {".": 0.3, "!": 0.3, "?": 0.3, "…": 0.3, ":": 0.22, ";": 0.22, "—": 0.18, ",": 0.14}
_NO_PAUSE_S = 0.05
_KEPT_LEAD_S = 0.04  # before the first sound, so that no soft consonant is cut
FADE_S = 0.005  # where the model's own tail is cut
_WINDOW_S = 0.005
_SILENCE_DBFS = -58.0  # the model's silence lies below -65 dBFS, its softest "f" above -50


@dataclass(frozen=True, slots=True)
class Span:
    """The part of a word that is said in one piece: tokens [start, end), without its pause."""

    word: int
    start: int
    end: int
    is_last: bool  # nothing of the word follows in a later piece


@dataclass(frozen=True, slots=True)
class Piece:
    """Phonemes for one run of the model, and where its words are in them."""

    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Unit:
    text: str
    word: int
    is_last: bool

    @property
    def pauses(self) -> bool:
        return self.text.endswith(tuple(PAUSES))


def cut(spoken: Sequence[str], soft: int = SOFT_LIMIT, hard: int = HARD_LIMIT) -> list[Piece]:
    """Pieces of at most ``hard`` tokens that hold all of ``spoken`` in order.

    ``spoken`` has the phonemes of each word, with the pause after it; silent words are empty. A
    piece ends at a pause when there is one, as near below ``soft`` as it can be.
    """
    waiting = list(_units(spoken, hard))
    pieces = []
    while waiting:
        count = _first_piece(waiting, soft, hard)
        pieces.append(_join(waiting[:count]))
        waiting = waiting[count:]
    return pieces


def _units(spoken: Sequence[str], hard: int) -> Iterator[_Unit]:
    """Words, those that are longer than a piece cut at a space or anywhere."""
    for word, text in enumerate(spoken):
        rest = text
        while len(rest) > hard:
            space = rest.rfind(" ", 1, hard)
            end = hard if space < 0 else space
            yield _Unit(rest[:end], word, is_last=False)
            rest = rest[end:].lstrip(" ")
        if rest:
            yield _Unit(rest, word, is_last=True)


def _first_piece(units: Sequence[_Unit], soft: int, hard: int) -> int:
    """How many units the next piece holds."""
    lengths = itertools.accumulate((len(unit.text) + 1 for unit in units), initial=-1)
    totals = list(lengths)[1:]
    if totals[-1] <= soft:
        return len(units)
    ends = [i + 1 for i, unit in enumerate(units) if unit.pauses and totals[i] <= hard]
    early = [end for end in ends if totals[end - 1] <= soft]
    if early:
        return early[-1]
    if ends:
        return ends[0]
    return max(1, sum(total <= hard for total in totals))


def _join(units: Sequence[_Unit]) -> Piece:
    spans = []
    start = 0
    for unit in units:
        sound = unit.text.rstrip(PAUSES)
        spans.append(Span(unit.word, start, start + len(sound), unit.is_last))
        start += len(unit.text) + 1
    return Piece(" ".join(unit.text for unit in units), tuple(spans))


@dataclass(frozen=True, slots=True)
class Trimmed:
    """A piece's audio with the silence around it set right."""

    samples: NDArray[np.float32]
    offset: int  # of its first sample in the audio as it came
    sounds: NDArray[np.bool_]  # which windows of 5 ms of ``samples`` hold sound
    window: int  # samples in one of them

    @property
    def sound_end(self) -> int:
        """Where the last sound ends, in ``samples``."""
        return self.sound_before(len(self.samples))

    def sound_before(self, sample: int) -> int:
        """Where the last sound before ``sample`` ends; 0 when there is none."""
        loud = np.flatnonzero(self.sounds[: -(-sample // self.window)])
        return min(sample, (int(loud[-1]) + 1) * self.window) if len(loud) else 0


def trim(audio: NDArray[np.float32], rate: int, final: str) -> Trimmed:
    """Cut the silence before the sound to 40 ms, and that after it to the pause of ``final``.

    ``audio`` is float32 mono; ``final`` is the last symbol said. Audio without any sound gives an
    empty result.
    """
    window = max(1, int(rate * _WINDOW_S))
    whole = len(audio) // window * window
    power = np.square(audio[:whole].reshape(-1, window)).mean(axis=1)
    sounds = power > 10 ** (_SILENCE_DBFS / 10)
    loud = np.flatnonzero(sounds)
    if not len(loud):
        return Trimmed(np.zeros(0, np.float32), 0, sounds[:0], window)
    first = max(0, int(loud[0]) - round(_KEPT_LEAD_S / _WINDOW_S))
    last = int(loud[-1]) + 1
    pause = int(rate * _PAUSE_S.get(final, _NO_PAUSE_S))
    wanted = (last - first) * window + pause
    kept = np.clip(audio[first * window : first * window + wanted], -1, 1).astype(np.float32)
    fade = min(int(rate * FADE_S), pause, len(kept))
    if fade:
        kept[-fade:] *= np.linspace(1, 0, fade, dtype=np.float32)
    samples = np.concatenate([kept, np.zeros(wanted - len(kept), np.float32)])
    return Trimmed(samples, first * window, sounds[first:last], window)


def place(
    spans: Sequence[Span], edges: NDArray[np.int64], trimmed: Trimmed
) -> list[tuple[Span, int, int]]:
    """Where each span sounds, in samples of ``trimmed``: monotone and inside its sound.

    ``edges[i]`` is the sample of the untrimmed audio where token ``i`` of the piece begins;
    one more edge ends the last token. A word before a pause ends with its sound: the model counts
    much of the pause to the last phoneme.
    """
    placed = []
    floor, ceiling = 0, trimmed.sound_end
    for index, span in enumerate(spans):
        start = int(np.clip(edges[span.start] - trimmed.offset, floor, ceiling))
        end = int(np.clip(edges[span.end] - trimmed.offset, start, ceiling))
        is_last = index == len(spans) - 1
        end = ceiling if is_last else max(start, trimmed.sound_before(end))
        placed.append((span, start, end))
        floor = end
    return placed


class Marker:
    """Turns placed spans of consecutive pieces into the word marks of a phrase."""

    def __init__(self, spoken: Sequence[str]) -> None:
        self._spoken = spoken
        self._next = 0  # the first word without a mark
        self._begun: int | None = None  # where the current word began, when it began earlier
        self._last_end = 0

    def marks(self, placed: Sequence[tuple[Span, int, int]], base: int) -> tuple[WordMark, ...]:
        """The marks of the words that end in a piece which begins at sample ``base``.

        A word without any sound gets an empty mark where the word before it ends.
        """
        found = []
        for span, start, end in placed:
            found.extend(self._silent(span.word))
            if self._begun is None:
                self._begun = base + start
            self._last_end = base + end
            if span.is_last:
                found.append(WordMark(span.word, self._begun, self._last_end))
                self._next = span.word + 1
                self._begun = None
        following = self._next
        while following < len(self._spoken) and not self._spoken[following]:
            following += 1
        found.extend(self._silent(following))
        return tuple(found)

    def _silent(self, before: int) -> list[WordMark]:
        marks = [WordMark(w, self._last_end, self._last_end) for w in range(self._next, before)]
        self._next = max(self._next, before)
        return marks
