"""The attention service as it is shipped, with a user who is asked and answers aloud."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bench.voice_room import VoiceRoom
from jarvis_voice.attention.desk import Desk
from jarvis_voice.attention.desk_settings import DeskSettings, Outside
from jarvis_voice.attention.policy import Candidate, Decision, EmbeddedPolicy, Policy
from jarvis_voice.attention.store import AttentionStore
from jarvis_voice.boundary import AttentionRequest
from jarvis_voice.brain.brain import NarratorBrain
from jarvis_voice.cli.asking import Asking
from jarvis_voice.cli.build import Engines
from jarvis_voice.cli.steering import SteeringBrain
from jarvis_voice.clock import unix_now
from jarvis_voice.events import AgentSpeechStopped, TurnCommitted
from jarvis_voice.runs.watcher import RunWatcher

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
    runs = RunWatcher(lambda change: None)
    brain = SteeringBrain(NarratorBrain(runs), desk, runs, lambda text: asking.tell(text))
    voice = VoiceRoom(brain, engines, brain.observe)
    asking = Asking(desk, voice, brain, runs)
    asking.start()
    put = desk.on_ask

    def ask(request: AttentionRequest) -> None:
        asked.append(request)
        put(request)

    async def converse() -> None:
        await voice.heard(AgentSpeechStopped, 1)
        await asyncio.sleep(LISTENS_S)
        voice.user_says(answer)
        await voice.heard(AgentSpeechStopped, 2)

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
            asking.close()
            voice.close()
    return done, Talk(asked, voice, await asyncio.to_thread(voice.jarvis_said))
