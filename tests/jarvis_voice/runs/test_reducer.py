"""Whatever comes, the picture of a run stays within its bounds and keeps what decisions need."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.events import EvidenceKind, PlanStep, RunSnapshot, RunStatus
from jarvis_voice.runs.model import (
    BOUNDS,
    ELLIPSIS,
    SNAPSHOT_BYTES,
    AgentSaid,
    CostReported,
    GuidanceGiven,
    PlanUpdated,
    PromptGiven,
    RunEnded,
    RunEvent,
    RunStarted,
    RunState,
    RunTitled,
    ToolDenied,
    ToolFinished,
    ToolHeld,
    ToolRequested,
    UnknownSeen,
    WaitingForUser,
    WaitOver,
    clean,
    cut,
    cut_middle,
    wire_bytes,
)
from jarvis_voice.runs.reducer import fold, initial

TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(st.characters(exclude_categories=()), max_size=60),  # lone surrogates too
    st.builds(
        lambda char, times: char * times,
        st.sampled_from('aé漢😀"\\\n\x1b \x00'),
        st.integers(0, 9000),
    ),
)
TIMES = st.one_of(st.none(), st.floats(0, 2e9))
IDS = st.text("abcdef", min_size=1, max_size=3)
CALLS = st.sampled_from(["c1", "c2", "c3", "c" * 500])
STEPS = st.lists(st.builds(PlanStep, TEXTS, TEXTS), max_size=30).map(tuple)
EVENTS: st.SearchStrategy[RunEvent] = st.one_of(
    st.builds(RunStarted, IDS, TIMES, st.none() | TEXTS, st.none() | TEXTS),
    st.builds(RunTitled, IDS, TIMES, TEXTS),
    st.builds(PromptGiven, IDS, TIMES, TEXTS),
    st.builds(GuidanceGiven, IDS, TIMES, TEXTS),
    st.builds(
        ToolRequested,
        IDS,
        TIMES,
        CALLS,
        TEXTS,
        TEXTS,
        st.none() | TEXTS,
        st.lists(TEXTS, max_size=40).map(tuple),
    ),
    st.builds(ToolHeld, IDS, TIMES, CALLS, TEXTS),
    st.builds(ToolFinished, IDS, TIMES, CALLS, st.none() | st.booleans(), TEXTS),
    st.builds(ToolDenied, IDS, TIMES, CALLS, TEXTS),
    st.builds(AgentSaid, IDS, TIMES, TEXTS),
    st.builds(PlanUpdated, IDS, TIMES, STEPS),
    st.builds(CostReported, IDS, TIMES, st.floats(0, 1e6)),
    st.builds(WaitingForUser, IDS, TIMES, TEXTS, st.none() | CALLS),
    st.builds(WaitOver, IDS, TIMES, st.none() | CALLS),
    st.builds(RunEnded, IDS, TIMES, st.sampled_from(RunStatus), TEXTS),
    st.builds(UnknownSeen, IDS, TIMES, TEXTS),
)


def folded(*events: RunEvent, start: RunState | None = None) -> RunState:
    state = start or initial("run", "claude-code", "a title")
    for event in events:
        state = fold(state, event)
    return state


def numbered(make, count: int, **fields) -> list[RunEvent]:
    return [make(f"{make.__name__}{n}", float(n), **fields) for n in range(count)]


def as_json(snapshot: RunSnapshot) -> str:
    return json.dumps(
        dataclasses.asdict(snapshot), ensure_ascii=False, default=lambda item: item.value
    )


def within(text: str | None, limit: int) -> bool:
    return text is None or wire_bytes(text) <= limit


def broken_bounds(now: RunSnapshot) -> list[str]:
    texts = [
        *((now.goal, BOUNDS.goal), (now.title, BOUNDS.title), (now.degraded, BOUNDS.degraded)),
        *((now.current_action, BOUNDS.action), (now.proposed_action, BOUNDS.proposed)),
        *((now.waiting_for, BOUNDS.waiting_for), (now.last_message, BOUNDS.message)),
        *((item.text, BOUNDS.evidence) for item in now.evidence),
        *((step.text, BOUNDS.plan_step) for step in now.plan),
        *((text, BOUNDS.failure) for text in now.failures),
        *((text, BOUNDS.file) for text in (*now.files_changed, *now.created)),
        *((text, BOUNDS.uncertainty) for text in now.uncertainties),
    ]
    counts = [
        (len(now.evidence), BOUNDS.evidence_count),
        (len(now.plan), BOUNDS.plan_count),
        (len(now.failures), BOUNDS.failure_count),
        (len(now.files_changed), BOUNDS.file_count),
        (len(now.created), BOUNDS.created_count),
        (len(now.uncertainties), BOUNDS.uncertainty_count),
    ]
    found = [f"text over {limit}: {text!r}" for text, limit in texts if not within(text, limit)]
    found += [f"{count} items over {most}" for count, most in counts if count > most]
    size = len(as_json(now).encode())
    return [*found, f"{size} bytes"] if size > SNAPSHOT_BYTES else found


@given(st.lists(EVENTS, max_size=40))
def test_bounds_hold_for_any_events_in_any_order(events: list[RunEvent]) -> None:
    state = initial("run", "claude-code", "a title")
    for event in events:
        before, state = state, fold(state, event)
        assert broken_bounds(state.snapshot) == []
        grown = state.snapshot.version - before.snapshot.version
        assert grown == (0 if event.event_id in before.seen else 1)
        assert len(state.open_calls) <= BOUNDS.open_calls
        sequence = [item.seq for item in state.snapshot.evidence]
        assert sequence == sorted(set(sequence))


def test_the_largest_picture_of_all_stays_within_the_limit() -> None:
    big = '"' * 20_000
    events: list[RunEvent] = [RunTitled("t", 1.0, big), PromptGiven("p", 1.0, big)]
    for n in range(60):
        call, at_s = f"c{n}", float(n)
        files = tuple(f"{n}-{m}-{big}" for m in range(40))
        events += [
            AgentSaid(f"a{n}", at_s, f"{n}{big}"),
            ToolRequested(f"r{n}", at_s, call, "Bash", f"{n}{big}", big, files),
            ToolFinished(f"f{n}", at_s, call, n % 2 == 0, f"{n}{big}"),
            ToolRequested(f"m{n}", at_s, f"m{n}", "create_page", "use the tool"),
            ToolFinished(f"k{n}", at_s, f"m{n}", True, f'{{"id": "{n:x>148}"}}'),
            PlanUpdated(f"p{n}", at_s, tuple(PlanStep(f"{m}{big}", "pending") for m in range(40))),
            UnknownSeen(f"u{n}", at_s, f"{n}{big}"),
        ]
    events += [
        ToolRequested("last", 99.0, "last", "Bash", big, big),
        WaitingForUser("w", 99.0, big, "last"),
    ]
    now = folded(*events).snapshot
    size = len(as_json(now).encode())
    assert broken_bounds(now) == []
    assert size > SNAPSHOT_BYTES * 0.6, "the test no longer fills the picture"


def test_what_a_call_is_reported_to_have_made_new_is_kept_and_what_failed_is_not() -> None:
    report = "File created successfully at: /w/{}"
    events: list[RunEvent] = [RunStarted("s", 1.0, cwd="/w")]
    for n, ok in enumerate((True, False, True)):
        events += [
            ToolRequested(f"r{n}", 2.0, f"c{n}", "Write", "write", files=(f"{n}.py",)),
            ToolFinished(f"f{n}", 3.0, f"c{n}", ok, report.format(f"{n}.py")),
        ]
    events += [
        ToolRequested("long", 4.0, "long", "Write", "write", files=("x" * 500,)),
        ToolFinished("longer", 5.0, "long", True, report.format("x" * 500)),
        ToolFinished("stray", 5.0, "nobody's", True, report.format("0.py")),
    ]
    assert folded(*events).snapshot.created == ("/w/0.py", "/w/2.py")


@given(st.lists(EVENTS, max_size=25), st.data())
def test_a_fact_read_twice_counts_once(events: list[RunEvent], data: st.DataObject) -> None:
    unique = [dataclasses.replace(event, event_id=str(n)) for n, event in enumerate(events)]
    repeated: list[RunEvent] = []
    for event in unique:
        repeated.append(event)
        repeated += data.draw(st.lists(st.sampled_from(repeated), max_size=3))
    assert folded(*repeated) == folded(*unique)


@given(st.lists(EVENTS, max_size=20))
def test_equal_events_give_equal_states(events: list[RunEvent]) -> None:
    assert folded(*events) == folded(*events)


def test_a_file_read_again_from_its_start_changes_nothing() -> None:
    events = numbered(AgentSaid, 1500, text="word")
    once = folded(*events)
    assert folded(*events, start=once) == once


def test_a_long_payload_evicts_nothing_that_decisions_need() -> None:
    state = folded(
        PromptGiven("p", 0.0, "Migrate the customers"),
        ToolRequested("r0", 1.0, "c0", "Bash", "delete the table", "drop table customers"),
        ToolDenied("d0", 2.0, "c0", "The user decided: keep the table."),
        GuidanceGiven("g0", 3.0, "Only use the staging copy."),
        ToolRequested("r1", 4.0, "c1", "Bash", "run the check", "make check"),
        ToolFinished("f1", 5.0, "c1", False, "3 rows differ"),
    )
    flood: list[RunEvent] = []
    for n in range(300):
        flood += [
            ToolRequested(f"x{n}", 6.0, f"x{n}", "Read", "read a file", None),
            ToolFinished(f"y{n}", 6.0, f"x{n}", True, "z" * 100_000),
        ]
    flood.append(WaitingForUser("w", 7.0, "Which region?"))
    now = folded(*flood, start=state).snapshot
    kept = {item.kind: item.text for item in now.evidence}
    assert now.goal == "Migrate the customers"
    assert "keep the table" in kept[EvidenceKind.DENIAL]
    assert kept[EvidenceKind.GUIDANCE] == "Only use the staging copy."
    assert "3 rows differ" in now.failures[0]
    assert now.waiting_for == "Which region?"
    assert now.tool_calls == 302


@pytest.mark.parametrize("command", ["git push", "x" * 900])
def test_a_long_decision_keeps_the_receipt_at_its_end(command: str) -> None:
    receipt = "[decision r-0123456789abcdef]"
    told = f'The user was asked: "{"q" * 400}" The user decided: "{"w" * 600}". {receipt}'
    now = folded(
        ToolRequested("r0", 1.0, "c0", "Bash", "push", command),
        ToolDenied("d0", 2.0, "c0", f"{told} This call was not run. The work done so far stands."),
        GuidanceGiven("g0", 3.0, told),
    ).snapshot
    denial, guidance = (item.text for item in now.evidence[-2:])
    for text in (denial, guidance):
        assert receipt in text
        assert wire_bytes(text) <= BOUNDS.evidence
    assert denial.startswith("push `")
    assert "The user was asked" in denial.splitlines()[1]


def test_the_newest_denials_stay_when_there_are_too_many() -> None:
    events: list[RunEvent] = [ToolDenied(f"d{n}", 1.0, f"c{n}", f"no {n}") for n in range(40)]
    chatter = [AgentSaid(f"a{n}", 2.0, f"and then {n}") for n in range(50)]
    now = folded(*events, *chatter).snapshot
    refused = [item.text for item in now.evidence if item.kind is EvidenceKind.DENIAL]
    assert [text.split()[-1] for text in refused] == [str(n) for n in range(32, 40)]


def test_statuses_follow_the_run() -> None:
    def status(*events: RunEvent) -> RunStatus:
        return folded(*events).snapshot.status

    prompt = PromptGiven("p", 0.0, "do it")
    call = ToolRequested("r", 1.0, "c", "Bash", "run it", "it")
    wait = WaitingForUser("w", 2.0, "permission", "c")
    assert status(RunStarted("s", 0.0)) is RunStatus.STARTING
    assert status(prompt) is RunStatus.WORKING
    assert status(prompt, call, wait) is RunStatus.WAITING
    assert status(prompt, call, wait, AgentSaid("a", 3.0, "hm")) is RunStatus.WAITING
    assert status(prompt, call, wait, WaitOver("o", 3.0)) is RunStatus.WORKING
    assert status(prompt, call, wait, ToolFinished("f", 3.0, "c", True, "")) is RunStatus.WORKING
    assert status(prompt, call, ToolHeld("h", 2.0, "c", "by Jarvis")) is RunStatus.HELD
    assert status(prompt, RunEnded("e", 3.0, RunStatus.DONE)) is RunStatus.DONE
    ended = RunEnded("e", 3.0, RunStatus.FAILED, "out of memory")
    assert status(prompt, ended, RunEnded("e2", 4.0, RunStatus.STOPPED)) is RunStatus.FAILED
    assert status(prompt, ended, PromptGiven("p2", 5.0, "again")) is RunStatus.WORKING


def test_a_held_action_is_shown_until_it_is_decided() -> None:
    held = folded(
        ToolRequested("r", 1.0, "c", "Bash", "push", "git push"),
        ToolHeld("h", 2.0, "c", "ask first"),
    )
    assert held.snapshot.proposed_action == "push `git push`"
    assert held.snapshot.waiting_for == "ask first"
    denied = fold(held, ToolDenied("d", 3.0, "c", "not today")).snapshot
    assert (denied.proposed_action, denied.waiting_for, denied.current_action) == (None, None, None)
    assert denied.evidence[-1].text == "push `git push`\nnot today"


def test_only_what_succeeded_counts_as_changed() -> None:
    def write(call: str, ok: bool) -> list[RunEvent]:
        return [
            ToolRequested(f"r{call}", 1.0, call, "Write", "write", None, (f"{call}.txt",)),
            ToolFinished(f"f{call}", 2.0, call, ok, ""),
        ]

    assert folded(*write("a", True), *write("b", False)).snapshot.files_changed == ("a.txt",)


def test_a_prompt_in_mid_action_is_guidance_and_a_later_one_a_new_goal() -> None:
    call = ToolRequested("r", 1.0, "c", "Bash", "run", "run")
    steered = folded(PromptGiven("p", 0.0, "first"), call, PromptGiven("q", 2.0, "use v2"))
    assert steered.snapshot.goal == "first"
    assert steered.snapshot.evidence[-1].kind is EvidenceKind.GUIDANCE
    done = fold(steered, ToolFinished("f", 3.0, "c", True, "ok"))
    assert fold(done, PromptGiven("n", 4.0, "second")).snapshot.goal == "second"


def test_times_span_the_events_whatever_their_order() -> None:
    now = folded(
        AgentSaid("a", 50.0, "x"), AgentSaid("b", None, "y"), AgentSaid("c", 20.0, "z")
    ).snapshot
    assert (now.started_at_s, now.updated_at_s) == (20.0, 50.0)


@given(TEXTS, st.integers(8, 400))
def test_cutting_keeps_whole_characters_and_marks_what_is_missing(text: str, limit: int) -> None:
    whole, short = clean(text[: limit * 8]), cut(text, limit)
    assert wire_bytes(short) <= limit
    short.encode()  # no half character, no lone surrogate
    if wire_bytes(whole) <= limit:
        assert short == whole
    else:
        assert short.endswith(ELLIPSIS)
        assert whole.startswith(short[: -len(ELLIPSIS)])


@given(TEXTS, st.integers(40, 400))
def test_cutting_the_middle_keeps_both_ends(text: str, limit: int) -> None:
    short = cut_middle(text, limit)
    assert wire_bytes(short) <= limit
    head, mark, tail = short.partition(f" {ELLIPSIS} ")
    if wire_bytes(clean(text)) > limit and len(text) <= limit * 16:
        assert mark
        assert clean(text).startswith(head)
        assert clean(text).endswith(tail)


@given(TEXTS)
def test_cleaning_is_idempotent_and_json_length_is_known(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert len(json.dumps(once, ensure_ascii=False).encode()) - 2 == wire_bytes(once)
