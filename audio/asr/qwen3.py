"""Qwen3-ASR through transformers, on the CPU or a CUDA device.

The weights (0.6B parameters, Apache-2.0) are no package: the user downloads them once. Nothing is
downloaded here.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE
from audio.asr.segmented import SegmentedRecognizer, SegmentSettings, Verdict, judged
from audio.downloaded import DownloadedEngine
from audio.engine import CancelToken, EngineInfo, EngineKind
from audio.errors import EngineCorrupt, EngineFailed, EngineMissing
from audio.weights import hub_snapshot

NAME = "qwen3-asr-0.6b"
MODEL = "Qwen/Qwen3-ASR-0.6B-hf"
LANGUAGES = ("en", "zh", "de", "es", "fr", "it", "ja", "ko", "pt", "ru")
_TOKENS_FLOOR = 32
_TOKENS_PER_S = 10  # twice what fast English has
_ENGINE = DownloadedEngine(
    name=NAME,
    kind=EngineKind.RECOGNIZER,
    description="Qwen3-ASR 0.6B on transformers: multilingual, accurate, best on a GPU",
    extra="qwen",
    packages=("torch", "transformers"),
    languages=LANGUAGES,
)


@dataclass(frozen=True, slots=True)
class Qwen3Settings:
    """Which model and language."""

    model: str = MODEL  # a folder, or a name in the hub's cache
    language: str | None = "en"  # ISO 639-1; None lets the model choose
    segments: SegmentSettings = field(default_factory=SegmentSettings)


def describe(model: str = MODEL) -> EngineInfo:
    """The engine as it is listed; installed when its packages and its weights are."""
    return _ENGINE.describe(model)


def most_tokens(sound: NDArray[np.float32]) -> int:
    """The most tokens that a transcript of ``sound``, at SAMPLE_RATE, may have."""
    return int(_TOKENS_FLOOR + _TOKENS_PER_S * len(sound) / SAMPLE_RATE)


class Qwen3Recognizer(SegmentedRecognizer):
    """Qwen3-ASR on torch."""

    def __init__(self, settings: Qwen3Settings | None = None) -> None:
        """Load the model. Raises EngineMissing or EngineCorrupt with what to do."""
        options = settings or Qwen3Settings()
        super().__init__(describe(options.model), _Qwen3(options), options.segments)


class _Qwen3:
    def __init__(self, settings: Qwen3Settings) -> None:
        try:
            self._torch: Any = importlib.import_module("torch")
            self._library: Any = importlib.import_module("transformers")
            damaged = importlib.import_module("safetensors").SafetensorError
            model_class = self._library.Qwen3ASRForConditionalGeneration
        except (ImportError, AttributeError) as error:
            raise EngineMissing(
                f"Qwen3-ASR needs torch and a transformers that knows it: {error}.",
                f"Run: {_ENGINE.install}",
            ) from error
        folder = hub_snapshot(settings.model)
        device = "cuda" if self._torch.cuda.is_available() else "cpu"
        dtype = self._torch.bfloat16 if device == "cuda" else self._torch.float32
        try:
            self._processor = self._library.AutoProcessor.from_pretrained(
                folder, local_files_only=True
            )
            self._model = model_class.from_pretrained(folder, local_files_only=True, dtype=dtype)
        except (damaged, OSError, ValueError, KeyError, RuntimeError, AttributeError) as error:
            raise EngineCorrupt(
                f"The model in {folder} cannot be loaded: {_first_line(error)}.",
                f"Run: hf download {settings.model} --force-download",
            ) from error
        self._model.to(device).eval()
        self._settings = settings
        self._dtype = dtype

    def transcribe(
        self, sound: NDArray[np.float32], *, settle: bool, cancel: CancelToken
    ) -> Verdict:
        """Stops between two tokens when cancelled."""
        cancel.raise_if_cancelled()
        limit = most_tokens(sound)
        stop = self._library.StoppingCriteriaList([_CancelCriterion(self._torch, cancel)])
        try:
            request = self._processor.apply_transcription_request(
                sound, language=self._settings.language
            ).to(self._model.device, self._dtype)
            with self._torch.inference_mode():
                written = self._model.generate(
                    **request, max_new_tokens=limit, do_sample=False, stopping_criteria=stop
                )
            cancel.raise_if_cancelled()
            new = written[0, request["input_ids"].shape[1] :]
            parsed = self._processor.decode(new, return_format="parsed")
        except (RuntimeError, ValueError) as error:
            raise EngineFailed(
                f"Qwen3-ASR failed: {_first_line(error)}.", "Say it again."
            ) from error
        return judged(parsed["transcription"], sound, "whole", self._settings.language)

    def close(self) -> None:
        """Drop the model; torch frees its memory when nothing refers to it."""
        del self._model
        del self._processor


class _CancelCriterion:
    """Ends a generation when its token was cancelled; called by transformers after each token."""

    def __init__(self, torch: Any, cancel: CancelToken) -> None:
        self._torch = torch
        self._cancel = cancel

    def __call__(self, input_ids: Any, scores: Any, **rest: Any) -> Any:
        shape = (input_ids.shape[0],)
        return self._torch.full(
            shape, self._cancel.cancelled, device=input_ids.device, dtype=self._torch.bool
        )


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
