"""Any other runtime: the JSON of ``POST /v1/gate``, which ``wire.gate_server`` documents. PURE.

    {"schema": "jarvis.gate/v1", "runtime": "my-agent", "project": "/home/me/shop",
     "run": "run-7", "action": "call-1", "parent": null, "tool": "shell",
     "input": {"command": "git push origin main"}}

Answered by ``{"decision": "allow" or "deny", "reason": "...", "degraded": "..."}``.
"""

from __future__ import annotations

from typing import Any

from jarvis_voice.boundary import ProposedAction, Ruling
from jarvis_voice.runtimes.fields import Offer, Payload, action_of, mapping, reason_of, text

NAME = "any"
DEADLINE_S = 3600.0
SCHEMA = "jarvis.gate/v1"
PRE_TOOL: Payload = {"schema": SCHEMA}
BATCH_END: tuple[str, ...] = ()


def recognizes(payload: Payload) -> bool:
    """It names the schema."""
    return payload.get("schema") == SCHEMA


def proposed(payload: Payload, now_s: float) -> ProposedAction | None:
    """The call; ``run`` and ``tool`` must be named."""
    if not recognizes(payload) or not (text(payload, "run") and text(payload, "tool")):
        return None
    return action_of(
        Offer(
            text(payload, "runtime")[:64] or NAME,
            text(payload, "project"),
            text(payload, "run"),
            text(payload, "action"),
            text(payload, "tool"),
            mapping(payload, "input"),
            now_s,
            text(payload, "parent") or None,
        )
    )


def reply(payload: Payload, ruling: Ruling) -> dict[str, Any]:
    """The decision in plain words."""
    del payload  # the answer is the same for every payload
    reason = reason_of(ruling.reason) if ruling.verdict.value == "deny" else ruling.reason
    return {"decision": ruling.verdict.value, "reason": reason, "degraded": ruling.degraded}


def observed(payload: Payload) -> dict[str, Any] | None:
    """The call as an event of ``jarvis.event/v1``."""
    if not recognizes(payload):
        return None
    return {
        "schema": "jarvis.event/v1",
        "type": "tool",
        "run": text(payload, "run"),
        "runtime": text(payload, "runtime"),
        "parent": text(payload, "parent"),
        "cwd": text(payload, "project"),
        "call": text(payload, "action"),
        "tool": text(payload, "tool"),
        "input": dict(mapping(payload, "input")),
    }
