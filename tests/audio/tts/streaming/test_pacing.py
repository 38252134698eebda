"""How windows grow, and when whole phrases are better."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from audio.tts.streaming.pacing import (
    FIRST,
    FRAME_S,
    Pace,
    cost,
    first_window,
    least_slack,
    next_window,
)

FAST_S, SLOW_S = 0.3 * FRAME_S, 1.2 * FRAME_S


@given(st.floats(-1, 20), st.floats(0, 0.1), st.integers(1, 2000))
def test_a_window_is_even_or_the_last_and_leaves_no_small_rest(ahead, pace, remaining) -> None:
    window = next_window(ahead, pace, remaining)
    assert 0 < window <= remaining
    assert window == remaining or (window % 2 == 0 and remaining - window >= 14)


def test_windows_grow_with_the_sound_that_is_ahead() -> None:
    sizes = [next_window(ahead, FAST_S, 2000) for ahead in (0.4, 0.8, 1.6, 9.0)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


def test_a_window_is_done_before_the_sound_runs_out() -> None:
    for ahead in (0.6, 1.0, 2.0):
        assert ahead - cost(next_window(ahead, FAST_S, 2000)) * FAST_S >= 0.2


def test_a_fast_machine_keeps_up_and_a_slow_one_does_not() -> None:
    assert least_slack(FAST_S, 300) > 0.25
    assert least_slack(SLOW_S, 300) < 0.25


def test_a_slower_machine_begins_with_a_larger_window() -> None:
    paces = [share * FRAME_S for share in (0.2, 0.4, 0.5, 0.6)]
    firsts = [first_window(pace, 300) for pace in paces]
    assert firsts[0] == FIRST
    assert None not in firsts
    assert firsts == sorted(firsts)
    assert firsts[-1] > FIRST
    assert first_window(SLOW_S, 300) is None
    assert first_window(SLOW_S, 20) == 20


def test_a_phrase_of_one_window_needs_no_slack() -> None:
    assert least_slack(SLOW_S, 30) == float("inf")


def test_whole_phrases_when_it_slows_down_and_windows_again_when_it_recovers() -> None:
    pace = Pace(FAST_S)
    assert pace.first(300)
    for _ in range(5):
        pace.spent(SLOW_S * 300, 300)
    assert pace.first(300) is None
    for _ in range(3):  # whole phrases are timed too
        pace.spent(FAST_S * 300, 300)
    assert pace.first(300)


def test_one_slow_phrase_among_fast_ones_changes_nothing() -> None:
    pace = Pace(FAST_S)
    for seconds in (FAST_S, FAST_S, SLOW_S, FAST_S):
        pace.spent(seconds * 100, 100)
    assert pace.first(300) == first_window(FAST_S, 300)


def test_after_a_stall_more_room_is_asked_for() -> None:
    narrow_s = next(
        s / 1e5
        for s in range(100, 2000)
        if first_window(s / 1e5, 300, 0.25) != first_window(s / 1e5, 300, 0.3)
    )
    pace = Pace(narrow_s)
    usual = pace.first(300)
    pace.slack(0.5)
    assert pace.first(300) == usual
    pace.slack(0.1)
    careful = pace.first(300)
    assert usual is not None
    assert careful is None or careful > usual


def test_nothing_done_says_nothing() -> None:
    pace = Pace(FAST_S)
    pace.spent(9.0, 0)
    assert pace.frame_s == FAST_S
