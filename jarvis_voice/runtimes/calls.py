"""Tool calls of any runtime in plain words: what runs, what is written, what is sent. PURE.

The runtimes name the same few tools differently; the tables below hold the names that were seen in
their releases or stand in their references. An unknown tool is shown with all of its arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A tool call in plain words; nothing is bounded or redacted yet."""

    summary: str
    command: str | None
    files: tuple[str, ...]  # that it writes
    content: str  # that it writes or sends


_SHELL = {
    *("bash", "shell", "exec", "exec_command", "run_shell_command", "terminal", "execute_bash"),
    *("execute_command", "powershell", "local_shell", "run_terminal_cmd", "run_command"),
}
_WRITE = {"write", "write_file", "create_file", "write_to_file", "create"}
_EDIT = {
    *("edit", "multiedit", "notebookedit", "replace", "strreplace", "str_replace", "edit_file"),
    *("search_replace", "editnotebook"),
}
_PATCH = {"apply_patch", "patch"}
_EDITORS = {"file_editor", "str_replace_editor"}  # their "command" is view, create, str_replace ...
_DELETE = {"delete", "delete_file", "remove_file"}
_READ = {"read", "read_file", "ls", "list", "list_directory", "list_dir", "readfile", "view"}
_WORDED = {
    "grep": ("search the files for {}", "pattern"),
    "glob": ("look for files named {}", "pattern"),
    "webfetch": ("read the page {}", "url"),
    "web_fetch": ("read the page {}", "url"),
    "websearch": ("search the web for {}", "query"),
    "web_search": ("search the web for {}", "query"),
    "task": ("hand work to a subagent: {}", "description"),
    "agent": ("hand work to a subagent: {}", "description"),
}
_PATHS = ("file_path", "filePath", "path", "notebook_path", "filename", "target_file", "file")
_TEXTS = ("content", "contents", "file_text", "text", "code_edit")
_NEW = ("new_string", "newString", "new_str", "new_source", "newText", "new_text", "insert_text")
_PATCHED = re.compile(
    r"^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ (?:b/)?)(.+?)\s*$",
    re.MULTILINE,
)
_REDIRECT = re.compile(
    r"(?<![\d&<>=-])(?:1)?>{1,2}\s*(?![&>(])(\"[^\"\n]+\"|'[^'\n]+'|[^\s;&|<>()'\"`$]+)"
)
_TEE = re.compile(
    r"\btee\s+(?:-a\s+)?(\"[^\"\n]+\"|'[^'\n]+'|[^\s;&|<>()'\"`$-][^\s;&|<>()'\"`$]*)"
)
_SHOWN = 64 * 1024  # characters of a command in which written files are looked for


def described(tool: str, given: Mapping[str, Any]) -> Call:
    """``tool`` with its arguments in plain words. Any arguments are taken."""
    name = tool.lower()
    if name in _SHELL:
        return _shell(_command(given))
    if name in _EDITORS:
        name = {"create": "write", "view": "read"}.get(_text(given, "command"), "edit")
    if name in _PATCH:
        patch = _text(given, "input", "patch", "patchText", "command", "diff")
        files = tuple(dict.fromkeys(found[1] for found in _PATCHED.finditer(patch)))
        files = tuple(path for path in files if path != "/dev/null")
        return Call(f"change {', '.join(files[:3]) or 'files'}", None, files, patch)
    if name in _WRITE | _EDIT | _DELETE | _READ:
        return _file(name, given)
    if name in _WORDED:
        words, key = _WORDED[name]
        return Call(words.format(_text(given, key) or "something"), None, (), "")
    return _other(tool, given)


def _shell(command: str) -> Call:
    first = next((line.strip() for line in command.splitlines() if line.strip()), "a command")
    return Call(f"run: {first}", command, written(command), "")


def _file(name: str, given: Mapping[str, Any]) -> Call:
    path = _text(given, *_PATHS)
    shown, files = path or "a file", (path,) if path else ()
    if name in _READ:
        return Call(f"read {shown}", None, (), "")
    if name in _DELETE:
        return Call(f"delete {shown}", None, files, "")
    if name in _WRITE:
        return Call(f"write {shown}", None, files, _text(given, *_TEXTS))
    return Call(f"edit {shown}", None, files, _edited(given))


def _edited(given: Mapping[str, Any]) -> str:
    edits = given.get("edits")
    parts = [_text(given, *_NEW)]
    parts += [
        _text(edit, *_NEW)
        for edit in (edits if isinstance(edits, list) else ())
        if isinstance(edit, Mapping)
    ]
    return "\n".join(filter(None, parts)) or _text(given, *_TEXTS)


def _other(tool: str, given: Mapping[str, Any]) -> Call:
    """A tool of an MCP server or a plugin: all that it is given is what it may send."""
    content = json.dumps(given, ensure_ascii=False, default=str) if given else ""
    if tool.startswith("mcp__"):
        server, _, name = tool[5:].partition("__")
        return Call(f"use {name or 'a tool'} of {server}", None, (), content)
    return Call(f"use the tool {tool or 'unknown'}", None, (), content)


def written(command: str) -> tuple[str, ...]:
    """The files that a shell command plainly writes to, by ``>`` or ``tee``."""
    found = [*_REDIRECT.finditer(command[:_SHOWN]), *_TEE.finditer(command[:_SHOWN])]
    paths = (match[1].strip("\"'") for match in found)
    return tuple(dict.fromkeys(path for path in paths if not path.startswith("/dev/")))


def _command(given: Mapping[str, Any]) -> str:
    """The command line; some runtimes give it as a list of words."""
    value = given.get("command", given.get("cmd"))
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str)]
        # ["bash", "-lc", "the command"] is how a shell is called
        return words[2] if len(words) == 3 and words[1].startswith("-") else " ".join(words)
    return value if isinstance(value, str) else ""


def _text(given: Mapping[str, Any], *keys: str) -> str:
    for key in keys:
        value = given.get(key)
        if isinstance(value, str) and value:
            return value
    return ""
