"""OpenClaw's records as run events (2026.9.6 seen). Three shapes, told apart by content:

- transcript rows: ``event_json`` of ``transcript_events``, header ``{"type": "session"}``
- gateway frames of protocol 4: ``{"type": "event", "event", "payload", "seq"}``, plain or captured
- plugin hook events: ``{"t", "hook", "event", "ctx"}``

The gateway names a session by its key (``agent:main:main``), the other two by its id; a frame of
``sessions.changed`` joins the two, and the id is what the run is called when it is known. PURE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from jarvis_voice.events import RunStatus
from jarvis_voice.redact import redact
from jarvis_voice.runs.model import (
    AgentSaid,
    CostReported,
    GuidanceGiven,
    PromptGiven,
    RunEnded,
    RunEvent,
    RunStarted,
    RunTitled,
    ToolDenied,
    ToolFinished,
    UnknownSeen,
    WaitingForUser,
    WaitOver,
)
from jarvis_voice.runs.sources import fields
from jarvis_voice.runs.sources.fields import Record, RecordReader
from jarvis_voice.runs.sources.tools import Asked, requested

RUNTIME = "openclaw"

_ROWS = frozenset(
    {
        *("session", "message", "model_change", "thinking_level_change", "custom"),
        *("custom_message", "compaction", "reset", "branch_summary", "label", "session_info"),
    }
)
_DENIED = "Denied by user"
_STOPS = {
    "stop": RunStatus.DONE,
    "endTurn": RunStatus.DONE,
    "aborted": RunStatus.STOPPED,
    "error": RunStatus.FAILED,
}


class _At(NamedTuple):
    key: str
    at_s: float | None


class OpenClawReader(RecordReader):
    """Give it every record of one session, in order."""

    runtime = RUNTIME

    def __init__(self) -> None:
        super().__init__()
        self._usd = 0.0
        self._call: str | None = None  # the tool call that started last
        self._title = ""
        self._working = False  # what the user says now is guidance
        self._frames: dict[str, Callable[[Record, _At], Iterator[RunEvent]]] = {
            "session.message": self._session_message,
            "agent": self._agent,
            "chat": self._chat,
            "sessions.changed": self._session_changed,
            "session.approval": self._approval,
            "plugin.approval.requested": self._approval_requested,
            "exec.approval.requested": self._approval_requested,
            "plugin.approval.resolved": self._approval_resolved,
            "exec.approval.resolved": self._approval_resolved,
            "question.requested": self._question,
            "question.resolved": self._question_resolved,
            "session.observer": self._observer,
        }

    def events(self, record: Record, key: str) -> Iterator[RunEvent]:
        """The events of one record of any of the three shapes."""
        inner, at_s, _ = fields.envelope(record)
        if isinstance(record.get("hook"), str):
            yield from self._hook(record, _At(key, fields.unix_s(record, "t")))
        elif inner.get("type") == "event":
            payload = fields.mapping(inner, "payload")
            step = self._frames.get(fields.text(inner, "event"))
            sent_s = fields.unix_s(payload, "ts")
            if step is not None and run_of(record):
                self.known("", "")
                yield from step(payload, _At(key, sent_s if sent_s is not None else at_s))
        elif fields.text(inner, "type") in _ROWS:
            yield from self._row(inner, _At(key, fields.unix_s(inner, "timestamp")))
        elif inner.get("type") not in ("req", "res"):
            yield fields.unknown_kind(key, at_s, str(inner.get("type")))

    # --- transcript rows -----------------------------------------------------------------------

    def _row(self, row: Record, at: _At) -> Iterator[RunEvent]:
        kind = row.get("type")
        self.known(
            fields.text(row, "id") if kind == "session" else "",
            fields.text(row, "cwd") if kind == "session" else "",
        )
        if kind == "session":
            yield RunStarted(f"start:{at.key}", at.at_s, self.cwd)
        elif kind == "message":
            name = fields.text(row, "id") or at.key
            yield from self._message(fields.mapping(row, "message"), _At(name, at.at_s))
        elif kind == "compaction":
            reason = "The agent shortened its own memory of the run."
            yield UnknownSeen(f"compact:{at.key}", at.at_s, reason)

    def _message(self, message: Record, at: _At) -> Iterator[RunEvent]:
        role = message.get("role")
        if role == "user":
            told = _words(message)
            if told:
                kind = GuidanceGiven if self._working else PromptGiven
                yield kind(f"prompt:{at.key}", at.at_s, told)
        elif role == "assistant":
            yield from self._assistant(message, at)
        elif role == "toolResult":
            call_id = fields.text(message, "toolCallId") or at.key
            yield _ended(call_id, message, message.get("isError") is True, at.at_s)

    def _assistant(self, message: Record, at: _At) -> Iterator[RunEvent]:
        told = _words(message)
        self._working = True
        if told:
            yield AgentSaid(f"said:{at.key}", at.at_s, told)
        for place, part in enumerate(fields.items(message, "content")):
            if part.get("type") == "toolCall":
                call_id = fields.text(part, "id") or f"{at.key}:{place}"
                yield self._requested(
                    call_id, fields.text(part, "name"), fields.mapping(part, "arguments"), at.at_s
                )
        yield from self._spent(fields.mapping(message, "usage"), at)
        status = _STOPS.get(fields.text(message, "stopReason"))
        if status is not None:
            self._working = False
            reason = fields.plain(message, "errorMessage")
            yield RunEnded(f"stop:{at.key}", at.at_s, status, reason)

    def _requested(self, call_id: str, tool: str, given: Record, at_s: float | None) -> RunEvent:
        self._call = call_id
        return requested(f"use:{call_id}", at_s, Asked(call_id, tool or "tool", given))

    def _spent(self, usage: Record, at: _At) -> Iterator[RunEvent]:
        usd = fields.number(fields.mapping(usage, "cost"), "total")
        if usd is not None and usd > 0:
            self._usd += usd
            yield CostReported(f"cost:{at.key}", at.at_s, self._usd)

    # --- gateway frames ------------------------------------------------------------------------

    def _session_message(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        message = fields.mapping(payload, "message")
        at_s = at.at_s if at.at_s is not None else fields.unix_s(message, "timestamp")
        yield from self._message(message, _At(fields.text(payload, "messageId") or at.key, at_s))

    def _agent(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        stream, data = fields.text(payload, "stream"), fields.mapping(payload, "data")
        self.known(fields.text(payload, "sessionId"))
        phase = fields.text(data, "phase")
        if stream == "tool":
            call_id = fields.text(data, "toolCallId") or at.key
            if phase == "start":
                given = fields.mapping(data, "args")
                yield self._requested(call_id, fields.text(data, "name"), given, at.at_s)
            elif phase == "result":
                answer = fields.mapping(data, "result")
                yield _ended(call_id, answer, data.get("isError") is True, at.at_s)
        elif stream == "item" and data.get("kind") == "preamble" and phase == "end":
            told = fields.plain(data, "progressText")
            if told:
                yield AgentSaid(f"said:{fields.text(data, 'itemId') or at.key}", at.at_s, told)
        elif stream == "lifecycle":
            yield from self._lifecycle(fields.text(payload, "runId"), phase, data, at)

    def _lifecycle(self, run: str, phase: str, data: Record, at: _At) -> Iterator[RunEvent]:
        self._working = phase not in ("error", "end")
        if phase == "start":
            yield RunStarted(f"turn:{run}", at.at_s)
        elif phase == "error":
            yield RunEnded(f"end:{run}", at.at_s, RunStatus.FAILED, fields.plain(data, "error"))
        elif phase == "end":
            aborted = data.get("aborted") is True
            status = RunStatus.STOPPED if aborted else RunStatus.DONE
            yield RunEnded(f"end:{run}", at.at_s, status, "aborted" if aborted else "")

    def _chat(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        """What was said comes as a message of the session; only a bad end stands here alone."""
        run, state = fields.text(payload, "runId"), payload.get("state")
        if state == "aborted":
            yield RunEnded(f"abort:{run}", at.at_s, RunStatus.STOPPED, "aborted")
        elif state == "error":
            reason = fields.plain(payload, "errorMessage")
            yield RunEnded(f"error:{run}", at.at_s, RunStatus.FAILED, reason)

    def _session_changed(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        session = fields.mapping(payload, "session")
        self.known(fields.text(payload, "sessionId") or fields.text(session, "sessionId"))
        for holder in (payload, session):
            parent = fields.text(holder, "spawnedBy", "parentSessionKey")
            self.parent = parent or self.parent
        title = fields.plain(session, "label", "displayName")
        if title and title != self._title:
            self._title = title
            yield RunTitled(f"title:{title[:80]}", at.at_s, title)

    def _approval(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        approval = fields.mapping(payload, "approval")
        name = fields.text(approval, "id") or at.key
        at_s = fields.unix_s(payload, "updatedAtMs")
        if payload.get("phase") == "pending":
            shown = fields.mapping(approval, "presentation")
            yield WaitingForUser(f"ask:{name}", at_s, _asked(shown), self._call)
        else:
            yield WaitOver(f"over:{name}", at_s)

    def _approval_requested(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        request = fields.mapping(payload, "request")
        name = fields.text(payload, "id") or at.key
        call = fields.text(request, "toolCallId") or self._call
        at_s = fields.unix_s(payload, "createdAtMs")
        yield WaitingForUser(f"ask:{name}", at_s, _asked(request), call)

    def _approval_resolved(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        yield WaitOver(f"over:{fields.text(payload, 'id') or at.key}", at.at_s)

    def _question(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        asked = [
            fields.plain(item, "question", "text") for item in fields.items(payload, "questions")
        ]
        what = " ".join(filter(None, asked)) or fields.plain(payload, "question") or "an answer"
        yield WaitingForUser(f"ask:{fields.text(payload, 'id') or at.key}", at.at_s, what)

    def _question_resolved(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        yield WaitOver(f"over:{fields.text(payload, 'id') or at.key}", at.at_s)

    def _observer(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        if payload.get("health") == "waiting-on-user":
            what = fields.plain(payload, "headline", "assessment") or "an answer"
            yield WaitingForUser(f"observed:{at.key}", at.at_s, what)

    # --- plugin hook events --------------------------------------------------------------------

    def _hook(self, record: Record, at: _At) -> Iterator[RunEvent]:
        name, event = fields.text(record, "hook"), fields.mapping(record, "event")
        ctx = fields.mapping(record, "ctx")
        session = fields.text(ctx, "sessionId", "sessionKey") or fields.text(event, "sessionId")
        self.known(session, fields.text(ctx, "workspaceDir"))
        run = fields.text(event, "runId") or fields.text(ctx, "runId") or at.key
        call_id = fields.text(event, "toolCallId") or at.key
        if name in ("agent_turn_prepare", "before_agent_start"):
            yield RunStarted(f"turn:{run}", at.at_s, self.cwd)
            yield PromptGiven(f"prompt:{run}", at.at_s, fields.plain(event, "prompt"))
        elif name == "before_tool_call":
            given = fields.mapping(event, "params")
            yield self._requested(call_id, fields.text(event, "toolName"), given, at.at_s)
        elif name == "after_tool_call":
            answer = fields.mapping(event, "result")
            yield _ended(call_id, answer, bool(event.get("error")), at.at_s)
        elif name in ("llm_output", "before_agent_finalize", "agent_end", "subagent_ended"):
            yield from self._hook_end(name, event, _At(run, at.at_s))

    def _hook_end(self, name: str, event: Record, at: _At) -> Iterator[RunEvent]:
        if name == "llm_output":
            yield from self._spent(fields.mapping(event, "usage"), at)
            return
        told = fields.plain(event, "lastAssistantMessage")
        if told:
            yield AgentSaid(f"said:{at.key}", at.at_s, told)
        if name == "agent_end":
            failed = event.get("success") is False
            status = RunStatus.FAILED if failed else RunStatus.DONE
            yield RunEnded(f"end:{at.key}", at.at_s, status, fields.plain(event, "error"))


def _words(message: Record) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return redact(content[: fields.TEXT_CHARS])
    parts = [
        fields.text(part, "text")
        for part in fields.items(message, "content")
        if part.get("type") == "text"
    ]
    return redact("\n".join(filter(None, parts))[: fields.TEXT_CHARS])


def _asked(shown: Record) -> str:
    title = fields.plain(shown, "title", "command", "toolName")
    return ": ".join(filter(None, (title, fields.plain(shown, "description")))) or "your approval"


def _ended(call_id: str, answer: Record, failed: bool, at_s: float | None) -> RunEvent:
    """The end of a call. One that was refused is an error to the agent, but never ran."""
    details = fields.mapping(answer, "details")
    reason = fields.plain(details, "reason", "deniedReason")
    told = fields.output(answer)
    if details.get("status") == "blocked":
        return ToolDenied(f"deny:{call_id}", at_s, call_id, reason or told)
    if (failed and fields.text(details, "error").startswith(_DENIED)) or _DENIED in told[:200]:
        return ToolDenied(f"deny:{call_id}", at_s, call_id, "The user refused it.")
    output = "" if told == "(no output)" else told
    return ToolFinished(f"done:{call_id}", at_s, call_id, ok=not failed, output=output)


# --- what the recordings are told apart by ------------------------------------------------------


def claims(record: Record) -> int:
    """2: surely a record of OpenClaw; 1: it may be one; 0: it is none."""
    if isinstance(record.get("hook"), str):
        return 2 if "ctx" in record else 0
    inner = fields.envelope(record)[0]
    kind = fields.text(inner, "type")
    if kind == "event":
        return 2 if "event" in inner and "payload" in inner else 0
    if kind in ("req", "res"):
        return 2 if "method" in inner or "ok" in inner else 0
    if kind == "session":
        return 2 if "version" in inner and "id" in inner else 0
    return 2 if kind in _ROWS and "parentId" in inner else 0


def run_of(record: Record) -> str | None:
    """The key of the session that a record is about, None when it names none."""
    if isinstance(record.get("hook"), str):
        ctx = fields.mapping(record, "ctx")
        return fields.text(ctx, "sessionKey", "sessionId") or None
    inner = fields.envelope(record)[0]
    payload = fields.mapping(inner, "payload")
    if inner.get("type") != "event":
        return None
    named = fields.text(payload, "sessionKey")
    return named or fields.text(fields.mapping(payload, "request"), "sessionKey") or None
