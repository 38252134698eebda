"""Kokoro through the reference package ``kokoro`` on torch, for a GPU or for comparison.

Only its network is used: words go through our own G2P, so the espeak that comes with the package is
not asked. The weights (327 MB, Apache-2.0) are no package: the user downloads them once. Nothing is
downloaded here.
"""

from __future__ import annotations

import importlib
import pickle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.downloaded import DownloadedEngine
from audio.engine import CancelToken, EngineInfo, EngineKind
from audio.errors import Cancelled, EngineCorrupt, EngineFailed, EngineMissing
from audio.tts.phoneme_speech import Inference, PhonemeSynthesizer, edges_of
from audio.tts.voices import JARVIS_VOICE, load_styles
from audio.weights import hub_snapshot

NAME = "kokoro-torch"
MODEL = "hexgrad/Kokoro-82M"
_WEIGHTS = "kokoro-v1_0.pth"
_ENGINE = DownloadedEngine(
    name=NAME,
    kind=EngineKind.SYNTHESIZER,
    description="Kokoro-82M in full precision on torch; brings espeak (GPL), not used",
    extra="kokoro",
    packages=("torch", "kokoro"),
    files=("config.json", _WEIGHTS),
)


def describe(model: str = MODEL) -> EngineInfo:
    """The engine as it is listed; installed when its packages and its weights are."""
    return _ENGINE.describe(model)


class KokoroTorchSynthesizer(PhonemeSynthesizer):
    """Kokoro on torch; cancelling stops between two layers of the decoder."""

    def __init__(self, voice: str = JARVIS_VOICE, speed: float = 1.0, model: str = MODEL) -> None:
        """Load the network; ``model`` is a folder, or a name in the hub's cache.

        Raises ValueError for a speed that is not above zero, EngineMissing or EngineCorrupt.
        """
        load_styles(voice)
        super().__init__(_TorchNetwork(model), describe(model), voice, speed)


class _TorchNetwork:
    def __init__(self, model: str) -> None:
        try:
            self._torch: Any = importlib.import_module("torch")
            network_class: Any = importlib.import_module("kokoro").KModel
        except (ImportError, AttributeError) as error:
            raise EngineMissing(
                f"This engine needs torch and kokoro: {error}.", f"Run: {_ENGINE.install}"
            ) from error
        folder = hub_snapshot(model)
        device = "cuda" if self._torch.cuda.is_available() else "cpu"
        try:
            network = network_class(
                repo_id=MODEL, config=str(folder / "config.json"), model=str(folder / _WEIGHTS)
            )
        except (
            OSError, ValueError, KeyError, TypeError, RuntimeError, AssertionError,
            EOFError, pickle.UnpicklingError,
        ) as error:  # fmt: skip
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise EngineCorrupt(
                f"The model in {folder} cannot be loaded: {reason}.",
                f"Run: hf download {model} --force-download",
            ) from error
        self._network: Any = network.to(device).eval()
        self._device = device
        self._cancel = CancelToken()
        for layer in self._network.decoder.modules():
            layer.register_forward_pre_hook(self._check)

    def _check(self, *_: object) -> None:
        self._cancel.raise_if_cancelled()

    def infer(
        self, tokens: list[int], style: NDArray[np.float32], speed: float, cancel: CancelToken
    ) -> Inference:
        """See Network.infer."""
        if self._network is None:
            raise EngineFailed("The speech model was closed.", "Open the synthesizer again.")
        cancel.raise_if_cancelled()
        self._cancel = cancel
        torch = self._torch
        try:
            audio, frames = self._network.forward_with_tokens(
                torch.tensor([[0, *tokens, 0]], device=self._device),
                torch.from_numpy(np.array(style)).to(self._device),
                speed,
            )
            samples = audio.reshape(-1).float().cpu().numpy()
        except Cancelled:
            raise
        except (RuntimeError, ValueError, IndexError) as error:
            raise EngineFailed(f"The speech model failed: {error}.", "Try again.") from error
        cancel.raise_if_cancelled()
        return Inference(samples, edges_of(frames.cpu().numpy().astype(np.int64)))

    def close(self) -> None:
        self._network = None
