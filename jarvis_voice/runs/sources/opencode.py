"""OpenCode's server events as run events (SDK 1.19 by its schema; none were captured here).

One JSON object each, ``{"type", "properties"}`` of ``/event``, or inside ``{"directory",
"payload"}`` of ``/global/event``; ``data:`` in front of it is taken off by whoever reads the lines.
A part of a message is told again and again while it grows; only its end makes an event. PURE.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from jarvis_voice.events import PlanStep, RunStatus
from jarvis_voice.runs.model import (
    AgentSaid,
    CostReported,
    PlanUpdated,
    PromptGiven,
    RunEnded,
    RunEvent,
    RunStarted,
    RunTitled,
    ToolDenied,
    ToolFinished,
    WaitingForUser,
    WaitOver,
)
from jarvis_voice.runs.sources import fields
from jarvis_voice.runs.sources.fields import Record, RecordReader
from jarvis_voice.runs.sources.tools import Asked, requested

RUNTIME = "opencode"
_MESSAGES = 64  # whose author is remembered
_REJECTED = "rejected permission"
_PREFIXES = ("session.", "message.", "permission.", "question.", "todo.")


class _At(NamedTuple):
    key: str
    at_s: float | None


class OpenCodeReader(RecordReader):
    """Give it every event of one session, in order."""

    runtime = RUNTIME

    def __init__(self) -> None:
        super().__init__()
        self._authors: OrderedDict[str, str] = OrderedDict()
        self._usd: OrderedDict[str, float] = OrderedDict()
        self._spent_before = 0.0  # by messages that are no longer in the table
        self._title = ""
        self._steps: dict[str, Callable[[Record, _At], Iterator[RunEvent]]] = {
            "session.created": self._session,
            "session.updated": self._session,
            "session.status": self._status,
            "session.idle": self._idle,
            "session.error": self._error,
            "session.deleted": self._deleted,
            "message.updated": self._message,
            "message.part.updated": self._part,
            "permission.asked": self._permission,
            "permission.updated": self._permission,
            "permission.replied": self._replied,
            "question.asked": self._question,
            "question.replied": self._replied,
            "question.rejected": self._replied,
            "todo.updated": self._todo,
            "session.next.tool.called": self._called,
            "session.next.tool.success": self._ran,
            "session.next.tool.failed": self._ran,
        }

    def events(self, record: Record, key: str) -> Iterator[RunEvent]:
        """The events of one server event; of kinds that are not listed nothing."""
        inner = _unboxed(record)
        given = fields.mapping(inner, "properties") or fields.mapping(inner, "data")
        self.known(run_of(record) or "", fields.text(record, "directory"))
        step = self._steps.get(fields.text(inner, "type"))
        if step is not None:
            at_s = fields.unix_s(given, "timestamp") or fields.unix_s(
                fields.envelope(record)[0], "t"
            )
            yield from step(given, _At(key, at_s))

    # --- one step per kind ---------------------------------------------------------------------

    def _session(self, given: Record, at: _At) -> Iterator[RunEvent]:
        info = fields.mapping(given, "info")
        self.known(fields.text(info, "id"), fields.text(info, "directory"))
        self.parent = fields.text(info, "parentID") or self.parent
        at_s = fields.unix_s(fields.mapping(info, "time"), "updated")
        yield RunStarted(f"start:{fields.text(info, 'id')}", at_s, self.cwd)
        title = fields.plain(info, "title")
        if title and title != self._title:
            self._title = title
            yield RunTitled(f"title:{title[:80]}", at_s, title)

    def _status(self, given: Record, at: _At) -> Iterator[RunEvent]:
        status = fields.mapping(given, "status")
        kind = fields.text(status, "type")
        if kind == "idle":
            yield RunEnded(f"idle:{at.key}", at.at_s, RunStatus.DONE)
        elif kind in ("busy", "retry"):
            yield RunStarted(f"busy:{at.key}", at.at_s)

    def _idle(self, given: Record, at: _At) -> Iterator[RunEvent]:
        yield RunEnded(f"idle:{at.key}", at.at_s, RunStatus.DONE)

    def _error(self, given: Record, at: _At) -> Iterator[RunEvent]:
        error = fields.mapping(given, "error")
        name = fields.text(error, "name")
        reason = fields.plain(fields.mapping(error, "data"), "message") or name or "an error"
        stopped = "Aborted" in name
        status = RunStatus.STOPPED if stopped else RunStatus.FAILED
        yield RunEnded(f"error:{at.key}", at.at_s, status, reason)

    def _deleted(self, given: Record, at: _At) -> Iterator[RunEvent]:
        yield RunEnded(f"gone:{at.key}", at.at_s, RunStatus.STOPPED, "the session was deleted")

    def _message(self, given: Record, at: _At) -> Iterator[RunEvent]:
        info = fields.mapping(given, "info")
        name = fields.text(info, "id")
        self._authors[name] = fields.text(info, "role")
        if len(self._authors) > _MESSAGES:
            self._authors.popitem(last=False)
        usd = fields.number(info, "cost")
        if usd is None or usd <= 0 or self._usd.get(name) == usd:
            return
        self._usd[name] = usd
        if len(self._usd) > _MESSAGES:
            self._spent_before += self._usd.popitem(last=False)[1]
        spent = self._spent_before + sum(self._usd.values())
        yield CostReported(f"cost:{at.key}", at.at_s, spent)

    def _part(self, given: Record, at: _At) -> Iterator[RunEvent]:
        part = fields.mapping(given, "part")
        kind, name = part.get("type"), fields.text(part, "id") or at.key
        if kind == "tool":
            yield from self._tool(part, at)
        elif kind == "text" and part.get("synthetic") is not True:
            told = fields.plain(part, "text")
            times = fields.mapping(part, "time")
            if not told:
                return
            if self._authors.get(fields.text(part, "messageID")) == "user":
                at_s = fields.unix_s(times, "start") or at.at_s
                yield PromptGiven(f"prompt:{name}", at_s, told)
            elif "end" in times:
                yield AgentSaid(f"said:{name}", fields.unix_s(times, "end"), told)

    def _tool(self, part: Record, at: _At) -> Iterator[RunEvent]:
        state, call_id = fields.mapping(part, "state"), fields.text(part, "callID") or at.key
        status, times = fields.text(state, "status"), fields.mapping(state, "time")
        if status not in ("running", "completed", "error"):
            return  # its arguments are still being written
        asked = Asked(call_id, fields.text(part, "tool") or "tool", fields.mapping(state, "input"))
        yield requested(f"use:{call_id}", fields.unix_s(times, "start"), asked)
        yield from _end(call_id, status, state, fields.unix_s(times, "end"))

    def _permission(self, given: Record, at: _At) -> Iterator[RunEvent]:
        call = fields.text(fields.mapping(given, "tool"), "callID") or fields.text(given, "callID")
        patterns = given.get("patterns")
        listed = (
            [item for item in patterns if isinstance(item, str)][:5]
            if isinstance(patterns, list)
            else []
        )
        kind = fields.plain(given, "title", "permission", "type") or "an action"
        what = f"your approval: {kind} {', '.join(listed)}".strip()
        name = fields.text(given, "id") or at.key
        yield WaitingForUser(f"ask:{name}", at.at_s, what, call or None)

    def _question(self, given: Record, at: _At) -> Iterator[RunEvent]:
        asked = [fields.plain(item, "question") for item in fields.items(given, "questions")]
        what = " ".join(filter(None, asked)) or "an answer"
        yield WaitingForUser(f"ask:{fields.text(given, 'id') or at.key}", at.at_s, what)

    def _replied(self, given: Record, at: _At) -> Iterator[RunEvent]:
        name = fields.text(given, "requestID", "permissionID") or at.key
        yield WaitOver(f"over:{name}", at.at_s)

    def _todo(self, given: Record, at: _At) -> Iterator[RunEvent]:
        steps = tuple(
            PlanStep(fields.plain(item, "content"), fields.text(item, "status"))
            for item in fields.items(given, "todos")
            if fields.text(item, "content")
        )
        yield PlanUpdated(f"plan:{at.key}", at.at_s, steps)

    def _called(self, given: Record, at: _At) -> Iterator[RunEvent]:
        call_id = fields.text(given, "callID") or at.key
        asked = Asked(call_id, fields.text(given, "tool") or "tool", fields.mapping(given, "input"))
        yield requested(f"use:{call_id}", at.at_s, asked)

    def _ran(self, given: Record, at: _At) -> Iterator[RunEvent]:
        call_id = fields.text(given, "callID") or at.key
        status = "error" if "error" in given else "completed"
        yield from _end(call_id, status, given, at.at_s)


def _end(call_id: str, status: str, state: Record, at_s: float | None) -> Iterator[RunEvent]:
    if status == "completed":
        output = fields.output(state.get("output") or state.get("content"))
        yield ToolFinished(f"done:{call_id}", at_s, call_id, ok=True, output=output)
    elif status == "error":
        error = fields.plain(state, "error") or fields.plain(
            fields.mapping(state, "error"), "message"
        )
        if _REJECTED in error:
            yield ToolDenied(f"deny:{call_id}", at_s, call_id, error)
        else:
            yield ToolFinished(f"done:{call_id}", at_s, call_id, ok=False, output=error)


def _unboxed(record: Record) -> Record:
    inner = fields.envelope(record)[0]
    return fields.mapping(inner, "payload") or inner


# --- what the recordings are told apart by ------------------------------------------------------


def claims(record: Record) -> int:
    """2: surely an event of OpenCode; 1: it may be one; 0: it is none."""
    inner = _unboxed(record)
    kind = inner.get("type")
    if not isinstance(kind, str) or not ("properties" in inner or "data" in inner):
        return 0
    if kind.startswith(_PREFIXES):
        return 2
    return 1 if kind.startswith("server.") else 0


def run_of(record: Record) -> str | None:
    """The session that an event is about, None when it names none."""
    inner = _unboxed(record)
    given = fields.mapping(inner, "properties") or fields.mapping(inner, "data")
    named = fields.text(given, "sessionID")
    for part in ("info", "part"):
        named = named or fields.text(fields.mapping(given, part), "sessionID")
    if not named and fields.text(inner, "type").startswith("session."):
        named = fields.text(fields.mapping(given, "info"), "id")
    return named or None
