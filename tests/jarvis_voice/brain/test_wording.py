from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.brain import wording


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "zero"),
        (7, "seven"),
        (13, "thirteen"),
        (20, "twenty"),
        (84, "eighty-four"),
        (100, "100"),
    ],
)
def test_numbers_are_words_up_to_a_hundred(value: int, words: str) -> None:
    assert wording.number(value) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-3, "less than a second"),
        (0.3, "less than a second"),
        (1, "about one second"),
        (59.6, "one minute"),
        (130, "two minutes and ten seconds"),
        (300, "about five minutes"),
        (3600, "about one hour"),
        (5400, "about one hour and thirty minutes"),
        (90000, "about one day and one hour"),
    ],
)
def test_durations_are_as_exact_as_a_person(seconds: float, words: str) -> None:
    assert wording.duration(seconds) == words


@given(st.floats(0, 1e9))
def test_any_duration_has_words(seconds: float) -> None:
    assert wording.duration(seconds)
    assert wording.ago(seconds)


@pytest.mark.parametrize(
    ("usd", "words"),
    [
        (0, "nothing"),
        (0.00056, "less than one cent"),
        (0.01, "about one cent"),
        (0.129, "about thirteen cents"),
        (1, "about one dollar"),
        (2.5, "about two dollars and fifty cents"),
        (123.45, "about 123 dollars"),
    ],
)
def test_money_is_spoken(usd: float, words: str) -> None:
    assert wording.money(usd) == words


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["a", "b", "c", "d", "e"], "a, b, c and two more"),
    ],
)
def test_lists_are_spoken(items: list[str], words: str) -> None:
    assert wording.listed(items) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("README.md\nsrc\ntests", "README.md, src, tests."),
        ("It ran the whole suite.\nAll of it passed well.",
         "It ran the whole suite. All of it passed well."),
        ("see /home/dev/project/src/io.py now", "see src/io.py now."),
        ("I'll create `lol.txt` for you.", "I'll create lol.txt for you."),
        ("cut off her…", "cut off her, and more."),
        ("is it so?", "is it so?"),
    ],
)  # fmt: skip
def test_quotes_read_well(text: str, words: str) -> None:
    assert wording.quoted(text) == words


@given(st.text(max_size=400), st.integers(3, 40))
def test_quotes_are_bounded_and_end_well(text: str, words: int) -> None:
    quote = wording.quoted(text, words)
    assert len(quote.split()) <= words + 2
    assert not quote or quote[-1] in ".!?"


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("Held by Jarvis. The user decided: write to out_v2/ instead of out/. Scope: this task.",
         "You decided: write to out_v2/ instead of out/."),
        ("User chose out_v2/ instead of out/.", "You chose out_v2/ instead of out/."),
        ("The user said: use staging", "You said: use staging."),
        ("no reason was given", ""),
    ],
)  # fmt: skip
def test_a_decision_is_told_as_the_users(text: str, decision: str) -> None:
    assert wording.decision_in(text) == decision


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Write output `echo hi > a`", ("Write output", "echo hi > a")),
        ("Write output `echo hi and a long…", ("Write output", "echo hi and a long…")),
        ("edit a.py", ("edit a.py", "")),
        ("`ls`", ("", "ls")),
    ],
)
def test_actions_come_apart(text: str, parts: tuple[str, str]) -> None:
    assert wording.split_action(text) == parts
