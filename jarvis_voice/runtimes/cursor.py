"""Cursor's command hooks, after its hook reference. PURE.

``preToolUse`` covers every tool; the older ``beforeShellExecution`` and ``beforeMCPExecution`` are
understood too, for who has only those. An answer must name a permission: Cursor takes silence for a
failed hook when ``failClosed`` is set.
"""

from __future__ import annotations

from typing import Any

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runtimes.fields import Offer, Payload, action_of, mapping, plain, reason_of, text

NAME = "cursor"
DEADLINE_S = 570.0
PRE_TOOL: Payload = {"hook_event_name": "preToolUse"}
BATCH_END: tuple[str, ...] = ()

_GATED = {"preToolUse", "beforeShellExecution", "beforeMCPExecution"}
_AS_CLAUDE = {
    "preToolUse": "PreToolUse",
    "beforeShellExecution": "PreToolUse",
    "beforeMCPExecution": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "afterShellExecution": "PostToolUse",
    "afterMCPExecution": "PostToolUse",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "sessionStart": "SessionStart",
    "sessionEnd": "SessionEnd",
    "stop": "Stop",
}


def recognizes(payload: Payload) -> bool:
    """A conversation instead of a session, and event names in Cursor's spelling."""
    return "conversation_id" in payload and text(payload, "hook_event_name")[:1].islower()


def proposed(payload: Payload, now_s: float) -> ProposedAction | None:
    """The call that asks for permission."""
    name = text(payload, "hook_event_name")
    if name not in _GATED:
        return None
    tool, given = _call(name, payload)
    return action_of(
        Offer(
            NAME,
            _folder(payload),
            text(payload, "conversation_id"),
            text(payload, "tool_use_id"),
            tool,
            given,
            now_s,
        )
    )


def reply(payload: Payload, ruling: Ruling) -> dict[str, Any]:
    """A permission where one is asked for; ``agent_message`` is what the agent gets to read."""
    name = text(payload, "hook_event_name")
    if name == "beforeSubmitPrompt":
        return {"continue": True}
    if name not in _GATED:
        return {}
    if ruling.verdict is not Verdict.DENY:
        return {"permission": "allow"}
    reason = reason_of(ruling.reason)
    return {"permission": "deny", "user_message": reason, "agent_message": reason}


def observed(payload: Payload) -> dict[str, Any] | None:
    """The input with Claude Code's names; who the user is stays out."""
    name = text(payload, "hook_event_name")
    if name not in _AS_CLAUDE:
        return None
    told: dict[str, Any] = {
        "hook_event_name": _AS_CLAUDE[name],
        "session_id": text(payload, "conversation_id"),
        "cwd": _folder(payload),
    }
    for key in ("prompt", "model", "reason", "tool_use_id"):
        if text(payload, key):
            told[key] = text(payload, key)
    if told["hook_event_name"].startswith(("PreTool", "PostTool")):
        told["tool_name"], told["tool_input"] = _call(name, payload)
        output = payload.get("tool_output", payload.get("output", payload.get("result_json")))
        told["tool_response"] = plain(output)
        told["error"] = text(payload, "error_message", "error")
    return told


def _call(name: str, payload: Payload) -> tuple[str, Payload]:
    if name in ("beforeShellExecution", "afterShellExecution"):
        return "Shell", {"command": text(payload, "command")}
    return text(payload, "tool_name"), mapping(payload, "tool_input")


def _folder(payload: Payload) -> str:
    roots = payload.get("workspace_roots")
    named = [root for root in roots if isinstance(root, str)] if isinstance(roots, list) else []
    return text(payload, "cwd") or (named[0] if named else "")
