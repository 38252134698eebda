"""The model that a real agent works with: the user's own, named by the usual variables. PURE.

An agent in a sandbox has no settings and no login, so all that it knows of a model is what these
variables of the environment say, and nothing else of the environment is handed on:

    claude-code   ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, which is needed; ANTHROPIC_BASE_URL,
                  ANTHROPIC_MODEL, ANTHROPIC_SMALL_FAST_MODEL, CLAUDE_CODE_MAX_RETRIES
    codex         OPENAI_API_KEY, which is needed; OPENAI_BASE_URL of a server with the Responses
                  API, OPENAI_MODEL
    both          HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE, NODE_EXTRA_CA_CERTS

What comes out of a run of the program tells whether its model was at fault (``fault``): seen with
Claude Code 2.1.332 and Codex 0.171.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

KEYS = {
    "claude-code": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "codex": ("OPENAI_API_KEY",),
}
"""One of these must be set."""

_PASSED = {
    "claude-code": (
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_MODEL",
        "ANTHROPIC_SMALL_FAST_MODEL",
        "CLAUDE_CODE_MAX_RETRIES",
    ),
    "codex": (),  # the rest stands in its settings
}
_NETWORK = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"),
)
_OPENAI = "https://api.openai.com/v1"
_SHOWN = 300  # characters of what a program says of a failure

_CODEX = """\
{model}model_provider = "bench"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
web_search = "disabled"

[analytics]
enabled = false

[model_providers.bench]
name = "bench"
base_url = {url}
wire_api = "responses"
env_key = "OPENAI_API_KEY"
"""


def lacking(name: str, environ: Mapping[str, str]) -> str:
    """What the environment lacks for this program's model; empty for nothing."""
    if any(environ.get(key) for key in KEYS[name]):
        return ""
    return f"{name} has no key of its model: {' or '.join(KEYS[name])} is not set"


def variables(name: str, environ: Mapping[str, str]) -> dict[str, str]:
    """What this program gets to see of the user's environment."""
    wanted = (*KEYS[name], *_PASSED[name], *_NETWORK)
    return {key: environ[key] for key in wanted if environ.get(key)}


def model_named(name: str, environ: Mapping[str, str]) -> str:
    """The model that the environment names; empty for the program's own choice."""
    return environ.get({"claude-code": "ANTHROPIC_MODEL", "codex": "OPENAI_MODEL"}[name], "")


def codex_settings(environ: Mapping[str, str]) -> str:
    """Codex's ``config.toml``. It may do anything by itself: whatever it does is reviewed."""
    model = model_named("codex", environ)
    url = environ.get("OPENAI_BASE_URL") or _OPENAI
    named = f"model = {json.dumps(model)}\n" if model else ""
    return _CODEX.format(model=named, url=json.dumps(url))


def fault(name: str, status: int, lines: Sequence[Mapping[str, Any]]) -> str | None:
    """What a program says of a failure of its model, in a few words; None when there was none.

    Empty when it ended in the middle and does not say why.
    """
    said = _codex_fault(lines) if name == "codex" else _claude_fault(lines)
    if said is None:
        return None if status == 0 else ""
    return " ".join(said.split())[:_SHOWN]


def _claude_fault(lines: Sequence[Mapping[str, Any]]) -> str | None:
    last = next((line for line in reversed(lines) if line.get("type") == "result"), None)
    if last is None:
        return ""
    if last.get("is_error") is not True:
        return None
    errors = last.get("errors")
    told = [item for item in errors if isinstance(item, str)] if isinstance(errors, list) else []
    return "; ".join(told) or str(last.get("result") or last.get("subtype") or "")


def _codex_fault(lines: Sequence[Mapping[str, Any]]) -> str | None:
    for line in reversed(lines):
        if line.get("type") == "turn.completed":
            return None
        if line.get("type") == "turn.failed":
            error = line.get("error")
            return str(error.get("message", "")) if isinstance(error, Mapping) else ""
        if line.get("type") == "error":
            return str(line.get("message", ""))
    return ""
