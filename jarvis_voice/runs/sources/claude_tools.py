"""Claude Code's tool calls for a person: a few words, the raw command, the files changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from jarvis_voice.events import PlanStep

_SHOWN = 4000  # characters of any input that are looked at; the reducer cuts far below


class ToolUse(NamedTuple):
    """A tool call in plain words."""

    summary: str
    command: str | None
    files: tuple[str, ...]


_FILE_TOOLS = {
    "Write": "write {}",
    "Edit": "edit {}",
    "MultiEdit": "edit {}",
    "NotebookEdit": "edit the notebook {}",
    "Read": "read {}",
    "LS": "list {}",
}
_CHANGING = {"Write", "Edit", "MultiEdit", "NotebookEdit"}
_WORDED = {
    "Grep": ("search the files for {}", "pattern"),
    "Glob": ("look for files named {}", "pattern"),
    "WebFetch": ("read the page {}", "url"),
    "WebSearch": ("search the web for {}", "query"),
    "Task": ("hand work to a subagent: {}", "description"),
    "Agent": ("hand work to a subagent: {}", "description"),
    "Skill": ("use the skill {}", "skill"),
    "ToolSearch": ("look for a tool: {}", "query"),
}
_REDIRECT = re.compile(
    r"(?<![\d&<>=-])(?:1)?>{1,2}\s*(?![&>(])(\"[^\"\n]+\"|'[^'\n]+'|[^\s;&|<>()'\"`$]+)"
)


def described(tool: str, given: Mapping[str, Any]) -> ToolUse:
    """``tool`` with its input in plain words. Any input is taken; what is missing is left out."""
    if tool == "Bash":
        command = _text(given, "command")
        summary = _text(given, "description") or "run a command"
        return ToolUse(summary, command or None, redirected(command))
    path = _text(given, "file_path") or _text(given, "notebook_path") or _text(given, "path")
    if tool in _FILE_TOOLS:
        words = _FILE_TOOLS[tool].format(path or "a file")
        return ToolUse(words, None, (path,) if path and tool in _CHANGING else ())
    if tool in _WORDED:
        words, key = _WORDED[tool]
        return ToolUse(words.format(_text(given, key) or "something"), None, ())
    if tool.startswith("mcp__"):
        server, _, name = tool[5:].partition("__")
        return ToolUse(f"use {name or 'a tool'} of {server}", None, ())
    if tool == "TodoWrite":
        return ToolUse("update its plan", None, ())
    return ToolUse(f"use the tool {tool}", None, ())


def redirected(command: str) -> tuple[str, ...]:
    """The files that a shell command writes to with ``>``; only plain names are recognized."""
    found = (match[1].strip("\"'") for match in _REDIRECT.finditer(command))
    return tuple(dict.fromkeys(path for path in found if not path.startswith("/dev/")))


def plan_of(given: Mapping[str, Any]) -> tuple[PlanStep, ...] | None:
    """The steps of a TodoWrite call, or None when it holds none."""
    todos = given.get("todos")
    if not isinstance(todos, list):
        return None
    return tuple(
        PlanStep(_text(item, "content"), _text(item, "status"))
        for item in todos
        if isinstance(item, dict) and _text(item, "content")
    )


def asked_of_user(tool: str, given: Mapping[str, Any]) -> str | None:
    """What a call that is a question to the user asks, or None when it is no such call."""
    if tool == "ExitPlanMode":
        return "your approval of its plan"
    if tool != "AskUserQuestion":
        return None
    questions = given.get("questions")
    asked = [
        _text(item, "question")
        for item in (questions if isinstance(questions, list) else [])
        if isinstance(item, dict)
    ]
    return " ".join(filter(None, asked)) or "an answer to a question"


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    return value[:_SHOWN] if isinstance(value, str) else ""
