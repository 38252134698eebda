"""What the protocols for voice clients need of a conversation; ``cli`` hands it in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audio.devices.network_io import NetworkSound
from jarvis_voice.events import ConversationEvent


class Talk(Protocol):
    """One conversation; ``conversation.Conversation`` is one."""

    answers_turns: bool

    async def run(self) -> None: ...
    def stop(self, reason: str = ...) -> None: ...
    def ask(self, text: str) -> None: ...
    def cancel(self) -> None: ...
    def voiced(self) -> tuple[int, str] | None: ...
    def correct(self, reply: int, heard: str) -> None: ...


Publish = Callable[[ConversationEvent], None]
OpenTalk = Callable[[NetworkSound, Publish], AbstractAsyncContextManager[Talk]]
"""Makes a conversation with fresh state over a client's sound; its events are published."""

Transcribe = Callable[[NDArray[np.float32]], Awaitable[str]]
"""The words of a recording, float32 mono at 16 kHz. Raises EngineError."""
