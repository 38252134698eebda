"""Samples and seconds are joined by the earliest delivery, whatever the jitter."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.timebase import StreamAnchor

RATE = 16_000
BLOCK = 320  # 20 ms


def deliver(anchor: StreamAnchor, late_s: list[float], rate: float = RATE) -> None:
    for index, late in enumerate(late_s, 1):
        anchor.observe(index * BLOCK, 100.0 + index * BLOCK / rate + late)


def test_late_delivery_does_not_shift_time() -> None:
    random.seed(4)
    anchor = StreamAnchor(RATE)
    deliver(anchor, [random.expovariate(1 / 0.02) for _ in range(500)])
    assert anchor.time_of(0) == pytest.approx(100.0, abs=0.002)
    assert anchor.sample_at(100.5) == pytest.approx(8000, abs=32)


@given(st.lists(st.floats(0.0, 0.5), min_size=1, max_size=200))
def test_the_newest_sample_never_goes_back_in_time(late_s: list[float]) -> None:
    anchor = StreamAnchor(RATE)
    before_s = -1.0
    for index, late in enumerate(late_s, 1):
        anchor.observe(index * BLOCK, index * BLOCK / RATE + late)
        now_s = anchor.time_of(index * BLOCK)
        assert now_s >= before_s
        before_s = now_s


@given(st.integers(0, 10**9), st.floats(0, 10**5))
def test_both_directions_agree(sample: int, at_s: float) -> None:
    anchor = StreamAnchor(RATE)
    anchor.observe(sample, at_s)
    assert anchor.sample_at(anchor.time_of(sample)) == sample
    assert anchor.time_of(sample + 1) > anchor.time_of(sample)


@pytest.mark.parametrize("ppm", [-100.0, 100.0])
def test_slow_drift_is_followed(ppm: float) -> None:
    anchor = StreamAnchor(RATE)
    true_rate = RATE * (1 + ppm / 1e6)
    blocks = 60 * 50 * 10  # ten minutes: 60 ms of drift
    deliver(anchor, [0.0] * blocks, true_rate)
    newest = blocks * BLOCK
    assert anchor.time_of(newest) == pytest.approx(100.0 + newest / true_rate, abs=0.0015)


def test_a_stall_that_delivers_everything_later_changes_nothing() -> None:
    anchor = StreamAnchor(RATE)
    deliver(anchor, [0.0] * 100 + [1.5 - 0.02 * k for k in range(75)] + [0.0] * 50)
    assert anchor.time_of(RATE) == pytest.approx(101.0, abs=0.001)


def test_reset_forgets() -> None:
    anchor = StreamAnchor(RATE)
    assert not anchor.anchored
    with pytest.raises(LookupError):
        anchor.time_of(0)
    anchor.observe(0, 5.0)
    assert anchor.anchored
    anchor.reset()
    with pytest.raises(LookupError):
        anchor.sample_at(5.0)
    anchor.observe(0, 1.0)
    assert anchor.time_of(0) == 1.0


def test_rate_is_positive() -> None:
    with pytest.raises(ValueError, match="positive"):
        StreamAnchor(0)
