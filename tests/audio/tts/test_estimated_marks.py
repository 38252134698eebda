from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.tts.estimated_marks import EstimatedMarks

words = st.lists(
    st.sampled_from(["Wait,", "it", "configuration", "\u2014", "failed.", "a"]), min_size=1
)


@given(words, st.lists(st.integers(0, 30_000), max_size=12), st.floats(0.5, 2))
def test_every_word_gets_one_mark_in_order_and_inside(spoken, pieces, speed) -> None:
    estimate = EstimatedMarks(spoken, 24_000, speed)
    total = 0
    marks = []
    for piece in pieces:
        total += piece
        arrived = estimate.through(total)
        assert all(mark.end_sample <= total for mark in arrived)
        marks += arrived
    marks += estimate.rest(total)
    assert [mark.word for mark in marks] == list(range(len(spoken)))
    edges = [edge for mark in marks for edge in (mark.start_sample, mark.end_sample)]
    assert edges == sorted(edges)
    assert edges[0] >= 0
    assert edges[-1] <= total


def test_the_last_word_ends_with_the_sound() -> None:
    estimate = EstimatedMarks(["It", "failed."], 24_000, 1.0)
    assert estimate.rest(30_000)[-1].end_sample == 30_000


def test_long_words_take_longer_and_a_comma_makes_a_gap() -> None:
    estimate = EstimatedMarks(["it,", "configuration", "end"], 24_000, 1.0)
    first, second = estimate.through(100_000)
    assert second.end_sample - second.start_sample > 3 * (first.end_sample - first.start_sample)
    assert second.start_sample - first.end_sample == pytest.approx(0.2 * 24_000)
