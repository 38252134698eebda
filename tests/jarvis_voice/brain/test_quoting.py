"""A question that quotes what was just said is answered from where that stands in the run."""

from __future__ import annotations

import pytest

from jarvis_voice.brain import quoting
from jarvis_voice.brain.narrator import narrate
from jarvis_voice.events import Evidence, EvidenceKind, Exchange, Question, RunSnapshot, RunStatus


def run(*texts: tuple[EvidenceKind, str], run_id: str = "r", **fields: object) -> RunSnapshot:
    evidence = tuple(
        Evidence(number, 100.0 + number, kind, text)
        for number, (kind, text) in enumerate(texts, start=1)
    )
    return RunSnapshot(
        run_id, "bench", "Bookings", RunStatus.WORKING, 5, evidence=evidence, **fields
    )  # type: ignore[arg-type]


class Runs:
    def __init__(self, *runs: RunSnapshot) -> None:
        self.runs = runs

    def snapshots(self) -> tuple[RunSnapshot, ...]:
        return self.runs

    def changes_since(self, run_id: str, version: int) -> None:
        return None

    def run_time_s(self, run_id: str) -> float:
        return 110.0


BOOKINGS = run(
    (EvidenceKind.ACTION, "read bookings.csv"),
    (EvidenceKind.MESSAGE, "2 pairs of bookings overlap."),
    (EvidenceKind.ACTION, "write moves.csv"),
    (EvidenceKind.MESSAGE, "The move of Perl is free."),
    last_message="The move of Perl is free.",
    goal="Untangle the bookings",
)


def ask(text: str, *runs: RunSnapshot, heard: str = "2 pairs of bookings overlap.") -> str:
    before = Exchange(1, "How is it going?", heard, heard, cut=False, run_versions={"r": 5})
    told = narrate(Question(2, text, 0.0, 110.0, (before,)), Runs(*runs))
    return " ".join(told.sentences)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ('You said "2 pairs overlap". What is that about?', "2 pairs overlap"),
        ("You said two pairs overlap. What is that about?", "two pairs overlap"),
        ("And you mentioned utils/io.py, can you tell me more?", "utils/io.py"),
        ("You told me that it failed. Why?", "it failed"),
        ("What did you say?", ""),
        ("Did you say something?", ""),
        ("How is it going?", ""),
    ],
)
def test_what_is_said_back(text: str, phrase: str) -> None:
    assert quoting.quoted_phrase(text) == phrase


def test_the_answer_says_where_it_stands_and_what_stands_around_it() -> None:
    answer = ask(
        'You said "It last said: 2 pairs of bookings overlap". What is that about?', BOOKINGS
    )
    assert "The agent said it" in answer
    assert "read bookings.csv" in answer
    assert "The move of Perl is free." in answer


def test_an_action_is_told_with_what_it_gave() -> None:
    gave = run(
        (EvidenceKind.ACTION, "run: pytest -q"), (EvidenceKind.RESULT, "3 failed, 80 passed")
    )
    answer = ask('You said "run: pytest". What is that about?', gave)
    assert "an action of the agent" in answer
    assert "3 failed, 80 passed" in answer
    assert "nothing since" in answer


def test_what_jarvis_counted_itself_is_told_as_such() -> None:
    answer = ask('You said "I count nine tool calls so far". What is that about?', BOOKINGS)
    assert "what I see of the run" in answer
    assert "Perl" in answer


def test_of_several_runs_the_right_one_is_named() -> None:
    other = run((EvidenceKind.MESSAGE, "The gate rusts."), run_id="q")
    answer = ask('You said "The gate rusts". What is that about?', BOOKINGS, other)
    assert "The agent said it" in answer
    assert "bookings.csv" not in answer


def test_nothing_was_said_before() -> None:
    told = narrate(
        Question(1, 'You said "it failed". Why is that?', 0.0, 110.0, ()), Runs(BOOKINGS)
    )
    assert "The agent said it" not in " ".join(told.sentences)
