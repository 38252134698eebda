"""One reply on its way to the loudspeaker: its sound, its marks, and what became of each sample.

Two threads meet here without a lock. *Control* appends: sound, marks and wishes (``complete``,
``dropped``). *Render*, the device's callback, advances: ``handed``, ``runs`` and ``closed``. Each
attribute has one writer; what is read across is either a flag, a count, or a list that grows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.pcm import from_dbfs
from audio.resample import resample

AUDIBLE_DBFS = -60.0  # a sample below this is not counted as audible


@dataclass(frozen=True, slots=True)
class PlaybackMark:
    """When ``sample`` samples of the reply have sounded, ``text_end`` characters were heard."""

    sample: int  # from the reply's start, at the device's rate
    text_end: int  # length of the heard prefix of the reply's text
    start_sample: int | None = None  # where the word of this mark begins, when that is known


class Run:
    """Samples of a reply that were handed to the device without a gap."""

    __slots__ = ("first", "length", "stream_start")

    def __init__(self, stream_start: int, first: int, length: int) -> None:
        self.stream_start = stream_start  # position on the device's stream
        self.first = first  # the reply's sample that is there
        self.length = length

    def before(self, through: int) -> int:
        """How many of them lie before a position on the stream."""
        return max(0, min(self.length, through - self.stream_start))

    @property
    def stream_end(self) -> int:
        """Position on the stream after the last of them."""
        return self.stream_start + self.length


class ReplyTrack:
    """The sound of one reply, from its start; positions are samples at the device's rate."""

    def __init__(self, reply: int) -> None:
        self.reply = reply
        # Written by control:
        self.enqueued = 0
        self.late = 0  # of these, came after the flush or the finish: they were never queued
        self.first_audible: int | None = None
        self.complete = False  # no more comes
        self.dropped = False  # nothing more may sound, but a fade-out
        self.cut = False  # dropped while there was more to say
        self._segments: list[NDArray[np.float32]] = []
        self._mark_samples: list[int] = []
        self._mark_ends: list[int] = []
        self._mark_starts: list[int] = []  # where the word of each mark begins
        # Written by render:
        self.handed = 0  # the sample that is given to the device next
        self.closed = False  # render will not touch it again
        self.dry = False  # it is in a gap: it has begun, has nothing to give, and is not complete
        self.faded = False  # its fade-out is over, so it is silent
        self._runs: list[Run] = []
        self._segment = 0  # the segment that comes next ...
        self._offset = 0  # ... and the sample in it

    # --- control -------------------------------------------------------------------------------

    def append(self, samples: NDArray[np.float32], marks: Sequence[PlaybackMark]) -> bool:
        """Add sound (copied) and its marks; False when it came too late to sound."""
        start = self.enqueued
        self.enqueued += len(samples)
        if self.dropped or self.complete:
            self.late += len(samples)
            return False
        for mark in marks:
            before = self._mark_samples[-1] if self._mark_samples else 0
            end = max(mark.sample, before)
            known = mark.start_sample is not None
            # The starts first: what is there for a mark's sample is there for its start.
            self._mark_starts.append(
                min(max(mark.start_sample or 0, before), end) if known else before
            )
            self._mark_ends.append(max([mark.text_end, *self._mark_ends[-1:]]))
            self._mark_samples.append(end)
        if self.first_audible is None:
            loud = np.flatnonzero(np.abs(samples) > from_dbfs(AUDIBLE_DBFS))
            self.first_audible = start + int(loud[0]) if loud.size else None
        if len(samples):
            self._segments.append(np.array(samples, np.float32))
        return True

    def drop(self) -> None:
        """Let nothing more of it sound. One that was handed over whole stays uncut."""
        if self.closed or self.dropped:
            return
        if self.complete and self.handed == self.enqueued - self.late:
            return
        self.cut = True
        self.dropped = True

    def release_sound(self) -> None:
        """Free the sound of a reply that is closed; counts and marks stay."""
        self._segments.clear()

    def sounded(self, through: int) -> int:
        """How far into it the sound before a position on the stream has come."""
        ends = [run.first + run.before(through) for run in tuple(self._runs) if run.before(through)]
        return max(ends, default=0)

    def played_out(self, through: int) -> bool:
        """Whether all that was handed over lies before a position on the stream."""
        return all(run.stream_end <= through for run in self._runs[-1:])

    def heard_text_end(self, sounded: int) -> int:
        """Length of the text that so many samples make heard."""
        mark = bisect_right(self._mark_samples, sounded)
        return self._mark_ends[mark - 1] if mark else 0

    def position_of(self, sample: int) -> int | None:
        """Position on the stream of a sample, None when it was not handed over yet."""
        for run in tuple(self._runs):
            if run.first <= sample < run.first + run.length:
                return run.stream_start + sample - run.first
        return None

    @property
    def begun(self) -> bool:
        """Something of it was handed to the device."""
        return bool(self._runs)

    def rewind(self, through: int) -> None:
        """Take back what the device never played: all from ``through`` on. No render may run."""
        cut = next((run for run in self._runs if run.stream_end > through), None)
        handed = self.handed if cut is None else cut.first + cut.before(through)
        self._runs = [
            Run(run.stream_start, run.first, run.before(through))
            for run in self._runs
            if run.before(through)
        ]
        self._go_to(handed)
        self.closed = self.dropped or (self.closed and not self.has_sound)

    def convert(self, from_rate: int, to_rate: int, now: int) -> None:
        """Turn all samples and positions to another rate. Call it after ``rewind``.

        What has sounded becomes one run that ends at ``now``, a position on the new stream.
        """

        def scaled(samples: int) -> int:
            return round(samples * to_rate / from_rate)

        sounded = max((run.first + run.length for run in self._runs), default=0)
        queued = self.enqueued - self.late
        if self._segments:
            self._segments = [resample(np.concatenate(self._segments), from_rate, to_rate)]
        self.late = scaled(self.late)
        self.enqueued = scaled(queued) + self.late
        self.handed = scaled(self.handed)
        self._mark_samples = [scaled(sample) for sample in self._mark_samples]
        self._mark_starts = [scaled(sample) for sample in self._mark_starts]
        self.first_audible = None if self.first_audible is None else scaled(self.first_audible)
        sounded = scaled(sounded)
        self._runs = [Run(now - sounded, 0, sounded)] if sounded else []
        self._go_to(self.handed)

    # --- render --------------------------------------------------------------------------------

    @property
    def has_sound(self) -> bool:
        """There is a sample to hand over."""
        return self._segment < len(self._segments)

    @property
    def done(self) -> bool:
        """All was handed over and no more comes."""
        # ``complete`` is set after the last segment was added, so it is read first.
        return self.complete and not self.has_sound

    def next_piece(self, max_samples: int) -> NDArray[np.float32]:
        """A view of the next samples, up to the end of their segment; not to be changed."""
        segment = self._segments[self._segment]
        return segment[self._offset : self._offset + max_samples]

    def hand_over(self, count: int, stream_start: int) -> None:
        """Record that the next ``count`` samples were given to the device, at a position."""
        run = self._runs[-1] if self._runs else None
        goes_on = run is not None and run.stream_end == stream_start
        if run is not None and goes_on and run.first + run.length == self.handed:
            run.length += count
        else:
            self._runs.append(Run(stream_start, self.handed, count))
        self.handed += count
        self.dry = False
        self._offset += count
        if self._offset == len(self._segments[self._segment]):
            self._segment += 1
            self._offset = 0

    def start_over(self, cut_at: int, most: int) -> None:
        """Go back to the start of the word that was cut at a sample, by ``most`` samples at most.

        Between two words, and where a word is longer than that, go on where it was cut.
        """
        cut_at = min(cut_at, self.handed)
        place = bisect_right(self._mark_samples, cut_at)
        if place < len(self._mark_samples):
            start = self._mark_starts[place]
        else:  # the word is not all there yet: it began after the last one that is
            start = self._mark_samples[-1] if self._mark_samples else 0
        self._go_to(start if cut_at - most <= start < cut_at else cut_at)
        self.faded = False

    def _go_to(self, sample: int) -> None:
        self.handed = sample
        self._segment, self._offset = 0, sample
        while self.has_sound and self._offset >= len(self._segments[self._segment]):
            self._offset -= len(self._segments[self._segment])
            self._segment += 1
