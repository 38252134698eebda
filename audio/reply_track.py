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


class Run:
    """Samples that were handed to the device without a gap."""

    __slots__ = ("length", "stream_start")

    def __init__(self, stream_start: int, length: int = 0) -> None:
        self.stream_start = stream_start  # position on the device's stream
        self.length = length

    def before(self, through: int) -> int:
        """How many of them lie before a position on the stream."""
        return max(0, min(self.length, through - self.stream_start))


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
        # Written by render:
        self.handed = 0  # samples given to the device
        self.closed = False  # render will not touch it again
        self.dry = False  # it is in a gap: it has begun, has nothing to give, and is not complete
        self.faded = False  # its fade-out is over
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
            self._mark_samples.append(max([mark.sample, *self._mark_samples[-1:]]))
            self._mark_ends.append(max([mark.text_end, *self._mark_ends[-1:]]))
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
        """Its samples that lie before a position on the stream."""
        return sum(run.before(through) for run in tuple(self._runs))

    def heard_text_end(self, sounded: int) -> int:
        """Length of the text that so many samples make heard."""
        mark = bisect_right(self._mark_samples, sounded)
        return self._mark_ends[mark - 1] if mark else 0

    def position_of(self, sample: int) -> int | None:
        """Position on the stream of a sample, None when it was not handed over yet."""
        for run in tuple(self._runs):
            if sample < run.length:
                return run.stream_start + sample
            sample -= run.length
        return None

    @property
    def begun(self) -> bool:
        """Something of it was handed to the device."""
        return bool(self._runs)

    def rewind(self, through: int) -> None:
        """Take back what the device never played: all from ``through`` on. No render may run."""
        self.handed = self.sounded(through)
        self._runs = [
            Run(run.stream_start, run.before(through)) for run in self._runs if run.before(through)
        ]
        self._segment, self._offset = 0, self.handed
        while self._segment < len(self._segments) and self._offset >= len(
            self._segments[self._segment]
        ):
            self._offset -= len(self._segments[self._segment])
            self._segment += 1
        self.closed = self.dropped or (self.closed and not self.has_sound)

    def convert(self, from_rate: int, to_rate: int, now: int) -> None:
        """Turn all samples and positions to another rate. Call it after ``rewind``.

        What has sounded becomes one run that ends at ``now``, a position on the new stream.
        """

        def scaled(samples: int) -> int:
            return round(samples * to_rate / from_rate)

        queued = self.enqueued - self.late
        if self._segments:
            self._segments = [resample(np.concatenate(self._segments), from_rate, to_rate)]
        self.late = scaled(self.late)
        self.enqueued = scaled(queued) + self.late
        self.handed = scaled(self.handed)
        self._mark_samples = [scaled(sample) for sample in self._mark_samples]
        self.first_audible = None if self.first_audible is None else scaled(self.first_audible)
        self._runs = [Run(now - self.handed, self.handed)] if self.handed else []
        self._segment, self._offset = 0, self.handed

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
        if run is None or run.stream_start + run.length != stream_start:
            self._runs.append(Run(stream_start, count))
        else:
            run.length += count
        self.handed += count
        self.dry = False
        self._offset += count
        if self._offset == len(self._segments[self._segment]):
            self._segment += 1
            self._offset = 0
