"""The fold that keeps a run's picture within fixed bounds. PURE.

    fold(state, event) -> state        total: any event in any state, never raises

Rules that hold after every step:

1. A fact whose id is among the last few thousand is a no-op; any other grows ``version`` by 1.
2. No text is longer, and no tuple has more items, than ``BOUNDS`` allows; as JSON the snapshot
   takes at most ``SNAPSHOT_BYTES``.
3. The oldest evidence goes first, but the newest ``pinned_count`` denials and pieces of guidance
   stay however much else happens. Goal, waiting_for and failures have room of their own.
4. ``Evidence.seq`` grows by one and is never reused, so a reader can see what it missed.

    event               status afterwards
    RunStarted          STARTING when nothing happened yet, else unchanged
    PromptGiven         WORKING
    ToolRequested       WORKING, unless a wait or a hold stands
    ToolHeld            HELD
    WaitingForUser      WAITING
    ToolFinished/Denied WORKING, once the call that waited or was held has ended
    AgentSaid           WORKING, unless a wait or a hold stands
    RunEnded            its own status; STOPPED does not undo DONE or FAILED
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any

from jarvis_voice.events import Evidence, EvidenceKind, PlanStep, RunSnapshot, RunStatus
from jarvis_voice.made import made_in
from jarvis_voice.runs.model import (
    BOUNDS,
    AgentSaid,
    CostReported,
    GuidanceGiven,
    OpenCall,
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
    cut,
    cut_middle,
    wire_bytes,
)

_PINNED = (EvidenceKind.DENIAL, EvidenceKind.GUIDANCE)
_PAUSED = (RunStatus.WAITING, RunStatus.HELD)
_ENDED = (RunStatus.DONE, RunStatus.FAILED)
_PLAN_STATES = ("pending", "in_progress", "completed")


def initial(
    run_id: str,
    runtime: str,
    title: str = "",
    parent_run_id: str | None = None,
    cwd: str | None = None,
) -> RunState:
    """A run of which nothing is known yet, but for what its records say of all of it."""
    return RunState(
        RunSnapshot(
            run_id=cut(run_id, BOUNDS.run_id),
            runtime=cut(runtime, BOUNDS.run_id),
            title=cut(title, BOUNDS.title).replace("\n", " "),
            status=RunStatus.STARTING,
            version=0,
            parent_run_id=cut(parent_run_id, BOUNDS.run_id) if parent_run_id else None,
            cwd=cut(cwd, BOUNDS.file) if cwd else None,
        )
    )


def fold(state: RunState, event: RunEvent) -> RunState:
    """The state after ``event``. Deterministic and total; a duplicate gives back ``state``.

    The state is copied once, here; the steps below change that copy, which nobody else has seen.
    """
    if event.event_id in state.seen:
        return state
    step = _STEPS.get(type(event))
    state = RunState(_copied(state.snapshot), state.seen, state.open_calls, state.next_seq)
    if step is not None:
        state = step(state, event)
    return _stamped(state, event)


def _stamped(state: RunState, event: RunEvent) -> RunState:
    now = state.snapshot
    at_s = event.at_s
    if at_s is not None:
        started, updated = now.started_at_s, now.updated_at_s
        _set(now, "started_at_s", at_s if started is None else min(started, at_s))
        _set(now, "updated_at_s", at_s if updated is None else max(updated, at_s))
    _set(now, "version", now.version + 1)
    _set(state, "seen", state.seen.with_one(event.event_id))
    return state


_values = attrgetter(*(field.name for field in fields(RunSnapshot)))
_set = object.__setattr__


def _copied(snapshot: RunSnapshot) -> RunSnapshot:
    """As ``dataclasses.replace`` without changes, at a fraction of its cost."""
    return RunSnapshot(*_values(snapshot))


def _with(state: RunState, **changes: Any) -> RunState:
    """``state`` with the changes made; ``fold`` has copied the snapshot."""
    for name, value in changes.items():
        _set(state.snapshot, name, value)
    return state


def _open(state: RunState, calls: tuple[OpenCall, ...]) -> RunState:
    _set(state, "open_calls", calls)
    return state


def _working(snapshot: RunSnapshot) -> RunStatus:
    return snapshot.status if snapshot.status in _PAUSED else RunStatus.WORKING


def _added(
    state: RunState, event: RunEvent, kind: EvidenceKind, text: str, ok: bool | None = None
) -> RunState:
    """``state`` with one more piece of evidence; ``text`` is cut already. Nothing adds nothing."""
    if not text:
        return state
    at_s = event.at_s
    if at_s is None:
        at_s = state.snapshot.updated_at_s or 0.0
    evidence = (*state.snapshot.evidence, Evidence(state.next_seq, at_s, kind, text, ok))
    if len(evidence) > BOUNDS.evidence_count:
        evidence = _trimmed(evidence)
    _set(state.snapshot, "evidence", evidence)
    _set(state, "next_seq", state.next_seq + 1)
    return state


def _trimmed(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """One piece less: the oldest that is not pinned, or the oldest when too much is pinned."""
    pinned = 0
    for item in evidence:
        if item.kind in _PINNED:
            pinned += 1
    drop_pinned = pinned > BOUNDS.pinned_count
    for place, item in enumerate(evidence):
        if (item.kind in _PINNED) == drop_pinned:
            return evidence[:place] + evidence[place + 1 :]
    return evidence[1:]


def _newest(items: tuple[str, ...], item: str, count: int) -> tuple[str, ...]:
    """``items`` with ``item`` as its newest, once, and at most ``count`` of them."""
    return (*(kept for kept in items if kept != item), item)[-count:] if item else items


# --- one step per fact -------------------------------------------------------------------------


def _started(state: RunState, event: RunStarted) -> RunState:
    title = state.snapshot.title
    if not title and event.cwd:
        title = cut(event.cwd.rstrip("/\\").replace("\\", "/").rsplit("/", 1)[-1], BOUNDS.title)
    cwd = state.snapshot.cwd or (cut(event.cwd, BOUNDS.file) if event.cwd else None)
    if state.snapshot.status in (RunStatus.DONE, RunStatus.FAILED, RunStatus.STOPPED):
        return _with(state, title=title, cwd=cwd, status=RunStatus.WORKING)
    return _with(state, title=title, cwd=cwd)


def _titled(state: RunState, event: RunTitled) -> RunState:
    title = cut(event.title, BOUNDS.title).replace("\n", " ")
    return _with(state, title=title or state.snapshot.title)


def _prompted(state: RunState, event: PromptGiven) -> RunState:
    if state.open_calls and state.snapshot.goal:
        return _guided(state, GuidanceGiven(event.event_id, event.at_s, event.text))
    goal = cut(event.text, BOUNDS.goal)
    if not goal:
        return state
    if state.snapshot.goal and state.snapshot.goal != goal:
        state = _added(state, event, EvidenceKind.GUIDANCE, cut(goal, BOUNDS.evidence))
    return _with(state, goal=goal, status=RunStatus.WORKING, waiting_for=None, proposed_action=None)


def _guided(state: RunState, event: GuidanceGiven) -> RunState:
    # a decision's receipt stands at the end of its text
    return _added(state, event, EvidenceKind.GUIDANCE, cut_middle(event.text, BOUNDS.evidence))


def action_text(summary: str, command: str | None) -> str:
    """What a tool call does: words for people, then the raw command between backticks."""
    if not command:
        return summary
    return f"{summary} `{command}`".strip()


def _requested(state: RunState, event: ToolRequested) -> RunState:
    action = cut(action_text(event.summary or event.tool, event.command), BOUNDS.action)
    files = tuple(cut(path, BOUNDS.file) for path in event.files[: BOUNDS.file_count])
    tool = cut(event.tool, BOUNDS.run_id)
    call = OpenCall(event.call_id[: BOUNDS.run_id], action, files, tool)
    others = tuple(kept for kept in state.open_calls if kept.call_id != call.call_id)
    state = _open(state, (*others, call)[-BOUNDS.open_calls :])
    state = _added(state, event, EvidenceKind.ACTION, cut(action, BOUNDS.evidence))
    return _with(
        state,
        status=_working(state.snapshot),
        current_action=action,
        tool_calls=state.snapshot.tool_calls + 1,
    )


def _proposed(state: RunState, call_id: str | None) -> str | None:
    for call in state.open_calls:
        if call.call_id == call_id:
            return cut(call.action, BOUNDS.proposed)
    return state.snapshot.proposed_action


def _held(state: RunState, event: ToolHeld) -> RunState:
    return _with(
        state,
        status=RunStatus.HELD,
        proposed_action=_proposed(state, event.call_id),
        waiting_for=cut(event.reason, BOUNDS.waiting_for) or None,
    )


def _waiting(state: RunState, event: WaitingForUser) -> RunState:
    return _with(
        state,
        status=RunStatus.WAITING,
        proposed_action=_proposed(state, event.call_id) if event.call_id else None,
        waiting_for=cut(event.what, BOUNDS.waiting_for) or "an answer",
    )


def _wait_over(state: RunState, event: WaitOver) -> RunState:
    if state.snapshot.status not in _PAUSED:
        return state
    return _with(state, status=RunStatus.WORKING, waiting_for=None, proposed_action=None)


def _closed(state: RunState, call_id: str) -> tuple[RunState, OpenCall | None]:
    """``state`` without the open call; a wait or hold ends with the call."""
    call_id = call_id[: BOUNDS.run_id]
    call = next((kept for kept in state.open_calls if kept.call_id == call_id), None)
    left = tuple(kept for kept in state.open_calls if kept is not call)
    state = _open(state, left)
    return (
        _with(
            state,
            status=RunStatus.WORKING,
            current_action=left[-1].action if left else None,
            proposed_action=None,
            waiting_for=None,
        ),
        call,
    )


def _finished(state: RunState, event: ToolFinished) -> RunState:
    state, call = _closed(state, event.call_id)
    output = cut_middle(event.output, BOUNDS.evidence)
    state = _added(state, event, EvidenceKind.RESULT, output or "no output", event.ok)
    if event.ok is False:
        return _failed(state, call, output)
    files = state.snapshot.files_changed
    for path in call.files if call else ():
        files = _newest(files, path, BOUNDS.file_count)
    state = _with(state, files_changed=files)
    return _with(state, created=_created(state, call, event.output)) if call else state


def _created(state: RunState, call: OpenCall, output: str) -> tuple[str, ...]:
    """What is known to be the run's own; a name that is too long to be kept whole is not."""
    created = state.snapshot.created
    for name in made_in(call.tool, call.files, output, state.snapshot.cwd):
        if cut(name, BOUNDS.file) == name:
            created = _newest(created, name, BOUNDS.created_count)
    return created


