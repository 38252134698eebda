"""The real Claude Code and Codex, in a home of their own, against a scripted model on loopback.

``Sandbox`` is that home: no setting, key or session of the user is read or written, every proxy
points to a closed port, and the programs' own reporting is off, so nothing but loopback is reached.
Seen to work with Claude Code 2.1.332 and Codex 0.171.0 (Linux).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jarvis_voice.clock import session_now

NOWHERE = "http://127.0.0.1:9"  # the discard port: refused at once
KEY = "scripted"  # both programs want a key; nobody checks it
KILL_S = 5.0

_VARIABLES = {"claude-code": ("JARVIS_CLAUDE", "claude"), "codex": ("JARVIS_CODEX", "codex")}
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


def program(name: str) -> Path | None:
    """The agent program: where JARVIS_CLAUDE or JARVIS_CODEX says, else on the PATH."""
    variable, command = _VARIABLES[name]
    found = os.environ.get(variable) or shutil.which(command)
    return Path(found) if found and Path(found).exists() else None


def missing(name: str) -> str:
    """One sentence on how to get a program that was not found."""
    variable, command = _VARIABLES[name]
    return f"{command} is not installed; {variable} may name it, else it must be on the PATH"


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

    def variables(self, model_url: str = NOWHERE) -> dict[str, str]:
        """All that the programs get to see of the environment."""
        proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), NOWHERE)
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home),
            "NO_PROXY": "127.0.0.1,localhost",
            "CLAUDE_CONFIG_DIR": str(self.claude_home),
            "ANTHROPIC_BASE_URL": model_url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            "CODEX_HOME": str(self.codex_home),
            "SCRIPTED_KEY": KEY,
            **proxies,
        }

    def record(self, name: str) -> str:
        """What the agent itself has written down of its runs."""
        folder = self.claude_home / "projects" if name == "claude-code" else self.codex_home
        files = sorted(folder.rglob("*.jsonl"))
        return "\n".join(file.read_text("utf-8", "replace") for file in files)

    async def run(self, name: str, prompt: str, model_url: str, within_s: float) -> Finished:
        """Let the agent do what the prompt says. Raises TimeoutError when it takes longer.

        Codex runs with its trust in new hooks bypassed: a user would confirm them in ``/hooks``.
        """
        found = program(name)
        if found is None:
            raise FileNotFoundError(missing(name))
        if name == "codex":
            (self.codex_home / "config.toml").write_text(_CODEX.format(url=model_url), "utf-8")
            words = ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
        else:
            words = ["--print", "--output-format", "stream-json", "--verbose"]
            words += ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Write,Edit"]
            words += ["--"]  # the list of tools would take the prompt for one of them
        began_s = session_now()
        command = [str(found), *words, prompt]
        async with _started(command, self.project, self.variables(model_url)) as process:
            async with asyncio.timeout(within_s):
                out, err = await process.communicate()
        lines = tuple(json.loads(line) for line in out.splitlines() if line.startswith(b"{"))
        errors = err.decode("utf-8", "replace")
        return Finished(process.returncode or 0, lines, errors, session_now() - began_s)


@contextlib.asynccontextmanager
async def _started(
    command: list[str], folder: Path, environ: Mapping[str, str]
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process that does not outlive the block."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=environ,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
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
