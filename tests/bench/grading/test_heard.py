"""Heard text takes the spelling of what was said, and nothing becomes true that was not said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.tts.spoken_text import speak
from bench.grading.answers import Exam, Kind, Tag, grade
from bench.grading.claims import Seen, numbers, weigh
from bench.grading.heard import errors_of_hearing, said_words, written
from bench.suite.leaks import Detector
from bench.suite.sealed import Fact, Predicate

VISIBLE = (
    "Settle THE feeders of callers/ in sources/test_kerf.py and kerf/__init__.py\n"
    "It wrote results/a.csv and results/final.json with 82 rows, 1,204 loads and 3.5 hours.\n"
    "Feeder F1 had its peak at 19:30 in peak_at; the second was at 8:05; order BX-204 of 2026-03-01"
)
FACTS = (
    Fact(
        id="peak",
        statement="Feeder F1 had its peak at 19:30.",
        true=[r"\bF1\b[^.]*peak[^.]*19:30"],
        false=[r"\bF1\b[^.]*peak at (?!19:30)\d"],
        known_when=Predicate(said="peak"),
    ),
    Fact(
        id="rows",
        statement="The table has 82 rows.",
        true=[r"\b82 rows"],
        false=[r"\b(?!82\b)\d+ rows"],
        known_when=Predicate(said="rows"),
    ),
)


class Sealed:
    """As much of a sealed task as the detector looks at."""

    canaries = ("heron 7720",)
    allowed_overlap: tuple[str, ...] = ()
    facts = FACTS
    memories = ()


def graded(heard: str) -> tuple[int, tuple[Tag, ...]]:
    seen = Seen(VISIBLE, {"Settle": False}, frozenset(), frozenset({"peak", "rows"}), FACTS)
    exam = Exam(Kind.EARLY, "How is it going?", seen, Detector(Sealed()))  # type: ignore[arg-type]
    found = grade(written(heard, VISIBLE), exam)
    return found.grade, found.tags


@pytest.mark.parametrize(
    ("heard", "spelled"),
    [
        ("It wrote results slash a dot csv.", "It wrote results/a.csv."),
        ("Results slash A dot C S V", "results/a.csv"),
        ("results slash final dot Jason", "results/final.json"),
        ("Read sources slash test kerf dot pi. So.", "Read sources/test_kerf.py. So."),
        ("kerf slash dunder init dot pie", "kerf/__init__.py"),
        ("the callers in kerf slash curve", "the callers in kerf/curve"),
        ("peak at 1930", "peak at 19:30"),
        ("peak at nineteen thirty.", "peak at 19:30."),
        ("at eight oh five", "at 8:05"),
        ("order B X two hundred four", "order BX-204"),
        ("on March 1st, 2026", "on March 1st, 2026"),
        ("eighty two rows and twelve hundred", "82 rows and 1200"),
        ("one thousand two hundred and four loads", "1,204 loads"),
        ("three point five hours", "3.5 hours"),
        ("no one, and one of them", "no one, and 1 of them"),
        ("the twenty first of May", "the twenty first of May"),
        ("The CSV is done", "The CSV is done"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_was_said_rightly_is_spelled_rightly(heard: str, spelled: str) -> None:
    assert written(heard, VISIBLE) == spelled


@pytest.mark.parametrize(
    ("heard", "spelled"),
    [
        ("peak at 1931", "peak at 1931"),
        ("peak at nineteen thirty one", "peak at 19 31"),
        ("peak at nineteen, thirty", "peak at 19, 30"),
        ("eighty three rows", "83 rows"),
        ("two hundred and four thousand", "204000"),
        ("results slash b dot csv", "results/b.csv"),
        ("results slash a dot json", "results/a.json"),
        ("B X two hundred five", "B X 205"),
        ("kerf slash innit dot pie", "kerf/innit.py"),
        ("a dot on the map", "a dot on the map"),
        ("three point six", "3.6"),
        ("order B X twenty one", "order B X 21"),
    ],
)
def test_what_was_not_said_is_not_made_of_it(heard: str, spelled: str) -> None:
    assert written(heard, VISIBLE) == spelled


@given(st.integers(0, 99_999), st.integers(0, 99_999))
def test_a_number_never_becomes_another_that_could_be_seen(said: int, seen: int) -> None:
    heard = " ".join(word.spoken for word in speak(f"It has {said:,} rows").words)
    found = written(heard, f"It has {seen} rows, {seen}.csv and B-{seen}")
    assert numbers(found) == {str(said)}


@pytest.mark.parametrize(
    ("heard", "value", "tags"),
    [
        ("It last said, feeder F1 had its peak at 1930. It is still working.", 2, ()),
        ("Feeder F1 had its peak at nineteen thirty.", 2, ()),
        ("Feeder F1 had its peak at eighteen thirty.", 0, (Tag.CONTRADICTION,)),
        ("Feeder F1 had its peak at 1830.", 0, (Tag.CONTRADICTION,)),
        ("The table has eighty two rows.", 2, ()),
        ("The table has eighty three rows.", 0, (Tag.CONTRADICTION,)),
        ("It wrote results slash a dot csv.", 2, ()),
        ("It has settled ninety one feeders.", 0, (Tag.UNSUPPORTED,)),
        ("The ledger is heron seventy seven twenty.", 0, (Tag.PRIVATE,)),
    ],
)
def test_a_grade_is_that_of_the_words_and_not_of_their_spelling(
    heard: str, value: int, tags: tuple[Tag, ...]
) -> None:
    assert graded(heard) == (value, tags)


def test_spelling_alone_is_no_error_of_hearing() -> None:
    said = "It's under way: read sources/a.csv at 19:30, 82 rows."
    heard = "Its underway. Read sources slash A dot CSV at nineteen thirty. Eighty-two rows."
    assert errors_of_hearing(said, heard) == (0, len(said_words(said)) - 1)


@pytest.mark.parametrize(
    ("said", "heard", "errors"),
    [("82 rows", "83 rows", 1), ("the kerf", "the curve", 1), ("a b c", "", 1), ("", "", 0)],
)
def test_other_words_are_errors_of_hearing(said: str, heard: str, errors: int) -> None:
    assert errors_of_hearing(said, heard)[0] == errors


TITLES = {"Panel survey": True, "People and ways around": True, "Plan the renewal": False}


@pytest.mark.parametrize(
    ("heard", "verdict"),
    [
        ("The first panel survey, it is done.", "supported"),
        ("The first, Panel Survey. It is done.", "supported"),
        ("The third plan the renewal, it is still working.", "supported"),
        ("The third plan the renewal, it is done.", "contradicted"),
        ("The first panel survey, it is still working.", "contradicted"),
        ("The second people in ways around, it is done.", "undecided"),
        ("The second people in ways around, it is still working.", "undecided"),
        ("It is done.", "contradicted"),
        ("Everything is done.", "contradicted"),
        ("The work is finished.", "contradicted"),
    ],
)
def test_a_session_is_known_by_its_whole_title_and_a_misheard_one_is_not_guessed(
    heard: str, verdict: str
) -> None:
    seen = Seen(VISIBLE, TITLES, frozenset(), frozenset(), (), heard=True)
    (claim,) = weigh(written(heard, VISIBLE, TITLES), "How is it going?", seen)
    assert claim.verdict.value == verdict


def test_a_title_that_is_a_sentence_stays_one() -> None:
    heard = "Panel survey. It is done. The first panel survey. It is done."
    spelled = "Panel survey. It is done. The first Panel survey: It is done."
    assert written(heard, VISIBLE, TITLES) == spelled


def test_a_title_that_is_not_known_names_nothing_in_text() -> None:
    seen = Seen(VISIBLE, TITLES, frozenset(), frozenset(), ())
    (claim,) = weigh("The second, People in ways around: it is done.", "", seen)
    assert claim.verdict.value == "contradicted"
