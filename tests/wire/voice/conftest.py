"""A voice client without a socket, and conversations with scripted engines for it to talk with."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from audio.asr.scripted import Reply, ScriptedRecognizer
from audio.devices.network_io import NetworkSound
from audio.echo.bypass import Bypass
from audio.tts.scripted import ScriptedSynthesizer
from audio.vad.scripted import EnergyVad
from bench.simulator import ScriptedBrain
from jarvis_voice import events
from jarvis_voice.conversation import Conversation, ConversationSettings, Parts
from jarvis_voice.wire.outbox import Outbox
from jarvis_voice.wire.pcm_session import PcmSession
from jarvis_voice.wire.realtime_config import Voices
from jarvis_voice.wire.realtime_session import RealtimeSession
from jarvis_voice.wire.session import Session, serve
from jarvis_voice.wire.talk import Publish

LONG = (
    "It is working. The tests are running now, and three of them have passed so far, "
    "which took about two minutes in all."
)
ANSWERS = {"How is it going?": LONG, "What failed?": "Nothing failed so far."}
VOICES = Voices("hum", "scripted", 0.544)


@dataclass
class Engines:
    """What the scripted conversations of one server share, and what came of them."""

    replies: Iterable[Reply | str] = ()
    brain: ScriptedBrain = field(default_factory=lambda: ScriptedBrain(ANSWERS))
    synthesizer: ScriptedSynthesizer = field(default_factory=ScriptedSynthesizer)
    seen: list[events.ConversationEvent] = field(default_factory=list)
    talks: list[Conversation] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)  # what recordings say, in order
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def open_talk(self, sound: NetworkSound, publish: Publish) -> AsyncIterator[Conversation]:
        def told(event: events.ConversationEvent) -> None:
            self.seen.append(event)
            publish(event)

        parts = Parts(
            sound.capture,
            sound.playback,
            Bypass(),
            EnergyVad(),
            ScriptedRecognizer(self.replies),
            self.synthesizer,
            self.brain,
        )
        talk = Conversation(parts, ConversationSettings(), told)
        self.talks.append(talk)
        self.opened.set()
        yield talk

    async def transcribe(self, samples: np.ndarray) -> str:
        assert samples.dtype == np.float32
        return self.typed.pop(0)


class Caller:
    """A client: what it says goes in by ``say`` and ``send``, what it is sent is kept."""

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.got: list[tuple[float, str | bytes]] = []
        self.closed: tuple[int, str] | None = None
        self.reads = asyncio.Event()
        self.reads.set()
        self._inbox: asyncio.Queue[str | bytes | None] = asyncio.Queue()
        self._changed = asyncio.Event()

    # --- as the server's connection

    async def messages(self) -> AsyncIterator[str | bytes]:
        while (message := await self._inbox.get()) is not None:
            yield message

    async def send(self, message: str | bytes) -> None:
        await self.reads.wait()
        self.got.append((asyncio.get_running_loop().time(), message))
        self._changed.set()

    async def close(self, code: int, reason: str) -> None:
        self.closed = (code, reason)
        self._changed.set()

    # --- as the client

    def put(self, message: str | bytes | dict[str, Any]) -> None:
        """Send a message."""
        is_event = isinstance(message, dict)
        self._inbox.put_nowait(json.dumps(message) if is_event else message)

    def leave(self) -> None:
        """Close the connection."""
        self._inbox.put_nowait(None)

    async def say(self, speech_s: float, silence_s: float = 0.0) -> None:
        """Send noise as loud as speech and then silence, in real time."""
        block = self.rate // 50
        noise = np.random.default_rng(1)
        for index in range(round((speech_s + silence_s) * 50)):
            level = 3276.0 if index < round(speech_s * 50) else 0.0
            self.sound((noise.standard_normal(block) * level).clip(-32768, 32767))
            await asyncio.sleep(0.02)

    def sound(self, samples: np.ndarray) -> None:
        """Send sound in this protocol."""
        self.put(samples.astype("<i2").tobytes())

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until it is so after something that was sent."""
        async with asyncio.timeout(60):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    # --- what it got

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The JSON messages."""
        return [json.loads(message) for _, message in self.got if isinstance(message, str)]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The JSON messages of a type."""
        return [document for document in self.documents if document["type"] == kind]

    @property
    def sound_s(self) -> float:
        """How long the sound is that it got."""
        return sum(len(m) for _, m in self.got if isinstance(m, bytes)) / 2 / self.rate


class RealtimeCaller(Caller):
    """A client of the Realtime protocol."""

    def sound(self, samples: np.ndarray) -> None:
        audio = base64.b64encode(samples.astype("<i2").tobytes()).decode()
        self.put({"type": "input_audio_buffer.append", "audio": audio})

    async def wait_for(self, kind: str, count: int = 1) -> dict[str, Any]:
        """The ``count``-th event of a type."""
        await self.until(lambda: len(self.of(kind)) >= count)
        return self.of(kind)[count - 1]

    @property
    def sound_s(self) -> float:
        deltas = self.of("response.output_audio.delta")
        return sum(len(base64.b64decode(delta["delta"])) for delta in deltas) / 2 / self.rate


@asynccontextmanager
async def _served(caller: Caller, session: Session, engines: Engines) -> AsyncIterator[None]:
    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        group.create_task(serve(caller, session, engines.open_talk))
        yield
        caller.leave()


@pytest.fixture
def engines() -> Engines:
    return Engines()


@pytest.fixture
def pcm() -> Callable[..., Any]:
    """Opens a plain PCM client: ``async with pcm(engines) as caller``."""

    @asynccontextmanager
    async def opened(engines: Engines, max_bytes: int = 1 << 20) -> AsyncIterator[Caller]:
        caller = Caller(16_000)
        outbox = Outbox(caller.send, max_bytes)
        async with _served(caller, PcmSession(outbox), engines):
            yield caller

    return opened


@pytest.fixture
def realtime() -> Callable[..., Any]:
    """Opens a client of the Realtime protocol: ``async with realtime(engines) as caller``."""

    @asynccontextmanager
    async def opened(engines: Engines) -> AsyncIterator[RealtimeCaller]:
        caller = RealtimeCaller(24_000)
        session = RealtimeSession(Outbox(caller.send), VOICES, engines.transcribe)
        async with _served(caller, session, engines):
            yield caller

    return opened
