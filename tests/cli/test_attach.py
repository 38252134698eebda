"""``jarvis attach`` changes only what it says, proves the hold, and ``jarvis detach`` undoes it."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.runtimes import RUNTIMES
from jarvis_voice.runtimes.attach import NAMES
from jarvis_voice.wire import canary
from jarvis_voice.wire.rendezvous import Rendezvous

SETTINGS = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
    "openhands": ".openhands/hooks.json",
    "openclaw": ".openclaw/openclaw.json",
}
OTHERS = (
    '{\n\t"theme": "dark",\n\t"hooks": '
    '{"Stop": [{"hooks": [{"type": "command", "command": "ls"}]}]}}'
)

Attach = Callable[..., Any]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("JARVIS_GATE_PORT", str(_free_port()))
    return folder


@pytest.fixture
def attach(home: Path, tmp_path: Path, jarvis: Callable[..., Any]) -> Attach:
    """Run attach or detach without being asked, with the state in a folder of the test."""

    def call(command: str, *words: object) -> Any:
        return jarvis(command, *words, "--yes", "--state", tmp_path / "state")

    return call


def _tree(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder: a file's bytes, None for a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_fresh_runtime_is_attached_proven_and_left_without_a_trace(
    name: str, home: Path, attach: Attach
) -> None:
    attached = attach("attach", name, "--fail", "closed")
    assert attached.status == 0, attached
    assert re.search(r"held for \d+\.\d", attached.out)
    assert f"attached: {name}" in attached.out
    if shutil.which("node") is None and name in ("openclaw", "opencode"):
        assert "was not run" in attached.out
    assert _tree(home) != {}
    detached = attach("detach", name)
    assert detached.status == 0
    assert _tree(home) == {}


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_others_settings_survive_and_come_back_byte_for_byte(
    name: str, home: Path, attach: Attach
) -> None:
    path = home / SETTINGS[name]
    path.parent.mkdir()
    path.write_text(OTHERS, encoding="utf-8")
    path.chmod(0o644)
    before = _tree(home)
    assert attach("attach", name).status == 0
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["theme"] == "dark"
    assert document["hooks"]["Stop"][0]["hooks"][0]["command"] == "ls"
    assert attach("detach", name).status == 0
    assert _tree(home) == before
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize("name", ["claude-code", "codex", "cursor"])
def test_attaching_twice_is_attaching_once(name: str, home: Path, attach: Attach) -> None:
    path = home / SETTINGS[name]
    path.parent.mkdir()
    path.write_text(OTHERS, encoding="utf-8")
    attach("attach", name, "--fail", "open")
    once = path.read_bytes()
    again = attach("attach", name, "--fail", "open")
    assert again.status == 0
    assert "+++" not in again.out
    assert path.read_bytes() == once
    attach("attach", name, "--fail", "closed", "--hold", "60")
    assert path.read_bytes() != once
    assert path.read_bytes().count(b"--hold 75" if name != "claude-code" else b"hold=60") == 1
    attach("detach", name)
    assert path.read_text(encoding="utf-8") == OTHERS


@pytest.mark.parametrize("name", ["claude-code", "codex", "openclaw"])
def test_changes_made_since_are_kept_and_only_ours_go(
    name: str, home: Path, attach: Attach
) -> None:
    attach("attach", name)
    path = home / SETTINGS[name]
    document = json.loads(path.read_text(encoding="utf-8"))
    document["added"] = {"since": True}
    path.write_text(json.dumps(document), encoding="utf-8")
    if name != "openclaw":
        assert attach("attach", name, "--hold", "99").status == 0  # and once more on top
    assert attach("detach", name).status == 0
    assert json.loads(path.read_text(encoding="utf-8")) == {"added": {"since": True}}


@pytest.mark.parametrize("content", ["{ // a comment\n}", "[]", "{", '{"hooks": []}'])
def test_settings_that_cannot_be_extended_are_left_alone(
    home: Path, attach: Attach, content: str
) -> None:
    path = home / SETTINGS["codex"]
    path.parent.mkdir()
    path.write_text(content, encoding="utf-8")
    attach("attach", "codex").refused()
    assert path.read_text(encoding="utf-8") == content


@pytest.mark.parametrize(
    "content",
    ['{"disableAllHooks": true}', '{"allowedHttpHookUrls": ["https://hooks.example.com/*"]}'],
)
def test_claude_code_settings_that_forbid_our_hooks_are_named(
    home: Path, attach: Attach, content: str
) -> None:
    path = home / SETTINGS["claude-code"]
    path.parent.mkdir()
    path.write_text(content, encoding="utf-8")
    assert "hook" in attach("attach", "claude-code").refused().lower()
    assert path.read_text(encoding="utf-8") == content


def test_claude_code_gets_http_hooks_that_block_when_failing_closed(
    home: Path, attach: Attach
) -> None:
    attach("attach", "claude-code", "--fail", "closed")
    path = home / SETTINGS["claude-code"]
    hooks = json.loads(path.read_text(encoding="utf-8"))["hooks"]
    [gated] = hooks["PreToolUse"]
    [hook] = gated["hooks"]
    assert gated["matcher"] == "*"
    assert (hook["type"], hook["onFailure"], hook["timeout"]) == ("http", "block", 600)
    assert "fail=closed" in hook["url"]
    assert float(hook["url"].rpartition("hold=")[2]) < hook["timeout"]
    assert hooks["SessionStart"][0]["hooks"][0]["type"] == "command"
    assert "onFailure" not in hooks["PostToolUse"][0]["hooks"][0]
    assert "PostToolBatch" in hooks
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600  # the token is in it


def test_a_project_gets_its_own_settings(home: Path, tmp_path: Path, attach: Attach) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    done = attach("attach", "claude-code", "--project", project)
    assert done.status == 0
    assert list(_tree(project)) == [".claude", ".claude/settings.local.json"]
    assert _tree(home) == {}
    attach("detach", "claude-code", "--project", project)
    assert _tree(project) == {}
    attach("attach", "openclaw", "--project", project).refused()


def test_the_secret_is_not_shown(home: Path, tmp_path: Path, attach: Attach) -> None:
    done = attach("attach", "claude-code")
    token = (tmp_path / "state" / "gate-token").read_text(encoding="ascii")
    assert token not in done.out + done.err
    assert token in (home / SETTINGS["claude-code"]).read_text(encoding="utf-8")


def test_a_failed_proof_puts_everything_back(
    home: Path, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home / SETTINGS["claude-code"]
    path.parent.mkdir()
    path.write_text(OTHERS, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as other:  # another program has the port
        monkeypatch.setenv("JARVIS_GATE_PORT", str(other.getsockname()[1]))
        done = attach("attach", "claude-code")
    assert done.status == 1
    assert "attached:" not in done.out
    assert "as they were" in done.err
    assert path.read_text(encoding="utf-8") == OTHERS


def test_a_running_jarvis_is_used_as_it_is(
    home: Path, tmp_path: Path, attach: Attach, running_gate: Callable[..., Any]
) -> None:
    seen: list[Any] = []
    state = tmp_path / "state"
    with running_gate(state, Ruling(Verdict.ALLOW), seen, []) as port:
        done = attach("attach", "claude-code")
        assert done.status == 0, done
        assert f":{port}/gate/claude-code" in (home / SETTINGS["claude-code"]).read_text("utf-8")
        assert (
            f"only for now; the setting gate.port is {os.environ['JARVIS_GATE_PORT']}" in done.out
        )
        assert attach("attach", "codex").status == 0
    assert seen == []  # nobody was bothered with the test calls


def test_an_address_left_by_a_crash_is_not_used(home: Path, tmp_path: Path, attach: Attach) -> None:
    Rendezvous(tmp_path / "state").announce(_free_port())
    assert attach("attach", "claude-code").status == 0
    url = f":{os.environ['JARVIS_GATE_PORT']}/gate/claude-code"
    assert url in (home / SETTINGS["claude-code"]).read_text("utf-8")


@contextmanager
def _impostor(state: Path, *, refuses: bool) -> Iterator[None]:
    """A program that says it is the gate, and allows test calls or refuses them at once."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({"service": "jarvis-gate"})

        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            runtime = RUNTIMES["claude-code"]
            action = runtime.proposed(payload, 0.0)
            assert action is not None
            ruling = canary.ruling(action) if refuses else Ruling(Verdict.ALLOW)
            self._answer(runtime.reply(payload, ruling))

        def _answer(self, document: dict[str, Any]) -> None:
            body = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Rendezvous(state).announce(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join(10)


@pytest.mark.parametrize(("refuses", "said"), [(False, "was not refused"), (True, "not held")])
def test_a_call_that_is_not_held_and_refused_proves_nothing(
    home: Path, tmp_path: Path, attach: Attach, refuses: bool, said: str
) -> None:
    with _impostor(tmp_path / "state", refuses=refuses):
        done = attach("attach", "claude-code")
    assert done.status == 1
    assert said in done.err
    assert "attached:" not in done.out
    assert _tree(home) == {}


def test_nothing_is_written_before_it_is_agreed(
    home: Path, tmp_path: Path, jarvis: Callable[..., Any]
) -> None:
    done = jarvis("attach", "codex", "--state", tmp_path / "state")  # no terminal, no --yes
    assert done.status == 2
    assert "--yes" in done.err
    dry = jarvis("attach", "codex", "--state", tmp_path / "state", "--dry-run")
    assert "+++" in dry.out
    printed = jarvis("attach", "codex", "--state", tmp_path / "state", "--print")
    assert json.loads(printed.out.partition("\n")[2])["hooks"]["PreToolUse"]
    assert _tree(home) == {}


@pytest.mark.parametrize("words", [("--hold", "601"), ("--hold", "0"), ("--hold", "nan")])
def test_a_hold_longer_than_the_runtime_waits_is_refused(
    attach: Attach, words: tuple[str, ...]
) -> None:
    attach("attach", "codex", *words).refused(2)


def test_detaching_what_is_not_attached_says_so(attach: Attach, home: Path) -> None:
    done = attach("detach", "gemini")
    assert done.status == 0
    assert "not attached" in done.out
    assert _tree(home) == {}


@pytest.mark.skipif(os.name != "posix", reason="links need no rights on POSIX only")
def test_a_link_to_settings_stays_a_link(home: Path, tmp_path: Path, attach: Attach) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}\n", encoding="utf-8")
    path = home / SETTINGS["codex"]
    path.parent.mkdir()
    path.symlink_to(real)
    attach("attach", "codex")
    assert path.is_symlink()
    assert "PreToolUse" in real.read_text(encoding="utf-8")
    attach("detach", "codex")
    assert real.read_text(encoding="utf-8") == "{}\n"
