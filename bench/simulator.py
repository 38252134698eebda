"""Runs the app's own conversation headless: a room of files, scripted engines, virtual time.

A simulated conversation takes a moment and comes out the same each time. What is real: devices'
pace, echo path, near end, turn machine, phrasing, playback, dialogue. What is scripted: VAD (by
level), recognizer, synthesizer (tones) and, unless another one is given, the brain.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import Recognizer
from audio.asr.scripted import Reply, ScriptedRecognizer
from audio.controllers.base import TurnController
from audio.devices.base import CapturePort, PlaybackPort
from audio.devices.file_io import EchoPath, FileRoom
from audio.devices.reopen import DuplexDevices
from audio.echo.base import EchoCanceller
from audio.echo.bypass import Bypass
from audio.overlap_claim import ClaimJudge
from audio.tts.base import Synthesizer
from audio.tts.scripted import ScriptedSynthesizer
from audio.vad.base import SAMPLE_RATE, Vad
from audio.vad.scripted import EnergyVad
from jarvis_voice import events
from jarvis_voice.conversation import Brain, Conversation, ConversationSettings, Parts
from jarvis_voice.virtual_time import run_virtual

SPEECH_DBFS = -20.0
LIMIT_S = 300.0  # a simulation that has not ended by then is broken, unless it is said to be long


@dataclass(frozen=True, slots=True)
class Says:
    """The user speaks for ``duration_s``, after a moment given in one of three ways."""

    text: str  # what the recognizer will make of it; empty for a cough or a noise
    duration_s: float
    at_s: float | None = None  # of the conversation
    after_agent_started_s: float | None = None  # of the newest answer
    after_agent_stopped_s: float | None = None
    pauses: tuple[tuple[float, float], ...] = ()  # (from, to) silences within it, in its seconds


class ScriptedBrain:
    """Answers by the question's text; a question without an answer gets ``otherwise``."""

    name = "scripted"

    def __init__(self, answers: dict[str, str], otherwise: str = "I do not know.") -> None:
        self._answers = answers
        self._otherwise = otherwise
        self.asked: list[events.Question] = []  # every reply begun, also the abandoned ones
        self.settled: list[events.Question] = []  # the questions really asked

    async def reply(self, question: events.Question) -> AsyncIterator[str]:
        """Yield the answer in one piece."""
        self.asked.append(question)
        yield self._answers.get(question.text, self._otherwise)

    def versions(self) -> dict[str, int]:
        """No run is watched."""
        return {}

    def committed(self, question: events.Question) -> bool:
        """Note it; nothing is done."""
        self.settled.append(question)
        return False


@dataclass(slots=True)
class Stage:
    """How a simulation is set up; every part has a default."""

    brain: Brain = field(default_factory=lambda: ScriptedBrain({}))
    synthesizer: Synthesizer = field(default_factory=ScriptedSynthesizer)
    vad: Vad = field(default_factory=EnergyVad)
    settings: ConversationSettings = field(default_factory=ConversationSettings)
    echo: EchoPath | None = None
    canceller: EchoCanceller = field(default_factory=Bypass)
    noise_dbfs: float | None = None
    replies: Iterable[Reply] | None = None  # of the recognizer, instead of what the user says
    recognizer: Recognizer | None = None  # instead of the scripted one
    limit_s: float = LIMIT_S
    keep_s: float | None = None  # of the recording; all of it unless said
    claims: ClaimJudge | None = None  # who listens to the sound of speech over the agent
    controller: TurnController | None = None  # who judges the user's pauses
    reopens: bool = False  # a lost device is opened again once it is back
    observe: Callable[[events.ConversationEvent], None] = lambda event: None  # hears every event


@dataclass(frozen=True, slots=True)
class Simulated:
    """What came of a simulation."""

    seen: tuple[events.ConversationEvent, ...]
    history: tuple[events.Exchange, ...]
    sound: NDArray[np.float32]  # (n, 2) at 24 kHz: user left, agent right

    def of(self, kind: type[events.ConversationEvent]) -> list[Any]:
        """The events of one class, in order."""
        return [event for event in self.seen if isinstance(event, kind)]


class _RoomDevices:
    """A room's microphone and loudspeaker, as the system would list them."""

    def __init__(self, room: FileRoom) -> None:
        self._room = room

    def refresh(self) -> None:
        """A room's devices need no fresh look."""

    def captures(self, last: str | None) -> Sequence[CapturePort]:
        return [self._room.capture]

    def playbacks(self, last: str | None) -> Sequence[PlaybackPort]:
        return [self._room.playback]


