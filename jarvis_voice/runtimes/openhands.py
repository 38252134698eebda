"""OpenHands' command hooks, after the source of its agent SDK (611629e69). PURE.

The input names its event in ``event_type``; the answer is a top-level decision. A hook that
fails or times out never blocks; only an answer does.
"""

from __future__ import annotations

from typing import Any

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runtimes.fields import Offer, Payload, action_of, mapping, plain, reason_of, text

NAME = "openhands"
DEADLINE_S = 570.0
PRE_TOOL: Payload = {"event_type": "PreToolUse"}
BATCH_END: tuple[str, ...] = ()


def recognizes(payload: Payload) -> bool:
    """``event_type`` in the place of ``hook_event_name``."""
    return bool(text(payload, "event_type")) and "working_dir" in payload


def proposed(payload: Payload, now_s: float) -> ProposedAction | None:
    """The call of a ``PreToolUse`` input; OpenHands tells hooks no id of a call."""
    if text(payload, "event_type") != "PreToolUse":
        return None
    return action_of(
        Offer(
            NAME,
            text(payload, "working_dir"),
            text(payload, "session_id"),
            text(mapping(payload, "metadata"), "tool_call_id"),
            text(payload, "tool_name"),
            mapping(payload, "tool_input"),
            now_s,
        )
    )


def reply(payload: Payload, ruling: Ruling) -> dict[str, Any]:
    """Nothing, or a refusal with its reason."""
    if text(payload, "event_type") != "PreToolUse" or ruling.verdict is not Verdict.DENY:
        return {}
    return {"decision": "deny", "reason": reason_of(ruling.reason)}


def observed(payload: Payload) -> dict[str, Any] | None:
    """The input with Claude Code's names."""
    name = text(payload, "event_type")
    if not name:
        return None
    told: dict[str, Any] = {
        "hook_event_name": name,
        "session_id": text(payload, "session_id"),
        "cwd": text(payload, "working_dir"),
    }
    if name == "UserPromptSubmit":
        told["prompt"] = text(payload, "message")
    elif name in ("PreToolUse", "PostToolUse"):
        told["tool_name"] = text(payload, "tool_name")
        told["tool_input"] = dict(mapping(payload, "tool_input"))
        output = payload.get("tool_output", payload.get("tool_response"))
        told["tool_response"] = plain(output)
    return told
