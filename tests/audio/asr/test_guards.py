from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.asr.guards import loop_in, repeats_in, stuck, words_of

SAID = [
    ("And so my fellow Americans ask not what your country can do for you, ask what you can do "
     "for your country.", 11.0),
    ("1, 2, 3.", 2.7),
    ("Yes.", 0.6),
    ("Thanks for watching and I hope you enjoyed the demo.", 3.5),
    ("What's the weather like?", 1.4),
]  # fmt: skip


@pytest.mark.parametrize(("text", "seconds"), SAID)
def test_what_people_say_is_no_loop(text: str, seconds: float) -> None:
    assert loop_in(text, seconds) == ""
    assert stuck(text, seconds) == ""


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Yes. Yes.", 0.6),
        ("Oh, oh, oh, oh, oh", 3.0),
        ("isolated tornadoes and heavy rain, isolated tornadoes and heavy rain", 4.0),
        ("I'm going to go ahead and see what I'm going to do, I'm going to go ahead", 6.0),
        ("one two three four five six seven eight nine ten", 1.0),
    ],
)
def test_what_a_short_window_repeats_is_a_loop(text: str, seconds: float) -> None:
    assert loop_in(text, seconds)


def test_people_may_repeat_themselves_in_a_settled_text() -> None:
    assert stuck("No, no, no.", 1.2) == ""
    assert stuck("Stop. Stop.", 0.9) == ""
    assert stuck("No no no no no no no no.", 3.0) == ""
    assert stuck("Yes I do, yes I do think so", 3.0) == ""


def test_a_word_may_be_said_again_but_not_a_phrase() -> None:
    assert repeats_in("No, no.", 0.9) == ""
    assert repeats_in("No no no no.", 1.5) == ""
    assert repeats_in("I'm not going to do that. I'm not going to do that.", 4.0)


def test_an_endless_loop_is_never_settled() -> None:
    assert stuck("I'm going to go to the next one. " * 8, 20.0)
    assert stuck("you " * 60, 4.0)


@given(st.text(), st.floats(0, 1000))
def test_any_text_can_be_judged(text: str, seconds: float) -> None:
    assert isinstance(loop_in(text, seconds), str)
    assert not (stuck(text, seconds) and not loop_in(text, seconds))


def test_words_keep_their_apostrophes_and_lose_the_rest() -> None:
    assert words_of("What's -- the \u201cweather\u201d, like_that?") == [
        "what's", "the", "weather", "like", "that",
    ]  # fmt: skip
