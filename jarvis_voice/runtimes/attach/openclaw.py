"""OpenClaw: a small plugin in its extensions folder, and the plugin's entry in ``openclaw.json``.

Without its own budget a ``before_tool_call`` handler has 15 s and then blocks the call (2026.9.6),
so the entry sets one. The plugin finds the gate by its file, so no secret is written here.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from jarvis_voice.errors import AttachError
from jarvis_voice.resources import asset
from jarvis_voice.runtimes.attach import json_file, probe
from jarvis_voice.runtimes.attach.base import Edit, Link, Place, Tried, read

PLUGIN = "jarvis-voice"
_FILES = {
    "index.mjs": "plugins/openclaw/index.mjs",
    "gate.mjs": "plugins/gate.mjs",
    "openclaw.plugin.json": "plugins/openclaw/openclaw.plugin.json",
    "package.json": "plugins/openclaw/package.json",
}
_TRY = """
import plugin from {module};
let handler;
const on = (name, found) => {{ if (name === "before_tool_call") handler = found; }};
plugin.register({{ pluginConfig: {config}, on }});
let text = "";
for await (const part of process.stdin) text += part;
const {{ event, ctx }} = JSON.parse(text);
console.log(JSON.stringify((await handler(event, ctx)) ?? {{}}));
"""


class _OpenClaw:
    name = "openclaw"
    program = "openclaw"

    def edits(self, place: Place, link: Link) -> list[Edit]:
        settings, folder = _paths(place)
        document, before = json_file.load(settings)
        changed = copy.deepcopy(document)
        plugins = changed.setdefault("plugins", {})
        if not isinstance(plugins, dict) or not isinstance(plugins.get("entries", {}), dict):
            raise AttachError(f"{settings} holds plugins of an unknown form.", "Mend it.")
        if PLUGIN in (plugins.get("deny") or []):
            raise AttachError(
                f"{settings} denies the plugin {PLUGIN}; it was left as it is.",
                "Take it from plugins.deny first.",
            )
        allowed = plugins.get("allow")
        if isinstance(allowed, list) and PLUGIN not in allowed:
            allowed.append(PLUGIN)
        plugins.setdefault("entries", {})[PLUGIN] = {
            "enabled": True,
            "hooks": {"timeouts": {"before_tool_call": link.timeout_s * 1000}},
            "config": {
                "gateFile": str(link.gate_file),
                "fail": link.fail,
                "holdS": round(link.hold_s),
            },
        }
        files = [
            Edit(folder / name, read(folder / name), asset(source).read_bytes())
            for name, source in _FILES.items()
        ]
        return [*files, Edit(settings, before, json_file.dump(changed, before))]

    def removal(self, place: Place) -> list[Edit]:
        settings, folder = _paths(place)
        document, before = json_file.load(settings)
        changed = _without(document)
        after = before if changed == document else json_file.dump(changed, before)
        files = [Edit(folder / name, read(folder / name), None) for name in _FILES]
        return [Edit(settings, before, after), *files]

    def canary(self, place: Place, run_id: str) -> dict[str, Any]:
        return {
            "runtime": "openclaw",
            "hook": "before_tool_call",
            "event": {"toolName": "exec", "params": {"command": "true"}, "toolCallId": "canary"},
            "ctx": {"sessionKey": run_id, "workspaceDir": str(place.home)},
        }

    def ask(self, place: Place, payload: dict[str, Any]) -> Tried:
        settings, folder = _paths(place)
        document, _ = json_file.load(settings)
        config = document["plugins"]["entries"][PLUGIN]["config"]
        module = json.dumps((folder / "index.mjs").as_uri())
        answer = probe.node(_TRY.format(module=module, config=json.dumps(config)), payload, folder)
        if answer is not None:
            return Tried(answer)
        answer = probe.by_gate_file(Path(config["gateFile"]), self.name, payload)
        return Tried(answer, "The plugin itself was not run, since there is no Node.js here.")

    def notes(self, place: Place) -> list[str]:
        del place  # they hold everywhere
        return [
            "A running OpenClaw gateway loads the plugin by itself, or with: openclaw plugins "
            f"reload {PLUGIN}",
            f"To see that it is loaded: openclaw plugins inspect {PLUGIN}",
        ]


ATTACHMENT = _OpenClaw()


def _paths(place: Place) -> tuple[Path, Path]:
    """The settings file and the plugin's folder; OpenClaw has no settings per project."""
    if place.project is not None:
        raise AttachError(
            "OpenClaw has no settings for one project.", "Attach it without --project."
        )
    state = place.folder(".openclaw", "OPENCLAW_STATE_DIR")
    named = place.variables.get("OPENCLAW_CONFIG_PATH", "")
    settings = Path(named).expanduser() if named else state / "openclaw.json"
    return settings, state / "extensions" / PLUGIN


def _without(document: dict[str, Any]) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    plugins = changed.get("plugins")
    if not isinstance(plugins, dict):
        return changed
    allowed, entries = plugins.get("allow"), plugins.get("entries")
    if isinstance(entries, dict) and PLUGIN in entries:
        del entries[PLUGIN]
        if isinstance(allowed, list) and PLUGIN in allowed:
            allowed.remove(PLUGIN)
        if not entries:
            del plugins["entries"]
        if not plugins:
            del changed["plugins"]
    return changed
