from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.devices.watch import BEHIND_S, FIRST_SAMPLE_S, STALL_S, Health, StreamWatch

RATE = 16_000


def feed_steadily(watch: StreamWatch, until_s: float, speed: float = 1.0) -> float:
    """Feed a stream of 20 ms blocks, looked at every 100 ms; returns the time of the last look."""
    at_s = 0.0
    for look in range(round(until_s / 0.1) + 1):
        at_s = look * 0.1
        samples = int(at_s * RATE * speed) // 320 * 320
        assert watch.feed(at_s, samples).health is Health.HEALTHY, at_s
    return at_s


def test_a_steady_stream_is_healthy_and_has_no_backlog() -> None:
    watch = StreamWatch(RATE)
    at_s = feed_steadily(watch, 60.0)
    assert watch.feed(at_s + 0.02, round((at_s + 0.02) * RATE)).backlog_samples <= 320


@pytest.mark.parametrize("speed", [1 - 300e-6, 1 - 100e-6, 1 + 300e-6])
def test_an_hour_of_a_drifting_device_clock_is_no_lag(speed: float) -> None:
    feed_steadily(StreamWatch(RATE), 3600.0, speed)


def test_no_callback_for_half_a_second_is_a_stall() -> None:
    watch = StreamWatch(RATE)
    at_s = feed_steadily(watch, 5.0)
    samples = int(at_s * RATE)
    watch.feed(at_s, samples)
    assert watch.feed(at_s + STALL_S - 0.01, samples).health is not Health.STALLED
    verdict = watch.feed(at_s + STALL_S, samples)
    assert verdict.health is Health.STALLED
    assert verdict.reason == "no sound came for 0.5 s"


def test_a_device_may_take_its_time_to_begin_but_not_for_ever() -> None:
    watch = StreamWatch(RATE)
    watch.feed(0.0, 0)
    assert watch.feed(FIRST_SAMPLE_S - 0.1, 0).health is Health.HEALTHY
    assert watch.feed(FIRST_SAMPLE_S, 0).health is Health.STALLED


def test_the_time_before_the_first_sample_is_no_lag() -> None:
    watch = StreamWatch(RATE)
    watch.feed(0.0, 0)
    watch.feed(1.5, 320)
    assert watch.feed(2.5, 320 + RATE).backlog_samples == 0


def test_lost_sound_counts_as_backlog_until_it_is_accepted() -> None:
    watch = StreamWatch(RATE)
    at_s = feed_steadily(watch, 5.0)
    lost = round(0.4 * RATE)
    verdict = watch.feed(at_s + 1.0, round((at_s + 1.0) * RATE) - lost)
    assert verdict.health is Health.BEHIND
    assert verdict.backlog_samples == pytest.approx(lost, abs=320)
    assert "late" in verdict.reason
    watch.accept()
    verdict = watch.feed(at_s + 2.0, round((at_s + 2.0) * RATE) - lost)
    assert verdict.health is Health.HEALTHY


def test_a_burst_after_a_hold_up_makes_up_for_it() -> None:
    watch = StreamWatch(RATE)
    at_s = feed_steadily(watch, 5.0)
    samples = int(at_s * RATE)
    assert watch.feed(at_s + 0.4, samples).health is Health.BEHIND
    verdict = watch.feed(at_s + 0.41, round((at_s + 0.41) * RATE))
    assert verdict.health is Health.HEALTHY


def test_after_a_reset_the_count_may_begin_at_nought() -> None:
    watch = StreamWatch(RATE)
    feed_steadily(watch, 2.0)
    with pytest.raises(ValueError, match="went back"):
        watch.feed(2.1, 0)
    watch.reset()
    assert watch.feed(2.1, 0).health is Health.HEALTHY


@given(st.lists(st.floats(0.0, BEHIND_S * 0.9), min_size=1, max_size=200))
def test_jitter_below_the_limit_is_always_healthy(lateness_s: list[float]) -> None:
    watch = StreamWatch(RATE)
    samples = 0
    for look, late_s in enumerate(lateness_s):
        at_s = look * 0.1
        samples = max(samples, int(max(0.0, at_s - late_s) * RATE))
        assert watch.feed(at_s, samples).health is Health.HEALTHY


@given(st.floats(STALL_S, 60.0), st.floats(0.1, 30.0))
def test_every_gap_is_found_and_what_follows_it_is_healthy(gap_s: float, before_s: float) -> None:
    watch = StreamWatch(RATE)
    at_s = feed_steadily(watch, before_s + 0.2)
    samples = int(at_s * RATE)
    watch.feed(at_s, samples)
    assert watch.feed(at_s + gap_s, samples).health is Health.STALLED
    watch.feed(at_s + gap_s + 0.01, samples + 320)
    watch.accept()
    assert watch.feed(at_s + gap_s + 0.03, samples + 640).health is Health.HEALTHY