class Simulation:
    """One conversation in the making; tests reach into it through ``room`` and ``conversation``."""

    def __init__(self, acts: Sequence[Says], stage: Stage) -> None:
        self._acts = acts
        keep_s = stage.limit_s if stage.keep_s is None else stage.keep_s
        self.room = FileRoom(echo=stage.echo, noise_dbfs=stage.noise_dbfs, keep_s=keep_s)
        self._limit_s = stage.limit_s
        self._observe = stage.observe
        self.seen: list[events.ConversationEvent] = []
        self._changed = asyncio.Event()
        replies = stage.replies or [Reply(act.text) for act in acts]
        keeper = DuplexDevices(_RoomDevices(self.room)) if stage.reopens else None
        parts = Parts(
            keeper.capture if keeper else self.room.capture,
            keeper.playback if keeper else self.room.playback,
            stage.canceller,
            stage.vad,
            stage.recognizer or ScriptedRecognizer(replies),
            stage.synthesizer,
            stage.brain,
            keeper,
            claims=stage.claims,
            controller=stage.controller,
        )
        self.conversation = Conversation(parts, stage.settings, self._notice)

    async def run(self, during: Callable[[Simulation], Coroutine[Any, Any, None]] | None) -> None:
        """Hold the conversation to its end: all acts done, nothing open, nothing sounding."""
        async with asyncio.timeout(self._limit_s), asyncio.TaskGroup() as group:
            group.create_task(self.conversation.run())
            group.create_task(self.room.run())
            meanwhile = group.create_task(during(self)) if during is not None else None
            for act in self._acts:
                await self._until_due(act)
                self.room.say(speech(act))
            if meanwhile is not None:
                await meanwhile
            await self._until_quiet()
            self.conversation.stop("the script is over")
            self.room.close()

    def _notice(self, event: events.ConversationEvent) -> None:
        self.seen.append(event)
        self._observe(event)
        self._changed.set()

    def _count(self, kind: type[events.ConversationEvent]) -> int:
        return sum(isinstance(event, kind) for event in self.seen)

    async def _until_due(self, act: Says) -> None:
        if act.at_s is not None:
            began_s = self.seen[0].at_s if self.seen else 0.0
            now_s = asyncio.get_running_loop().time()
            await asyncio.sleep(max(0.0, began_s + act.at_s - now_s))
        elif act.after_agent_started_s is not None:
            stopped = events.AgentSpeechStopped
            await self._until(lambda: self._count(events.AgentSpeechStarted) > self._count(stopped))
            await asyncio.sleep(act.after_agent_started_s)
        elif act.after_agent_stopped_s is not None:
            before = self._count(events.AgentSpeechStopped)
            await self._until(lambda: self._count(events.AgentSpeechStopped) > before)
            await asyncio.sleep(act.after_agent_stopped_s)

    async def _until(self, reached: Callable[[], bool]) -> None:
        while not reached():
            self._changed.clear()
            await self._changed.wait()

    async def _until_quiet(self) -> None:
        """Three seconds in which nothing happens and nobody speaks."""
        while True:
            seen = len(self.seen)
            await asyncio.sleep(3.0)
            speaking = self._count(events.AgentSpeechStarted) > self._count(
                events.AgentSpeechStopped
            )
            if len(self.seen) == seen and not speaking and not self.room.user_speaking:
                return


def simulate(
    acts: Sequence[Says],
    stage: Stage | None = None,
    during: Callable[[Simulation], Coroutine[Any, Any, None]] | None = None,
) -> Simulated:
    """Hold a scripted conversation in virtual time. ``during`` may interfere, as a fault would."""

    async def hold() -> Simulated:
        simulation = Simulation(acts, stage or Stage())
        await simulation.run(during)
        return Simulated(
            tuple(simulation.seen), simulation.conversation.history, simulation.room.recording()
        )

    return run_virtual(hold())


def speech(act: Says) -> NDArray[np.float32]:
    """Noise at the level of speech, with the act's pauses, mono at 16 kHz."""
    size = round(act.duration_s * SAMPLE_RATE)
    noise = np.random.default_rng(size).standard_normal(size).astype(np.float32)
    noise *= np.float32(10.0 ** (SPEECH_DBFS / 20.0))
    for begin_s, end_s in act.pauses:
        noise[round(begin_s * SAMPLE_RATE) : round(end_s * SAMPLE_RATE)] = 0.0
    return noise
