"""Untrusted hook payloads as a ``ProposedAction``: every field checked, every text bounded.

Secrets are taken out here, before an action is stored, shown, spoken or sent to a model. PURE.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jarvis_voice.boundary import ProposedAction
from jarvis_voice.redact import redact
from jarvis_voice.runtimes.calls import described

COMMAND_CHARS = 4000
CONTENT_CHARS = 8000
SUMMARY_CHARS = 200
ID_CHARS = 200
PATH_CHARS = 400
FILES = 32
REASON_CHARS = 8000  # Claude Code cuts at 10,000
_LOOKED_AT = 64 * 1024  # characters of one text in which secrets are looked for
_CUT = "\n[... {} characters left out ...]\n"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool call as a runtime names it, before it is bounded."""

    runtime: str
    project: str  # the working folder
    run_id: str
    call_id: str  # empty when the runtime gives none
    tool: str
    given: Payload  # the tool's arguments
    at_s: float
    parent: str | None = None


def action_of(offer: Offer) -> ProposedAction:
    """The offer as an action: redacted, bounded, with a fingerprint of the whole call."""
    call = described(offer.tool, offer.given)
    fingerprint = fingerprint_of(offer.tool, offer.given)
    command, command_cut = safe(call.command or "", COMMAND_CHARS)
    content, content_cut = safe(call.content, CONTENT_CHARS)
    return ProposedAction(
        runtime=offer.runtime,
        project_id=offer.project[:PATH_CHARS] or offer.runtime,
        run_id=offer.run_id[:ID_CHARS] or "unknown",
        # the same call may come twice, so an id that we make up has the time in it
        action_id=offer.call_id[:ID_CHARS] or f"{fingerprint[:16]}-{round(offer.at_s * 1000)}",
        tool=offer.tool[:ID_CHARS] or "unknown",
        summary=" ".join(safe(call.summary, SUMMARY_CHARS)[0].split()),
        fingerprint=fingerprint,
        at_s=offer.at_s,
        parent_run_id=offer.parent[:ID_CHARS] if offer.parent else None,
        command=command if call.command is not None else None,
        files=tuple(safe(path, PATH_CHARS)[0] for path in call.files[:FILES]),
        content=content,
        truncated=command_cut or content_cut or len(call.files) > FILES,
    )


def fingerprint_of(tool: str, given: Payload) -> str:
    """SHA-256 of the tool and its arguments in one canonical form, hex."""
    canonical = json.dumps([tool, given], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def safe(value: str, limit: int) -> tuple[str, bool]:
    """``value`` without secrets and control codes, its middle left out beyond ``limit``.

    The second value tells whether something was left out.
    """
    size = len(value)
    if size > _LOOKED_AT:
        # only the outer ends survive the cut below, so no secret is halved where it would show
        value = value[: _LOOKED_AT // 2] + "\n" + value[-_LOOKED_AT // 2 :]
    value = _CONTROL.sub(" ", redact(value))
    if size <= _LOOKED_AT and len(value) <= limit:
        return value, False
    note = _CUT.format(max(size - limit, 1))
    room = max(limit - len(note), 2)
    head = room * 2 // 3
    return value[:head] + note + value[len(value) - (room - head) :], True


def reason_of(reason: str, otherwise: str = "Jarvis held this call back.") -> str:
    """What the agent is told; never empty, since some runtimes run the call without a reason."""
    return reason.strip()[:REASON_CHARS] or otherwise


def text(payload: Payload, *keys: str) -> str:
    """The first of these fields that is a text; empty when none is."""
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def mapping(payload: Payload, *keys: str) -> Payload:
    """The first of these fields that is an object, also one written as a JSON text; else empty."""
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value.startswith("{"):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                continue
        if isinstance(value, Mapping):
            return value
    return {}


def plain(value: object) -> str:
    """A tool's output as text."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
