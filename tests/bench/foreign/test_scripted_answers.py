"""A misheard question still gets its own answer."""

from __future__ import annotations

import pytest

from bench.foreign.scripted_answers import NOT_HEARD, answer_to

ANSWERS = {
    "How is it going?": "fine",
    "Wait, what failed?": "nothing",
    "Mm-hm.": "pardon",
    NOT_HEARD: "say it again",
}


@pytest.mark.parametrize(
    ("heard", "answer"),
    [
        ("How is it going?", "fine"),
        ("how's it going", "fine"),
        ("Wait. What failed?", "nothing"),
        ("Wait, what fell?", "nothing"),
        ("Mm.", "pardon"),
        ("", "say it again"),
        (" ... ", "say it again"),
    ],
)
def test_the_question_that_is_most_like_it_is_answered(heard: str, answer: str) -> None:
    assert answer_to(heard, ANSWERS) == answer


def test_silence_gets_some_answer_where_none_is_for_it() -> None:
    assert answer_to("", {"How is it going?": "fine"}) == "fine"


def test_an_empty_table_answers_nothing() -> None:
    with pytest.raises(ValueError, match="empty"):
        answer_to("How is it going?", {})
