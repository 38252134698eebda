"""A decision brought to the user by voice in the middle of a real agent's run, from end to end.

    python -m bench.end_to_end [claude-code] [codex] [openclaw] [--keep FOLDER]

The agent takes notes, then wants to write its final record although a question to its requester is
open in it, and that twice in one breath. Jarvis holds the write, asks, hears "no" and what
to do instead, and has the call refused with exactly that. The agent's model is a script on
loopback: what it is told in its very next request is what came of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bench import recorded_openclaw
from bench.model_scripts import Call, Turn, turn
from bench.model_server import ModelRequest, ModelServer
from bench.real_agents import Finished, Sandbox
from bench.recorded_openclaw import Replayed
from bench.voice_room import VoiceRoom
from jarvis_voice.attention.decisions import Answered
from jarvis_voice.attention.desk import Desk
from jarvis_voice.attention.desk_settings import DeskSettings, Outside
from jarvis_voice.attention.dialogue import Table, understand
from jarvis_voice.attention.outcome import read_back
from jarvis_voice.attention.policy import Candidate, Decision, EmbeddedPolicy, Policy
from jarvis_voice.attention.store import AttentionStore
from jarvis_voice.boundary import (
    AttentionRequest,
    ProposedAction,
    Ruling,
    UserAnswer,
)
from jarvis_voice.cli.build import Engines
from jarvis_voice.clock import session_now, unix_now
from jarvis_voice.conversation import Heard, Notice
from jarvis_voice.events import (
    AgentSpeechStopped,
    ConversationEvent,
    Question,
    TurnCommitted,
)
from jarvis_voice.runtimes import RUNTIMES
from jarvis_voice.wire.gate_server import Ears, GateServer
from jarvis_voice.wire.rendezvous import Rendezvous
from jarvis_voice.wire.settings import GateSettings

T = TypeVar("T")

PROMPT = "Choose a hosting vendor and write down the decision."
RECORD = '{"choice": "Vendor B", "question_for_requester": "May it cost more than 500 dollars?"}'
NOTES = "Vendor A: 450 dollars. Vendor B: 700 dollars.\n"
ANSWER = "No, stay below five hundred dollars."
ELSEWHERE = "No, put it into the second folder instead."
DECIDED = '{"choice": "Vendor A"}'
HEARS_OUT_S = 30.0  # the user hears the read-back to its end, though the agent has gone on
LISTENS_S = 0.6  # the user hears the question out and then a moment longer
THINKING_S = 0.4  # of the model before each answer; real ones take longer
WITHIN_S = 120.0  # for the whole run of the agent


def _claude_write(call_id: str, project: Path, path: str, content: str) -> Call:
    return Call(call_id, "Write", {"file_path": str(project / path), "content": content})


def _codex_write(call_id: str, _project: Path, path: str, content: str) -> Call:
    folder = str(Path(path).parent)
    command = f"mkdir -p {folder} && cat > {path} <<'END'\n{content.rstrip()}\nEND"
    return Call(call_id, "exec_command", {"cmd": command})


Review = Callable[[ProposedAction], Awaitable[Ruling]]


def _nothing(_runtime: str, _payload: dict[str, Any]) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, slots=True)
class Jarvis:
    """What stands behind the gate."""

    review: Review
    observe: Callable[[str, dict[str, Any]], None] = _nothing


WRITE = {"claude-code": _claude_write, "codex": _codex_write}


def script(name: str, project: Path) -> list[Turn]:
    """What the agent's model says, turn by turn."""
    write = WRITE[name]
    return [
        turn("I take notes first.", write("call_notes", project, "notes.md", NOTES)),
        turn(
            "Now the decision.",
            write("call_record", project, "results/final.json", RECORD),
            write("call_again", project, "results/final.json", RECORD),
        ),
        turn("Then so.", write("call_decided", project, "results/final.json", DECIDED)),
        turn("The decision is written down."),
    ]


class Listening:
    """A brain that understands answers to the question that was put, and nothing else."""

    name = "listening"

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.put: AttentionRequest | None = None
        self.answered = ""  # the request that the user answered

    async def reply(self, question: Question) -> AsyncIterator[str]:
        """The read-back."""
        answer = self._understood(question)
        yield read_back(answer).line if answer is not None else "I did not understand that."

    def committed(self, question: Question) -> bool:
        """Hand the answer on."""
        answer = self._understood(question)
        if answer is None:
            return False
        self.answered = answer.request_id
        return self._desk.answer(answer).applied

    def versions(self) -> dict[str, int]:
        """It tells about no run."""
        return {}

    def _understood(self, question: Question) -> UserAnswer | None:
        table = Table(self._desk.open_requests(), self.put, fresh=True)
        meant = understand(question.text, table)
        if not isinstance(meant, Answered):
            return None
        request_id = meant.request.request_id
        return UserAnswer(request_id, meant.kind, meant.verdict, meant.words, unix_now())