def _failed(state: RunState, call: OpenCall | None, output: str) -> RunState:
    action = cut(call.action, BOUNDS.failure // 3) if call else "a tool call"
    failure = cut_middle(f"{action}: {output or 'no output'}", BOUNDS.failure)
    return _with(
        state,
        failures=_newest(state.snapshot.failures, failure, BOUNDS.failure_count),
        tool_failures=state.snapshot.tool_failures + 1,
    )


def _denied(state: RunState, event: ToolDenied) -> RunState:
    """A denial's evidence holds the action on its first line and the reason below.

    Of a long reason both ends are kept: the end holds the receipt of what the user decided.
    """
    state, call = _closed(state, event.call_id)
    action = cut(call.action, BOUNDS.evidence // 3).replace("\n", " ") if call else "an action"
    room = BOUNDS.evidence - wire_bytes(action) - len("\\n")
    reason = cut_middle(event.reason or "no reason was given", room)
    return _added(state, event, EvidenceKind.DENIAL, f"{action}\n{reason}", ok=False)


def _said(state: RunState, event: AgentSaid) -> RunState:
    message = cut(event.text, BOUNDS.message)
    if not message:
        return state
    evidence = state.snapshot.evidence
    text = cut(message, BOUNDS.evidence)
    if not (evidence and evidence[-1].kind is EvidenceKind.MESSAGE and evidence[-1].text == text):
        state = _added(state, event, EvidenceKind.MESSAGE, text)
    return _with(state, status=_working(state.snapshot), last_message=message)


def _planned(state: RunState, event: PlanUpdated) -> RunState:
    steps = tuple(
        PlanStep(
            cut(step.text, BOUNDS.plan_step).replace("\n", " "),
            step.state if step.state in _PLAN_STATES else "pending",
        )
        for step in event.steps[: BOUNDS.plan_count]
    )
    state = _with(state, plan=steps)
    missing = len(event.steps) - BOUNDS.plan_count
    if missing > 0:
        return _unsure(state, f"The plan has {missing} more steps than are kept.")
    return state


def _unsure(state: RunState, text: str) -> RunState:
    items = _newest(
        state.snapshot.uncertainties, cut(text, BOUNDS.uncertainty), BOUNDS.uncertainty_count
    )
    return _with(state, uncertainties=items)


def _cost(state: RunState, event: CostReported) -> RunState:
    return _with(state, cost_usd=event.usd)


def _ended(state: RunState, event: RunEnded) -> RunState:
    now = state.snapshot
    status = event.status
    if status is RunStatus.STOPPED and now.status in _ENDED:
        status = now.status
    state = _open(state, ())
    reason = cut(event.reason, BOUNDS.failure)
    failures = now.failures
    if status is RunStatus.FAILED and reason:
        failures = _newest(failures, reason, BOUNDS.failure_count)
    return _with(
        state,
        status=status,
        current_action=None,
        proposed_action=None,
        waiting_for=None,
        failures=failures,
    )


def _unknown(state: RunState, event: UnknownSeen) -> RunState:
    return _with(state, degraded=cut(event.reason, BOUNDS.degraded) or "something was not readable")


_STEPS: dict[type[RunEvent], Callable[[RunState, Any], RunState]] = {
    RunStarted: _started,
    RunTitled: _titled,
    PromptGiven: _prompted,
    GuidanceGiven: _guided,
    ToolRequested: _requested,
    ToolHeld: _held,
    ToolFinished: _finished,
    ToolDenied: _denied,
    AgentSaid: _said,
    PlanUpdated: _planned,
    CostReported: _cost,
    WaitingForUser: _waiting,
    WaitOver: _wait_over,
    RunEnded: _ended,
    UnknownSeen: _unknown,
}
