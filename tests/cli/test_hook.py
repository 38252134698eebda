"""``jarvis hook`` always prints an answer that its runtime takes, and starts fast."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.wire.rendezvous import Rendezvous

CALL = {
    "session_id": "s1",
    "turn_id": "t1",
    "cwd": "/home/dev/project",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "call_1",
}


def _refused(answer: str) -> bool:
    return json.loads(answer)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_the_gates_answer_is_handed_through(
    program: Callable[..., Any], tmp_path: Path, running_gate: Callable[..., Any]
) -> None:
    seen: list[ProposedAction] = []
    with running_gate(tmp_path, Ruling(Verdict.DENY, "Not today."), seen, []):
        ran = program(
            "hook", "codex", "--gate-file", tmp_path / "gate.json", stdin=json.dumps(CALL)
        )
    assert ran.status == 0
    assert json.loads(ran.out)["hookSpecificOutput"]["permissionDecisionReason"] == "Not today."
    assert seen[0].action_id == "call_1"


def test_an_input_larger_than_the_gate_takes_is_shortened(
    program: Callable[..., Any], tmp_path: Path, running_gate: Callable[..., Any]
) -> None:
    seen: list[ProposedAction] = []
    told: list[Any] = []
    with running_gate(tmp_path, Ruling(Verdict.ALLOW), seen, told):
        for tail in ("one", "two"):
            written = {"file_path": "a", "content": "x" * 3_000_000 + tail}
            call = CALL | {"tool_name": "Write", "tool_input": written}
            ran = program(
                "hook", "codex", "--gate-file", tmp_path / "gate.json", stdin=json.dumps(call)
            )
            assert ran.out == "{}\n"
    first, second = seen
    assert first.content.endswith("one")
    assert first.fingerprint != second.fingerprint
    assert len(json.dumps(told)) < 500_000


@pytest.mark.parametrize("rule", ["open", "closed"])
def test_without_jarvis_the_rule_decides(
    program: Callable[..., Any], tmp_path: Path, rule: str
) -> None:
    nowhere = tmp_path / "gate.json"
    ran = program("hook", "codex", "--fail", rule, "--gate-file", nowhere, stdin=json.dumps(CALL))
    assert ran.status == 0
    if rule == "open":
        assert ran.out == "{}\n"
    else:
        assert _refused(ran.out)
        assert "Jarvis is not running" in ran.out


def test_an_event_that_only_tells_is_never_refused(
    program: Callable[..., Any], tmp_path: Path
) -> None:
    stop = json.dumps(CALL | {"hook_event_name": "Stop"})
    ran = program("hook", "codex", "--fail", "closed", "--gate-file", tmp_path / "x", stdin=stop)
    assert (ran.status, ran.out) == (0, "{}\n")


@pytest.mark.parametrize("given", ["", "{", "[1]", "null", "PreToolUse"])
def test_an_unreadable_input_is_refused_when_failing_closed(
    program: Callable[..., Any], tmp_path: Path, given: str
) -> None:
    ran = program("hook", "codex", "--fail", "closed", "--gate-file", tmp_path / "x", stdin=given)
    assert ran.status == 0
    assert _refused(ran.out)


@pytest.mark.parametrize("reply", [b"", b"garbage\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n<html>", None])
def test_another_program_on_the_port_is_no_gate(
    program: Callable[..., Any], tmp_path: Path, reply: bytes | None
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        rendezvous = Rendezvous(tmp_path)
        rendezvous.announce(server.getsockname()[1])

        def serve() -> None:
            link, _ = server.accept()
            with link:
                link.recv(65536)
                if reply is not None:
                    link.sendall(reply)
                else:
                    in_time.append(over.wait(20))  # never answers

        over, in_time = threading.Event(), list[bool]()
        thread = threading.Thread(target=serve)
        thread.start()
        ran = program(
            *("hook", "codex", "--fail", "closed", "--hold", "0.2"),
            *("--gate-file", rendezvous.gate_file),
            stdin=json.dumps(CALL),
        )
        over.set()
        thread.join(10)
    assert ran.status == 0
    assert _refused(ran.out)
    assert all(in_time)  # it gave up by itself


def test_a_hook_imports_nothing_heavy() -> None:
    """What takes long to import; the time itself depends on the machine."""
    code = (
        "import sys; from jarvis_voice.cli import main; main(['hook', 'codex']);"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=b"{}", capture_output=True, check=True, timeout=60
    )
    loaded = set(done.stderr.decode().split())
    assert "jarvis_voice.runtimes.codex" in loaded
    heavy = {"aiohttp", "numpy", "pydantic", "asyncio", "http.client", "ssl", "onnxruntime"}
    assert loaded & heavy == set()
