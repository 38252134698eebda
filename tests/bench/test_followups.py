"""The follow-up quotes the answer it follows, prefers what is concrete, and adds nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.followups import follow_up, is_based


@pytest.mark.parametrize(
    ("answer", "based_on"),
    [
        ("It is still working. It last said: 9 tests fail.", "It last said: 9 tests fail"),
        ("It is still working. The agent reads Perl's letter.", "The agent reads Perl's letter"),
        ("It reads rules.md now. It goes on.", "It reads rules.md now"),
        ("It goes on as before.", "It goes on as before"),
        ("I do not know. Four of nine steps are done.", "Four of nine steps are done"),
    ],
)
def test_the_most_concrete_sentence_is_followed(answer: str, based_on: str) -> None:
    follow = follow_up(answer)
    assert follow is not None
    assert follow.based_on == based_on
    assert based_on in follow.question


@pytest.mark.parametrize("answer", ["", "  ", "I do not know.", "Hm."])
def test_nothing_can_be_followed(answer: str) -> None:
    assert follow_up(answer) is None


@given(st.text(max_size=300))
def test_whatever_is_followed_stands_in_the_answer(answer: str) -> None:
    follow = follow_up(answer)
    if follow is not None:
        assert is_based(follow, answer)
