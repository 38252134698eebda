"""The newest sound of a stream, of a fixed length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audio.controllers.base import SAMPLE_RATE


class RecentSound:
    """Keeps the last seconds of what was pushed; a gap in it is silence."""

    def __init__(self, keep_s: float) -> None:
        self._sound: NDArray[np.float32] = np.zeros(int(keep_s * SAMPLE_RATE), np.float32)
        self._first = 0  # of the stream: what is kept begins here at the earliest
        self._end = 0
        self._empty = True

    def push(self, samples: NDArray[np.float32], at_sample: int) -> None:
        """Add float32 mono at 16 kHz that begins at a sample of the stream.

        What is heard already is passed over; what is no number becomes silence.
        """
        if self._empty or at_sample - self._end >= len(self._sound):
            self.clear()
            self._first = self._end = at_sample
            self._empty = False
        fresh = samples[max(0, self._end - at_sample) :]
        gap = np.zeros(max(0, at_sample - self._end), np.float32)
        added = np.concatenate((gap, np.nan_to_num(fresh, nan=0.0, posinf=0.0, neginf=0.0)))
        added = added[-len(self._sound) :].astype(np.float32)
        if len(added):
            self._sound = np.concatenate((self._sound[len(added) :], added))
        self._end = max(self._end, at_sample + len(samples))

    def between(self, start: int, end: int) -> NDArray[np.float32]:
        """What is kept of the stream from ``start`` to ``end``, both samples of the stream."""
        oldest = max(self._first, self._end - len(self._sound))
        low, high = max(start, oldest), min(end, self._end)
        offset = self._end - len(self._sound)
        return self._sound[max(0, low - offset) : max(0, high - offset)].copy()

    def clear(self) -> None:
        """Forget all of it."""
        self._sound[:] = 0
        self._empty = True
        self._first = self._end
