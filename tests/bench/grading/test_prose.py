"""What a text says, whatever its wording: numbers near what they count, and denials."""

from __future__ import annotations

import pytest

from bench.grading.prose import clauses, denies, has_number, states, states_number


@pytest.mark.parametrize(
    ("text", "number", "found"),
    [
        ("There are nine of them.", 9, True),
        ("There are 9 of them.", 9, True),
        ("A total of 1,354.50 is due.", 1354.5, True),
        ("A total of 1354 is due.", 1354.5, False),
        ("19 of them", 9, False),
        ("9.5 of them", 9, False),
        ("9.0 of them", 9, True),
        ("ninety of them", 9, False),
        ("SV-9 is one", 9, True),
        ("on 2024-09 it", 9, False),
    ],
)
def test_numbers_as_digits_or_words(text: str, number: float, found: bool) -> None:
    assert has_number(text, number) is found


def test_a_number_belongs_to_its_sentence_or_row() -> None:
    text = "Six are kept. Nine must be regenerated.\n\n| rescue | 2 |\n"
    assert states_number(text, 9, r"regenerat")
    assert not states_number(text, 6, r"regenerat")
    assert states_number(text, 2, r"rescue")


def test_what_is_denied_is_not_stated() -> None:
    text = "The bridge is not shut, but the ramp is closed. No notice was sent."
    assert not states(text, r"bridge is")
    assert denies(text, r"bridge is")
    assert states(text, r"ramp is closed")
    assert denies(text, r"notice")
    assert clauses("One, two and three") == ["one", "two", "three"]
