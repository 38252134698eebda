"""Tool calls of any runtime in plain words, through the table of Claude Code's names. PURE."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from jarvis_voice.redact import redact
from jarvis_voice.runs.model import ToolRequested
from jarvis_voice.runs.sources.claude_tools import ToolUse, described
from jarvis_voice.runs.sources.fields import EMPTY, Record, parsed, text

_SHELL = (
    *("bash", "shell", "exec", "exec_command", "terminal", "execute_bash", "local_shell"),
    *("run_shell_command", "container.exec", "process", "unified_exec"),
)
_SAME = {
    "Write": ("write", "write_file", "create_file", "create"),
    "Edit": ("edit", "edit_file", "replace", "str_replace", "multiedit", "file_editor"),
    "Read": ("read", "read_file", "view"),
    "LS": ("ls", "list", "list_directory", "list_dir"),
    "Grep": ("grep", "search"),
    "Glob": ("glob", "find"),
    "WebFetch": ("web_fetch", "webfetch", "fetch"),
    "WebSearch": ("web_search", "websearch"),
    "Task": ("task", "spawn_agent", "sessions_spawn", "delegate"),
    "TodoWrite": ("todowrite", "update_plan", "task_tracker"),
}
_NAMES = {name: known for known, names in _SAME.items() for name in names}
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)
_SHELL_PREFIX = re.compile(r"^(?:/\S*/)?(?:ba|z|da)?sh -l?c (['\"])(.*)\1$", re.DOTALL)
_ARGUMENTS = 200


class Asked(NamedTuple):
    """A tool call before it is worded."""

    call_id: str
    tool: str
    given: Record


def requested(event_id: str, at_s: float | None, asked: Asked) -> ToolRequested:
    """The call as an event, redacted."""
    use = worded(asked.tool, asked.given)
    return ToolRequested(
        event_id,
        at_s,
        asked.call_id,
        asked.tool[:100],
        redact(use.summary),
        redact(use.command) if use.command else None,
        use.files,
    )


def worded(tool: str, given: Record) -> ToolUse:
    """``tool`` with its arguments in plain words. Any arguments are taken."""
    name = tool.lower().rsplit("/", 1)[-1]
    if name in _SHELL:
        line = command_line(given)
        about = text(given, "description", "summary", "justification")
        return described("Bash", {"command": line, "description": about})
    if name in ("apply_patch", "patch"):
        files = patched(text(given, "input", "patch", "patchText", "command"))
        return ToolUse(f"change {', '.join(files[:3]) or 'files'}", None, files)
    if name in _NAMES:
        path = text(given, "file_path", "filePath", "path", "filename")
        return described(_NAMES[name], {**given, "file_path": path} if path else given)
    if tool.startswith("mcp__") or not any(given.values()):
        return described(tool, given)
    return ToolUse(f"use the tool {tool[:60]}: {_shown(given)}", None, ())


def command_line(given: Record) -> str:
    """The shell line of a call; ``bash -lc '...'`` around it is left out."""
    value = given.get("command", given.get("cmd"))
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str)]
        if len(words) == 3 and words[1] in ("-c", "-lc"):
            return words[2]
        return " ".join(words)
    line = text(given, "command", "cmd", "script")
    wrapped = _SHELL_PREFIX.match(line)
    return wrapped[2] if wrapped else line


def patched(patch: str) -> tuple[str, ...]:
    """The files that a patch in Codex's form touches."""
    return tuple(dict.fromkeys(found[1] for found in _PATCHED.finditer(patch)))[:50]


def arguments(value: object) -> Record:
    """Arguments that may come as an object or as JSON in a text; a plain text is its ``input``."""
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        return parsed(value) or {"input": value}
    return EMPTY


def _shown(given: Record) -> str:
    shown = json.dumps(given, ensure_ascii=False, default=str)
    return shown if len(shown) <= _ARGUMENTS else shown[:_ARGUMENTS] + "…"
