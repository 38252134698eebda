"""All recognizers by name: what is installed, and how to open one.

An engine's own code is imported only when it is opened, so listing works without any of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from audio.asr import moonshine, openai_http, qwen3, qwen3_mlx, whisper_weights
from audio.asr.base import Recognizer
from audio.engine import EngineInfo
from audio.errors import EngineMissing


@dataclass(frozen=True, slots=True)
class _Entry:
    describe: Callable[[], EngineInfo]
    open: Callable[..., Recognizer]


def recognizers() -> list[EngineInfo]:
    """Every known recognizer, the default first, installed or not."""
    return [entry.describe() for entry in _entries().values()]


def open_recognizer(name: str, **options: Any) -> Recognizer:  # each engine types its own options
    """Open a recognizer by the name that ``recognizers`` lists.

    Whisper takes ``threads`` (int), ``language`` (ISO 639-1, or None to detect it) and
    ``settings``; the other engines name theirs where they are defined. Raises EngineMissing for an
    unknown or uninstalled engine, EngineCorrupt for a damaged weight, and TypeError for an unknown
    option.
    """
    entries = _entries()
    if name not in entries:
        raise EngineMissing(
            f"There is no recognizer called {name!r}.", f"Choose one of: {', '.join(entries)}."
        )
    return entries[name].open(**options)


def _entries() -> dict[str, _Entry]:
    return {
        **{f"whisper-{variant}": _whisper(variant) for variant in whisper_weights.VARIANTS},
        moonshine.NAME: _Entry(moonshine.describe, moonshine.MoonshineRecognizer),
        qwen3.NAME: _Entry(qwen3.describe, _open_qwen3),
        qwen3_mlx.NAME: _Entry(qwen3_mlx.describe, _open_qwen3_mlx),
        openai_http.NAME: _Entry(openai_http.describe, _open_openai),
    }


def _whisper(variant: str) -> _Entry:
    def open_whisper(
        threads: int = 1, language: str | None = "en", settings: Any = None
    ) -> Recognizer:
        from audio.asr.whisper import WhisperRecognizer, WhisperSettings

        chosen = settings or replace(WhisperSettings(), language=language)
        return WhisperRecognizer(variant, threads, chosen)

    return _Entry(lambda: whisper_weights.describe(variant), open_whisper)


def _open_openai(
    base_url: str = "",
    api_key: str = "",
    model: str = "whisper-1",
    language: str | None = "en",
    timeout_s: float = 10.0,
) -> Recognizer:
    settings = openai_http.OpenAISettings(
        base_url, api_key or "none", model, language, timeout_s=timeout_s
    )
    return openai_http.OpenAIRecognizer(settings)


def _open_qwen3(model: str = qwen3.MODEL, language: str | None = "en") -> Recognizer:
    return qwen3.Qwen3Recognizer(qwen3.Qwen3Settings(model, language))


def _open_qwen3_mlx(model: str = qwen3_mlx.MODEL, language: str | None = "en") -> Recognizer:
    return qwen3_mlx.Qwen3MlxRecognizer(qwen3_mlx.Qwen3MlxSettings(model, language))
