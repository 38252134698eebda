"""A server for voice clients, put together: engines once, a conversation with each client."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import signal
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audio import recording as recordings
from audio.devices.network_io import NetworkSound
from audio.echo.bypass import Bypass
from audio.vad.silero import SileroVad
from jarvis_voice import events
from jarvis_voice.cli import build
from jarvis_voice.cli.io import Io
from jarvis_voice.config import Settings
from jarvis_voice.conversation import Brain, Conversation, Notice
from jarvis_voice.runs.sources import Recording
from jarvis_voice.runs.watcher import RunWatcher
from jarvis_voice.wire.outbox import Outbox
from jarvis_voice.wire.pcm_session import PcmSession
from jarvis_voice.wire.realtime_config import Voices
from jarvis_voice.wire.realtime_session import RealtimeSession
from jarvis_voice.wire.serving import REALTIME_PATH, Door, Protocols, Talker, VoiceServer
from jarvis_voice.wire.session import Connection, serve
from jarvis_voice.wire.talk import Publish, Talk

if TYPE_CHECKING:
    from jarvis_voice.cli.attending import Attending


@dataclass(frozen=True, slots=True)
class Thinking:
    """The brain of one client's conversation, and who else follows that."""

    brain: Brain
    began: Callable[[Conversation], None] = lambda _conversation: None
    observe: Publish = lambda _event: None


MakeBrain = Callable[[Publish], contextlib.AbstractAsyncContextManager[Thinking]]


