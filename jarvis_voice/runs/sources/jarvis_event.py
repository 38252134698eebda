"""``jarvis.event/v1``: how any program tells Jarvis what it does. One JSON object a line.

Every event holds ``schema`` (always ``"jarvis.event/v1"``), ``run`` (any name that is the same for
all events of a run) and ``type``. The other fields may be left out; unknown ones are ignored.

    field      meaning
    at         when it happened: Unix seconds, or ISO 8601
    id         a name of the event; an event whose name was seen already is ignored
    runtime    the program, such as "my-agent"
    parent     the run that handed this one its work
    title      what a person would call the run
    cwd        its working folder

    type       further fields                               what it says
    started    goal                                         the run began; what its user asked for
    prompt     text                                         its user asked for more
    guidance   text                                         its user or Jarvis told it something
    tool       call, tool, input or summary, command, files it is about to call a tool
    held       call, text                                   that call is held back, and why
    finished   call, ok (true, false), output               that call ended
    denied     call, text                                   that call was refused, and why
    said       text                                         the agent's own words
    plan       steps: [{"text", "state"}]                   its whole plan; a state is "pending",
                                                            "in_progress" or "completed"
    cost       usd                                          what it has cost so far
    waiting    text, call                                   it waits for its user: for what
    resumed    call                                         the wait is over
    ended      status ("done", "failed", "stopped"), text   it came to rest, and why

The same objects go into a file that Jarvis follows, over HTTP and over a WebSocket. A short program
that writes them is ``assets/examples/jarvis_event.py``. Secrets are taken out on arrival. PURE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from jarvis_voice.events import PlanStep, RunStatus
from jarvis_voice.runs.model import (
    AgentSaid,
    CostReported,
    GuidanceGiven,
    PlanUpdated,
    PromptGiven,
    RunEnded,
    RunEvent,
    RunStarted,
    RunTitled,
    ToolDenied,
    ToolFinished,
    ToolHeld,
    WaitingForUser,
    WaitOver,
)
from jarvis_voice.runs.sources import fields
from jarvis_voice.runs.sources.fields import Record, RecordReader
from jarvis_voice.runs.sources.tools import Asked, requested

SCHEMA = "jarvis.event/v1"
RUNTIME = "other"
_ENDS = {status.value: status for status in (RunStatus.DONE, RunStatus.FAILED, RunStatus.STOPPED)}


class _At(NamedTuple):
    name: str  # of the event, unique within the run
    at_s: float | None


class JarvisEventReader(RecordReader):
    """Give it every event of one run, in order."""

    runtime = RUNTIME

    def __init__(self) -> None:
        super().__init__()
        self._title = ""

    def events(self, record: Record, key: str) -> Iterator[RunEvent]:
        """The events of one object. One that breaks the schema says so."""
        if record.get("schema") != SCHEMA:
            yield fields.unknown_kind(key, None, str(record.get("schema")))
            return
        named = record.get("runtime")
        if isinstance(named, str) and named and self.recognized == 0:
            self.runtime = named[:64]
        self.known(fields.text(record, "run"), fields.text(record, "cwd"))
        kind = fields.text(record, "type")
        at = _At(fields.text(record, "id")[:100] or key, fields.unix_s(record, "at"))
        if "parent" in record:
            self.parent = fields.text(record, "parent") or self.parent
        title = fields.plain(record, "title") if "title" in record else ""
        if title and title != self._title:
            self._title = title
            yield RunTitled(f"title:{at.name}", at.at_s, title)
        step = _STEPS.get(kind)
        if step is None:
            yield fields.unknown_kind(key, at.at_s, kind)
            return
        yield from step(record, at)


def _started(record: Record, at: _At) -> Iterator[RunEvent]:
    yield RunStarted(f"start:{at.name}", at.at_s, fields.text(record, "cwd") or None)
    goal = fields.plain(record, "goal")
    if goal:
        yield PromptGiven(f"goal:{at.name}", at.at_s, goal)


def _prompt(record: Record, at: _At) -> Iterator[RunEvent]:
    yield PromptGiven(f"prompt:{at.name}", at.at_s, fields.plain(record, "text"))


def _guidance(record: Record, at: _At) -> Iterator[RunEvent]:
    yield GuidanceGiven(f"told:{at.name}", at.at_s, fields.plain(record, "text"))


def _tool(record: Record, at: _At) -> Iterator[RunEvent]:
    """Worded from the arguments, unless the event words itself."""
    call, tool = _call(record, at), fields.text(record, "tool") or "tool"
    given = fields.mapping(record, "input") or {"command": fields.text(record, "command")}
    event = requested(f"use:{call}", at.at_s, Asked(call, tool, given))
    listed = record.get("files")
    files = [path for path in listed if isinstance(path, str)] if isinstance(listed, list) else []
    yield replace(
        event,
        summary=fields.plain(record, "summary") or event.summary,
        command=fields.plain(record, "command") or event.command,
        files=tuple(path[:1000] for path in files[:50]) or event.files,
    )


def _held(record: Record, at: _At) -> Iterator[RunEvent]:
    yield ToolHeld(f"held:{at.name}", at.at_s, _call(record, at), fields.plain(record, "text"))


def _finished(record: Record, at: _At) -> Iterator[RunEvent]:
    call, ok = _call(record, at), record.get("ok")
    output = fields.output(record.get("output"))
    yield ToolFinished(f"done:{call}", at.at_s, call, ok if isinstance(ok, bool) else None, output)


def _denied(record: Record, at: _At) -> Iterator[RunEvent]:
    call = _call(record, at)
    yield ToolDenied(f"deny:{call}", at.at_s, call, fields.plain(record, "text"))


def _said(record: Record, at: _At) -> Iterator[RunEvent]:
    yield AgentSaid(f"said:{at.name}", at.at_s, fields.plain(record, "text"))


def _plan(record: Record, at: _At) -> Iterator[RunEvent]:
    steps = tuple(
        PlanStep(fields.plain(step, "text"), fields.text(step, "state"))
        for step in fields.items(record, "steps")
        if fields.text(step, "text")
    )
    yield PlanUpdated(f"plan:{at.name}", at.at_s, steps)


def _cost(record: Record, at: _At) -> Iterator[RunEvent]:
    usd = fields.number(record, "usd")
    if usd is not None and usd >= 0:
        yield CostReported(f"cost:{at.name}", at.at_s, usd)


def _waiting(record: Record, at: _At) -> Iterator[RunEvent]:
    call = fields.text(record, "call") or None
    yield WaitingForUser(f"ask:{at.name}", at.at_s, fields.plain(record, "text"), call)


def _resumed(record: Record, at: _At) -> Iterator[RunEvent]:
    yield WaitOver(f"over:{at.name}", at.at_s, fields.text(record, "call") or None)


def _ended(record: Record, at: _At) -> Iterator[RunEvent]:
    status = _ENDS.get(fields.text(record, "status"), RunStatus.DONE)
    yield RunEnded(f"end:{at.name}", at.at_s, status, fields.plain(record, "text"))


def _call(record: Record, at: _At) -> str:
    return fields.text(record, "call")[:128] or at.name


_STEPS: dict[str, Callable[[Record, _At], Iterator[RunEvent]]] = {
    "started": _started,
    "prompt": _prompt,
    "guidance": _guidance,
    "tool": _tool,
    "held": _held,
    "finished": _finished,
    "denied": _denied,
    "said": _said,
    "plan": _plan,
    "cost": _cost,
    "waiting": _waiting,
    "resumed": _resumed,
    "ended": _ended,
}


def claims(record: Record) -> int:
    """2 when it names the schema; else 0."""
    return 2 if record.get("schema") == SCHEMA else 0


def run_of(record: Record) -> str | None:
    """The run that an event is about."""
    return fields.text(record, "run") or None
