"""Captured hook inputs of real runtimes, and hand-made ones after the others' references."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent / "data"


def captured(name: str) -> list[dict[str, Any]]:
    """The payloads of a captured file, without the capture's own envelope."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [found.get("in", found) for found in map(json.loads, lines)]


PRE_TOOL: dict[str, dict[str, Any]] = {
    "claude-code": captured("claude_code_hooks.jsonl")[1],
    "codex": captured("codex_hooks.jsonl")[2],
    "openclaw": captured("openclaw_hooks.jsonl")[0],
    "gemini": {
        "session_id": "g1",
        "transcript_path": "/home/dev/.gemini/tmp/x/chats/s.json",
        "cwd": "/home/dev/project",
        "hook_event_name": "BeforeTool",
        "timestamp": "2026-11-29T20:00:00Z",
        "tool_name": "write_file",
        "tool_input": {"file_path": "out/a.txt", "content": "hi"},
    },
    "cursor": {
        "conversation_id": "c1",
        "generation_id": "c2",
        "hook_event_name": "preToolUse",
        "cursor_version": "2.0.77",
        "workspace_roots": ["/home/dev/project"],
        "user_email": "dev@example.com",
        "tool_name": "Shell",
        "tool_input": {"command": "git push origin main"},
        "tool_use_id": "tool_1",
    },
    "openhands": {
        "event_type": "PreToolUse",
        "tool_name": "file_editor",
        "tool_input": {"command": "create", "path": "out/a.txt", "file_text": "hi"},
        "session_id": "o1",
        "working_dir": "/home/dev/project",
        "metadata": {},
    },
    "opencode": {
        "runtime": "opencode",
        "hook": "tool.execute.before",
        "tool": "bash",
        "sessionID": "ses_1",
        "callID": "call_1",
        "args": {"command": "echo hi > out/a.txt"},
        "directory": "/home/dev/project",
    },
    "any": {
        "schema": "jarvis.gate/v1",
        "runtime": "my-agent",
        "project": "/home/dev/project",
        "run": "run-7",
        "action": "call-1",
        "tool": "shell",
        "input": {"command": "make deploy"},
    },
}


@pytest.fixture(params=sorted(PRE_TOOL))
def pre_tool(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    """Each runtime's name with its payload before a tool call."""
    return request.param, PRE_TOOL[request.param]


@pytest.fixture
def pre_tools() -> dict[str, dict[str, Any]]:
    """The payload before a tool call of each runtime."""
    return PRE_TOOL
