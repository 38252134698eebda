"""Proposed actions, and a held one from the offer to the answer, as facts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from jarvis_voice.attention.facts import ActionOffered, Fact, PolicyDecided
from jarvis_voice.attention.lifecycle import fold
from jarvis_voice.boundary import AttentionRequest, ProposedAction


def action(run_id: str = "run-1", action_id: str = "call-1", **changes: object) -> ProposedAction:
    given: dict[str, object] = {
        "runtime": "claude-code",
        "project_id": "project",
        "run_id": run_id,
        "action_id": action_id,
        "tool": "Bash",
        "summary": "run: git push origin main",
        "fingerprint": f"print-{run_id}-{action_id}",
        "at_s": 100.0,
    }
    return ProposedAction(**(given | changes))  # type: ignore[arg-type]  # the fields, by name


def asking(run_id: str = "run-1", action_id: str = "call-1") -> list[Fact]:
    """The facts up to the question."""
    return [
        ActionOffered(100.0, run_id, action(run_id, action_id), "nonce", 700.0),
        PolicyDecided(
            100.1,
            run_id,
            action_id,
            ask=True,
            question="May it push to main?",
            options=("yes", "no"),
            about="It is about to push to main.",
            why="A push cannot be taken back.",
            quote="git push origin main",
            topic=f"push-{run_id}",
        ),
    ]


def request_in(facts: list[Fact]) -> AttentionRequest:
    """The only open question after these facts."""
    (found,) = fold(facts).requests.values()
    return found.request


@pytest.fixture
def asked() -> Callable[..., list[Fact]]:
    return asking


@pytest.fixture
def requested() -> Callable[[list[Fact]], AttentionRequest]:
    return request_in


_ARGUMENTS = {"tool", "command", "files", "content"}


def proposed(**fields: Any) -> ProposedAction:
    """An action whose fingerprint follows from its arguments."""
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
    return ProposedAction(**(given | fields))


@pytest.fixture
def shell() -> Callable[..., ProposedAction]:
    """A shell call: ``shell("git push")``."""

    def build(command: str, **fields: Any) -> ProposedAction:
        return proposed(tool="Bash", command=command, summary=f"run: {command}"[:200], **fields)

    return build


@pytest.fixture
def call() -> Callable[..., ProposedAction]:
    """A call of another tool: ``call("Write", files=("a.txt",), content="x")``."""
    return lambda tool, **fields: proposed(tool=tool, **fields)
