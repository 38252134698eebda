"""A user who says recorded prompts to a live conversation, for ``jarvis demo`` and probes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.devices.file_io import FileRoom
from audio.wav import read_audio
from jarvis_voice import events
from jarvis_voice.resources import asset

FIRST_WORDS_S = 1.0  # after the microphone opened
PAUSE_S = 0.9  # between the end of an answer and the next prompt
INTERRUPT_AFTER_S = 1.6  # of the answer that is interrupted
PATIENCE_S = 20.0  # waited for an answer before the next prompt is said all the same


@dataclass(frozen=True, slots=True)
class Prompt:
    """Something to say, and whether it waits for Jarvis to end."""

    text: str
    samples: NDArray[np.float32]  # mono at 16 kHz
    interrupts: bool


def shared_prompts() -> list[Prompt]:
    """The five shared prompts. Raises UnreadableAudio when one is damaged."""
    folder = asset("prompts")
    listed = json.loads((folder / "prompts.json").read_text(encoding="utf-8"))["prompts"]
    return [
        Prompt(
            text=entry["text"],
            samples=read_audio(folder / entry["file"])[0],
            interrupts=entry["role"] == "interrupts",
        )
        for entry in listed
    ]


class SpokenUser:
    """Says prompts in order; ``notice`` tells it what happens in the conversation."""

    def __init__(self, room: FileRoom, prompts: Sequence[Prompt]) -> None:
        self._room = room
        self.prompts = tuple(prompts)
        self._changed = asyncio.Event()
        self._started = 0  # answers that began to sound
        self._stopped = 0  # answers that ended or were cut

    def notice(self, event: events.ConversationEvent) -> None:
        """Take in an event of the conversation."""
        match event:
            case events.AgentSpeechStarted():
                self._started += 1
                self._changed.set()
            case events.AgentSpeechStopped():
                self._stopped += 1
                self._changed.set()
            case _:
                pass

    async def talk(self) -> None:
        """Say all prompts; returns a moment after the last answer has ended."""
        await asyncio.sleep(FIRST_WORDS_S)
        for place, prompt in enumerate(self.prompts):
            if prompt.interrupts:
                await self._until(lambda: self._started > self._stopped)
                await asyncio.sleep(INTERRUPT_AFTER_S)
            answered = self._stopped + (2 if prompt.interrupts else 1)
            self._room.say(prompt.samples)
            if not self._is_interrupted(place):
                await self._until_stopped(answered)
                await asyncio.sleep(PAUSE_S)

    def _is_interrupted(self, place: int) -> bool:
        """Whether the prompt after this one interrupts its answer."""
        return place + 1 < len(self.prompts) and self.prompts[place + 1].interrupts

    async def _until_stopped(self, answers: int) -> None:
        await self._until(lambda: self._stopped >= answers)

    async def _until(self, reached: Callable[[], bool]) -> None:
        """Wait until it is so; patience runs out only while Jarvis is silent."""
        while not reached():
            self._changed.clear()
            speaking = self._started > self._stopped
            try:
                async with asyncio.timeout(None if speaking else PATIENCE_S):
                    await self._changed.wait()
            except TimeoutError:
                return
