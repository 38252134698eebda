"""The ring behaves as a bounded deque that forgets its oldest samples."""

from __future__ import annotations

import threading
from collections import deque

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from audio.ring import SampleRing


class RingAgainstDeque(RuleBasedStateMachine):
    @initialize(capacity=st.integers(1, 20))
    def start(self, capacity: int) -> None:
        self.ring = SampleRing(capacity)
        self.model: deque[float] = deque(maxlen=capacity)
        self.written = 0
        self.lost = 0

    @rule(count=st.integers(0, 50))
    def write(self, count: int) -> None:
        block = np.arange(self.written, self.written + count, dtype=np.float32)
        self.ring.write(block)
        self.lost += max(0, len(self.model) + count - self.ring.capacity_samples)
        self.model.extend(block.tolist())
        self.written += count
        block[:] = -1.0  # the ring keeps a copy

    @rule(count=st.integers(0, 50))
    def read(self, count: int) -> None:
        position = self.ring.read_position
        got = self.ring.read(count).tolist()
        assert got == [self.model.popleft() for _ in range(min(count, len(self.model)))]
        assert not got or got[0] == position

    @rule()
    def clear(self) -> None:
        self.ring.clear()
        self.model.clear()

    @invariant()
    def counts_agree(self) -> None:
        if hasattr(self, "ring"):
            assert self.ring.available == len(self.model)
            assert self.ring.written_samples == self.written
            assert self.ring.overrun_samples == self.lost


TestRingAgainstDeque = RingAgainstDeque.TestCase


def test_two_threads_lose_and_tear_nothing_unseen() -> None:
    """A writer that laps the reader: what is read must be runs of consecutive numbers."""
    ring = SampleRing(4096)
    total = 1 << 20

    def produce() -> None:
        for start in range(0, total, 1024):
            ring.write(np.arange(start, start + 1024, dtype=np.float32))

    writer = threading.Thread(target=produce)
    writer.start()
    received = 0
    newest = -1.0
    while writer.is_alive() or ring.available:
        block = ring.read(3000)
        if block.size:
            assert np.all(np.diff(block) == 1.0)
            assert block[0] > newest
            newest = float(block[-1])
            received += block.size
    writer.join()
    assert received + ring.overrun_samples == total
    assert newest == total - 1


def test_a_ring_holds_at_least_one_sample() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        SampleRing(0)
