"""Any chat model behind the OpenAI protocol: OpenAI, Ollama, llama.cpp, vLLM, LM Studio.

Needs the extra ``chat``. The key is handed in; a local server takes any.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any

from jarvis_voice.brain.chat_model import ChatMessage
from jarvis_voice.brain.faults import (
    CONNECT_TIMEOUT_S,
    missing_client,
    no_words,
    refused,
    unreachable,
    unreadable,
)

if TYPE_CHECKING:
    import openai


class OpenAIModel:
    """Streams chat completions.

    Raises SettingsError when the client package is not installed or no key is set where one is
    needed (a local server at ``base_url`` needs none).
    """

    def __init__(self, model: str, base_url: str = "", api_key: str = "") -> None:
        try:
            import openai
        except ImportError as error:
            raise missing_client("openai") from error
        self.name = f"openai:{model}"
        self._model = model
        self._errors = openai
        self._client = _client(openai, base_url, api_key)
        self._completions = self._client.chat.completions  # imported now, not in the first turn
        self._where = base_url or "api.openai.com"

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str, None]:
        """The text pieces of one completion; tool calls and other parts are passed over."""
        sent: Any = [{"role": item.role, "content": item.content} for item in messages]
        errors = self._errors
        worded = False
        try:
            answer = await self._completions.create(model=self._model, messages=sent, stream=True)
            async with answer:
                async for chunk in answer:
                    text = _text(chunk)
                    if text:
                        worded = True
                        yield text
        except errors.APIStatusError as error:
            raise refused(self.name, error.status_code, error.message) from error
        except errors.APIConnectionError as error:
            raise unreachable(self.name, self._where) from error
        except (errors.OpenAIError, ValueError, TypeError) as error:
            raise unreadable(self.name, error) from error
        if not worded:
            raise no_words(self.name)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.close()


def _client(module: Any, base_url: str, api_key: str) -> openai.AsyncOpenAI:
    timeout = module.Timeout(60.0, connect=CONNECT_TIMEOUT_S)
    try:
        client: openai.AsyncOpenAI = module.AsyncOpenAI(
            api_key=api_key or ("none" if base_url else None),
            base_url=base_url or None,
            timeout=timeout,
            max_retries=0,  # the user waits: the narrator answers instead of a second try
        )
    except module.OpenAIError as error:
        raise missing_client("openai", key=True) from error
    return client


def _text(chunk: object) -> str:
    """The text of a streamed chunk. A server may send anything; what is no text is nothing."""
    choices = getattr(chunk, "choices", None)
    if not isinstance(choices, list) or not choices:
        return ""
    content = getattr(getattr(choices[0], "delta", None), "content", None)
    return content if isinstance(content, str) else ""
