"""OpenCode, through the plugin in ``assets/plugins/opencode`` (its plugin API 1.18.33). PURE.

The plugin posts ``{"runtime": "opencode", "hook", "tool", "sessionID", "callID", "args",
"directory"}`` and throws our reason when we deny, which OpenCode gives the model as the tool's
error.
"""

from __future__ import annotations

from typing import Any

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runtimes.fields import Offer, Payload, action_of, mapping, plain, reason_of, text

NAME = "opencode"
DEADLINE_S = 570.0
PRE_TOOL: Payload = {"runtime": NAME, "hook": "tool.execute.before"}
BATCH_END: tuple[str, ...] = ()


def recognizes(payload: Payload) -> bool:
    """The plugin says what it is."""
    return payload.get("runtime") == NAME


def proposed(payload: Payload, now_s: float) -> ProposedAction | None:
    """The call of a ``tool.execute.before`` hook."""
    if text(payload, "hook") != "tool.execute.before":
        return None
    return action_of(
        Offer(
            NAME,
            text(payload, "directory"),
            text(payload, "sessionID"),
            text(payload, "callID"),
            text(payload, "tool"),
            mapping(payload, "args"),
            now_s,
        )
    )


def reply(payload: Payload, ruling: Ruling) -> dict[str, Any]:
    """Nothing, or the refusal that the plugin throws."""
    if text(payload, "hook") != "tool.execute.before" or ruling.verdict is not Verdict.DENY:
        return {}
    return {"decision": "deny", "reason": reason_of(ruling.reason)}


def observed(payload: Payload) -> dict[str, Any] | None:
    """The call and its result with Claude Code's names."""
    hook = text(payload, "hook")
    if hook not in ("tool.execute.before", "tool.execute.after"):
        return None
    return {
        "hook_event_name": "PreToolUse" if hook.endswith("before") else "PostToolUse",
        "session_id": text(payload, "sessionID"),
        "cwd": text(payload, "directory"),
        "tool_name": text(payload, "tool"),
        "tool_input": dict(mapping(payload, "args")),
        "tool_use_id": text(payload, "callID"),
        "tool_response": plain(payload.get("output")),
    }
