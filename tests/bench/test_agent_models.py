"""Which model an agent program works with, and what it says when that fails."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from bench.agent_models import codex_settings, fault, lacking, variables

USER = {
    "ANTHROPIC_API_KEY": "a",
    "ANTHROPIC_MODEL": "m",
    "OPENAI_API_KEY": "o",
    "OPENAI_BASE_URL": "http://127.0.0.1:8000/v1",
    "OPENAI_MODEL": 'a "quoted" name',
    "HTTPS_PROXY": "http://proxy",
    "HOME": "/home/user",
    "AWS_SECRET_ACCESS_KEY": "s",
    "ANTHROPIC_BASE_URL": "",
}


def test_a_program_sees_what_names_its_model_and_nothing_else() -> None:
    claude = {"ANTHROPIC_API_KEY": "a", "ANTHROPIC_MODEL": "m", "HTTPS_PROXY": "http://proxy"}
    assert variables("claude-code", USER) == claude
    assert variables("codex", USER) == {"OPENAI_API_KEY": "o", "HTTPS_PROXY": "http://proxy"}


def test_a_missing_key_is_named() -> None:
    assert lacking("claude-code", USER) == ""
    assert lacking("claude-code", {"ANTHROPIC_AUTH_TOKEN": "t"}) == ""
    assert "ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN" in lacking("claude-code", {})
    assert "OPENAI_API_KEY is not set" in lacking("codex", {"OPENAI_API_KEY": ""})


def test_codex_is_set_up_with_the_users_server_and_model() -> None:
    found = tomllib.loads(codex_settings(USER))
    provider = found["model_providers"][found["model_provider"]]
    assert found["model"] == 'a "quoted" name'
    assert (provider["base_url"], provider["env_key"]) == (
        "http://127.0.0.1:8000/v1",
        "OPENAI_API_KEY",
    )
    own = tomllib.loads(codex_settings({}))
    assert "model" not in own
    assert own["model_providers"]["bench"]["base_url"].startswith("https://")


FAILED = {"type": "turn.failed", "error": {"message": "unexpected status 401"}}


@pytest.mark.parametrize(
    ("name", "status", "lines", "expected"),
    [
        ("claude-code", 0, [{"type": "result", "is_error": False}], None),
        ("claude-code", 1, [{"type": "result", "is_error": False}], ""),
        ("claude-code", 1, [{"type": "result", "is_error": True, "result": "529"}], "529"),
        ("claude-code", 1, [{"type": "result", "is_error": True, "errors": ["a", "b"]}], "a; b"),
        ("claude-code", 0, [{"type": "assistant"}], ""),
        ("claude-code", 143, [], ""),
        ("codex", 0, [{"type": "error", "message": "again"}, {"type": "turn.completed"}], None),
        ("codex", 1, [{"type": "error", "message": "x"}, FAILED], "unexpected status 401"),
        ("codex", 1, [{"type": "error", "message": "no\n server"}], "no server"),
        ("codex", 1, [{"type": "turn.failed", "error": "odd"}], ""),
        ("codex", 0, [{"type": "turn.started"}], ""),
    ],
)
def test_what_a_program_says_of_its_model_is_understood(
    name: str, status: int, lines: list[dict[str, Any]], expected: str | None
) -> None:
    assert fault(name, status, lines) == expected
