"""A user who speaks into a setting, and what was recorded of both sides.

A *scene* is what the user does, when, and where. A *side* is who answers: Jarvis as the app builds
it, or the sequential reference. A *setting* brings the two together and records them on one clock.
The user listens to what the loudspeaker plays, never to events: it treats both sides alike.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from audio.devices.base import CapturePort, PlaybackPort
from audio.devices.echo_path import EchoPath
from audio.pcm import RATE, rms_dbfs
from bench.probes.sounds import Sound
from bench.probes.tap import Spoken
from jarvis_voice import events
from jarvis_voice.telemetry.recorded import AUDIBLE_DBFS
from jarvis_voice.wire.talk import Talk

LOOK_S = 0.02
LULL_S = 0.6  # a shorter silence of the agent lies within its speech
BREAK_S = 0.2  # a shorter one is no break in what sounds: the stops within words
LEAD_S = 1.0  # before the first words: devices and filters settle


class When(Enum):
    """What a cue waits for, before its own seconds are counted."""

    START = "start"  # the scene has begun
    SOUNDING = "sounding"  # the agent speaks; counted from where it began
    FLUENT = "fluent"  # the agent sounds right now; counted from its last break
    QUIET = "quiet"  # the agent has spoken and is silent; counted from its last sound


@dataclass(frozen=True, slots=True)
class Cue:
    """Something that the user says or does."""

    samples: Sound  # float32 mono at 16 kHz; empty for an act that is only a moment
    when: When
    seconds: float


@dataclass(frozen=True, slots=True)
class Scene:
    """What happens in one session."""

    cues: Sequence[Cue]
    linger_s: float = 1.2  # it ends this long after the answer to the last cue was first heard,
    awaits_answer: bool = True  # ... or after the last cue itself, when no answer is awaited
    patience_s: float = 12.0  # for the agent to begin to speak
    background: Sound | None = None  # noise at the microphone, repeated, at 16 kHz
    echo: EchoPath | None = None  # the loudspeaker at the microphone


@dataclass(slots=True)
class Take:
    """What a scene left: both sides at 16 kHz on one clock, mono, from second 0."""

    user: Sound
    agent: Sound
    said_s: list[float]  # where each cue's first sample lies; nan for one that was never due
    events: list[events.ConversationEvent] = field(default_factory=list)
    spoken: list[Spoken] = field(default_factory=list)
    began_s: float = 0.0  # session time of the recording's first sample
    missed: str = ""  # why a cue was never due
    told: list[tuple[str, str]] = field(default_factory=list)  # a server's transcripts: role, text


class Ports(NamedTuple):
    """A microphone and a loudspeaker."""

    capture: CapturePort
    playback: PlaybackPort


Publish = Callable[[events.ConversationEvent], None]


class Opened(NamedTuple):
    """A session of a side: who talks, and what goes on beside it (a run that is replayed)."""

    talker: Talk
    beside: Sequence[Coroutine[Any, Any, None]] = ()


class Side(Protocol):
    """Who answers. One session at a time."""

    @property
    def name(self) -> str: ...

    def open(self, ports: Ports, publish: Publish, *, echo: bool) -> Opened:
        """A fresh session; with ``echo`` the microphone hears the loudspeaker."""
        ...

    def spoken(self) -> list[Spoken]:
        """What was synthesized since the last call."""
        ...


class Setting(Protocol):
    """Where a scene is played."""

    @property
    def name(self) -> str: ...

    async def play(self, scene: Scene, side: Side) -> Take:
        """Play a scene with a fresh session. Raises what the devices and engines raise."""
        ...


class AgentEar:
    """The user's ear for the agent: when it began to sound, and when it was last heard."""

    def __init__(self) -> None:
        self.began_s = math.inf  # loop time of the newest stretch's start
        self.fluent_s = math.inf  # ... and of where it began to sound without a break
        self.last_s = -math.inf  # loop time of the last audible block
        self.stretches = 0

    def heard(self, block: NDArray[np.float32], now_s: float) -> None:
        """A block that sounds now."""
        if rms_dbfs(block) <= AUDIBLE_DBFS:
            return
        if now_s - self.last_s > LULL_S:
            self.began_s = now_s
            self.stretches += 1
        if now_s - self.last_s > BREAK_S:
            self.fluent_s = now_s
        self.last_s = now_s

    def sounding(self, now_s: float) -> bool:
        """Whether the agent speaks, short silences included."""
        return now_s - self.last_s <= LULL_S

    def fluent_for(self, now_s: float) -> float:
        """For how long it has sounded without a break; 0 when it does not."""
        return now_s - self.fluent_s if now_s - self.last_s <= BREAK_S else 0.0


class UserSide(Protocol):
    """What a setting gives to the user."""

    @property
    def ear(self) -> AgentEar: ...

    def say(self, samples: Sound) -> float:
        """Begin to say it; returns the second of the recording at which its first sample lies."""
        ...


async def perform(scene: Scene, user: UserSide, said_s: list[float]) -> str:
    """Do what the scene says; returns why a cue was never due, "" when all were."""
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    ended_s = began_s
    for cue in scene.cues:
        due = await _until_due(cue, scene, user.ear, (began_s, ended_s))
        if not due:
            said_s += [math.nan] * (len(scene.cues) - len(said_s))
            return f"the agent did not speak, or not for long enough, within {scene.patience_s:g} s"
        said_s.append(user.say(cue.samples))
        ended_s = loop.time() + cue.samples.size / RATE
    await asyncio.sleep(max(0.0, ended_s - loop.time()))
    if scene.awaits_answer:
        await _until(lambda now_s: user.ear.last_s > ended_s, scene.patience_s)
    await asyncio.sleep(scene.linger_s)
    return ""


async def _until_due(cue: Cue, scene: Scene, ear: AgentEar, since: tuple[float, float]) -> bool:
    began_s, ended_s = since

    def due(now_s: float) -> bool:
        if cue.when is When.START:
            return now_s - began_s >= cue.seconds
        if cue.when is When.FLUENT:
            return ear.fluent_s > ended_s and ear.fluent_for(now_s) >= cue.seconds
        if cue.when is When.SOUNDING:
            begun = ear.sounding(now_s) and ear.last_s > ended_s
            return begun and now_s - max(ear.began_s, ended_s) >= cue.seconds
        spoken = ear.last_s > ended_s
        return spoken and now_s - ear.last_s >= max(cue.seconds, LULL_S)

    def hopeless(now_s: float) -> bool:
        since_s = max(ended_s, ear.last_s)
        return cue.when is not When.START and now_s - since_s > scene.patience_s

    loop = asyncio.get_running_loop()
    while not due(now_s := loop.time()):
        if hopeless(now_s):
            return False
        await asyncio.sleep(LOOK_S)
    return True


async def _until(reached: Callable[[float], bool], patience_s: float) -> bool:
    loop = asyncio.get_running_loop()
    until_s = loop.time() + patience_s
    while not reached(loop.time()):
        if loop.time() > until_s:
            return False
        await asyncio.sleep(LOOK_S)
    return True
