"""A held action, from the offer to the answer, as facts."""

from __future__ import annotations

from collections.abc import Callable

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
