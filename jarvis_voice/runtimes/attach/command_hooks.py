"""The runtimes whose hooks are commands in one JSON file; each is told by its few differences."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jarvis_voice.errors import AttachError
from jarvis_voice.runtimes.attach import json_file, probe
from jarvis_voice.runtimes.attach.base import HOOK_MARGIN_S, TELLING_S, Edit, Link, Place, Tried


@dataclass(frozen=True, slots=True)
class CommandHooks:
    """A runtime that starts ``jarvis hook NAME`` for each event."""

    name: str
    program: str
    folder: str  # in the home and in a project
    file: str
    gated: str  # the event before a tool call
    told: tuple[str, ...]  # events that are only listened to
    variable: str = ""  # may move the user's folder
    matcher: str | None = None  # some runtimes want one that matches all tools
    flat: bool = False  # a list of hooks, without groups
    per_second: int = 1  # of a ``timeout``: 1000 where it is in milliseconds
    closed: tuple[tuple[str, Any], ...] = ()  # added to the gated hook when it fails closed
    head: tuple[tuple[str, Any], ...] = ()  # keys that a new file must have
    example: tuple[tuple[str, Any], ...] = ()  # the fields of a call besides those of all
    session: str = "session_id"  # the field that names the run
    event: str = "hook_event_name"
    project: str = "cwd"
    hints: tuple[str, ...] = ()

    def path(self, place: Place) -> Path:
        """The settings file."""
        return place.folder(self.folder, self.variable) / self.file

    def edits(self, place: Place, link: Link) -> list[Edit]:
        path = self.path(place)
        document, before = json_file.load(path)
        document = dict(self.head) | document
        wanted = {event: self._entry(event, link) for event in (self.gated, *self.told)}
        changed = json_file.with_hooks(document, wanted, self._ours, flat=self.flat)
        return [Edit(path, before, json_file.dump(changed, before))]

    def removal(self, place: Place) -> list[Edit]:
        path = self.path(place)
        document, before = json_file.load(path)
        changed = json_file.without_hooks(document, self._ours, flat=self.flat)
        if before is None or changed == document:
            return [Edit(path, before, before)]
        return [Edit(path, before, json_file.dump(changed, before))]

    def canary(self, place: Place, run_id: str) -> dict[str, Any]:
        folder = str(place.project or place.home)
        call = {"tool_name": "Bash", "tool_input": {"command": "true"}}
        named = {self.session: run_id, self.event: self.gated, self.project: folder}
        return named | call | dict(self.example)

    def ask(self, place: Place, payload: dict[str, Any]) -> Tried:
        document, _ = json_file.load(self.path(place))
        hook = json_file.found_hook(document, self.gated, self._ours)
        if hook is None:
            raise AttachError(f"{self.path(place)} lost our hook.", "Attach again.")
        return Tried(probe.command(str(hook["command"]), payload))

    def notes(self, place: Place) -> list[str]:
        del place  # they hold everywhere
        return list(self.hints)

    def _entry(self, event: str, link: Link) -> dict[str, Any]:
        gated = event == self.gated
        words = ["hook", self.name, "--gate-file", str(link.gate_file)]
        if gated:
            words += ["--fail", link.fail, "--hold", f"{link.hold_s + HOOK_MARGIN_S:g}"]
        else:
            words += ["--hold", f"{TELLING_S - 2}"]
        hook: dict[str, Any] = {"command": f"{link.command} {shlex.join(words)}"}
        if not self.flat:
            hook = {"type": "command"} | hook
        hook["timeout"] = (link.timeout_s if gated else TELLING_S) * self.per_second
        if gated and link.fail == "closed":
            hook |= dict(self.closed)
        if self.flat:
            return hook
        group: dict[str, Any] = {"hooks": [hook]}
        return {"matcher": self.matcher} | group if self.matcher is not None else group

    def _ours(self, hook: Mapping[str, Any]) -> bool:
        command = hook.get("command")
        if not isinstance(command, str) or "jarvis" not in command.lower():
            return False
        return re.search(rf"\bhook {re.escape(self.name)}\b", command) is not None
