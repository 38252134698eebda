"""Codex's records as run events. Four shapes, told apart by what is in each line:

- rollouts, ``$CODEX_HOME/sessions/YYYY/MM/DD/rollout-*.jsonl`` (0.171 seen; 0.104 from its shapes)
- ``codex exec --json``
- app-server messages: JSON-RPC without a ``jsonrpc`` field, plain or as captured ``{"t", "m"}``
- hook inputs, which have Claude Code's form

All four name the same items; only the spelling differs (``command_execution`` in one,
``commandExecution`` in another). A call that a hook refused shows up in the rollout alone. Ids are
made of the runtime's own, so that what two clients of one app-server captured counts once. PURE.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from jarvis_voice.events import RunStatus
from jarvis_voice.runs.model import (
    AgentSaid,
    GuidanceGiven,
    PromptGiven,
    RunEnded,
    RunEvent,
    RunStarted,
    RunTitled,
    ToolFinished,
    UnknownSeen,
    WaitingForUser,
    WaitOver,
)
from jarvis_voice.runs.sources import fields
from jarvis_voice.runs.sources.claude_code import ClaudeCodeReader, run_name
from jarvis_voice.runs.sources.codex_items import Item, item_events, plan_events, reply_events
from jarvis_voice.runs.sources.fields import Record, RecordReader
from jarvis_voice.runs.sources.tools import Asked, arguments, requested

RUNTIME = "codex"

_ROLLOUT_TYPES = frozenset(
    {
        *("session_meta", "turn_context", "response_item", "event_msg", "compacted"),
        *("world_state", "token_usage_record", "inter_agent_communication"),
    }
)
_EXEC_TYPES = re.compile(r"^(?:thread\.started|turn\.\w+|item\.\w+)$")
_APPROVALS = {
    "item/commandExecution/requestApproval": "your approval to run a command",
    "item/fileChange/requestApproval": "your approval to change files",
    "item/permissions/requestApproval": "your approval of more permissions",
    "execCommandApproval": "your approval to run a command",
    "applyPatchApproval": "your approval to change files",
}
_PLAIN = ("error", "warning", "deprecationNotice", "initialize", "initialized")
_QUESTIONS = ("item/tool/requestUserInput", "mcpServer/elicitation/request")


class _At(NamedTuple):
    """Which record is being read, and when it was written."""

    key: str
    at_s: float | None


class CodexReader(RecordReader):
    """Give it every record of one thread, in order."""

    runtime = RUNTIME

    def __init__(self) -> None:
        super().__init__()
        self._hooks = ClaudeCodeReader()
        self._subscribed = False  # an app-server sends us the thread's items, not only its status
        self._prompted = False  # the turn has its prompt; what the user adds is guidance
        self._methods: dict[str, Callable[[Record, _At], Iterator[RunEvent]]] = {
            "thread/started": self._thread_started,
            "thread/name/updated": self._thread_named,
            "thread/status/changed": self._status_changed,
            "turn/started": self._turn_started,
            "turn/completed": self._turn_completed,
            "turn/plan/updated": self._plan_updated,
            "item/started": self._item_started,
            "item/completed": self._item_completed,
            "serverRequest/resolved": self._resolved,
            "error": self._broke,
        }

    def events(self, record: Record, key: str) -> Iterator[RunEvent]:
        """The events of one record of any of the four shapes."""
        for event in self._events(record, key):
            if isinstance(event, RunStarted) and event.event_id.startswith("turn:"):
                self._prompted = False
            if not isinstance(event, PromptGiven):
                yield event
            elif self._prompted:
                yield GuidanceGiven(event.event_id, event.at_s, event.text)
            else:
                self._prompted = True
                yield event

    def _events(self, record: Record, key: str) -> Iterator[RunEvent]:
        inner, at_s, way = fields.envelope(record)
        if "hook_event_name" in inner:
            yield from self._hook(record, inner, key)
        elif isinstance(inner.get("payload"), dict) and "timestamp" in inner:
            yield from self._rollout(inner, _At(key, fields.unix_s(inner, "timestamp")))
        elif isinstance(inner.get("method"), str):
            sent_s = fields.unix_s(inner, "emittedAtMs")
            yield from self._message(inner, _At(key, at_s if sent_s is None else sent_s), way)
        elif "result" in inner or ("error" in inner and "id" in inner):
            self._response(inner)
        elif isinstance(inner.get("type"), str):
            yield from self._exec(inner, _At(key, at_s))
        else:
            yield UnknownSeen(f"unknown:{key}", None, "A record of an unknown form was left out.")

    # --- hook inputs ---------------------------------------------------------------------------

    def _hook(self, record: Record, inner: Record, key: str) -> Iterator[RunEvent]:
        told = self._hooks.take(record, key)
        if inner.get("hook_event_name") == "UserPromptSubmit":
            self._prompted = False
        self.known(self._hooks.session or "", self._hooks.cwd or "")
        self.parent = self._hooks.parent
        yield from told

    # --- rollouts ------------------------------------------------------------------------------

    def _rollout(self, record: Record, at: _At) -> Iterator[RunEvent]:
        kind, payload = fields.text(record, "type"), fields.mapping(record, "payload")
        if kind not in _ROLLOUT_TYPES:
            yield fields.unknown_kind(at.key, at.at_s, kind)
            return
        self.known()
        if kind == "session_meta":
            yield from self._meta(payload, at)
        elif kind == "event_msg":
            yield from self._event_msg(payload, at)
        elif kind == "response_item":
            yield from self._response_item(payload, at)
        elif kind == "compacted":
            yield UnknownSeen(f"compact:{at.key}", at.at_s, _COMPACTED)

    def _meta(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        thread = fields.text(payload, "id", "session_id")
        if self.session is not None and thread != self.session:
            return  # the history of the thread that this one was forked from
        self.known(thread, fields.text(payload, "cwd"))
        self.parent = _parent_of(payload, thread) or self.parent
        yield RunStarted(f"start:{thread}", at.at_s, self.cwd, None)

    def _event_msg(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        kind = fields.text(payload, "type")
        if kind == "item_completed":
            item = fields.mapping(payload, "item")
            yield from item_events(Item.of(item, "completed", at.key), at.at_s)
        elif kind in ("user_message", "agent_message"):
            message = fields.plain(payload, "message")
            if kind == "agent_message" and message:
                yield AgentSaid(f"said:{at.key}", at.at_s, message)
            elif message:
                yield PromptGiven(f"prompt:{at.key}", at.at_s, message)
        elif kind in ("exec_approval_request", "apply_patch_approval_request"):
            call_id = fields.text(payload, "call_id")
            what = fields.plain(payload, "reason") or "your approval to run a command"
            yield WaitingForUser(f"ask:{call_id or at.key}", at.at_s, what, call_id or None)
        elif kind == "thread_name_updated":
            yield RunTitled(f"title:{at.key}", at.at_s, fields.plain(payload, "thread_name"))
        elif kind == "context_compacted":
            yield UnknownSeen(f"compact:{at.key}", at.at_s, _COMPACTED)
        else:
            yield from self._turn_event(kind, payload, at)

    def _turn_event(self, kind: str, payload: Record, at: _At) -> Iterator[RunEvent]:
        turn = fields.text(payload, "turn_id") or at.key
        if kind in ("task_started", "turn_started"):
            yield RunStarted(f"turn:{turn}", at.at_s)
        elif kind in ("task_complete", "turn_complete"):
            yield RunEnded(f"end:{turn}", at.at_s, RunStatus.DONE)
        elif kind == "turn_aborted":
            reason = fields.plain(payload, "reason") or "interrupted"
            yield RunEnded(f"end:{turn}", at.at_s, RunStatus.STOPPED, reason)
        elif kind == "error":
            yield RunEnded(
                f"failed:{at.key}", at.at_s, RunStatus.FAILED, fields.plain(payload, "message")
            )

    def _response_item(self, payload: Record, at: _At) -> Iterator[RunEvent]:
        """Calls and their answers; what was said stands in the ``event_msg`` beside it."""
        kind = fields.text(payload, "type")
        call_id = fields.text(payload, "call_id", "id") or at.key
        if kind in ("function_call", "custom_tool_call", "local_shell_call"):
            tool = fields.text(payload, "name") or "local_shell"
            given = arguments(
                payload.get("arguments") or payload.get("input") or payload.get("action")
            )
            yield requested(f"use:{call_id}", at.at_s, Asked(call_id, tool, given))
            yield from plan_events(tool, given, call_id, at.at_s)
        elif kind in ("function_call_output", "custom_tool_call_output"):
            yield from reply_events(call_id, payload.get("output"), at.at_s)
        elif kind == "web_search_call":
            given = fields.mapping(payload, "action")
            yield requested(f"use:{call_id}", at.at_s, Asked(call_id, "web_search", given))
            yield ToolFinished(f"done:{call_id}", at.at_s, call_id, ok=None, output="")

    # --- codex exec --json ---------------------------------------------------------------------

    def _exec(self, record: Record, at: _At) -> Iterator[RunEvent]:
        kind = fields.text(record, "type")
        if not (_EXEC_TYPES.match(kind) or kind == "error"):
            yield fields.unknown_kind(at.key, at.at_s, kind)
            return
        self.known(fields.text(record, "thread_id"))
        if kind.startswith("item."):
            item = Item.of(fields.mapping(record, "item"), kind[5:], at.key)
            yield from item_events(item, at.at_s)
        elif kind in ("turn.started", "thread.started"):
            yield RunStarted(f"turn:{at.key}", at.at_s)
        elif kind == "turn.completed":
            yield RunEnded(f"end:{at.key}", at.at_s, RunStatus.DONE)
        else:
            told = fields.plain(fields.mapping(record, "error"), "message")
            reason = told or fields.plain(record, "message") or "the turn failed"
            yield RunEnded(f"end:{at.key}", at.at_s, RunStatus.FAILED, reason)

    # --- app-server ----------------------------------------------------------------------------

    def _message(self, message: Record, at: _At, way: str) -> Iterator[RunEvent]:
        method, params = fields.text(message, "method"), fields.mapping(message, "params")
        if way == "->":
            return  # what a client asked for; what came of it is in the notifications
        step = self._methods.get(method)
        thread = fields.text(params, "threadId") or _thread_id(params)
        if thread:
            self.known(thread)
        if step is not None:
            yield from step(params, at)
        elif method in _APPROVALS or method in _QUESTIONS:
            yield from self._asked(method, message, at)

    def _response(self, message: Record) -> None:
        thread = fields.mapping(fields.mapping(message, "result"), "thread")
        if thread:
            self._thread(thread)

    def _thread(self, thread: Record) -> None:
        self.known(fields.text(thread, "id"), fields.text(thread, "cwd"))
        self.parent = fields.text(thread, "parentThreadId") or self.parent

    def _thread_started(self, params: Record, at: _At) -> Iterator[RunEvent]:
        thread = fields.mapping(params, "thread")
        self._thread(thread)
        yield RunStarted(f"start:{fields.text(thread, 'id')}", at.at_s, self.cwd)
        title = fields.plain(thread, "name", "preview")
        if title:
            yield RunTitled(f"title:{title[:80]}", at.at_s, title)

    def _thread_named(self, params: Record, at: _At) -> Iterator[RunEvent]:
        title = fields.plain(params, "threadName", "name")
        yield RunTitled(f"title:{title[:80]}", at.at_s, title)

    def _turn_started(self, params: Record, at: _At) -> Iterator[RunEvent]:
        turn = fields.text(fields.mapping(params, "turn"), "id")
        self._subscribed = True
        yield RunStarted(f"turn:{turn or at.key}", at.at_s)

    def _turn_completed(self, params: Record, at: _At) -> Iterator[RunEvent]:
        turn = fields.mapping(params, "turn")
        name, status = fields.text(turn, "id") or at.key, fields.text(turn, "status")
        if status == "failed":
            reason = fields.plain(fields.mapping(turn, "error"), "message")
            yield RunEnded(f"end:{name}", at.at_s, RunStatus.FAILED, reason or "the turn failed")
        elif status == "interrupted":
            yield RunEnded(f"end:{name}", at.at_s, RunStatus.STOPPED, "interrupted")
        else:
            yield RunEnded(f"end:{name}", at.at_s, RunStatus.DONE)

    def _item_started(self, params: Record, at: _At) -> Iterator[RunEvent]:
        self._subscribed = True
        item = Item.of(fields.mapping(params, "item"), "started", at.key)
        yield from item_events(item, at.at_s)

    def _item_completed(self, params: Record, at: _At) -> Iterator[RunEvent]:
        self._subscribed = True
        item = Item.of(fields.mapping(params, "item"), "completed", at.key)
        yield from item_events(item, at.at_s)

    def _status_changed(self, params: Record, at: _At) -> Iterator[RunEvent]:
        status = fields.mapping(params, "status")
        flags = status.get("activeFlags")
        waits = [flag for flag in flags if isinstance(flag, str)] if isinstance(flags, list) else []
        kind, unique = fields.text(status, "type"), _moment(at)
        if kind == "active" and waits:
            what = "your answer" if "waitingOnUserInput" in waits else "your approval"
            if not self._subscribed:  # the request itself says more
                yield WaitingForUser(f"wait:{unique}", at.at_s, what)
        elif kind == "active":
            yield WaitOver(f"active:{unique}", at.at_s)
            yield RunStarted(f"active-start:{unique}", at.at_s)
        elif kind == "systemError":
            yield RunEnded(f"broke:{unique}", at.at_s, RunStatus.FAILED, "Codex had a system error")
        elif kind == "idle" and not self._subscribed and self.recognized > 1:
            yield RunEnded(f"idle:{unique}", at.at_s, RunStatus.DONE)

    def _plan_updated(self, params: Record, at: _At) -> Iterator[RunEvent]:
        yield from plan_events("update_plan", params, _moment(at), at.at_s)

    def _resolved(self, params: Record, at: _At) -> Iterator[RunEvent]:
        yield WaitOver(f"over:{params.get('requestId')}:{_moment(at)}", at.at_s)

    def _broke(self, params: Record, at: _At) -> Iterator[RunEvent]:
        if params.get("willRetry") is not True:
            reason = fields.plain(fields.mapping(params, "error"), "message")
            yield RunEnded(f"broke:{_moment(at)}", at.at_s, RunStatus.FAILED, reason)

    def _asked(self, method: str, message: Record, at: _At) -> Iterator[RunEvent]:
        """A request that stays open until a client answers it."""
        self._subscribed = True
        params = fields.mapping(message, "params")
        call_id = fields.text(params, "itemId", "callId")
        at_s = fields.unix_s(params, "startedAtMs") if at.at_s is None else at.at_s
        if "command" in params and call_id:
            given = {"command": params.get("command")}
            yield requested(f"use:{call_id}", at_s, Asked(call_id, "shell", given))
        what = fields.plain(params, "reason", "message") or _APPROVALS.get(method, "")
        questions = [fields.plain(item, "question") for item in fields.items(params, "questions")]
        what = " ".join(filter(None, questions)) or what or "an answer"
        unique = f"ask:{message.get('id')}:{call_id or at.key}"
        yield WaitingForUser(unique, at_s, what, call_id or None)


_COMPACTED = "The agent shortened its own memory of the run."


def _moment(at: _At) -> str:
    """The same for every client that was told; the server's own time of sending."""
    return at.key if at.at_s is None else f"{at.at_s:.3f}"


