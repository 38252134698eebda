"""Change the rate of a stream, or of a whole recording, without moving it in time.

libsamplerate's ``sinc_fastest`` (MIT/BSD) is the filter: it holds back about 1.2 ms of a stream
at 48 to 16 kHz, where soxr holds back 21 ms. Output sample k always belongs to input time
k / to_rate: what the filter holds back comes later, it is not shifted.
"""

from __future__ import annotations

import math

import numpy as np
import samplerate
from numpy.typing import NDArray

_CONVERTER = "sinc_fastest"
# Half the length of that filter, in samples of the lower of the two rates: 2464 coefficients at
# 128 a sample. Stated in libsamplerate's coefficient table and confirmed by counting.
_HALF_FILTER = 2464 / 128


class StreamResampler:
    """Resamples block by block; the output does not depend on how the input was cut."""

    def __init__(self, from_rate: int, to_rate: int) -> None:
        if from_rate < 1 or to_rate < 1:
            raise ValueError("rates are positive numbers of Hz")
        self._from = from_rate
        self._to = to_rate
        self._ratio = to_rate / from_rate
        self._filter = None if from_rate == to_rate else samplerate.Resampler(_CONVERTER, 1)
        self._taken = 0
        self._given = 0

    @property
    def delay_samples(self) -> int:
        """Output samples that may be held back until more input comes, at ``to_rate``."""
        if self._filter is None:
            return 0
        return math.ceil(_HALF_FILTER * max(1.0, self._ratio)) + 1

    def process(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        """Give the output that is ready after ``samples``; possibly none."""
        self._taken += len(samples)
        out = self._run(samples)
        self._given += len(out)
        return out

    def flush(self) -> NDArray[np.float32]:
        """End the stream: give what was held back, then start anew.

        In all, round(input samples * to_rate / from_rate) samples were then given.
        """
        missing = round(self._taken * self._to / self._from) - self._given
        tail: NDArray[np.float32] = np.zeros(0, np.float32)
        if missing > 0:
            pad = math.ceil((missing + 2 * self.delay_samples) / self._ratio) + 1
            tail = self._run(np.zeros(pad, np.float32))[:missing]
        self.reset()
        return tail

    def reset(self) -> None:
        """Forget the stream so far, as after a gap."""
        if self._filter is not None:
            self._filter.reset()
        self._taken = 0
        self._given = 0

    def _run(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        if self._filter is None:
            return samples.astype(np.float32)  # a copy, as blocks of a device are reused
        if samples.size == 0:
            return np.zeros(0, np.float32)
        block = np.ascontiguousarray(samples, np.float32)
        return np.asarray(self._filter.process(block, self._ratio), np.float32)


def resample(samples: NDArray[np.float32], from_rate: int, to_rate: int) -> NDArray[np.float32]:
    """Resample a whole recording to round(n * to_rate / from_rate) samples, in place in time."""
    resampler = StreamResampler(from_rate, to_rate)
    return np.concatenate((resampler.process(samples), resampler.flush()))
