"""Gemini CLI's command hooks, after its hook reference (5411f113ca). PURE."""

from __future__ import annotations

from typing import Any

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runtimes.fields import Offer, Payload, action_of, mapping, plain, reason_of, text

NAME = "gemini"
DEADLINE_S = 570.0
PRE_TOOL: Payload = {"hook_event_name": "BeforeTool"}
BATCH_END: tuple[str, ...] = ()

_AS_CLAUDE = {
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "BeforeAgent": "UserPromptSubmit",
    "AfterAgent": "Stop",
    "SessionStart": "SessionStart",
    "SessionEnd": "SessionEnd",
    "Notification": "Notification",
    "PreCompress": "PreCompact",
}
_ITS_OWN = {"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "PreCompress"}


def recognizes(payload: Payload) -> bool:
    """Its own event names, or a shared one with the time that only Gemini CLI gives."""
    name = text(payload, "hook_event_name")
    return name in _ITS_OWN or (name in _AS_CLAUDE and "timestamp" in payload)


def proposed(payload: Payload, now_s: float) -> ProposedAction | None:
    """The call of a ``BeforeTool`` input; Gemini CLI gives its calls no id."""
    if text(payload, "hook_event_name") != "BeforeTool":
        return None
    return action_of(
        Offer(
            NAME,
            text(payload, "cwd"),
            text(payload, "session_id"),
            "",
            text(payload, "tool_name"),
            mapping(payload, "tool_input"),
            now_s,
        )
    )


def reply(payload: Payload, ruling: Ruling) -> dict[str, Any]:
    """Nothing, or a refusal whose reason the agent gets as the tool's error."""
    if text(payload, "hook_event_name") != "BeforeTool" or ruling.verdict is not Verdict.DENY:
        return {}
    return {"decision": "deny", "reason": reason_of(ruling.reason)}


def observed(payload: Payload) -> dict[str, Any] | None:
    """The input with Claude Code's names."""
    name = _AS_CLAUDE.get(text(payload, "hook_event_name"))
    if name is None:
        return None
    told = dict(payload) | {"hook_event_name": name}
    if name == "PostToolUse":
        response = mapping(payload, "tool_response")
        error = response.get("error")
        if error:
            return told | {"hook_event_name": "PostToolUseFailure", "error": plain(error)}
        told["tool_response"] = plain(response.get("llmContent"))
    elif name == "Stop":
        told["last_assistant_message"] = text(payload, "prompt_response")
    return told
