"""The form of Claude Code's ``PreToolUse`` hook, for all that have it whole. PURE.

A runtime whose hook differs in any field has a mapping of its own.
"""

from __future__ import annotations

from typing import Any

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runtimes.fields import Offer, Payload, action_of, mapping, reason_of, text


def proposed(runtime: str, payload: Payload, now_s: float) -> ProposedAction | None:
    """The call of a ``PreToolUse`` input. A subagent is a run of its own: ``session/agent``."""
    if text(payload, "hook_event_name") != "PreToolUse":
        return None
    session, agent = text(payload, "session_id"), text(payload, "agent_id")
    return action_of(
        Offer(
            runtime,
            text(payload, "cwd"),
            f"{session}/{agent}" if agent else session,
            text(payload, "tool_use_id"),
            text(payload, "tool_name"),
            mapping(payload, "tool_input"),
            now_s,
            session if agent else None,
        )
    )


def reply(payload: Payload, ruling: Ruling) -> dict[str, Any]:
    """Nothing, or a refusal that the model sees as the result of this call."""
    if text(payload, "hook_event_name") != "PreToolUse" or ruling.verdict is not Verdict.DENY:
        return {}
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason_of(ruling.reason),
        }
    }
