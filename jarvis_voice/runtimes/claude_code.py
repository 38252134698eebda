"""Claude Code's hooks (2.1.332 seen; HTTP hooks, and a command hook for ``SessionStart``).

Allowing is the empty object: ``permissionDecision: "allow"`` would also answer Claude Code's own
permission prompt, which is not ours to answer. A hook waits 600 s unless its ``timeout`` says else.
PURE.
"""

from __future__ import annotations

from typing import Any

from jarvis_voice.boundary import ProposedAction, Ruling
from jarvis_voice.runtimes import claude_form
from jarvis_voice.runtimes.fields import Payload, text

NAME = "claude-code"
DEADLINE_S = 570.0
PRE_TOOL: Payload = {"hook_event_name": "PreToolUse"}
BATCH_END: tuple[str, ...] = ("PostToolBatch", "UserPromptSubmit")


def recognizes(payload: Payload) -> bool:
    """Any hook input in Claude Code's own form; the runtimes that copied it are asked first."""
    return bool(text(payload, "hook_event_name")) and "session_id" in payload


def proposed(payload: Payload, now_s: float) -> ProposedAction | None:
    """The call of a ``PreToolUse`` input. A subagent is a run of its own: ``session/agent``."""
    return claude_form.proposed(NAME, payload, now_s)


def reply(payload: Payload, ruling: Ruling) -> dict[str, Any]:
    """Nothing, or a refusal that the model sees as the result of this call."""
    return claude_form.reply(payload, ruling)


def observed(payload: Payload) -> dict[str, Any] | None:
    """The input as it is."""
    return dict(payload) if recognizes(payload) else None
