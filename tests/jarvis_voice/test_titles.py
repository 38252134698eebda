"""Titles that are said end where a phrase does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.titles import TITLE_WORDS, is_phrase, shortened


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("release", "release"),
        ("Settle the rights of the pieces", "Settle the rights of the pieces"),
        ("Settle the rights of the pieces and times", "Settle the rights of the pieces"),
        (
            "Prepare the spring regeneration round of our seed vault",
            "Prepare the spring regeneration round",
        ),
        ("Fix the login bug in the auth module and test it", "Fix the login bug"),
        ("Port the parser, then measure its speed, at last, twice", "Port the parser"),
        ("Upgrade: all packages that have a known weakness today", "Upgrade all packages"),
        (
            "Read utils/io.py and everything that it imports today",
            "Read utils io.py and everything",
        ),
        ("one two three four five six seven eight", "one two three four five six"),
        ("one two three four five the six seven", "one two three four five"),
        ("Move to", "Move to"),
        ("...", ""),
    ],
)
def test_a_title_is_whole_or_ends_with_a_phrase(title: str, said: str) -> None:
    assert shortened(title) == said


def test_bare_words_are_no_phrase() -> None:
    assert [is_phrase(title) for title in ("release", "docs site", "pay back run")] == [False] * 3
    assert is_phrase("Mend the program")
    assert is_phrase("poster concepts harbour hands")


@given(st.text(), st.integers(2, 9))
def test_no_title_is_too_long_or_too_odd(title: str, most: int) -> None:
    said = shortened(title, most)
    assert len(said.split()) <= most
    assert shortened(said, most) == said
    assert len(shortened(title).split()) <= TITLE_WORDS
    is_phrase(title)
