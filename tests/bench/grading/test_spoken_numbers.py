"""Number words become the number that was said, and never another one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.tts.spoken_text import speak
from bench.grading.spoken_numbers import in_digits, joined_digits, number_at


def spoken(number: str) -> list[str]:
    return [word.spoken.lower() for word in speak(number).words]


@given(st.integers(0, 999_999_999))
def test_a_whole_number_is_read_back_as_it_was(number: int) -> None:
    assert in_digits(spoken(f"{number:,}")) == str(number)


@given(st.integers(0, 999), st.integers(0, 99))
def test_a_decimal_number_is_read_back_as_it_was(whole: int, decimals: int) -> None:
    assert in_digits(spoken(f"{whole}.{decimals:02}")) == f"{whole}.{decimals:02}"


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("eighty two rows", 2),
        ("one hundred and five", 4),
        ("a hundred things", 2),
        ("a thing", 0),
        ("twenty thirty", 1),
        ("two and three", 1),
        ("two hundred and more", 2),
        ("twenty first of May", 0),
        ("three point five", 3),
        ("three point blank", 1),
        ("hundred", 0),
        ("", 0),
    ],
)
def test_one_number_ends_where_the_next_begins(said: str, taken: int) -> None:
    assert number_at(said.split()) == taken


@pytest.mark.parametrize("words", ["twenty thirty", "rows", "", "two rows"])
def test_words_that_are_not_one_number_have_no_digits(words: str) -> None:
    with pytest.raises(ValueError, match="not one number"):
        in_digits(words.split())


@pytest.mark.parametrize(
    ("said", "sound"),
    [
        ("at nineteen thirty", "at 1930"),
        ("one thousand nine hundred thirty", "1930"),
        ("eight oh five", "805"),
        ("zero zero four one", "0041"),
        ("nineteen oh five", "1905"),
        ("ten one", "10 1"),
        ("twenty nineteen thirty", "2019 30"),
        ("five oh dear", "50 dear"),
        ("oh dear", "oh dear"),
        ("two three", "2 3"),
    ],
)
def test_numbers_that_sound_the_same_are_one_sound(said: str, sound: str) -> None:
    assert joined_digits(said.split()) == sound.split()
