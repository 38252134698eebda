"""The hooks of an attached runtime that wait longer than those of a user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.behind_gate import AFTER_S, be_patient
from bench.real_agents import Sandbox
from jarvis_voice.runtimes.attach import attachment
from jarvis_voice.runtimes.attach.base import TELLING_S, Link, Place


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_hooks_after_a_call_wait_as_long_as_a_question_may_take(name: str, tmp_path: Path) -> None:
    sandbox = Sandbox.made(tmp_path / "agent")
    link = Link("http://127.0.0.1:1", "t", sandbox.state / "gate.json", "jarvis", "open", 540.0)
    place = Place(sandbox.home, None, sandbox.private())
    (edit,) = attachment(name).edits(place, link)
    assert edit.after is not None
    edit.path.write_bytes(edit.after)
    be_patient(name, sandbox, ("PostToolUse", "PostToolUseFailure", "Stop"))
    hooks = json.loads(edit.path.read_text("utf-8"))["hooks"]
    for event in ("PostToolUse", "Stop"):
        ((hook,),) = (group["hooks"] for group in hooks[event])
        assert hook["timeout"] > AFTER_S
        assert f"--hold {AFTER_S:g}" in hook.get("command", f"--hold {AFTER_S:g}")
    ((told,),) = (group["hooks"] for group in hooks["UserPromptSubmit"])
    assert told["timeout"] == TELLING_S
