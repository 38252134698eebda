"""The agent's own words, heard back, are no interruption; the user's words are."""

import pytest

from audio.turn.own_voice import is_own_voice

SPOKEN = "It changed one file: out_v2/a.txt. The tests are running now, and forty two have passed."


@pytest.mark.parametrize(
    "heard",
    [
        "The tests are running now",
        "tests are running now and forty two",
        "the test are running now and forty two have passed",
        "It changed one file.",
    ],
)
def test_what_the_agent_says_is_its_echo(heard: str):
    assert is_own_voice(heard, SPOKEN)


@pytest.mark.parametrize(
    "heard",
    [
        "",
        "Stop.",
        "tests",
        "wait, what failed?",
        "which tests have failed?",
        "no, use the other file",
        "how long will it take",
        "now passed running file",
    ],
)
def test_what_the_user_says_is_not(heard: str):
    assert not is_own_voice(heard, SPOKEN)


def test_the_first_word_of_an_answer_gives_its_echo_away():
    spoken = "Nothing has failed so far."
    assert is_own_voice("Nothing is free.", spoken)
    assert not is_own_voice("Nothing.", spoken)
    assert not is_own_voice("not because it failed", spoken)


def test_with_nothing_spoken_nothing_is_an_echo():
    assert not is_own_voice("how is it going", "")