def _thread_id(params: Record) -> str:
    return fields.text(fields.mapping(params, "thread"), "id")


def _parent_of(payload: Record, thread: str) -> str | None:
    """The thread that spawned this one."""
    source = fields.mapping(fields.mapping(payload, "source"), "subagent")
    spawned = fields.mapping(source, "thread_spawn")
    named = fields.text(payload, "parent_thread_id") or fields.text(spawned, "parent_thread_id")
    session = fields.text(payload, "session_id")
    return named or (session if session and session != thread else None)


# --- what the recordings are told apart by ------------------------------------------------------


def claims(record: Record) -> int:
    """2: surely a record of Codex; 1: it may be one; 0: it is none."""
    inner = fields.envelope(record)[0]
    if "hook_event_name" in inner:
        path = fields.text(inner, "transcript_path")
        return 2 if "turn_id" in inner or "rollout-" in path else 0
    if isinstance(inner.get("payload"), dict) and "timestamp" in inner:
        return 2 if fields.text(inner, "type") in _ROLLOUT_TYPES else 0
    method = inner.get("method")
    if isinstance(method, str) and "type" not in inner:
        return 2 if "jsonrpc" not in inner and ("/" in method or method in _PLAIN) else 1
    kind = inner.get("type")
    return 2 if isinstance(kind, str) and _EXEC_TYPES.match(kind) else 0


def run_of(record: Record) -> str | None:
    """The thread that a record is about, None when it names none."""
    inner = fields.envelope(record)[0]
    if "hook_event_name" in inner:
        session = fields.text(inner, "session_id")
        return run_name(session, fields.text(inner, "agent_id")) or None
    if isinstance(inner.get("payload"), dict):
        return fields.THE_FILE  # one thread, whatever others its records mention
    params = fields.mapping(inner, "params")
    result = fields.mapping(inner, "result")
    named = fields.text(params, "threadId", "conversationId") or _thread_id(params)
    return named or _thread_id(result) or fields.text(inner, "thread_id") or None
