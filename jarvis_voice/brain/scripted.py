"""A chat model that follows a script: for tests, the bench and trials without a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from jarvis_voice.brain.chat_model import ChatMessage
from jarvis_voice.errors import BrainError, ModelMalformed


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing comes for ``seconds``; ``inf`` never ends."""

    seconds: float


Script = Sequence[str | Pause | BrainError]


class ScriptedModel:
    """Plays one script per call, the last one again when they run out."""

    def __init__(self, *scripts: Script, name: str = "scripted") -> None:
        self.name = name
        self.asked: list[tuple[ChatMessage, ...]] = []
        self.closed_streams = 0
        self._scripts = scripts or (("Okay.",),)

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str, None]:
        """The next script's pieces, with its pauses and its error."""
        script = self._scripts[min(len(self.asked), len(self._scripts) - 1)]
        self.asked.append(tuple(messages))
        worded = False
        try:
            for step in script:
                if isinstance(step, Pause):
                    await _pause(step.seconds)
                elif isinstance(step, BrainError):
                    raise step
                elif step:
                    worded = True
                    yield step
            if not worded:
                raise ModelMalformed("The scripted model gave no words.", "Give its script a text.")
        finally:
            self.closed_streams += 1

    async def aclose(self) -> None:
        """Nothing to give back."""


async def _pause(seconds: float) -> None:
    if seconds == float("inf"):
        await asyncio.Event().wait()
    await asyncio.sleep(seconds)
