from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.events import PlanStep, RunStatus
from jarvis_voice.runs.briefing import brief
from jarvis_voice.runs.model import (
    AgentSaid,
    PlanUpdated,
    PromptGiven,
    RunEnded,
    RunEvent,
    ToolDenied,
    ToolFinished,
    ToolRequested,
    WaitingForUser,
)
from jarvis_voice.runs.reducer import fold, initial

START = fold(initial("run", "claude-code"), PromptGiven("p", 0.0, "do it"))
CALL = ToolRequested("r", 1.0, "c", "Write", "write a.txt", None, ("a.txt",))


def news(*events: RunEvent):
    state = START
    for event in events:
        state = fold(state, event)
    return brief(START.snapshot, state.snapshot)


def test_no_change_is_no_news() -> None:
    told = brief(START.snapshot, START.snapshot)
    assert not told.worth_saying
    assert (told.new_evidence, told.new_failures, told.new_files, told.new_goal) == (
        (),
        (),
        (),
        None,
    )


def test_someone_who_never_heard_of_the_run_is_told_all() -> None:
    told = brief(None, START.snapshot)
    assert told.from_version is None
    assert told.new_goal == "do it"


def test_what_happened_since_is_listed_once() -> None:
    told = news(CALL, ToolFinished("f", 2.0, "c", True, "fine"), AgentSaid("a", 3.0, "next"))
    assert [item.text for item in told.new_evidence] == ["write a.txt", "fine", "next"]
    assert told.new_files == ("a.txt",)
    assert not told.worth_saying


def test_failures_denials_waits_and_ends_are_worth_saying() -> None:
    assert news(CALL, ToolFinished("f", 2.0, "c", False, "disk full")).worth_saying
    assert news(CALL, ToolDenied("d", 2.0, "c", "no")).worth_saying
    assert news(WaitingForUser("w", 1.0, "which one?")).waiting_for == "which one?"
    assert news(WaitingForUser("w", 1.0, "which one?")).worth_saying
    assert news(RunEnded("e", 1.0, RunStatus.DONE)).worth_saying


def test_plan_progress_is_told_by_step() -> None:
    def plan(event_id: str, first: str) -> PlanUpdated:
        return PlanUpdated(event_id, 1.0, (PlanStep("read", first), PlanStep("write", "pending")))

    before = fold(START, plan("p1", "in_progress"))
    after = fold(before, plan("p2", "completed"))
    assert brief(before.snapshot, after.snapshot).steps_done == ("read",)


@given(st.integers(0, 60))
def test_what_was_missed_is_counted(more: int) -> None:
    state = START
    for n in range(more):
        state = fold(state, AgentSaid(f"a{n}", 1.0, f"word {n}"))
    told = brief(START.snapshot, state.snapshot)
    assert told.missed + len(told.new_evidence) == more
