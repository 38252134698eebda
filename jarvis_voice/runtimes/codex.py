"""Codex's command hooks (0.171.0 seen). Their form is Claude Code's, with a ``turn_id``.

Codex is strict: an answer with a field that it does not know, or a refusal without a reason, counts
as a failed hook, and the tool runs. So allowing is exactly ``{}``. PURE.
"""

from __future__ import annotations

from typing import Any

from jarvis_voice.boundary import ProposedAction, Ruling
from jarvis_voice.runtimes import claude_form
from jarvis_voice.runtimes.fields import Payload, text

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
    return claude_form.proposed(NAME, payload, now_s)


def reply(payload: Payload, ruling: Ruling) -> dict[str, Any]:
    """Exactly ``{}``, or a refusal with its reason."""
    return claude_form.reply(payload, ruling)


def observed(payload: Payload) -> dict[str, Any] | None:
    """The input as it is; the forms agree."""
    return dict(payload) if text(payload, "hook_event_name") else None
