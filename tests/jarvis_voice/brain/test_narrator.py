"""The narrator against planted facts: right, grounded, short to begin with, and never silent."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.brain import followups
from jarvis_voice.brain.narrator import WHICH, narrate
from jarvis_voice.events import (
    EvidenceKind,
    RunStatus,
)

REASON = "Held by Jarvis. The user decided: keep the archive table."


def ask(make, text: str, *states: str, history=(), news=None) -> str:
    runs = [make.states[state] for state in states]
    told = narrate(make.question(text, *history), make.lookup(runs, news))
    return " ".join(told.sentences)


# question, state, what must be said, what must not
TABLE = [
    ("How's it going?", "working", ["still working", "One of three plan steps is done",
     "write the migration", "One tool call failed", "One action was denied"], ["It is done.",
     "minutes"]),
    ("How's it going?", "waiting", ["waiting for you", "Which region should hold the ledger?"],
     ["still working"]),
    ("How's it going?", "held", ["actions is held", "a decision about the bucket",
     "Create the bucket"], ["still working"]),
    ("How's it going?", "done", ["It is done.", "The totals are equal: 1,204,551 euros."],
     ["still working"]),
    ("How's it going?", "failed", ["It failed.", "out of memory in step two"], ["It is done."]),
    ("How's it going?", "stopped", ["It was stopped."], ["It is done.", "failed. It"]),
    ("How's it going?", "bare", ["It is still working."], ["denied", "failed", "said"]),
    ("How's it going?", "degraded", ["My picture may be incomplete.", "unknown kind hologram"], []),
    ("How's it going?", "starting", ["just starting", "Migrate the invoices"], ["working"]),
    ("What is it doing now?", "working", ["It is at work.", "Run the dry migration"],
     ["python"]),
    ("What is it doing now?", "waiting", ["waiting for you", "Create the bucket"],
     ["dry migration"]),
    ("What is it doing now?", "done", ["Nothing any more.", "It is done."], ["under way"]),
    ("What is it doing now?", "bare", ["I see no action right now."], []),
    ("How far along is it?", "working", ["One of three plan steps is done.", "write the migration"],
     ["percent"]),
    ("How far along is it?", "bare", ["no plan that I see", "no tool calls"], ["percent"]),
    ("How far along is it?", "done", ["It is done.", "Three of three plan steps are done."], []),
    ("What did it find?", "working", ["84 tables found, 3 without a primary key",
     "Three tables have no primary key."], []),
    ("What did it find?", "bare", ["Nothing that I can see yet."], []),
    ("What's unclear?", "working", ["One thing is unclear.", "who owns the table customers_old"],
     []),
    ("What's unclear?", "waiting", ["Which region should hold the ledger?"], []),
    ("What's unclear?", "bare", ["reports nothing unclear"], []),
    ("What's unclear?", "degraded", ["picture may be incomplete"], ["reports nothing"]),
    ("What failed?", "working", ["One thing failed.", "Run the linter.",
     "2 errors in migrate.py"], []),
    ("What failed?", "failed", ["The whole run failed.", "out of memory in step two",
     "Before that:"], []),
    ("What failed?", "bare", ["No failure so far."], ["succeeded"]),
    ("Why did it fail?", "failed", ["out of memory in step two"], []),
    ("What was it asked to do?", "working", ["Migrate the invoices to the new ledger and keep the "
     "totals equal."], []),
    ("What was it asked to do?", "bare", ["I did not see the task"], ["Migrate the invoices to"]),
    ("How long has it been running?", "working", ["So far about thirteen minutes.",
     "about four seconds ago"], []),
    ("How long has it been running?", "done", ["It took about twelve minutes."], ["So far"]),
    ("How long has it been running?", "bare", ["I don't know how long."], ["minutes"]),
    ("How long will it take?", "working", ["I can't tell how long it needs.", "So far"], []),
    ("What did it cost?", "working", ["About one dollar and twenty-three cents.", "so far"],
     []),
    ("What did it cost?", "done", ["About one dollar and twenty-three cents."], ["so far"]),
    ("What did it cost?", "bare", ["I don't know its cost."], ["cent", "dollar"]),
    ("Which files?", "working", ["Two files.", "docs/ledger.md and src/migrate.py"], []),
    ("Which files did it change?", "bare", ["I see no changed file."], []),
    ("Which command?", "working", ["Run the dry migration.", "python migrate.py --dry-run",
     "five tool calls"], []),
    ("Which command?", "bare", ["no command yet"], []),
    ("What did it say?", "working", ["Three tables have no primary key."], []),
    ("What did it say?", "bare", ["said nothing yet"], []),
    ("What was denied?", "working", ["One action was denied.", "Drop the archive.", REASON], []),
    ("What was denied?", "held", ["actions is held", "Create the bucket", "Drop the archive"], []),
    ("Was anything denied?", "bare", ["nothing that was denied"], []),
    ("What did I decide?", "working", ["You decided: keep the archive table.",
     "Use only the staging copy."], []),
    ("What did I decide?", "bare", ["I see no decision of yours."], []),
    ("Is it done?", "working", ["No, not yet."], ["Yes"]),
    ("Is it done?", "waiting", ["No, not yet.", "waiting for you", "Which region"], ["Yes"]),
    ("Is it done?", "done", ["Yes, it is done."], ["No,"]),
    ("Is it done?", "failed", ["It ended, but it failed."], ["Yes"]),
    ("Is it done?", "stopped", ["stopped before it was done"], ["Yes"]),
    ("Is it waiting for me?", "waiting", ["Yes, it is waiting for you.", "Which region"], []),
    ("Is it waiting for me?", "working", ["No, not that I can see."], ["Yes"]),
    ("Is it stuck?", "done", ["No.", "It is done."], []),
    ("Does it need anything from me?", "held", ["held", "a decision about the bucket"], []),
    ("Which runs are there?", "working", ["I see one run.", "Migrate the invoices"], []),
    ("What's the weather like?", "working", ["I don't know.", "nothing about weather",
     "I only see"],
     ["working"]),
    ("Did the deployment succeed?", "done", ["I don't know.", "nothing about deployment"],
     ["Yes", "succeeded", "is done"]),
    ("Did the tests pass?", "done", ["I don't know.", "nothing about tests"], ["Yes"]),
    ("What errors did the payment service have?", "working", ["I don't know.", "payment"],
     ["linter"]),
    ("What does it cost to live in Paris?", "working", ["I don't know.", "paris"], ["dollar"]),
    ("What about the archive?", "working", ["archive"], ["don't know"]),
    ("Did it find the primary keys?", "working", ["primary key"], ["don't know"]),
    ("Blah blah blah.", "working", ["I don't know."], []),
    ("", "working", ["I did not catch that."], []),
    ("Hello Jarvis.", "working", ["Hello."], []),
    ("Thank you.", "working", ["You're welcome."], []),
    ("Goodbye.", "working", ["Goodbye."], []),
    ("Who are you?", "working", ["I am Jarvis."], []),
    ("Stop the run.", "working", ["I can't do that.", "goes on as it was"], []),
    ("Why?", "bare", ["I don't know why."], []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "state", "said", "unsaid"), TABLE)
def test_the_answer_tells_the_planted_facts(make, text, state, said, unsaid) -> None:
    answer = ask(make, text, state)
    for part in said:
        assert part in answer, answer
    for part in unsaid:
        assert part not in answer, answer


def test_there_are_enough_questions_in_the_table() -> None:
    assert len(TABLE) >= 60


@pytest.mark.parametrize("text", sorted({row[0] for row in TABLE}))
def test_every_answer_begins_short_and_is_made_of_sentences(make, text: str) -> None:
    for run in make.states.values():
        told = narrate(make.question(text), make.lookup([run])).sentences
        assert len(told[0].split()) <= 8, told[0]
        assert all(line.strip() == line and line[-1] in ".!?" for line in told), told
        assert not any("`" in line or "\n" in line or "…" in line for line in told)


# --- what changed ------------------------------------------------------------------------------


def test_changes_are_those_since_the_user_last_heard(make) -> None:
    news = make.changes(
        status_now=RunStatus.FAILED,
        new_failures=("out of memory in step two",),
        new_files=("docs/ledger.md",),
        steps_done=("write the migration",),
        new_evidence=make.evidence((EvidenceKind.MESSAGE, "I ran out of memory.")),
        missed=4,
    )
    lookup = make.lookup([make.states["failed"]], news)
    before = make.exchange("how is it going", "It is still working.", r1=3)
    told = narrate(make.question("What changed since I last asked?", before), lookup)
    answer = " ".join(told.sentences)
    for part in ("It failed.", "New failure: out of memory in step two.", "docs/ledger.md",
                 "Done since then: write the migration.", "It said: I ran out of memory.",
                 "Four older events"):  # fmt: skip
        assert part in answer
    assert lookup.asked_since == [("r1", 3)]
    assert told.versions == {"r1": 7}


def test_nothing_new_is_said_plainly(make) -> None:
    before = make.exchange("how is it going", "It is still working.", r1=7)
    answer = ask(make, "Anything new?", "working", history=[before], news=make.changes())
    assert answer.startswith("Nothing new.")


def test_who_never_heard_of_the_run_is_told_where_it_stands(make) -> None:
    assert ask(make, "What changed?", "done").startswith("It is done.")


def test_an_answer_that_was_cut_does_not_count_as_heard(make) -> None:
    lookup = make.lookup([make.states["working"]], make.changes())
    whole = make.exchange("how is it going", "It is still working.", r1=2)
    cut = make.exchange("what failed", "One thing failed. It gave: 2 errors.", "One thing", r1=5)
    narrate(make.question("What changed?", whole, cut), lookup)
    assert lookup.asked_since == [("r1", 2)]


# --- follow-ups --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["What do you mean by held?", "what do you mean by health", "Held?"]
)
def test_a_word_that_was_heard_is_explained_from_the_run(make, text: str) -> None:
    before = make.exchange("what was denied", f"One action was denied. The reason given: {REASON}")
    answer = ask(make, text, "working", history=[before])
    assert "Held means: kept from running until someone decides." in answer
    assert "Drop the archive." in answer
    assert "keep the archive table" in answer


def test_a_word_that_was_never_heard_is_not_taken_as_said(make) -> None:
    said = "One action was denied. It was held because of the archive."
    cut = make.exchange("what was denied", said, "One action was")
    answer = ask(make, "What do you mean by archive?", "working", history=[cut])
    assert answer.startswith("I did not say archive.")
    assert "You heard: One action was." in answer


def test_data_of_the_run_is_shown_when_asked_about(make) -> None:
    before = make.exchange("what did it find", "It last said: Three tables have no primary key.")
    answer = ask(make, "What do you mean by primary key?", "working", history=[before])
    assert "primary key" in answer
    assert "did not say" not in answer


def test_why_follows_what_was_heard(make) -> None:
    failed = make.exchange("what failed", "One thing failed.")
    denied = make.exchange("what was denied", "One action was denied.")
    assert "2 errors in migrate.py" in ask(make, "Why?", "working", history=[failed])
    assert "keep the archive table" in ask(make, "Why?", "working", history=[denied])
    assert "Which region" in ask(
        make, "Why?", "waiting", history=[make.exchange("status", "It is waiting for you.")]
    )


def test_say_that_again_gives_what_was_heard(make) -> None:
    said = "It is done. It changed one file: a.txt. It last said: All done."
    whole = make.exchange("status", said)
    assert ask(make, "Say that again.", "working", history=[whole]) == f"I said: {said}"
    cut = make.exchange("status", said, "It is done. It changed")
    answer = ask(make, "What did you say?", "working", history=[cut])
    assert answer == "I said: It is done. It changed, and there you cut in. Say go on for the rest."
    assert "All done" not in answer


def test_repeating_a_repetition_does_not_pile_up(make) -> None:
    once = make.exchange("say that again", "I said: It is done.")
    assert ask(make, "Sorry?", "working", history=[once]) == "I said: It is done."


def test_go_on_takes_up_the_broken_sentence(make) -> None:
    said = "It is done. It changed one file: a.txt. It last said: All done."
    cut = make.exchange("status", said, "It is done. It changed", r1=7)
    assert (
        ask(make, "Go on.", "working", history=[cut])
        == "It changed one file: a.txt. It last said: All done."
    )


def test_go_on_without_a_cut_is_answered_honestly(make) -> None:
    whole = make.exchange("status", "It is done.", r1=7)
    answer = ask(
        make,
        "Go on.",
        "done",
        history=[whole],
        news=make.changes(status_before=RunStatus.DONE, status_now=RunStatus.DONE),
    )
    assert answer.startswith("That was all.")


def test_nothing_was_said_before_the_first_answer(make) -> None:
    assert ask(make, "Say that again.", "working") == "I have not said anything yet."
    unheard = make.exchange("status", "It is done.", "")
    assert ask(make, "What did you say?", "working", history=[unheard]) == (
        "You heard nothing of it yet. It is done."
    )


@given(st.text("ab .!?", max_size=60), st.integers(0, 60))
def test_heard_and_remainder_cover_the_whole_answer(said: str, at: int) -> None:
    from jarvis_voice.events import Exchange

    said = " ".join(said.split())
    heard = said[:at]
    rest = followups.remainder(Exchange(1, "q", said, heard, True, {}))
    assert said.endswith(rest)
    if said[len(heard) :].strip():
        assert len(rest) >= len(said[len(heard) :].strip())


# --- several runs ------------------------------------------------------------------------------


@pytest.fixture
def two(make):
    first = replace(make.states["working"], title="Migrate the invoices")
    second = replace(
        make.states["done"],
        run_id="r2",
        title="Fix the login page",
        version=4,
        goal="Fix the login page",
    )
    return make.lookup([first, second])


def said_to(lookup, make, text: str, *history) -> str:
    return " ".join(narrate(make.question(text, *history), lookup).sentences)


def test_the_state_of_all_runs_is_told_at_once(make, two) -> None:
    told = narrate(make.question("How's it going?"), two)
    answer = " ".join(told.sentences)
    assert answer.startswith("I see two runs.")
    assert "Migrate the invoices: it is still working." in answer
    assert "Fix the login page: it is done." in answer
    assert told.versions == {"r1": 7, "r2": 4}


def test_it_asks_which_run_and_takes_the_answer(make, two) -> None:
    asked = said_to(two, make, "What failed?")
    assert asked.startswith(WHICH)
    assert "Fix the login page" in asked
    before = make.exchange("What failed?", asked)
    assert "2 errors in migrate.py" in said_to(two, make, "The first one.", before)
    assert said_to(two, make, "the log in page", before).startswith("Fix the login page.")


@pytest.mark.parametrize(
    "text", ["Is the login page done?", "Is the second one done?", "Is the latest run done?"]
)
def test_a_run_is_picked_by_name_or_place(make, two, text: str) -> None:
    told = narrate(make.question(text), two)
    assert told.sentences[0] == "Fix the login page."
    assert "Yes, it is done." in told.sentences
    assert told.versions == {"r2": 4}


def test_a_follow_up_stays_with_the_run_just_told_about(make, two) -> None:
    before = make.exchange("Is the login page done?", "Fix the login page. Yes, it is done.", r2=4)
    assert said_to(two, make, "Which files?", before).startswith("Fix the login page.")


def test_no_run_is_said_plainly(make) -> None:
    assert ask(make, "How's it going?") == "I see no run yet."
    assert ask(make, "Hello").startswith("Hello.")
