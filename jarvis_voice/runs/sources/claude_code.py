"""Claude Code's records as run events. Three shapes, told apart by what is in each line:

- hook inputs, plain or as ``{"t": unix seconds, "in": {...}}``
- ``--output-format stream-json``, plain or as the control protocol's ``{"t", "dir", "m"}``
- session transcripts (``~/.claude/projects/.../<session>.jsonl``), old and new

The transcript format is Claude Code's own and changes without notice, so every field is checked and
every record that is not understood becomes an ``UnknownSeen``. Reading never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jarvis_voice.events import RunStatus
from jarvis_voice.redact import redact
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
    ToolRequested,
    UnknownSeen,
    WaitingForUser,
    WaitOver,
)
from jarvis_voice.runs.sources import fields
from jarvis_voice.runs.sources.claude_tools import asked_of_user, described, plan_of
from jarvis_voice.runs.sources.fields import Record, RecordReader

RUNTIME = "claude-code"

_BOOKKEEPING = frozenset(
    {
        "attachment",
        "queue-operation",
        "last-prompt",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "tools-used",
        "atis-latch",
        "file-history-snapshot",
        "progress",
        "stream_event",
        "control_cancel_request",
        "keep_alive",
        "rate_limit_event",
        "tool_progress",
        "tool_use_summary",
        "auth_status",
        "control_response",
    }
)
_HOOKS_WITHOUT_NEWS = frozenset(
    {
        "PostToolBatch",
        "PreCompact",
        "PostCompact",
        "SubagentStart",
        "SubagentStop",
        "Elicitation",
        "ElicitationResult",
        "TaskCreated",
        "TaskCompleted",
        "TeammateIdle",
        "Setup",
        "InstructionsLoaded",
        "ConfigChange",
    }
)
_INJECTED = ("<command-", "<local-command-", "<system-reminder", "<task-notification", "Caveat: ")
_INTERRUPTED = "[Request interrupted by user"
_HOOK_REFUSAL = re.compile(r"^(?:Error: )?\w+:[\w-]+ hook (?:error|blocking error)[^:]*: ?")
_USER_REFUSAL = re.compile(
    r"^(?:Error: )?(?:The user doesn't want to|Permission prompt was aborted|"
    r"Permission to use .{1,80} has been denied|The user (?:rejected|denied))"
)
_NO_OUTPUT = re.compile(r"\(\w+ completed with no output\)$")
_USER_SAID = re.compile(
    r"(?:the user said|the user provided the following reason[^:]*):\s*(.+)", re.DOTALL
)


class ClaudeCodeReader(RecordReader):
    """Give it every record of one run, in order. A subagent is a run too: ``session/agent``."""

    runtime = RUNTIME

    def __init__(self) -> None:
        super().__init__()
        self._base_s: float | None = None  # Unix time of t = 0 in a control protocol capture
        self._agent = ""  # the subagent that this run is

    def events(self, record: Record, key: str) -> Iterator[RunEvent]:
        """The events of one record of any of the three shapes."""
        inner = record.get("in")
        if isinstance(inner, dict) and "hook_event_name" in inner:
            yield from self._hook(inner, key, fields.number(record, "t"))
        elif "hook_event_name" in record:
            yield from self._hook(record, key, None)
        elif isinstance(record.get("m"), dict) and "dir" in record:
            yield from self._control(record, key)
        elif isinstance(record.get("type"), str):
            yield from self._entry(record, key, fields.unix_s(record, "timestamp"))
        else:
            yield UnknownSeen(f"unknown:{key}", None, "A record of an unknown form was left out.")

    def _known(self, record: Record) -> None:
        session = fields.text(record, "session_id", "sessionId")
        agent = fields.text(record, "agent_id", "agentId")
        if agent and self.session is None:
            self._agent, self.parent = agent, session or None
        self.known(
            run_name(session, agent) if session != "default" else "", fields.text(record, "cwd")
        )

    def _aside(self, record: Record) -> bool:
        """The record tells of a subagent, and this run is not that subagent."""
        if self._agent:
            return False
        return bool(record.get("isSidechain") or record.get("parent_tool_use_id"))

    # --- hook inputs ---------------------------------------------------------------------------

    def _hook(self, given: Record, key: str, at_s: float | None) -> Iterator[RunEvent]:
        name = fields.text(given, "hook_event_name")
        self._known(given)
        if name == "SessionStart":
            yield RunStarted(
                f"start:{key}", at_s, fields.text(given, "cwd"), fields.text(given, "model") or None
            )
        elif name == "UserPromptSubmit":
            yield from self._prompt(fields.text(given, "prompt"), key, at_s)
        elif name in ("PreToolUse", "PermissionRequest"):
            yield from self._hook_request(name, given, key, at_s)
        elif name in ("PostToolUse", "PostToolUseFailure", "PermissionDenied"):
            yield from self._hook_result(name, given, key, at_s)
        elif name == "PostToolBatch":
            yield from self._hook_batch(given, key, at_s)
        elif name == "Notification":
            yield from _notification(given, key, at_s)
        elif name in ("Stop", "StopFailure", "SessionEnd"):
            yield from _hook_end(name, given, key, at_s)
        elif name not in _HOOKS_WITHOUT_NEWS:
            yield fields.unknown_kind(key, at_s, name)

    def _hook_request(
        self, name: str, given: Record, key: str, at_s: float | None
    ) -> Iterator[RunEvent]:
        tool, tool_input = fields.text(given, "tool_name"), fields.mapping(given, "tool_input")
        call_id = fields.text(given, "tool_use_id")
        if name == "PreToolUse":
            yield from self._tool_use(call_id or key, tool, tool_input, at_s)
        else:
            words = described(tool, tool_input).summary
            yield WaitingForUser(
                f"ask:{key}", at_s, f"permission: {redact(words)}", call_id or None
            )

    def _hook_result(
        self, name: str, given: Record, key: str, at_s: float | None
    ) -> Iterator[RunEvent]:
        call_id = fields.text(given, "tool_use_id") or key
        if name == "PermissionDenied":
            yield ToolDenied(f"deny:{call_id}", at_s, call_id, fields.plain(given, "reason"))
        elif name == "PostToolUseFailure":
            yield ToolFinished(
                f"done:{call_id}", at_s, call_id, ok=False, output=fields.plain(given, "error")
            )
        else:
            output = _response(given.get("tool_response"))
            yield ToolFinished(f"done:{call_id}", at_s, call_id, ok=True, output=output)

    def _hook_batch(self, given: Record, key: str, at_s: float | None) -> Iterator[RunEvent]:
        """A refused call shows up nowhere else in hook inputs."""
        calls = given.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if not isinstance(call, dict):
                continue
            call_id, response = fields.text(call, "tool_use_id"), call.get("tool_response")
            if isinstance(response, str) and _is_refusal(response):
                yield ToolDenied(f"deny:{call_id}", at_s, call_id, _reason(response))

    # --- control protocol ----------------------------------------------------------------------

    def _control(self, record: Record, key: str) -> Iterator[RunEvent]:
        message, offset = fields.mapping(record, "m"), fields.number(record, "t")
        at_s = fields.unix_s(message, "timestamp")
        if at_s is not None and offset is not None and self._base_s is None:
            self._base_s = at_s - offset
        if at_s is None and offset is not None and self._base_s is not None:
            at_s = self._base_s + offset
        request, kind = fields.mapping(message, "request"), message.get("type")
        if kind == "control_request" and request.get("subtype") == "can_use_tool":
            self._known(message)
            call_id = fields.text(request, "tool_use_id")
            tool, tool_input = fields.text(request, "tool_name"), fields.mapping(request, "input")
            yield from self._tool_use(call_id or key, tool, tool_input, at_s)
            if not asked_of_user(tool, tool_input):
                words = redact(described(tool, tool_input).summary)
                yield WaitingForUser(f"ask:{call_id}:{key}", at_s, f"permission: {words}", call_id)
        elif kind == "control_response":
            answer = fields.mapping(fields.mapping(message, "response"), "response")
            if answer.get("behavior") == "allow":
                yield WaitOver(f"allowed:{key}", at_s)
        elif kind != "control_request" and isinstance(kind, str):
            yield from self._entry(message, key, at_s)

    # --- stream-json and transcripts -----------------------------------------------------------

    def _entry(self, record: Record, key: str, at_s: float | None) -> Iterator[RunEvent]:
        kind = record["type"]
        if kind == "user":
            yield from self._user(record, key, at_s)
        elif kind == "assistant":
            yield from self._assistant(record, key, at_s)
        elif kind == "system":
            yield from self._system(record, key, at_s)
        elif kind == "result":
            yield from self._result(record, key, at_s)
        elif kind == "attachment":
            yield from self._attachment(record, key, at_s)
        elif kind == "summary":
            self._known(record)
            yield RunTitled(f"title:{key}", at_s, fields.plain(record, "summary"))
        elif kind == "cost-state":
            self._known(record)
            yield from _cost(record, "totalCostUSD", key, at_s)
        elif kind not in _BOOKKEEPING:
            yield fields.unknown_kind(key, at_s, str(kind))

    def _user(self, record: Record, key: str, at_s: float | None) -> Iterator[RunEvent]:
        self._known(record)
        content = fields.mapping(record, "message").get("content")
        aside = self._aside(record)
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for place, block in enumerate(content if isinstance(content, list) else ()):
            if not isinstance(block, dict):
                continue
            if block.get("type") == "tool_result":
                yield self._tool_result(record, block, f"{key}:{place}", at_s)
            elif block.get("type") == "text" and not aside and not record.get("isMeta"):
                yield from self._prompt(fields.text(block, "text"), f"{key}:{place}", at_s)

    def _prompt(self, text: str, key: str, at_s: float | None) -> Iterator[RunEvent]:
        if text.startswith(_INTERRUPTED):
            yield RunEnded(f"interrupt:{key}", at_s, RunStatus.STOPPED, "interrupted by the user")
        elif text.strip() and not text.lstrip().startswith(_INJECTED):
            yield PromptGiven(f"prompt:{key}", at_s, redact(text))

    def _tool_result(self, record: Record, block: Record, key: str, at_s: float | None) -> RunEvent:
        call_id = fields.text(block, "tool_use_id") or key
        output = _response(block.get("content"))
        failed = block.get("is_error") is True
        if failed and (_decided_against(record, call_id) or _is_refusal(output)):
            return ToolDenied(f"deny:{call_id}", at_s, call_id, _reason(output))
        return ToolFinished(f"done:{call_id}", at_s, call_id, ok=not failed, output=output)

    def _assistant(self, record: Record, key: str, at_s: float | None) -> Iterator[RunEvent]:
        self._known(record)
        message = fields.mapping(record, "message")
        aside = self._aside(record)
        content = message.get("content")
        unique = fields.text(record, "uuid") or key
        for place, block in enumerate(content if isinstance(content, list) else ()):
            if not isinstance(block, dict):
                continue
            if block.get("type") == "text" and not aside:
                yield AgentSaid(f"said:{unique}:{place}", at_s, fields.plain(block, "text"))
            elif block.get("type") == "tool_use":
                call_id = fields.text(block, "id") or f"{unique}:{place}"
                yield from self._tool_use(
                    call_id, fields.text(block, "name"), fields.mapping(block, "input"), at_s
                )
        if message.get("stop_reason") == "end_turn" and not aside:
            yield RunEnded(f"end:{unique}", at_s, RunStatus.DONE)

    def _tool_use(
        self, call_id: str, tool: str, tool_input: Record, at_s: float | None
    ) -> Iterator[RunEvent]:
        use = described(tool or "unknown", tool_input)
        command = redact(use.command) if use.command else None
        yield ToolRequested(
            f"use:{call_id}", at_s, call_id, tool, redact(use.summary), command, use.files
        )
        plan = plan_of(tool_input) if tool == "TodoWrite" else None
        if plan is not None:
            yield PlanUpdated(f"plan:{call_id}", at_s, plan)
        question = asked_of_user(tool, tool_input)
        if question:
            yield WaitingForUser(f"ask:{call_id}", at_s, redact(question), call_id)

    def _system(self, record: Record, key: str, at_s: float | None) -> Iterator[RunEvent]:
        self._known(record)
        if record.get("subtype") == "init":
            yield RunStarted(
                f"start:{key}", at_s, fields.text(record, "cwd"), fields.text(record, "model")
            )
        elif record.get("subtype") == "compact_boundary":
            reason = "The agent shortened its own memory of the run."
            yield UnknownSeen(f"compact:{key}", at_s, reason)

    def _result(self, record: Record, key: str, at_s: float | None) -> Iterator[RunEvent]:
        self._known(record)
        yield from _cost(record, "total_cost_usd", key, at_s)
        if record.get("is_error") is True:
            errors = record.get("errors")
            told = (
                [item for item in errors if isinstance(item, str)]
                if isinstance(errors, list)
                else []
            )
            reason = redact("; ".join(told)[: fields.TEXT_CHARS]) or fields.plain(record, "result")
            yield RunEnded(
                f"end:{key}", at_s, RunStatus.FAILED, reason or fields.text(record, "subtype")
            )
        else:
            yield RunEnded(f"end:{key}", at_s, RunStatus.DONE)

    def _attachment(self, record: Record, key: str, at_s: float | None) -> Iterator[RunEvent]:
        attached = fields.mapping(record, "attachment")
        if attached.get("type") != "hook_additional_context":
            return
        self._known(record)
        content = attached.get("content")
        texts = content if isinstance(content, list) else [content]
        for place, text in enumerate(texts):
            if isinstance(text, str) and text.strip():
                yield GuidanceGiven(f"told:{key}:{place}", at_s, redact(text[: fields.TEXT_CHARS]))


# --- small readers -----------------------------------------------------------------------------


def _notification(given: Record, key: str, at_s: float | None) -> Iterator[RunEvent]:
    if given.get("notification_type") in (
        None,
        "permission_prompt",
        "idle_prompt",
        "elicitation_dialog",
    ):
        what = fields.plain(given, "message") or "an answer"
        yield WaitingForUser(f"ask:{key}", at_s, what)


def _hook_end(name: str, given: Record, key: str, at_s: float | None) -> Iterator[RunEvent]:
    if name == "SessionEnd":
        reason = fields.text(given, "reason")
        yield RunEnded(f"end:{key}", at_s, RunStatus.STOPPED, f"the session ended: {reason}")
        return
    said = fields.plain(given, "last_assistant_message")
    if said:
        yield AgentSaid(f"said:{key}", at_s, said)
    if name == "StopFailure":
        yield RunEnded(f"end:{key}", at_s, RunStatus.FAILED, fields.plain(given, "error"))
    else:
        yield RunEnded(f"end:{key}", at_s, RunStatus.DONE)


def _cost(record: Record, field: str, key: str, at_s: float | None) -> Iterator[RunEvent]:
    usd = fields.number(record, field)
    if usd is not None and usd >= 0:
        yield CostReported(f"cost:{key}", at_s, usd)


def _decided_against(record: Record, call_id: str) -> bool:
    if fields.mapping(record, "permissionDecision").get("decision") == "reject":
        return True
    notes = record.get("tool_result_meta")
    return any(
        isinstance(note, dict)
        and note.get("id") == call_id
        and fields.mapping(note, "permission_decision").get("decision") == "reject"
        for note in (notes if isinstance(notes, list) else ())
    )


def _is_refusal(output: str) -> bool:
    return bool(_HOOK_REFUSAL.match(output) or _USER_REFUSAL.match(output))


def _reason(output: str) -> str:
    told = _USER_SAID.search(output)
    if told:
        return redact(f"The user said: {told[1]}")
    return redact(_HOOK_REFUSAL.sub("", output))


def _response(value: object) -> str:
    """The text of a tool's answer, whatever its shape."""
    if isinstance(value, str):
        return "" if _NO_OUTPUT.match(value) else redact(fields.both_ends(value))
    if isinstance(value, list):
        texts = [fields.text(item, "text") for item in value if isinstance(item, dict)]
        return redact(fields.both_ends("\n".join(filter(None, texts))))
    if isinstance(value, dict):
        parts = [
            fields.text(value, name)
            for name in ("stdout", "stderr", "content", "result", "message")
        ]
        return redact(fields.both_ends("\n".join(filter(None, parts))))
    return ""


