"""Anthropic's chat models. Needs the extra ``chat``; the key is handed in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from jarvis_voice.brain.chat_model import ChatMessage
from jarvis_voice.brain.faults import (
    CONNECT_TIMEOUT_S,
    missing_client,
    no_words,
    refused,
    unreachable,
    unreadable,
)

MOST_TOKENS = 600
"""The protocol demands a limit; a spoken answer is far shorter."""


class AnthropicModel:
    """Streams messages. Raises SettingsError when the client package or the key is missing."""

    def __init__(self, model: str, base_url: str = "", api_key: str = "") -> None:
        try:
            import anthropic
            import httpx2  # the transport of that package, whose errors pass through it unchanged
        except ImportError as error:
            raise missing_client("anthropic") from error
        if not api_key:
            raise missing_client("anthropic", key=True)
        self.name = f"anthropic:{model}"
        self._model = model
        self._errors = anthropic
        self._transport_error = httpx2.HTTPError
        self._where = base_url or "api.anthropic.com"
        self._client = anthropic.AsyncAnthropic(
            api_key=api_key,
            base_url=base_url or None,
            timeout=anthropic.Timeout(60.0, connect=CONNECT_TIMEOUT_S),
            max_retries=0,  # the user waits: the narrator answers instead of a second try
        )

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str, None]:
        """The text pieces of one message; tool uses and thoughts are passed over."""
        system = "\n\n".join(item.content for item in messages if item.role == "system")
        sent: Any = [
            {"role": item.role, "content": item.content}
            for item in messages
            if item.role != "system"
        ]
        errors = self._errors
        worded = False
        try:
            answer = await self._client.messages.create(
                model=self._model, max_tokens=MOST_TOKENS, system=system, messages=sent, stream=True
            )
            async with answer:
                async for event in answer:
                    text = _text(event)
                    if text:
                        worded = True
                        yield text
        except errors.APIStatusError as error:
            raise refused(self.name, error.status_code, error.message) from error
        except (errors.APIConnectionError, self._transport_error) as error:
            raise unreachable(self.name, self._where) from error
        except (errors.AnthropicError, ValueError, TypeError) as error:
            raise unreadable(self.name, error) from error
        if not worded:
            raise no_words(self.name)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.close()


def _text(event: object) -> str:
    """The text of a streamed event. A server may send anything; what is no text is nothing."""
    if getattr(event, "type", None) != "content_block_delta":
        return ""
    text = getattr(getattr(event, "delta", None), "text", None)
    return text if isinstance(text, str) else ""
