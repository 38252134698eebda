"""The real Claude Code and Codex, in a home of their own, against a scripted model on loopback.

``Sandbox`` is that home: no setting, key or session of the user is read or written, and the
programs' own reporting is off. With a scripted model every proxy points to a closed port, so that
nothing but loopback is reached. Seen to work with Claude Code 2.1.332 and Codex 0.171.0 (Linux).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bench.errors import RuntimeMissing
from jarvis_voice.clock import session_now

NOWHERE = "http://127.0.0.1:9"  # the discard port: refused at once
KEY = "scripted"  # both programs want a key; nobody checks it
KILL_S = 5.0
VERSION_S = 20.0  # for the program to say its version

_VARIABLES = {"claude-code": ("JARVIS_CLAUDE", "claude"), "codex": ("JARVIS_CODEX", "codex")}
_PACKAGES = {"claude-code": "@anthropic-ai/claude-code", "codex": "@openai/codex"}
NAMES = tuple(_VARIABLES)

_CODEX = """\
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
"""


def environment() -> dict[str, str]:
    """The user's own variables; no program gets to see more of them than it is given."""
    return dict(os.environ)


def program(name: str) -> Path | None:
    """The agent program: where JARVIS_CLAUDE or JARVIS_CODEX says, else on the PATH."""
    variable, command = _VARIABLES[name]
    found = os.environ.get(variable) or shutil.which(command)
    return Path(found) if found and Path(found).exists() else None


def missing(name: str) -> str:
    """One sentence on how to get a program that was not found."""
    variable, command = _VARIABLES[name]
    return f"{command} is not installed; {variable} may name it, else it must be on the PATH"


def check_installed(name: str) -> None:
    """Raises RuntimeMissing, which says how to get it, when there is no such program."""
    variable, words = _VARIABLES[name]
    if program(name) is None:
        raise RuntimeMissing(
            f"{name} is not installed, so it cannot work.",
            f"Install it with 'npm install -g {_PACKAGES[name]}' so that {words} is on the PATH, "
            f"or name the program in {variable}.",
        )


def version(name: str) -> str:
    """What the program says of its version; empty when it says nothing."""
    found = program(name)
    if found is None:
        return ""
    try:
        answer = subprocess.run(
            [str(found), "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.decode("utf-8", "replace").strip()[:100] if not answer.returncode else ""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run of a program ended."""

    status: int
    lines: tuple[dict[str, Any], ...]  # its JSON output
    errors: str  # what it wrote to standard error
    took_s: float


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A home and a project of their own below ``folder``."""

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> Sandbox:
        """Make the folders."""
        sandbox = cls(folder)
        for made in (sandbox.project, sandbox.claude_home, sandbox.codex_home, sandbox.state):
            made.mkdir(parents=True)
        return sandbox

    @property
    def home(self) -> Path:
        """The agent's user has nothing else."""
        return self.folder / "home"

    @property
    def project(self) -> Path:
        """Where the agent works."""
        return self.folder / "project"

    @property
    def claude_home(self) -> Path:
        """Claude Code's settings and transcripts."""
        return self.home / ".claude"

    @property
    def codex_home(self) -> Path:
        """Codex's settings and rollouts."""
        return self.home / ".codex"

    @property
    def state(self) -> Path:
        """Jarvis's own state."""
        return self.folder / "state"

    def private(self) -> dict[str, str]:
        """What any program needs to stay in here, with whatever model."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.claude_home),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            "CODEX_HOME": str(self.codex_home),
        }

    def variables(self, model_url: str = NOWHERE) -> dict[str, str]:
        """All that the programs get to see of the environment, with a scripted model."""
        proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), NOWHERE)
        return {
            **self.private(),
            "NO_PROXY": "127.0.0.1,localhost",
            "ANTHROPIC_BASE_URL": model_url,
            "ANTHROPIC_API_KEY": KEY,
            "SCRIPTED_KEY": KEY,
            **proxies,
        }

    def transcripts(self, name: str) -> list[Path]:
        """The files in which the agent itself writes down its runs, those of its children too."""
        folder = self.claude_home / "projects" if name == "claude-code" else self.codex_home
        return sorted(folder.rglob("*.jsonl"))

    def record(self, name: str) -> str:
        """What stands in them."""
        return "\n".join(file.read_text("utf-8", "replace") for file in self.transcripts(name))

    async def run(self, name: str, prompt: str, model_url: str, within_s: float) -> Finished:
        """Let the agent do what the prompt says. Raises TimeoutError when it takes longer.

        Codex runs with its trust in new hooks bypassed: a user would confirm them in ``/hooks``.
        """
        if name == "codex":
            (self.codex_home / "config.toml").write_text(_CODEX.format(url=model_url), "utf-8")
        began_s = session_now()
        async with started(
            command(name, prompt), self.project, self.variables(model_url)
        ) as process:
            async with asyncio.timeout(within_s):
                out, err = await process.communicate()
        lines = json_lines(out)
        errors = err.decode("utf-8", "replace")
        return Finished(process.returncode or 0, lines, errors, session_now() - began_s)


def command(name: str, prompt: str) -> list[str]:
    """The command line that lets a program do what the prompt says, its news as JSON lines.

    Raises FileNotFoundError when there is no such program.
    """
    found = program(name)
    if found is None:
        raise FileNotFoundError(missing(name))
    if name == "codex":
        words = ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
    else:
        words = ["--print", "--output-format", "stream-json", "--verbose"]
        words += ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Write,Edit"]
        words += ["--"]  # the list of tools would take the prompt for one of them
    return [str(found), *words, prompt]


def json_lines(output: bytes) -> tuple[dict[str, Any], ...]:
    """The JSON objects among the lines of an output."""
    found = []
    for line in output.splitlines():
        with contextlib.suppress(ValueError):
            value = json.loads(line) if line.startswith(b"{") else None
            if isinstance(value, dict):
                found.append(value)
    return tuple(found)


@contextlib.asynccontextmanager
async def started(
    words: list[str],
    folder: Path,
    environ: Mapping[str, str],
    out: IO[bytes] | int = asyncio.subprocess.PIPE,
    err: IO[bytes] | int = asyncio.subprocess.PIPE,
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process that does not outlive the block, and neither does what it has started itself."""
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=folder,
        env=environ,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), KILL_S)
            except TimeoutError:
                process.kill()
                await process.wait()
        if hasattr(os, "killpg"):  # Windows has no process groups
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