# --- what the recordings are told apart by ------------------------------------------------------


def run_name(session: str, agent: str) -> str:
    """How a run is named everywhere: the session, or the subagent of it."""
    return f"{session}/{agent}" if session and agent else session


def claims(record: Record) -> int:
    """2: surely a record of Claude Code; 1: it may be one; 0: it is none."""
    inner = fields.envelope(record)[0]
    if "hook_event_name" in inner:
        return 2 if inner.keys() & {"prompt_id", "effort"} else 1
    if fields.text(inner, "type") in ("control_request", "control_response"):
        return 2 if isinstance(record.get("dir"), str) else 1
    return _claims_entry(inner)


def _claims_entry(record: Record) -> int:
    kind = record.get("type")
    named = "sessionId" in record or "session_id" in record
    if kind in ("user", "assistant"):
        return (2 if named or "uuid" in record else 1) if "message" in record else 0
    if kind == "system":
        return 2 if named else int("subtype" in record)
    if kind == "result":
        return 2 if named and "subtype" in record else int("is_error" in record)
    if kind == "summary":
        return 2 if "leafUuid" in record else int(isinstance(record.get("summary"), str))
    return 1 if kind in ("cost-state", "attachment") else 0


def run_of(record: Record) -> str | None:
    """The run that a record is about, None when it names none."""
    inner = fields.envelope(record)[0]
    session = fields.text(inner, "session_id", "sessionId")
    agent = fields.text(inner, "agent_id", "agentId")
    if not session or session == "default":
        return None
    if "sessionId" in inner and not agent:
        return fields.THE_FILE  # a continued session holds the records of those before it
    return run_name(session, agent)
