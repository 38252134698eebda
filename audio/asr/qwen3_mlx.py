"""Qwen3-ASR through MLX, for Apple silicon; 4-bit weights.

The weights (0.5 GB, Apache-2.0) are no package: the user downloads them once. Nothing is downloaded
here. MLX also has a CPU build for Linux, on which the tests run this code.
"""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE
from audio.asr.qwen3 import LANGUAGES
from audio.asr.segmented import SegmentedRecognizer, SegmentSettings, Verdict, judged
from audio.engine import CancelToken, EngineInfo, EngineKind, Weight
from audio.errors import EngineCorrupt, EngineFailed, EngineMissing
from audio.weights import hub_snapshot

NAME = "qwen3-asr-0.6b-mlx"
MODEL = "moona3k/mlx-qwen3-asr-0.6b-4bit"
_INSTALL = 'pip install "jarvis-voice[mlx]"'
_TOKENS_FLOOR = 32
_TOKENS_PER_S = 10  # twice what fast English has


@dataclass(frozen=True, slots=True)
class Qwen3MlxSettings:
    """Which model and language."""

    model: str = MODEL  # a folder, or a name in the hub's cache
    language: str | None = "en"  # ISO 639-1; None lets the model choose
    segments: SegmentSettings = field(default_factory=SegmentSettings)


def describe(model: str = MODEL) -> EngineInfo:
    """The engine as it is listed; installed when its packages and its weights are."""
    packages = all(importlib.util.find_spec(name) for name in ("mlx", "mlx_qwen3_asr"))
    try:
        path: str | None = str(hub_snapshot(model))
    except EngineMissing:
        path = None
    hints = ([] if packages else [_INSTALL]) + ([] if path else [f"hf download {model}"])
    return EngineInfo(
        name=NAME,
        kind=EngineKind.RECOGNIZER,
        description="Qwen3-ASR 0.6B on MLX, 4-bit: multilingual, accurate, for Apple silicon",
        installed=not hints,
        weights=(Weight(model, "a download by the user", "Apache-2.0", path),),
        languages=LANGUAGES,
        install_hint=" && ".join(hints),
    )


class Qwen3MlxRecognizer(SegmentedRecognizer):
    """Qwen3-ASR on MLX."""

    def __init__(self, settings: Qwen3MlxSettings | None = None) -> None:
        """Load the model. Raises EngineMissing or EngineCorrupt with what to do."""
        options = settings or Qwen3MlxSettings()
        super().__init__(describe(options.model), _Qwen3Mlx(options), options.segments)


class _Qwen3Mlx:
    def __init__(self, settings: Qwen3MlxSettings) -> None:
        try:
            library = importlib.import_module("mlx_qwen3_asr")
        except (ImportError, OSError) as error:
            raise EngineMissing(
                f"Qwen3-ASR for MLX cannot be loaded: {error}.", f"Run: {_INSTALL}"
            ) from error
        folder = hub_snapshot(settings.model)
        try:
            self._session: Any = library.Session(str(folder))
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise EngineCorrupt(
                f"The model in {folder} cannot be loaded: {error}.",
                f"Run: hf download {settings.model} --force-download",
            ) from error
        self._settings = settings

    def transcribe(
        self, sound: NDArray[np.float32], *, settle: bool, cancel: CancelToken
    ) -> Verdict:
        """Blocks for the whole stretch: the library offers no way to stop it."""
        cancel.raise_if_cancelled()
        limit = int(_TOKENS_FLOOR + _TOKENS_PER_S * len(sound) / SAMPLE_RATE)
        try:
            result = self._session.transcribe(
                sound, language=self._settings.language, max_new_tokens=limit
            )
        except (RuntimeError, ValueError) as error:
            raise EngineFailed(f"Qwen3-ASR failed: {error}.", "Say it again.") from error
        return judged(result.text, sound, "whole", self._settings.language)

    def close(self) -> None:
        """Drop the model; MLX frees its memory when nothing refers to it."""
        del self._session
