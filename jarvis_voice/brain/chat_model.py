"""The seam to a language model: messages in, pieces of text out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatModel(Protocol):
    """A chat model that streams. Deadlines are the caller's: a stream may be closed at any time."""

    @property
    def name(self) -> str:
        """What the timeline calls it."""
        ...

    def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str, None]:
        """Pieces of one answer, each non-empty.

        Raises ModelUnreachable when there is no answer, ModelMalformed when it is none that can be
        spoken (no text at all, a broken stream), and no other error.
        """
        ...

    async def aclose(self) -> None:
        """Gives back connections; the model is not used afterwards."""
        ...
