"""Cut a stream of arbitrary blocks into frames of one exact size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Frame(NamedTuple):
    """An exact number of consecutive samples."""

    start_sample: int  # counted from the start of the stream
    samples: NDArray[np.float32]  # shape (frame_samples,), owned by the receiver


class Framer:
    """Gives the same frames however the stream was cut into blocks."""

    def __init__(self, frame_samples: int) -> None:
        if frame_samples < 1:
            raise ValueError("frame_samples must be at least 1")
        self._size = frame_samples
        self._pending: NDArray[np.float32] = np.empty(frame_samples, np.float32)
        self._filled = 0
        self._next_start = 0

    @property
    def pending_samples(self) -> int:
        """Samples that wait for a frame to be full."""
        return self._filled

    def push(self, samples: NDArray[np.float32]) -> list[Frame]:
        """Add samples of any number and return the frames that are now full, in order."""
        frames: list[Frame] = []
        offset = 0
        while offset < len(samples):
            take = min(self._size - self._filled, len(samples) - offset)
            self._pending[self._filled : self._filled + take] = samples[offset : offset + take]
            self._filled += take
            offset += take
            if self._filled == self._size:
                frames.append(Frame(self._next_start, self._pending))
                self._pending = np.empty(self._size, np.float32)
                self._filled = 0
                self._next_start += self._size
        return frames

    def reset(self, start_sample: int = 0) -> None:
        """Drop what is pending; the next frame starts at ``start_sample``."""
        self._filled = 0
        self._next_start = start_sample
