"""Claude Code: ``settings.json``; HTTP hooks, and a command for the session's start.

A project's hooks go into ``settings.local.json``, which is not meant for version control: they hold
the gate's token. An HTTP hook for ``SessionStart`` would never fire (2.1.332).
"""

from __future__ import annotations

import fnmatch
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jarvis_voice.errors import AttachError
from jarvis_voice.runtimes.attach import json_file, probe
from jarvis_voice.runtimes.attach.base import TELLING_S, Edit, Link, Place, Tried

GATED = "PreToolUse"
TOLD = (
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionRequest",
    "Notification",
    "Stop",
    "SessionEnd",
)
_TOOL_EVENTS = {"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest"}
_PATH = "/gate/claude-code"


class _ClaudeCode:
    name = "claude-code"
    program = "claude"

    def path(self, place: Place) -> Path:
        """The settings file."""
        folder = place.folder(".claude", "CLAUDE_CONFIG_DIR")
        return folder / ("settings.json" if place.project is None else "settings.local.json")

    def edits(self, place: Place, link: Link) -> list[Edit]:
        path = self.path(place)
        document, before = json_file.load(path)
        _check(document, path, link)
        wanted = {event: _http(event, link) for event in (GATED, *TOLD)}
        wanted["SessionStart"] = {"hooks": [_start(link)]}
        changed = json_file.with_hooks(document, wanted, _ours, flat=False)
        return [Edit(path, before, json_file.dump(changed, before), private=True)]

    def removal(self, place: Place) -> list[Edit]:
        path = self.path(place)
        document, before = json_file.load(path)
        changed = json_file.without_hooks(document, _ours, flat=False)
        if before is None or changed == document:
            return [Edit(path, before, before)]
        return [Edit(path, before, json_file.dump(changed, before))]

    def canary(self, place: Place, run_id: str) -> dict[str, Any]:
        return {
            "session_id": run_id,
            "cwd": str(place.project or place.home),
            "permission_mode": "default",
            "hook_event_name": GATED,
            "tool_name": "Bash",
            "tool_input": {"command": "true", "description": "Do nothing"},
            "tool_use_id": "toolu_canary",
        }

    def ask(self, place: Place, payload: dict[str, Any]) -> Tried:
        document, _ = json_file.load(self.path(place))
        hook = json_file.found_hook(document, GATED, _ours)
        if hook is None:
            raise AttachError(f"{self.path(place)} lost our hook.", "Attach again.")
        return Tried(probe.post(hook["url"], hook["headers"], payload))

    def notes(self, place: Place) -> list[str]:
        del place  # they hold everywhere
        return [
            "Sessions that run already keep the hooks they were started with.",
            "To see it with Claude Code itself, start Jarvis and then: "
            "claude -p 'Run the shell command true' --allowedTools Bash",
        ]


ATTACHMENT = _ClaudeCode()


def _http(event: str, link: Link) -> dict[str, Any]:
    gated = event == GATED
    hook: dict[str, Any] = {"type": "http", "url": f"{link.url}{_PATH}"}
    if gated:
        hook["url"] += f"?fail={link.fail}&hold={link.hold_s:g}"
    hook["headers"] = {"Authorization": f"Bearer {link.token}"}
    hook["timeout"] = link.timeout_s if gated else TELLING_S
    if gated and link.fail == "closed":
        hook["onFailure"] = "block"
    group: dict[str, Any] = {"hooks": [hook]}
    return {"matcher": "*"} | group if event in _TOOL_EVENTS else group


def _start(link: Link) -> dict[str, Any]:
    words = ["hook", "claude-code", "--gate-file", str(link.gate_file), "--hold", "8"]
    return {
        "type": "command",
        "command": f"{link.command} {shlex.join(words)}",
        "timeout": TELLING_S,
    }


def _ours(hook: Mapping[str, Any]) -> bool:
    url, command = hook.get("url"), hook.get("command")
    if isinstance(url, str):
        parts = urlsplit(url)
        return parts.hostname == "127.0.0.1" and parts.path == _PATH
    return isinstance(command, str) and "jarvis" in command and "hook claude-code" in command


def _check(document: Mapping[str, Any], path: Path, link: Link) -> None:
    """Raises AttachError when Claude Code would not run our hooks."""
    if document.get("disableAllHooks") is True:
        raise AttachError(
            f"{path} switches all hooks off (disableAllHooks); it was left as it is.",
            "Remove that line first.",
        )
    allowed = document.get("allowedHttpHookUrls")
    if isinstance(allowed, list) and not any(
        isinstance(pattern, str) and fnmatch.fnmatchcase(link.url + _PATH, pattern)
        for pattern in allowed
    ):
        raise AttachError(
            f"{path} allows HTTP hooks only to other addresses (allowedHttpHookUrls).",
            f'Add "{link.url}/*" to that list first.',
        )
