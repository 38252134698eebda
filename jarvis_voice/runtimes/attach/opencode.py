"""OpenCode: two files in its plugins folder; nothing of the user's is edited."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from jarvis_voice.errors import AttachError
from jarvis_voice.resources import asset
from jarvis_voice.runtimes.attach import probe
from jarvis_voice.runtimes.attach.base import Edit, Link, Place, Tried, read

_PLUGIN, _GATE = "jarvis-voice.js", "jarvis-voice-gate.mjs"
_SETTINGS = re.compile(rb"^const SETTINGS = (\{.*\});$", re.MULTILINE)
_TRY = """
import {{ JarvisVoice }} from {module};
let text = "";
for await (const part of process.stdin) text += part;
const {{ tool, sessionID, callID, args, directory }} = JSON.parse(text);
const hooks = await JarvisVoice({{ directory }});
try {{
  await hooks["tool.execute.before"]({{ tool, sessionID, callID }}, {{ args }});
  console.log("{{}}");
}} catch (error) {{
  console.log(JSON.stringify({{ decision: "deny", reason: error.message }}));
}}
"""


class _OpenCode:
    name = "opencode"
    program = "opencode"

    def edits(self, place: Place, link: Link) -> list[Edit]:
        folder = _folder(place)
        settings = {
            "gateFile": str(link.gate_file),
            "fail": link.fail,
            "holdS": round(link.hold_s),
        }
        line = b"const SETTINGS = " + json.dumps(settings).encode() + b";"
        plugin = asset("plugins/opencode/jarvis-voice.js").read_bytes()
        made = {
            _GATE: asset("plugins/gate.mjs").read_bytes(),
            _PLUGIN: _SETTINGS.sub(lambda _found: line, plugin),
        }
        return [Edit(folder / name, read(folder / name), made[name]) for name in made]

    def removal(self, place: Place) -> list[Edit]:
        folder = _folder(place)
        return [Edit(folder / name, read(folder / name), None) for name in (_PLUGIN, _GATE)]

    def canary(self, place: Place, run_id: str) -> dict[str, Any]:
        return {
            "runtime": "opencode",
            "hook": "tool.execute.before",
            "tool": "bash",
            "sessionID": run_id,
            "callID": "canary",
            "args": {"command": "true"},
            "directory": str(place.project or place.home),
        }

    def ask(self, place: Place, payload: dict[str, Any]) -> Tried:
        folder = _folder(place)
        written = read(folder / _PLUGIN)
        found = _SETTINGS.search(written or b"")
        if found is None:
            raise AttachError(f"{folder / _PLUGIN} is not as it was written.", "Attach again.")
        module = json.dumps((folder / _PLUGIN).as_uri())
        answer = probe.node(_TRY.format(module=module), payload, folder)
        if answer is not None:
            return Tried(answer)
        gate_file = Path(json.loads(found[1])["gateFile"])
        answer = probe.by_gate_file(gate_file, self.name, payload)
        return Tried(answer, "The plugin itself was not run, since there is no Node.js here.")

    def notes(self, place: Place) -> list[str]:
        del place  # they hold everywhere
        return ["OpenCode loads plugins when it starts; restart it."]


ATTACHMENT = _OpenCode()


def _folder(place: Place) -> Path:
    if place.project is not None:
        return place.project / ".opencode" / "plugins"
    moved = place.variables.get("XDG_CONFIG_HOME", "")
    config = Path(moved).expanduser() if moved else place.home / ".config"
    return config / "opencode" / "plugins"