def open_desk(store: AttentionStore, policy: Policy | None = None) -> Desk:
    """The desk as it is shipped, over this store."""
    outside = Outside(unix_now, minute_of_day=lambda: 12 * 60, nonce=lambda: secrets.token_hex(16))
    desk = Desk(policy or EmbeddedPolicy(), store, DeskSettings(), outside)
    desk.start()
    return desk


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run."""

    finished: Finished
    requests: list[ModelRequest]
    rulings: dict[str, Ruled]  # by call


@dataclass(slots=True)
class Talk:
    """What was said meanwhile."""

    asked: list[AttentionRequest] = field(default_factory=list)
    events: list[ConversationEvent] = field(default_factory=list)
    jarvis_said: str = ""  # what a listener understands of Jarvis's side of the recording

    @property
    def user_said(self) -> list[str]:
        """What was recognized, turn by turn."""
        return [event.text for event in self.events if isinstance(event, TurnCommitted)]


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


async def attach(name: str, sandbox: Sandbox, *options: str) -> str:
    """Run ``jarvis attach`` in the sandbox; returns what it says. Raises RuntimeError."""
    words = ["-m", "jarvis_voice", "attach", name, "--yes", "--state", str(sandbox.state)]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *words,
        *options,
        env=sandbox.environ(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"jarvis attach {name} failed: {err.decode()}")
    return out.decode()


async def gated(
    name: str, sandbox: Sandbox, turns: Sequence[Turn], jarvis: Jarvis, *options: str
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
        ModelServer(turns, THINKING_S) as model,
        gate(sandbox, replace(jarvis, review=timed)),
    ):
        await attach(name, sandbox, *options)
        finished = await sandbox.run(name, PROMPT, model.url, WITHIN_S)
        return Outcome(finished, model.requests, rulings)


@contextlib.asynccontextmanager
async def gate(sandbox: Sandbox, jarvis: Jarvis) -> AsyncIterator[GateServer]:
    """The gate of a running Jarvis, where hooks of the sandbox find it."""
    rendezvous = Rendezvous(sandbox.state)
    ears = Ears(observe=jarvis.observe)
    server = GateServer(jarvis.review, ears, GateSettings(port=0), RUNTIMES, rendezvous.token())
    async with server:
        rendezvous.announce(server.port)
        try:
            yield server
        finally:
            rendezvous.withdraw()


def behind_gate(desk: Desk) -> Jarvis:
    """The desk, told of the ends of batches."""

    def observe(_runtime: str, payload: dict[str, Any]) -> None:
        if payload.get("hook_event_name") == "PostToolBatch":
            desk.batch_ended(str(payload.get("session_id")))

    return Jarvis(desk.review, observe)


async def replayed(samples: Path, sandbox: Sandbox, jarvis: Jarvis) -> Replayed:
    """Play the recorded OpenClaw run behind the gate, through the attached plugin."""
    async with gate(sandbox, jarvis):
        await attach("openclaw", sandbox)
        return await recorded_openclaw.replay(samples, sandbox)


class AboutFile:
    """Asks before a named file is written, as when a spec names another; else lets all go on."""

    def __init__(self, path: str, question: str) -> None:
        self._path = path
        self._question = question

    def decide(self, candidate: Candidate) -> Decision:
        """Ask about that file only."""
        if self._path not in candidate.action.files:
            return Decision(False)
        quote, why = self._path, "You named another place."
        return Decision(
            True, self._question, ("go ahead", "hold off"), why=why, quote=quote, topic=quote
        )


async def by_voice(
    desk: Desk, engines: Engines, answer: NDArray[np.float32], work: Coroutine[Any, Any, T]
) -> tuple[T, Talk]:
    """Let the work be done while Jarvis asks and the user answers once, both aloud."""
    talk, brain = Talk(), Listening(desk)
    voice = VoiceRoom(brain, engines)

    def ask(request: AttentionRequest) -> None:
        def put(_how: Heard, _words: str) -> None:
            brain.put = request
            desk.asked(request.request_id)

        talk.asked.append(request)
        voice.speak_up(Notice(request.request_id, request.question, put))

    async def converse() -> None:
        await voice.heard(AgentSpeechStopped, 1)
        await asyncio.sleep(LISTENS_S)
        voice.user_says(answer)
        await voice.heard(AgentSpeechStopped, 2)
        desk.read_back_ended(brain.answered)

    desk.on_ask = ask
    async with asyncio.TaskGroup() as group:
        group.create_task(voice.run())
        user = group.create_task(converse())
        try:
            done = await work
            async with asyncio.timeout(HEARS_OUT_S):
                await user
        finally:
            user.cancel()
            voice.close()
    talk.events = voice.events
    talk.jarvis_said = await asyncio.to_thread(voice.jarvis_said)
    return done, talk
