"""Qwen3-ASR through MLX, for Apple silicon; 4-bit weights.

The weights (0.5 GB, Apache-2.0) are no package: the user downloads them once. Nothing is downloaded
here. MLX also has a CPU build for Linux, on which the tests run this code.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.asr.qwen3 import LANGUAGES, Qwen3Settings, most_tokens
from audio.asr.segmented import SegmentedRecognizer, Verdict, judged
from audio.downloaded import DownloadedEngine
from audio.engine import CancelToken, EngineInfo, EngineKind
from audio.errors import EngineCorrupt, EngineFailed, EngineMissing
from audio.weights import hub_snapshot

NAME = "qwen3-asr-0.6b-mlx"
MODEL = "moona3k/mlx-qwen3-asr-0.6b-4bit"
_ENGINE = DownloadedEngine(
    name=NAME,
    kind=EngineKind.RECOGNIZER,
    description="Qwen3-ASR 0.6B on MLX, 4-bit: multilingual, accurate, for Apple silicon",
    extra="mlx",
    packages=("mlx", "mlx_qwen3_asr"),
    languages=LANGUAGES,
)


@dataclass(frozen=True, slots=True)
class Qwen3MlxSettings(Qwen3Settings):
    """The same, with a model in the form that MLX takes."""

    model: str = MODEL  # a folder, or a name in the hub's cache


def describe(model: str = MODEL) -> EngineInfo:
    """The engine as it is listed; installed when its packages and its weights are."""
    return _ENGINE.describe(model)


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
                f"Qwen3-ASR for MLX cannot be loaded: {error}.", f"Run: {_ENGINE.install}"
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
        limit = most_tokens(sound)
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
