"""Codex's command hooks (0.171.0 seen). Their form is Claude Code's, with a ``turn_id``.

Codex is strict: an answer with a field that it does not know, or a refusal without a reason, counts
as a failed hook, and the tool runs. So allowing is exactly ``{}``. PURE.
"""

from __future__ import annotations

from typing import Any

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runtimes.fields import Offer, Payload, action_of, mapping, reason_of, text

NAME = "codex"
DEADLINE_S = 570.0
PRE_TOOL: Payload = {"hook_event_name": "PreToolUse"}
BATCH_END: tuple[str, ...] = ()


def recognizes(payload: Payload) -> bool:
    """``turn_id`` stands in all inputs but those of a session, which name model and mode."""
    if not text(payload, "hook_event_name"):
        return False
    return "turn_id" in payload or ("model" in payload and "permission_mode" in payload)


def proposed(payload: Payload, now_s: float) -> ProposedAction | None:
    """The call of a ``PreToolUse`` input; the calls of one batch come at the same moment."""
    if text(payload, "hook_event_name") != "PreToolUse":
        return None
    session, agent = text(payload, "session_id"), text(payload, "agent_id")
    return action_of(
        Offer(
            NAME,
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
    """Exactly ``{}``, or a refusal with its reason."""
    if text(payload, "hook_event_name") != "PreToolUse" or ruling.verdict is not Verdict.DENY:
        return {}
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason_of(ruling.reason),
        }
    }


def observed(payload: Payload) -> dict[str, Any] | None:
    """The input as it is; the forms agree."""
    return dict(payload) if text(payload, "hook_event_name") else None
