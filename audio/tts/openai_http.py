"""Any OpenAI-compatible speech endpoint as a synthesizer.

The text of each phrase leaves this machine, to the address that the user configured and to no
other. Sound is taken as it streams in. Such servers tell no word times: marks are estimated.
"""

from __future__ import annotations

import importlib.util
import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken, EngineInfo, EngineKind
from audio.errors import AudioError, Cancelled, EngineFailed, EngineMissing
from audio.tts.base import SpeechChunk, SpokenPhrase
from audio.tts.estimated_marks import EstimatedMarks

NAME = "openai"
RATE = 24_000  # Hz, of the format that the protocol calls "pcm": 16-bit little-endian mono

_INSTALL = 'pip install "jarvis-voice[chat]"'
_BLOCK_BYTES = 4_800  # a tenth of a second
_CHECK = "Check that base_url names an OpenAI-compatible server that can speak."

_Item = bytes | AudioError | None  # sound, what went wrong, or the end


@dataclass(frozen=True, slots=True)
class OpenAISpeechSettings:
    """Where the text goes and how long to wait for the sound."""

    base_url: str  # up to and with the version, such as "http://127.0.0.1:8880/v1"
    api_key: str = field(default="none", repr=False)  # local servers take any
    model: str = "tts-1"
    voice: str = "onyx"
    speed: float = 1.0
    timeout_s: float = 10.0  # for the connection and for each next piece of sound
    retries: int = 1  # after a lost connection, a time-out or a busy server


def describe() -> EngineInfo:
    """The engine as it is listed; installed when its client is."""
    installed = importlib.util.find_spec("openai") is not None
    return EngineInfo(
        name=NAME,
        kind=EngineKind.SYNTHESIZER,
        description="An OpenAI-compatible server; text is sent to the address in the settings",
        installed=installed,
        install_hint="" if installed else _INSTALL,
    )


class OpenAISynthesizer:
    """Asks a server for each phrase and passes its sound on as it arrives."""

    def __init__(self, settings: OpenAISpeechSettings) -> None:
        """Connects to nothing yet. Raises EngineMissing without the client or an address."""
        if not settings.base_url:
            raise EngineMissing(
                "The synthesizer openai has no server.", "Set its base_url, and api_key if needed."
            )
        try:
            import httpx2  # the client's transport, whose errors come through once sound flows
            import openai
        except ImportError:
            raise EngineMissing(
                "The package openai is not installed.", f"Run: {_INSTALL}"
            ) from None
        self._settings = settings
        self._openai = openai
        self._transport = httpx2
        self._client = openai.OpenAI(
            base_url=settings.base_url,
            api_key=settings.api_key,
            timeout=settings.timeout_s,
            max_retries=settings.retries,
        )

    @property
    def info(self) -> EngineInfo:
        return describe()

    @property
    def rate(self) -> int:
        return RATE

    def synthesize(self, phrase: SpokenPhrase, cancel: CancelToken) -> Iterator[SpeechChunk]:
        """See Synthesizer.synthesize; a cancel is obeyed at once, even while the server is silent.

        The request then ends by itself, at the next sound or time-out.
        """
        spoken = [word.spoken for word in phrase.words]
        if not any(character.isalnum() for word in spoken for character in word):
            return
        cancel.raise_if_cancelled()
        marks = EstimatedMarks(spoken, RATE, self._settings.speed)
        held: NDArray[np.float32] | None = None  # one piece back, because the last gets the rest
        total = 0
        for samples in self._sound(phrase.text, cancel):
            if held is not None:
                yield SpeechChunk(held, marks.through(total))
            held = samples
            total += len(samples)
        if held is None:
            raise EngineFailed(f"{self._where} answered without any sound.", _CHECK)
        yield SpeechChunk(held, marks.rest(total))

    @property
    def _where(self) -> str:
        return f"The speech server at {self._settings.base_url}"

    def _sound(self, text: str, cancel: CancelToken) -> Iterator[NDArray[np.float32]]:
        """The server's sound, read by a thread of its own so that waiting can be called off."""
        arrived: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        unwanted = threading.Event()

        def wake() -> None:
            arrived.put(Cancelled("The speech was called off."))

        reader = threading.Thread(
            target=self._read, args=(text, arrived, unwanted), name="speech-server", daemon=True
        )
        reader.start()
        cancel.on_cancel(wake)
        odd = b""
        try:
            while (item := arrived.get()) is not None:
                if not isinstance(item, bytes):
                    raise item
                whole = odd + item
                odd = whole[len(whole) // 2 * 2 :]
                if len(whole) > 1:
                    yield _samples(whole[: len(whole) // 2 * 2])
        finally:
            unwanted.set()
            cancel.forget(wake)

    def _read(
        self, text: str, arrived: queue.SimpleQueue[_Item], unwanted: threading.Event
    ) -> None:
        """Runs in the reader's thread: every outcome goes into the queue."""
        options = self._settings
        try:
            with self._client.audio.speech.with_streaming_response.create(
                model=options.model,
                voice=options.voice,
                input=text,
                response_format="pcm",
                speed=options.speed,
            ) as response:
                kind = response.headers.get("content-type", "")
                if kind.startswith(("text/", "application/json")):
                    arrived.put(EngineFailed(f"{self._where} sent {kind}, not sound.", _CHECK))
                    return
                for block in response.iter_bytes(_BLOCK_BYTES):
                    if unwanted.is_set():
                        return
                    arrived.put(block)
            arrived.put(None)
        except (self._openai.OpenAIError, self._transport.HTTPError, OSError, ValueError) as error:
            arrived.put(self._failure(error))

    def _failure(self, error: Exception) -> EngineFailed:
        errors = self._openai
        if isinstance(error, errors.APITimeoutError | self._transport.TimeoutException):
            return EngineFailed(
                f"{self._where} gave no sound within {self._settings.timeout_s:g} s.", "Try again."
            )
        if isinstance(error, self._transport.HTTPError):
            return EngineFailed(f"{self._where} broke off while it spoke.", "Try again.")
        if isinstance(error, errors.APIConnectionError):
            return EngineFailed(
                f"{self._where} cannot be reached.",
                "Check that it runs and that base_url is right.",
            )
        if isinstance(error, errors.AuthenticationError | errors.PermissionDeniedError):
            return EngineFailed(f"{self._where} refused the key.", "Check api_key.")
        if isinstance(error, errors.APIStatusError):
            return EngineFailed(f"{self._where} answered {error.status_code}.", _CHECK)
        return EngineFailed(f"{self._where} failed: {error}.", "Try again.")

    def close(self) -> None:
        """Drop the connections; calling it twice is fine."""
        self._client.close()


def _samples(pcm: bytes) -> NDArray[np.float32]:
    return np.frombuffer(pcm, "<i2").astype(np.float32) / np.float32(32_768)
