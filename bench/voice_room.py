"""A conversation with a simulated user in a room of files, in real time, with the real engines.

``VoiceRoom`` is Jarvis's side with everything that a conversation has but a sound card. Its user
speaks with a voice of its own when told to, and what both have said is recorded.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.devices.file_io import FileRoom
from audio.engine import CancelToken
from audio.pcm import RATE
from audio.resample import resample
from audio.tts.registry import open_synthesizer
from audio.tts.voices import PROMPT_VOICE
from audio.wav import write_wav
from bench.make_prompts import in_room, speak
from jarvis_voice import events
from jarvis_voice.cli import build
from jarvis_voice.config import Settings
from jarvis_voice.conversation import Brain, Conversation, Notice

SPEED = 0.9  # of the user's voice, as in the shared prompts
SEED = 20261129
BLOCK = 512  # samples of the recognizer at 16 kHz


def spoken(*texts: str) -> list[NDArray[np.float32]]:
    """Recordings of a user who says these, 16 kHz mono."""
    noise = np.random.default_rng(SEED)
    synthesizer = open_synthesizer("kokoro", voice=PROMPT_VOICE, speed=SPEED)
    try:
        return [in_room(speak(synthesizer, text), noise) for text in texts]
    finally:
        synthesizer.close()


class VoiceRoom:
    """Engines, devices and a conversation about whatever the brain knows."""

    def __init__(
        self,
        brain: Brain,
        engines: build.Engines,
        observe: Callable[[events.ConversationEvent], None] = lambda event: None,
    ) -> None:
        self.events: list[events.ConversationEvent] = []
        self._observe = observe
        self._room = FileRoom()
        self._engines = engines
        parts = build.parts(engines, build.Ports(self._room.capture, self._room.playback), brain)
        settings = build.conversation_settings(Settings())
        self._conversation = Conversation(parts, settings, self._publish)
        self._pulse = asyncio.Event()

    def _publish(self, event: events.ConversationEvent) -> None:
        self.events.append(event)
        self._observe(event)
        self._pulse.set()

    async def run(self) -> None:
        """Talk until ``close``."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._conversation.run())
            group.create_task(self._room.run())

    def close(self) -> None:
        """End the conversation and the room."""
        self._conversation.stop("the scene is over")
        self._room.close()

    def speak_up(self, notice: Notice) -> None:
        """Let Jarvis say something unasked."""
        self._conversation.speak_up(notice)

    def withdraw(self, notice_id: str) -> None:
        """Do not say it after all."""
        self._conversation.withdraw(notice_id)

    def user_says(self, recording: NDArray[np.float32]) -> None:
        """Let the user speak now."""
        self._room.say(recording)

    async def heard(self, kind: type[events.ConversationEvent], count: int) -> None:
        """Wait until there were so many events of a kind."""
        while sum(isinstance(event, kind) for event in self.events) < count:
            self._pulse.clear()
            await self._pulse.wait()

    def jarvis_said(self) -> str:
        """What a listener understands of all that came out of the loudspeaker."""
        sound = resample(self._room.recording()[:, 1].copy(), self._room.playback.info.rate, RATE)
        stream = self._engines.recognizer.stream()
        try:
            for at in range(0, len(sound) - BLOCK + 1, BLOCK):
                block = sound[at : at + BLOCK]
                stream.push(block, 1.0 if np.abs(block).max() > 0.005 else 0.0)
            return stream.final(CancelToken()).text
        finally:
            stream.close()

    def keep(self, path: Path) -> None:
        """Write the recording: the user left, Jarvis right."""
        write_wav(path, self._room.recording(), self._room.playback.info.rate)


async def engines() -> build.Engines:
    """The default engines, loaded beside the loop."""
    load = functools.partial(build.load_engines, Settings())
    return await asyncio.get_running_loop().run_in_executor(None, load)
