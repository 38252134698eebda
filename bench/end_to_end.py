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
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.model_scripts import Call, Turn, turn
from bench.model_server import ModelRequest, ModelServer
from bench.real_agents import Finished, Sandbox
from bench.voice_room import VoiceRoom
from jarvis_voice.attention.desk import Desk
from jarvis_voice.attention.desk_settings import DeskSettings, Outside
from jarvis_voice.attention.outcome import read_back
from jarvis_voice.attention.policy import EmbeddedPolicy
from jarvis_voice.attention.store import AttentionStore
from jarvis_voice.boundary import (
    AnswerKind,
    AttentionRequest,
    ProposedAction,
    Ruling,
    UserAnswer,
    Verdict,
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

PROMPT = "Choose a hosting vendor and write down the decision."
RECORD = '{"choice": "Vendor B", "question_for_requester": "May it cost more than 500 dollars?"}'
NOTES = "Vendor A: 450 dollars. Vendor B: 700 dollars.\n"
ANSWER = "No, stay below five hundred dollars."
DECIDED = '{"choice": "Vendor A"}'
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
    """A brain that takes what the user says for a refusal with guidance, and reads it back."""

    name = "listening"

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.answered = ""  # the request that the user answered

    async def reply(self, question: Question) -> AsyncIterator[str]:
        """The read-back."""
        answer = self._answer(question)
        yield read_back(answer).line if answer is not None else "Nothing waits for you."

    def committed(self, question: Question) -> bool:
        """Hand the answer on."""
        answer = self._answer(question)
        if answer is None:
            return False
        self.answered = answer.request_id
        return self._desk.answer(answer).applied

    def versions(self) -> dict[str, int]:
        """It tells about no run."""
        return {}

    def _answer(self, question: Question) -> UserAnswer | None:
        for request in self._desk.open_requests():
            words = question.text
            return UserAnswer(request.request_id, AnswerKind.WORDS, Verdict.DENY, words, unix_now())
        return None


def open_desk(store: AttentionStore) -> Desk:
    """The desk as it is shipped, over this store."""
    outside = Outside(unix_now, minute_of_day=lambda: 12 * 60, nonce=lambda: secrets.token_hex(16))
    desk = Desk(EmbeddedPolicy(), store, DeskSettings(), outside)
    desk.start()
    return desk


@dataclass(slots=True)
class Outcome:
    """All that came of a scene."""

    finished: Finished
    requests: list[ModelRequest]
    rulings: dict[str, Ruled] = field(default_factory=dict)  # by call
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


async def scene(
    name: str, sandbox: Sandbox, desk: Desk, engines: Engines, answer: NDArray[np.float32]
) -> Outcome:
    """Play it once, with the user's ``answer`` spoken. Raises as ``gated`` does."""
    asked: list[AttentionRequest] = []
    brain = Listening(desk)
    voice = VoiceRoom(brain, engines)

    def ask(request: AttentionRequest) -> None:
        def put(_how: Heard, _words: str) -> None:
            desk.asked(request.request_id)

        asked.append(request)
        voice.speak_up(Notice(request.request_id, request.question, put))

    async def converse() -> None:
        """The user hears the question out, answers it, and hears the read-back."""
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
            turns = script(name, sandbox.project)
            outcome = await gated(name, sandbox, turns, behind_gate(desk))
        finally:
            user.cancel()
            voice.close()
    for run_id in tuple(desk.state.sessions):
        desk.note_guidance_seen(run_id, sandbox.record(name))
    outcome.asked, outcome.events = asked, voice.events
    outcome.jarvis_said = await asyncio.to_thread(voice.jarvis_said)
    voice.keep(sandbox.folder / "conversation.wav")
    return outcome