class Serving:
    """``jarvis serve``, from loading the models to ctrl-C."""

    def __init__(self, settings: Settings, io: Io, recording: Recording | None) -> None:
        self._settings = settings
        self._io = io
        self._recording = recording
        self._listeners: list[Publish] = []

    async def serve(self, door: Door, protocol: str) -> None:
        """Serve until ctrl-C. Raises GateError and what loading the models raises."""
        loop = asyncio.get_running_loop()
        stopped = asyncio.Event()
        with contextlib.suppress(NotImplementedError):  # Windows: ctrl-C cancels the whole run
            loop.add_signal_handler(signal.SIGINT, stopped.set)
            loop.add_signal_handler(signal.SIGTERM, stopped.set)
        self._io.note("Loading the models ...")
        load = functools.partial(build.load_engines, self._settings)
        engines = await loop.run_in_executor(None, load)
        try:
            async with self._brains() as make_brain:
                talkers = self._talkers(engines, make_brain)
                offered = Protocols(
                    talkers["pcm"] if protocol in ("any", "pcm") else None,
                    talkers["realtime"] if protocol in ("any", "realtime") else None,
                    fault=lambda line: self._io.note(f"jarvis: {line}"),
                )
                async with VoiceServer(door, offered) as server:
                    self._tell(door, server.port, protocol)
                    await stopped.wait()
        finally:
            engines.close()

    def _tell(self, door: Door, port: int, protocol: str) -> None:
        host = f"[{door.host}]" if ":" in door.host else door.host
        query = f"?token={door.token}" if door.token else ""
        if protocol in ("any", "pcm"):
            self._io.line(f"ws://{host}:{port}/pcm{query}")
        if protocol in ("any", "realtime"):
            self._io.line(f"ws://{host}:{port}{REALTIME_PATH}{query}")
        self._io.note("Served; ctrl-C ends it.")

    def _talkers(self, engines: build.Engines, make_brain: MakeBrain) -> dict[str, Talker]:
        open_talk = functools.partial(self._talk, engines, make_brain)
        transcribe = functools.partial(_transcribe, engines)
        synthesizer = self._settings.synthesizer
        voices = Voices(
            synthesizer.voice or synthesizer.engine,
            engines.recognizer.info.name,
            self._settings.turn.end_s,
        )

        async def pcm(connection: Connection) -> str:
            return await serve(connection, PcmSession(Outbox(connection.send)), open_talk)

        async def realtime(connection: Connection) -> str:
            session = RealtimeSession(Outbox(connection.send), voices, transcribe)
            return await serve(connection, session, open_talk)

        return {"pcm": pcm, "realtime": realtime}

    @contextlib.asynccontextmanager
    async def _talk(
        self,
        engines: build.Engines,
        make_brain: MakeBrain,
        sound: NetworkSound,
        publish: Publish,
    ) -> AsyncIterator[Talk]:
        """A client's conversation: the recognizer and the voice are shared, all else is new."""
        vad = await asyncio.get_running_loop().run_in_executor(None, SileroVad)
        own = engines._replace(vad=vad, canceller=Bypass())
        ports = build.Ports(sound.capture, sound.playback)
        settings = build.conversation_settings(self._settings)
        followers: list[Publish] = [publish]

        def told(event: events.ConversationEvent) -> None:
            for follower in followers:
                follower(event)

        async with make_brain(told) as thinking:
            conversation = Conversation(build.parts(own, ports, thinking.brain), settings, told)
            followers += [thinking.observe, functools.partial(_note_change, conversation)]
            thinking.began(conversation)
            yield conversation

    # --- what is talked about ------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _brains(self) -> AsyncIterator[MakeBrain]:
        if self._recording is not None:
            yield functools.partial(self._about_one, self._recording)
            return
        from jarvis_voice.cli import attending

        async with attending.opened(self._settings, self._publish) as opened:
            self._io.note(f"The gate for agents is open on port {opened.port} of this machine.")
            yield functools.partial(self._about_all, opened.attending)

    @contextlib.asynccontextmanager
    async def _about_one(self, recording: Recording, publish: Publish) -> AsyncIterator[Thinking]:
        watcher = RunWatcher(publish)
        async with asyncio.TaskGroup() as group:
            replaying = group.create_task(watcher.replay(recording))
            try:
                yield Thinking(build.brain(self._settings.brain, watcher, publish))
            finally:
                replaying.cancel()

    @contextlib.asynccontextmanager
    async def _about_all(self, attending: Attending, publish: Publish) -> AsyncIterator[Thinking]:
        from jarvis_voice.cli.asking import Asking
        from jarvis_voice.cli.steering import SteeringBrain

        desk, watcher = attending.desk, attending.watcher
        inner = build.brain(self._settings.brain, watcher, publish)
        speaker = _Speaker()
        brain = SteeringBrain(inner, desk, watcher, lambda text: asking.tell(text))
        asking = Asking(desk, speaker, brain, watcher)
        before = desk.on_ask, desk.on_request

        def began(conversation: Conversation) -> None:
            speaker.conversation = conversation
            asking.start()

        self._listeners.append(publish)
        try:
            yield Thinking(brain, began, brain.observe)
        finally:
            self._listeners.remove(publish)
            asking.close()
            desk.on_ask, desk.on_request = before

    def _publish(self, event: events.ConversationEvent) -> None:
        for listener in tuple(self._listeners):
            listener(event)


def _note_change(conversation: Conversation, event: events.ConversationEvent) -> None:
    if isinstance(event, events.RunChanged):
        conversation.runs_changed()


class _Speaker:
    """The conversation, for those who were made before it."""

    def __init__(self) -> None:
        self.conversation: Conversation | None = None

    def speak_up(self, notice: Notice) -> None:
        if self.conversation is not None:
            self.conversation.speak_up(notice)

    def withdraw(self, notice_id: str) -> None:
        if self.conversation is not None:
            self.conversation.withdraw(notice_id)


async def _transcribe(engines: build.Engines, samples: NDArray[np.float32]) -> str:
    def work() -> str:
        passages = recordings.transcribe(samples, SileroVad(), engines.recognizer)
        return " ".join(passage.text for passage in passages if passage.text)

    return await asyncio.get_running_loop().run_in_executor(None, work)
