"""Agent programs, and recordings of them, behind the gate that ``jarvis attach`` sets up."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench import recorded_openclaw
from bench.model_scripts import Turn
from bench.model_server import ModelRequest, ModelServer
from bench.real_agents import Finished, Sandbox
from bench.recorded_openclaw import Replayed
from jarvis_voice.attention.desk import Desk
from jarvis_voice.boundary import ProposedAction, Ruling
from jarvis_voice.clock import session_now
from jarvis_voice.runtimes import RUNTIMES
from jarvis_voice.wire.gate_server import Ears, GateServer, Runtime
from jarvis_voice.wire.rendezvous import Rendezvous
from jarvis_voice.wire.settings import GateSettings

THINKING_S = 0.4  # of the model before each answer; real ones take longer
WITHIN_S = 120.0  # for the whole run of an agent
AFTER_S = 585.0  # that a hook after a call waits for the gate, and the runtime a little longer

Review = Callable[[ProposedAction], Awaitable[Ruling]]


def _nothing(_runtime: str, _payload: dict[str, Any]) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, slots=True)
class Jarvis:
    """What stands behind the gate."""

    review: Review
    observe: Callable[[str, dict[str, Any]], None] = _nothing


@dataclass(frozen=True, slots=True)
class Dialogue:
    """What the user asks of an agent, and what its model says to that, turn by turn."""

    prompt: str
    turns: Sequence[Turn]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run."""

    finished: Finished
    requests: list[ModelRequest]
    rulings: dict[str, Ruled]  # by call


@dataclass(frozen=True, slots=True)
class Ruled:
    """A ruling and when it was asked for and given, in session time."""

    ruling: Ruling
    asked_s: float
    given_s: float

    @property
    def took_s(self) -> float:
        """How long the agent waited for it."""
        return self.given_s - self.asked_s


def watched(desk: Desk) -> Jarvis:
    """The desk, told of the ends of batches."""

    def observe(_runtime: str, payload: dict[str, Any]) -> None:
        if payload.get("hook_event_name") == "PostToolBatch":
            desk.batch_ended(str(payload.get("session_id")))

    return Jarvis(desk.review, observe)


async def gated(
    name: str, sandbox: Sandbox, dialogue: Dialogue, jarvis: Jarvis, *options: str
) -> Outcome:
    """Let the agent follow the script behind the gate; ``options`` are those of ``attach``.

    Raises TimeoutError when the agent does not come to its end.
    """
    rulings: dict[str, Ruled] = {}

    async def timed(action: ProposedAction) -> Ruling:
        asked_s = session_now()
        ruling = await jarvis.review(action)
        rulings[action.action_id] = Ruled(ruling, asked_s, session_now())
        return ruling

    async with (
        ModelServer(dialogue.turns, THINKING_S) as model,
        gate(sandbox, replace(jarvis, review=timed)),
    ):
        await attach(name, sandbox, *options)
        finished = await sandbox.run(name, dialogue.prompt, model.url, WITHIN_S)
        return Outcome(finished, model.requests, rulings)


async def replayed(samples: Path, sandbox: Sandbox, jarvis: Jarvis) -> Replayed:
    """Play the recorded OpenClaw run behind the gate, through the attached plugin."""
    async with gate(sandbox, jarvis):
        await attach("openclaw", sandbox)
        return await recorded_openclaw.replay(samples, sandbox)


@contextlib.asynccontextmanager
async def gate(
    sandbox: Sandbox, jarvis: Jarvis, runtimes: Mapping[str, Runtime] = RUNTIMES
) -> AsyncIterator[GateServer]:
    """The gate of a running Jarvis, where hooks of the sandbox find it."""
    rendezvous = Rendezvous(sandbox.state)
    ears = Ears(observe=jarvis.observe)
    server = GateServer(jarvis.review, ears, GateSettings(port=0), runtimes, rendezvous.token())
    async with server:
        rendezvous.announce(server.port)
        try:
            yield server
        finally:
            rendezvous.withdraw()


async def attach(name: str, sandbox: Sandbox, *options: str) -> str:
    """Run ``jarvis attach`` in the sandbox; returns what it says. Raises RuntimeError."""
    words = ["-m", "jarvis_voice", "attach", name, "--yes", "--state", str(sandbox.state)]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *words,
        *options,
        env=sandbox.variables(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"jarvis attach {name} failed: {err.decode()}")
    return out.decode()


def be_patient(name: str, sandbox: Sandbox, events: Sequence[str]) -> None:
    """Let these hooks of an attached runtime wait for a ruling, as the one before a call does.

    ``jarvis attach`` gives them seconds, since they only tell something.
    """
    files = {
        "claude-code": sandbox.claude_home / "settings.json",
        "codex": sandbox.codex_home / "hooks.json",
    }
    document = json.loads(files[name].read_text("utf-8"))
    for event in events:
        for group in document["hooks"].get(event, ()):
            for hook in group["hooks"]:
                hook["timeout"] = round(AFTER_S + 15)
                if "command" in hook:
                    hook["command"] = re.sub(r"--hold \S+", f"--hold {AFTER_S:g}", hook["command"])
    files[name].write_text(json.dumps(document, indent=2), "utf-8")
