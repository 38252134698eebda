"""The plugins for OpenClaw and OpenCode ask the gate, and follow the rule when they cannot."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.runtimes.attach.base import Link, Place
from jarvis_voice.runtimes.attach.openclaw import ATTACHMENT as OPENCLAW
from jarvis_voice.runtimes.attach.opencode import ATTACHMENT as OPENCODE

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")

DENY = Ruling(Verdict.DENY, "Not today.")
ALLOW = Ruling(Verdict.ALLOW)
Running = Callable[..., Any]


@pytest.fixture
def installed(tmp_path: Path) -> Callable[[Any, str], Place]:
    """Writes a plugin as attaching does, pointed to a gate announced in ``tmp_path``."""

    def write(attachment: Any, rule: Any) -> Place:
        place = Place(tmp_path / "home", None, {})
        gate_file = tmp_path / "gate.json"
        link = Link("http://127.0.0.1:1", "t", gate_file, "jarvis", rule, 60.0)
        for edit in attachment.edits(place, link):
            edit.path.parent.mkdir(parents=True, exist_ok=True)
            edit.path.write_bytes(edit.after)
        return place

    return write


@pytest.mark.parametrize("rule", ["open", "closed"])
def test_the_gates_ruling_is_followed(
    tmp_path: Path, installed: Any, running_gate: Running, rule: str
) -> None:
    for ruling in (ALLOW, DENY):
        seen: list[Any] = []
        with running_gate(tmp_path, ruling, seen, []):
            claw = OPENCLAW.ask(*_asked(OPENCLAW, installed(OPENCLAW, rule)))
            code = OPENCODE.ask(*_asked(OPENCODE, installed(OPENCODE, rule)))
        denied = ruling is DENY
        assert claw.answer == ({"block": True, "blockReason": "Not today."} if denied else {})
        assert code.answer == ({"decision": "deny", "reason": "Not today."} if denied else {})
        assert [action.runtime for action in seen] == ["openclaw", "opencode"]
        assert claw.caveat == code.caveat == ""


@pytest.mark.parametrize("rule", ["open", "closed"])
def test_without_a_gate_the_rule_decides(installed: Any, rule: str) -> None:
    claw = OPENCLAW.ask(*_asked(OPENCLAW, installed(OPENCLAW, rule))).answer
    code = OPENCODE.ask(*_asked(OPENCODE, installed(OPENCODE, rule))).answer
    if rule == "open":
        assert (claw, code) == ({}, {})
    else:
        assert claw["block"] is True
        assert code["decision"] == "deny"
        assert "could not be asked" in claw["blockReason"]


def test_a_call_larger_than_the_gate_takes_is_shortened(
    tmp_path: Path, installed: Any, running_gate: Running
) -> None:
    seen: list[Any] = []
    place = installed(OPENCLAW, "closed")
    for tail in ("one", "two"):
        payload = OPENCLAW.canary(place, "run-1")
        written = {"path": "a.txt", "content": "x" * 3_000_000 + tail}
        payload["event"] = {"toolName": "write", "params": written}
        with running_gate(tmp_path, ALLOW, seen, []):
            assert OPENCLAW.ask(place, payload).answer == {}
    first, second = seen
    assert first.content.endswith("one")
    assert first.files == ("a.txt",)
    assert first.fingerprint != second.fingerprint


def test_openclaw_tells_what_came_of_a_call_without_waiting(
    tmp_path: Path, installed: Any, running_gate: Running
) -> None:
    told: list[Any] = []
    place = installed(OPENCLAW, "open")
    plugin = place.home / ".openclaw" / "extensions" / "jarvis-voice" / "index.mjs"
    script = f"""
        import plugin from {json.dumps(plugin.as_uri())};
        const hooks = {{}};
        const pluginConfig = {{ gateFile: {json.dumps(str(tmp_path / "gate.json"))} }};
        plugin.register({{ pluginConfig, on: (name, hook) => {{ hooks[name] = hook; }} }});
        const abortSignal = new AbortController().signal;
        const ctx = {{ sessionKey: "s", abortSignal, agentId: "main" }};
        console.log(hooks.after_tool_call({{ toolName: "exec", toolCallId: "c" }}, ctx));
    """
    with running_gate(tmp_path, ALLOW, [], told):
        done = subprocess.run(
            ["node", "--input-type=module", "--eval", script],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
    assert done.stdout == "undefined\n"
    [record] = told
    assert record["ctx"] == {"sessionKey": "s", "agentId": "main"}
    assert record["event"] == {"toolName": "exec", "toolCallId": "c"}


def _asked(attachment: Any, place: Place) -> tuple[Place, dict[str, Any]]:
    return place, attachment.canary(place, "run-1")
