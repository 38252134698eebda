"""OpenClaw, through the plugin in ``assets/plugins/openclaw`` (2026.9.6 seen). PURE.

The plugin posts ``{"runtime": "openclaw", "hook", "event", "ctx"}`` with OpenClaw's own event and
context, and hands our answer back as the handler's result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runtimes.fields import Offer, Payload, action_of, mapping, plain, reason_of, text

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
    """The event with Claude Code's names."""
    event, ctx, hook = mapping(payload, "event"), mapping(payload, "ctx"), text(payload, "hook")
    told: dict[str, Any] = {"session_id": _session(event, ctx), "cwd": _project(ctx)}
    if hook in ("before_tool_call", "after_tool_call"):
        told |= {
            "hook_event_name": "PreToolUse" if hook == "before_tool_call" else "PostToolUse",
            "tool_name": _claude_tool(text(event, "toolName")),
            "tool_input": dict(mapping(event, "params")),
            "tool_use_id": text(event, "toolCallId"),
        }
        return told if hook == "before_tool_call" else told | _result(event)
    if hook == "agent_turn_prepare":
        return told | {"hook_event_name": "UserPromptSubmit", "prompt": text(event, "prompt")}
    if hook == "before_agent_finalize":
        said = text(event, "lastAssistantMessage")
        return told | {"hook_event_name": "Stop", "last_assistant_message": said}
    if hook == "session_end":
        return told | {"hook_event_name": "SessionEnd", "reason": text(event, "reason")}
    return None


def _result(event: Payload) -> dict[str, Any]:
    result, error = mapping(event, "result"), text(event, "error")
    status = text(mapping(result, "details"), "status")
    if status == "blocked":
        return {"hook_event_name": "PermissionDenied", "reason": error}
    if error:
        return {"hook_event_name": "PostToolUseFailure", "error": error}
    content = result.get("content")
    parts = content if isinstance(content, Sequence) and not isinstance(content, str) else ()
    said = [text(part, "text") for part in parts if isinstance(part, dict)]
    return {"tool_response": "\n".join(said) or plain(result.get("content"))}


def _claude_tool(tool: str) -> str:
    return {"exec": "Bash", "write": "Write", "edit": "Edit", "read": "Read"}.get(tool, tool)


def _session(event: Payload, ctx: Payload) -> str:
    return text(ctx, "sessionId", "sessionKey") or text(event, "sessionId", "sessionKey")


def _project(ctx: Payload) -> str:
    return text(ctx, "workspaceDir", "agentId")
