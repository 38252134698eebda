"""A ring of samples between a device callback and one worker, without a lock."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class SampleRing:
    """One thread writes, one other thread reads; neither ever waits.

    When the reader falls behind, the *oldest* samples are lost: late sound is worth less than
    fresh sound, and an echo reference that is old would be worse than none.

    Theory of operation. Positions count samples since the start and only grow. The writer owns
    ``_claimed`` (raised before it copies) and ``_written`` (raised after); the reader owns
    ``_read``. The reader copies first and looks at ``_claimed`` afterwards: whatever the writer
    may have overwritten meanwhile is dropped from the copy, so a torn sample is never returned.
    """

    def __init__(self, capacity_samples: int) -> None:
        if capacity_samples < 1:
            raise ValueError("capacity_samples must be at least 1")
        self._capacity = capacity_samples
        self._buffer: NDArray[np.float32] = np.zeros(capacity_samples, np.float32)
        self._claimed = 0
        self._written = 0
        self._read = 0
        self._skipped = 0  # samples that the reader has found lost

    @property
    def capacity_samples(self) -> int:
        return self._capacity

    @property
    def written_samples(self) -> int:
        """Samples written since the start, lost ones included."""
        return self._written

    @property
    def read_position(self) -> int:
        """Position, counted since the start, of the sample that ``read`` would give next."""
        return max(self._read, self._written - self._capacity)

    @property
    def available(self) -> int:
        """Samples that can be read now."""
        return min(self._written - self._read, self._capacity)

    @property
    def overrun_samples(self) -> int:
        """Samples lost since the start because the reader was too slow."""
        return self._skipped + max(0, self._written - self._read - self._capacity)

    def write(self, samples: NDArray[np.float32]) -> None:
        """Add samples (writer's thread). Never blocks and never fails."""
        count = len(samples)
        end = self._written + count
        self._claimed = end
        kept = samples[-self._capacity :] if count > self._capacity else samples
        at = (end - len(kept)) % self._capacity
        head = min(len(kept), self._capacity - at)
        self._buffer[at : at + head] = kept[:head]
        self._buffer[: len(kept) - head] = kept[head:]
        self._written = end

    def read(self, max_samples: int) -> NDArray[np.float32]:
        """Take up to ``max_samples`` of the oldest samples (reader's thread), as a new array."""
        start = self._skip_lost()
        count = max(0, min(max_samples, self._written - start))
        out = np.empty(count, np.float32)
        at = start % self._capacity
        head = min(count, self._capacity - at)
        out[:head] = self._buffer[at : at + head]
        out[head:] = self._buffer[: count - head]
        torn = min(count, max(0, self._claimed - self._capacity - start))
        self._skipped += torn
        self._read = start + count
        return out[torn:]

    def clear(self) -> None:
        """Forget what was written so far (reader's thread). It does not count as lost."""
        self._skip_lost()
        self._read = self._written

    def _skip_lost(self) -> int:
        oldest = self._written - self._capacity
        if oldest > self._read:
            self._skipped += oldest - self._read
            self._read = oldest
        return self._read
