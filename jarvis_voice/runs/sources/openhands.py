"""OpenHands events as run events (software-agent-sdk; its conversation files and its socket).

Each event has a ``kind``, an ``id`` and a ``timestamp`` without a zone, which is UTC. Few events
name their conversation, so the run is called by the file, or by who opened the connection. PURE.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from jarvis_voice.events import PlanStep, RunStatus
from jarvis_voice.redact import redact
from jarvis_voice.runs.model import (
    AgentSaid,
    CostReported,
    PlanUpdated,
    PromptGiven,
    RunEnded,
    RunEvent,
    RunStarted,
    ToolDenied,
    ToolFinished,
    UnknownSeen,
    WaitingForUser,
    WaitOver,
)
from jarvis_voice.runs.sources import fields
from jarvis_voice.runs.sources.fields import Record, RecordReader
from jarvis_voice.runs.sources.tools import Asked, requested

RUNTIME = "openhands"
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_TASK_STATES = {"todo": "pending", "in_progress": "in_progress", "done": "completed"}


class _At(NamedTuple):
    key: str  # the event's own id
    at_s: float | None


class OpenHandsReader(RecordReader):
    """Give it every event of one conversation, in order."""

    runtime = RUNTIME

    def __init__(self) -> None:
        super().__init__()
        self._calls: dict[str, str] = {}  # id of an action event -> its tool call
        self._newest: str | None = None
        self._kinds: dict[str, Callable[[Record, _At], Iterator[RunEvent]]] = {
            "MessageEvent": self._message,
            "ActionEvent": self._action,
            "ObservationEvent": self._observation,
            "AgentErrorEvent": self._agent_error,
            "UserRejectObservation": self._rejected,
            "PauseEvent": self._paused,
            "InterruptEvent": self._paused,
            "ConversationStateUpdateEvent": self._state,
            "ConversationErrorEvent": self._broke,
            "Condensation": self._condensed,
        }

    def events(self, record: Record, key: str) -> Iterator[RunEvent]:
        """The events of one event of theirs; of kinds that are not listed nothing."""
        inner, _, _ = fields.envelope(record)
        kind = fields.text(inner, "kind")
        if not kind.endswith(("Event", "Observation", "Condensation", "Request")):
            yield fields.unknown_kind(key, None, kind)
            return
        self.known()
        step = self._kinds.get(kind)
        if step is not None:
            at_s = fields.unix_s(inner, "timestamp")
            yield from step(inner, _At(fields.text(inner, "id") or key, at_s))

    # --- one step per kind ---------------------------------------------------------------------

    def _message(self, event: Record, at: _At) -> Iterator[RunEvent]:
        told = _words(fields.items(fields.mapping(event, "llm_message"), "content"))
        if not told:
            return
        if event.get("source") == "user":
            yield PromptGiven(f"prompt:{at.key}", at.at_s, told)
        else:
            yield AgentSaid(f"said:{at.key}", at.at_s, told)

    def _action(self, event: Record, at: _At) -> Iterator[RunEvent]:
        call_id = fields.text(event, "tool_call_id") or at.key
        self._calls[at.key] = self._newest = call_id
        while len(self._calls) > 64:
            del self._calls[next(iter(self._calls))]
        thought = _words(fields.items(event, "thought"))
        if thought:
            yield AgentSaid(f"said:{at.key}", at.at_s, thought)
        action = fields.mapping(event, "action")
        tool = fields.text(event, "tool_name") or "tool"
        if action.get("kind") == "FinishAction" or tool == "finish":
            yield AgentSaid(f"final:{at.key}", at.at_s, fields.plain(action, "message"))
            return
        about = fields.text(event, "summary")
        given = {name: value for name, value in action.items() if name != "kind"}
        yield requested(
            f"use:{call_id}", at.at_s, Asked(call_id, tool, given | {"description": about})
        )
        tasks = fields.items(action, "task_list")
        if tasks:
            steps = tuple(
                PlanStep(
                    fields.plain(task, "title"),
                    _TASK_STATES.get(fields.text(task, "status"), "pending"),
                )
                for task in tasks
            )
            yield PlanUpdated(f"plan:{at.key}", at.at_s, steps)

    def _call_of(self, event: Record, at: _At) -> str:
        named = fields.text(event, "tool_call_id")
        return named or self._calls.get(fields.text(event, "action_id"), at.key)

    def _observation(self, event: Record, at: _At) -> Iterator[RunEvent]:
        seen, call_id = fields.mapping(event, "observation"), self._call_of(event, at)
        code = fields.number(seen, "exit_code")
        ok = seen.get("is_error") is not True and code in (None, 0.0)
        output = fields.output(seen.get("content") or seen)
        yield ToolFinished(f"done:{call_id}", at.at_s, call_id, ok, output)

    def _agent_error(self, event: Record, at: _At) -> Iterator[RunEvent]:
        call_id = self._call_of(event, at)
        error = fields.plain(event, "error")
        yield ToolFinished(f"done:{call_id}", at.at_s, call_id, ok=False, output=error)

    def _rejected(self, event: Record, at: _At) -> Iterator[RunEvent]:
        call_id = self._call_of(event, at)
        reason = fields.plain(event, "rejection_reason")
        yield ToolDenied(f"deny:{call_id}", at.at_s, call_id, reason)

    def _paused(self, event: Record, at: _At) -> Iterator[RunEvent]:
        yield RunEnded(f"pause:{at.key}", at.at_s, RunStatus.STOPPED, "paused by the user")

    def _state(self, event: Record, at: _At) -> Iterator[RunEvent]:
        key, value = event.get("key"), event.get("value")
        if key == "full_state" and isinstance(value, dict):
            self.known(fields.text(value, "id"))
            yield from self._execution(fields.text(value, "execution_status"), at)
        elif key == "execution_status" and isinstance(value, str):
            yield from self._execution(value, at)
        elif key == "stats" and isinstance(value, dict):
            yield from _cost(value, at)

    def _execution(self, status: str, at: _At) -> Iterator[RunEvent]:
        if status == "running":
            yield WaitOver(f"over:{at.key}", at.at_s)
            yield RunStarted(f"start:{at.key}", at.at_s)
        elif status == "waiting_for_confirmation":
            yield WaitingForUser(f"ask:{at.key}", at.at_s, "your approval", self._newest)
        elif status == "finished":
            yield RunEnded(f"end:{at.key}", at.at_s, RunStatus.DONE)
        elif status == "paused":
            yield RunEnded(f"end:{at.key}", at.at_s, RunStatus.STOPPED, "paused")
        elif status in ("error", "stuck"):
            yield RunEnded(f"end:{at.key}", at.at_s, RunStatus.FAILED, f"it is in state {status}")

    def _broke(self, event: Record, at: _At) -> Iterator[RunEvent]:
        reason = fields.plain(event, "detail", "code")
        yield RunEnded(f"end:{at.key}", at.at_s, RunStatus.FAILED, reason)

    def _condensed(self, event: Record, at: _At) -> Iterator[RunEvent]:
        reason = "The agent shortened its own memory of the run."
        yield UnknownSeen(f"compact:{at.key}", at.at_s, reason)


def _words(parts: list[Record]) -> str:
    """What was said, without what was only thought."""
    told = "\n".join(filter(None, (fields.text(part, "text") for part in parts)))
    return redact(_THINKING.sub("", told)[: fields.TEXT_CHARS]).strip()


def _cost(stats: Record, at: _At) -> Iterator[RunEvent]:
    metrics = fields.mapping(stats, "usage_to_metrics")
    spent = [
        fields.number(item, "accumulated_cost")
        for item in metrics.values()
        if isinstance(item, dict)
    ]
    usd = sum(value for value in spent if value is not None)
    if usd > 0:
        yield CostReported(f"cost:{at.key}", at.at_s, usd)


# --- what the recordings are told apart by ------------------------------------------------------


def claims(record: Record) -> int:
    """2: surely an event of OpenHands; 1: it may be one; 0: it is none."""
    inner = fields.envelope(record)[0]
    kind = inner.get("kind")
    if not isinstance(kind, str) or "source" not in inner or "timestamp" not in inner:
        return 0
    return 2 if kind.endswith(("Event", "Observation")) else 1


def run_of(record: Record) -> str | None:
    """No event names its conversation."""
    del record
    return None
