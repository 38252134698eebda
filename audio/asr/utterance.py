"""One utterance as it grows: its sound, where speech is in it, and where it can be cut.

Positions are samples at 16 kHz counted from the first sample that was pushed, and keep their
meaning when the sound before a position has been released.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE

_QUIET_SAMPLES = SAMPLE_RATE // 10


@dataclass(frozen=True, slots=True)
class SpeechGate:
    """When sound counts as something said.

    Speech of real recordings fills 0.40 or more of its span with frames over 0.5 and reaches 0.89
    in its best frame; coughs, music, barks and noise stay under 0.14 and 0.76 (60 and 14 clips).
    """

    frame_probability: float = 0.5  # a frame at or over this is a speech frame
    peak_probability: float = 0.8  # the best frame must reach this
    min_ratio: float = 0.25  # speech frames in an island and its margins
    margin_s: float = 0.2  # counted on both sides of an island: a lone short burst fails by it
    island_gap_s: float = 1.0  # a longer pause parts two islands


@dataclass(frozen=True, slots=True)
class Speech:
    """Where speech is in a stretch of sound, in samples."""

    first: int  # start of the first speech frame
    last: int  # end of the last speech frame
    amount: int  # all speech frames together
    peak: float  # probability of the best frame
    said: bool  # an island of it passes the gate
    ratio: float  # of the densest island

    def reason(self) -> str:
        """Why it counts as nothing, for people."""
        if self.amount == 0:
            return "no speech"
        return (
            f"speech in {100 * self.ratio:.0f} % of its span, best frame {self.peak:.2f}, "
            f"{self.amount / SAMPLE_RATE:.2f} s of speech"
        )


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    probability: float


class Utterance:
    """The sound of one utterance with the VAD's probability for each piece of it.

    Holds at most ``max_s`` seconds that were not released; what comes after is counted in
    ``lost_samples`` and dropped, so a forgotten stream cannot fill the memory.
    """

    def __init__(self, gate: SpeechGate, max_s: float = 600.0) -> None:
        self._gate = gate
        self._max_samples = int(max_s * SAMPLE_RATE)
        self._chunks: list[NDArray[np.float32]] = []
        self._spans: list[_Span] = []
        self._start = 0
        self._end = 0
        self._lost = 0

    @property
    def start(self) -> int:
        """The first sample still held."""
        return self._start

    @property
    def end(self) -> int:
        """The sample after the last one held."""
        return self._end

    @property
    def lost_samples(self) -> int:
        return self._lost

    def push(self, samples: NDArray[np.float32], speech_probability: float) -> None:
        """Add sound of any length; what is no number becomes silence."""
        room = self._max_samples - (self._end - self._start)
        kept = np.nan_to_num(samples[:room], nan=0.0, posinf=1.0, neginf=-1.0)
        self._lost += len(samples) - len(kept)
        if len(kept) == 0:
            return
        self._chunks.append(kept.astype(np.float32, copy=True))
        end = self._end + len(kept)
        self._spans.append(_Span(self._end, end, float(speech_probability)))
        self._end = end

    def samples(self, start: int, end: int) -> NDArray[np.float32]:
        """The sound from ``start`` to ``end``, cut to what is held."""
        if not self._chunks:
            return np.zeros(0, dtype=np.float32)
        if len(self._chunks) > 1:
            self._chunks = [np.concatenate(self._chunks)]
        low, high = max(start, self._start), min(end, self._end)
        return self._chunks[0][max(0, low - self._start) : max(0, high - self._start)]

    def release(self, before: int) -> None:
        """Forget the sound before a position."""
        held = self.samples(before, self._end).copy()
        self._start = min(max(before, self._start), self._end)
        self._chunks = [held] if len(held) else []
        self._spans = [span for span in self._spans if span.end > self._start]

    def speech(self, before: int | None = None) -> Speech:
        """Where speech is in the sound that is held, or in the part of it before a position."""
        end = self._end if before is None else before
        spans = [span for span in self._spans if span.start < end]
        islands = self._islands(spans)
        best = max((span.probability for span in spans), default=0.0)
        if not islands:
            return Speech(self._start, self._start, 0, best, said=False, ratio=0.0)
        passing = [self._passes(island) for island in islands]
        return Speech(
            first=islands[0][0].start,
            last=min(islands[-1][-1].end, end),
            amount=sum(s.end - s.start for island in islands for s in island),
            peak=best,
            said=any(passing),
            ratio=max(self._ratio(island) for island in islands),
        )

    def quietest(self, earliest: int, latest: int) -> int:
        """The middle of the quietest tenth of a second between two positions."""
        sound = self.samples(earliest, latest)
        pieces = len(sound) // _QUIET_SAMPLES
        if pieces == 0:
            return latest
        energy = np.square(sound[: pieces * _QUIET_SAMPLES].reshape(pieces, -1)).sum(axis=1)
        return earliest + int(np.argmin(energy)) * _QUIET_SAMPLES + _QUIET_SAMPLES // 2

    def longest_pause(self, earliest: int, latest: int) -> tuple[int, int]:
        """Start and end of the longest stretch without speech frames; empty where nobody paused."""
        best = (latest, latest)
        open_at: int | None = None
        for span in self._spans:
            if span.end <= earliest or span.start >= latest:
                continue
            if span.probability >= self._gate.frame_probability:
                open_at = None
                continue
            open_at = max(span.start, earliest) if open_at is None else open_at
            if min(span.end, latest) - open_at > best[1] - best[0]:
                best = (open_at, min(span.end, latest))
        return best

    def _islands(self, spans: list[_Span]) -> list[list[_Span]]:
        gap = int(self._gate.island_gap_s * SAMPLE_RATE)
        islands: list[list[_Span]] = []
        for span in spans:
            if span.probability < self._gate.frame_probability:
                continue
            if islands and span.start - islands[-1][-1].end <= gap:
                islands[-1].append(span)
            else:
                islands.append([span])
        return islands

    def _passes(self, island: list[_Span]) -> bool:
        peak = max(span.probability for span in island)
        return peak >= self._gate.peak_probability and self._ratio(island) >= self._gate.min_ratio

    def _ratio(self, island: list[_Span]) -> float:
        margins = 2 * self._gate.margin_s * SAMPLE_RATE
        amount = sum(span.end - span.start for span in island)
        return amount / (island[-1].end - island[0].start + margins)
