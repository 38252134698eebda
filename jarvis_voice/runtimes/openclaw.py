"""OpenClaw, through the plugin in ``assets/plugins/openclaw`` (2026.9.6 seen). PURE.

The plugin posts ``{"runtime": "openclaw", "hook", "event", "ctx"}`` with OpenClaw's own event and
context, and hands our answer back as the handler's result.
"""

from __future__ import annotations

from typing import Any

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runtimes.fields import Offer, Payload, action_of, mapping, reason_of, text

NAME = "openclaw"
DEADLINE_S = 570.0
PRE_TOOL: Payload = {"runtime": NAME, "hook": "before_tool_call"}
BATCH_END: tuple[str, ...] = ()


def recognizes(payload: Payload) -> bool:
    """The plugin says what it is; a captured payload is told by its hook and context."""
    return payload.get("runtime") == NAME or ("hook" in payload and "ctx" in payload)


def proposed(payload: Payload, now_s: float) -> ProposedAction | None:
    """The call of a ``before_tool_call`` event; ``batch_id`` stays open, OpenClaw tells none."""
    if text(payload, "hook") != "before_tool_call":
        return None
    event, ctx = mapping(payload, "event"), mapping(payload, "ctx")
    return action_of(
        Offer(
            NAME,
            _project(ctx),
            _session(event, ctx),
            text(event, "toolCallId") or text(ctx, "toolCallId"),
            text(event, "toolName"),
            mapping(event, "params"),
            now_s,
        )
    )


def reply(payload: Payload, ruling: Ruling) -> dict[str, Any]:
    """Nothing, or a block; the agent gets exactly the reason as the tool's result."""
    if text(payload, "hook") != "before_tool_call" or ruling.verdict is not Verdict.DENY:
        return {}
    return {"block": True, "blockReason": reason_of(ruling.reason)}


def observed(payload: Payload) -> dict[str, Any] | None:
    """The payload as it is, the form in which runs read OpenClaw's plugin hooks."""
    return dict(payload) if text(payload, "hook") and "ctx" in payload else None


def _session(event: Payload, ctx: Payload) -> str:
    return text(ctx, "sessionKey", "sessionId") or text(event, "sessionKey", "sessionId")


def _project(ctx: Payload) -> str:
    return text(ctx, "workspaceDir", "agentId")
