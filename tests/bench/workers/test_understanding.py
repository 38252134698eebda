"""Plain guidance as a choice among options, with its negations."""

from __future__ import annotations

import pytest

from bench.workers.understanding import choose, cue_count, has_guidance, understand, user_words

RECORDS = {
    "quarantine": ("hold back", "quarantine", "keep out", "leave out"),
    "merge": ("merge", "trust the newer", "latest wins", "import everything"),
}
DOSES = {"low": ("25 mg", "25"), "high": ("50 mg", "50")}
COLUMN = {"keep": ("keep the column",), "drop": ("drop the column",)}
BARE = {"drop": ("drop", "exclude"), "keep": ("keep",)}
THREE = {"red": ("red",), "green": ("green",), "blue": ("blue", "no red or green")}
RECEIPT = "[decision r-0123456789abcdef]"


@pytest.mark.parametrize(
    ("words", "options", "option"),
    [
        ("Hold them back until I have checked.", RECORDS, "quarantine"),
        ("Don't merge anything, quarantine those.", RECORDS, "quarantine"),
        ("Don\u2019t quarantine them: import everything.", RECORDS, "merge"),
        ("No, merge them.", RECORDS, "merge"),
        ("Never merge.", RECORDS, "quarantine"),
        ("Quarantine rather than merge.", RECORDS, "quarantine"),
        ("I'd rather keep those out than merge them.", RECORDS, "quarantine"),
        ("Merge instead of holding anything back.", RECORDS, "merge"),
        ("The latest wins, please.", RECORDS, "merge"),
        ("Nothing gets quarantined.", RECORDS, "merge"),
        ("What do you mean?", RECORDS, None),
        ("Merge some and quarantine some.", RECORDS, None),
        ("She takes 50 mg, not 25.", DOSES, "high"),
        ("Not 50 milligrams. Twenty-five is right: 25.", DOSES, "low"),
        ("Neither red nor green.", THREE, "blue"),
        ("Not red.", THREE, None),
        ("", THREE, None),
        ("Drop the column.", COLUMN, "drop"),
        ("Don't drop the column.", COLUMN, "keep"),
        ("Never skip or drop that column, keep the column.", COLUMN, "keep"),
        ("We are dropping the column.", COLUMN, "drop"),
        ("Drop it.", BARE, "drop"),
        ("Don't drop it.", BARE, "keep"),
        ("Keep it, do not exclude it.", BARE, "keep"),
        ("I am against merging.", RECORDS, "quarantine"),
        ("We decided against a quarantine.", RECORDS, "merge"),
        ("Against merging, all of us.", RECORDS, "quarantine"),
        ("Merge them and check the sums against the quarantine list.", RECORDS, None),
        ("Merge, and check the sums against the ledger.", RECORDS, "merge"),
        ("Don't avoid merging.", RECORDS, "merge"),
    ],
)
def test_words_choose_an_option(
    words: str, options: dict[str, tuple[str, ...]], option: str | None
) -> None:
    assert choose(words, options) == option


def test_the_question_that_was_asked_is_not_the_answer() -> None:
    text = f'The user was asked: "Quarantine or merge?" The user decided: "Merge." {RECEIPT}'
    assert user_words(text) == "Merge."
    assert understand(text, RECORDS).option == "merge"
    assert has_guidance(text)
    assert not has_guidance("Wrote results/final.json, 20 characters.")


def test_a_bare_answer_is_about_what_was_proposed() -> None:
    agreed = f'The user was asked: "Quarantine?" The user agreed. {RECEIPT}'
    declined = f'The user was asked: "Quarantine?" The user declined. {RECEIPT}'
    assert understand(agreed, RECORDS, "quarantine").option == "quarantine"
    assert understand(declined, RECORDS, "quarantine").option == "merge"
    assert understand(declined, THREE, "red").option is None
    assert understand("Yes.", RECORDS, "merge").option == "merge"


@pytest.mark.parametrize(
    "text",
    [
        f'The user was asked: "Which?" The user leaves this decision to you. {RECEIPT}',
        f'The user was asked: "Which?" The user leaves this decision to you: "Do it." {RECEIPT}',
        "It's up to you.",
        "whatever you think",
    ],
)
def test_a_decision_that_is_left_to_the_agent(text: str) -> None:
    reading = understand(text, RECORDS, "quarantine")
    assert (reading.option, reading.delegated) == (None, True)


def test_cues_are_counted_over_a_long_text() -> None:
    text = "Merging was proposed. Some would merge, others quarantine. No merge is planned."
    assert cue_count(text, RECORDS["merge"]) == 3
    assert cue_count(text, RECORDS["quarantine"]) == 1
