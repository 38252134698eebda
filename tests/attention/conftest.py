"""Builders of proposed actions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from jarvis_voice.boundary import ProposedAction

Offer = Callable[..., ProposedAction]


@pytest.fixture
def shell() -> Offer:
    """A shell call: ``shell("git push")``."""

    def build(command: str, **fields: Any) -> ProposedAction:
        return _action(tool="Bash", command=command, summary=f"run: {command}"[:200], **fields)

    return build


@pytest.fixture
def call() -> Offer:
    """A call of another tool: ``call("Write", files=("a.txt",), content="x")``."""

    def build(tool: str, **fields: Any) -> ProposedAction:
        return _action(tool=tool, **fields)

    return build


def _action(**fields: Any) -> ProposedAction:
    spelled = repr(sorted((key, value) for key, value in fields.items() if key in _ARGUMENTS))
    given: dict[str, Any] = {
        "runtime": "claude-code",
        "project_id": "/home/ann/shop",
        "run_id": "run-1",
        "action_id": "call-1",
        "summary": "a call",
        "fingerprint": hashlib.sha256(spelled.encode("utf-8", "replace")).hexdigest(),
        "at_s": 1000.0,
    }
    return ProposedAction(**{**given, **fields})


_ARGUMENTS = {"tool", "command", "files", "content"}
