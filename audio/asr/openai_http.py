"""Any OpenAI-compatible transcription endpoint as a recognizer.

Sound leaves this machine, to the address that the user configured and to no other, and only speech:
what the VAD does not take for speech is never sent. Nothing is sent before a final is asked for, or
a turn has grown so long that a part of it is settled, so there are no rolling hypotheses.
"""

from __future__ import annotations

import importlib.util
import io
from dataclasses import dataclass, field

import numpy as np
import soundfile
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE
from audio.asr.segmented import SegmentedRecognizer, SegmentSettings, Verdict, judged
from audio.engine import CancelToken, EngineInfo, EngineKind
from audio.errors import EngineFailed, EngineMissing

NAME = "openai"
_INSTALL = 'pip install "jarvis-voice[chat]"'


@dataclass(frozen=True, slots=True)
class OpenAISettings:
    """Where the sound goes and how long to wait for the answer."""

    base_url: str  # up to and with the version, such as "http://127.0.0.1:8000/v1"
    api_key: str = field(default="none", repr=False)  # local servers take any
    model: str = "whisper-1"
    language: str | None = "en"  # ISO 639-1; None lets the server choose
    timeout_s: float = 10.0  # of each try: a turn that waits longer is lost anyway
    retries: int = 1  # after a lost connection, a time-out or a busy server
    segments: SegmentSettings = field(default_factory=lambda: SegmentSettings(rolling=False))


def describe() -> EngineInfo:
    """The engine as it is listed; installed when its client is."""
    installed = importlib.util.find_spec("openai") is not None
    return EngineInfo(
        name=NAME,
        kind=EngineKind.RECOGNIZER,
        description="An OpenAI-compatible server; sound is sent to the address in the settings",
        installed=installed,
        languages=("en",),
        install_hint="" if installed else _INSTALL,
    )


class OpenAIRecognizer(SegmentedRecognizer):
    """Sends each stretch of speech as a WAV file and takes the text of the answer."""

    def __init__(self, settings: OpenAISettings) -> None:
        """Connects to nothing yet. Raises EngineMissing without the client or an address."""
        super().__init__(describe(), _Endpoint(settings), settings.segments)


class _Endpoint:
    def __init__(self, settings: OpenAISettings) -> None:
        if not settings.base_url:
            raise EngineMissing(
                "The recognizer openai has no server.", "Set its base_url, and api_key if needed."
            )
        try:
            import openai
        except ImportError:
            raise EngineMissing(
                "The package openai is not installed.", f"Run: {_INSTALL}"
            ) from None
        self._settings = settings
        self._errors = openai
        self._client = openai.OpenAI(
            base_url=settings.base_url,
            api_key=settings.api_key,
            timeout=settings.timeout_s,
            max_retries=settings.retries,
        )

    def transcribe(
        self, sound: NDArray[np.float32], *, settle: bool, cancel: CancelToken
    ) -> Verdict:
        """Blocks for at most the time-out of each try; a cancelled answer is dropped."""
        options = self._settings
        cancel.raise_if_cancelled()
        try:
            answer = self._client.audio.transcriptions.create(
                file=("speech.wav", _wav(sound), "audio/wav"),
                model=options.model,
                language=options.language or self._errors.omit,
                response_format="json",
            )
        except (self._errors.OpenAIError, ValueError) as error:  # the client lets bad JSON through
            raise self._failure(error) from error
        text = getattr(answer, "text", None)
        if not isinstance(text, str):
            raise EngineFailed(
                f"The speech server at {options.base_url} answered without a text.",
                "Check that base_url names an OpenAI-compatible server.",
            )
        return judged(text, sound, options.model, options.language)

    def close(self) -> None:
        self._client.close()

    def _failure(self, error: Exception) -> EngineFailed:
        where = f"The speech server at {self._settings.base_url}"
        errors = self._errors
        if isinstance(error, errors.APITimeoutError):
            return EngineFailed(
                f"{where} did not answer within {self._settings.timeout_s:g} s.", "Say it again."
            )
        if isinstance(error, errors.APIConnectionError):
            return EngineFailed(
                f"{where} cannot be reached.", "Check that it runs and that base_url is right."
            )
        if isinstance(error, errors.AuthenticationError | errors.PermissionDeniedError):
            return EngineFailed(f"{where} refused the key.", "Check api_key.")
        if isinstance(error, errors.NotFoundError):
            return EngineFailed(
                f"{where} has no model {self._settings.model!r} or no such address.",
                "Check model and base_url.",
            )
        if isinstance(error, errors.APIStatusError):
            return EngineFailed(f"{where} answered with status {error.status_code}.", "Try later.")
        return EngineFailed(f"{where} gave an unusable answer.", "Check base_url.")


def _wav(sound: NDArray[np.float32]) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, sound, SAMPLE_RATE, format="WAV", subtype="PCM_16")
    return file.getvalue()
