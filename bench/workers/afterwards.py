"""A second boundary for agent runtimes: after a call, when what it has done can be seen. PURE.

The gate asks before a call runs. What a script writes shows only afterwards, so a runtime behind
``Afterwards`` is asked again when a call has ended, and once more when the agent wants to stop. Its
hook stays open until there is a ruling. A refusal reaches the model with the very next request: as
the reason of a *block* in the form that Claude Code 2.1.332 and Codex 0.171.0 share. Neither can
block a call that failed by itself; there it goes along as context.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runtimes import Runtime, claude_form
from jarvis_voice.runtimes.fields import reason_of, text

STOP = "Stop"
FAILED = "PostToolUseFailure"
AFTER = ("PostToolUse", FAILED, STOP)
"""Hook events after which there may be something to look at."""


@dataclass(frozen=True, slots=True)
class Done(ProposedAction):
    """A call that has run, or the end of the work: ``event`` is the hook that told of it."""

    event: str = ""


class Afterwards:
    """A runtime of the app that is asked after its calls too (``wire.gate_server.Runtime``)."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.NAME = runtime.NAME
        self.DEADLINE_S = runtime.DEADLINE_S
        self.PRE_TOOL = runtime.PRE_TOOL
        self.BATCH_END = runtime.BATCH_END

    def recognizes(self, payload: Mapping[str, Any]) -> bool:
        """As the runtime does."""
        return self._runtime.recognizes(payload)

    def proposed(self, payload: Mapping[str, Any], now_s: float) -> ProposedAction | None:
        """The call before it runs, or a ``Done`` after it."""
        event = text(payload, "hook_event_name")
        if event not in AFTER:
            return self._runtime.proposed(payload, now_s)
        before = {**payload, "hook_event_name": "PreToolUse"}
        call = claude_form.proposed(self.NAME, before, now_s)
        if call is None:
            return None
        done = Done(**{item.name: getattr(call, item.name) for item in fields(call)}, event=event)
        return done if event != STOP else replace(done, tool="finish", summary="finish its work")

    def reply(self, payload: Mapping[str, Any], ruling: Ruling) -> dict[str, Any]:
        """Nothing, a refusal, or what the agent is to know beside the output of its call."""
        event = text(payload, "hook_event_name")
        if event not in AFTER:
            return self._runtime.reply(payload, ruling)
        denied = ruling.verdict is Verdict.DENY
        if not denied and not ruling.reason:
            return {}
        if event == STOP or (denied and event != FAILED):
            return {"decision": "block", "reason": reason_of(ruling.reason)}
        said = reason_of(ruling.reason)
        return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": said}}

    def observed(self, payload: Mapping[str, Any]) -> dict[str, Any] | None:
        """As the runtime does."""
        return self._runtime.observed(payload)
