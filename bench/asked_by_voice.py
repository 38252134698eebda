"""The attention service as it is shipped, with a user who is asked and answers aloud."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bench.voice_room import VoiceRoom
from jarvis_voice.attention.decisions import Answered
from jarvis_voice.attention.desk import Desk
from jarvis_voice.attention.desk_settings import DeskSettings, Outside
from jarvis_voice.attention.dialogue import Table, understand
from jarvis_voice.attention.outcome import read_back
from jarvis_voice.attention.policy import Candidate, Decision, EmbeddedPolicy, Policy
from jarvis_voice.attention.store import AttentionStore
from jarvis_voice.boundary import AttentionRequest, UserAnswer
from jarvis_voice.cli.build import Engines
from jarvis_voice.clock import unix_now
from jarvis_voice.conversation import Heard, Notice
from jarvis_voice.events import AgentSpeechStopped, Question, TurnCommitted

T = TypeVar("T")

HEARS_OUT_S = 30.0  # the user hears the read-back to its end, though the agent has gone on
LISTENS_S = 0.6  # the user hears the question out and then a moment longer


def open_desk(store: AttentionStore, policy: Policy | None = None) -> Desk:
    """The desk as it is shipped, over this store."""
    outside = Outside(unix_now, minute_of_day=lambda: 12 * 60, nonce=lambda: secrets.token_hex(16))
    desk = Desk(policy or EmbeddedPolicy(), store, DeskSettings(), outside)
    desk.start()
    return desk


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


@dataclass(frozen=True, slots=True)
class Talk:
    """What was said."""

    asked: list[AttentionRequest]
    room: VoiceRoom
    jarvis_said: str  # what a listener understands of Jarvis's side of the recording

    @property
    def user_said(self) -> list[str]:
        """What was recognized, turn by turn."""
        return [event.text for event in self.room.events if isinstance(event, TurnCommitted)]


async def by_voice(
    desk: Desk, engines: Engines, answer: NDArray[np.float32], work: Coroutine[Any, Any, T]
) -> tuple[T, Talk]:
    """Let the work be done while Jarvis asks and the user answers once, both aloud."""
    asked: list[AttentionRequest] = []
    brain = Listening(desk)
    voice = VoiceRoom(brain, engines)

    def ask(request: AttentionRequest) -> None:
        def put(_how: Heard, _words: str) -> None:
            brain.put = request
            desk.asked(request.request_id)

        asked.append(request)
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
    return done, Talk(asked, voice, await asyncio.to_thread(voice.jarvis_said))
