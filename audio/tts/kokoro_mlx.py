"""Kokoro through ``kokoro-mlx``, for Apple silicon.

Only its network is used: words go through our own G2P. The weights (Apache-2.0) are no package: the
user downloads them once. Nothing is downloaded here. MLX also has a CPU build for Linux, on which
the tests run this code.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.downloaded import DownloadedEngine
from audio.engine import CancelToken, EngineInfo, EngineKind
from audio.errors import EngineCorrupt, EngineFailed, EngineMissing
from audio.tts.phoneme_speech import Inference, PhonemeSynthesizer, edges_of
from audio.tts.phonemes import vocabulary
from audio.tts.voices import JARVIS_VOICE, load_styles
from audio.weights import hub_snapshot

NAME = "kokoro-mlx"
MODEL = "mlx-community/Kokoro-82M-bf16"
_ENGINE = DownloadedEngine(
    name=NAME,
    kind=EngineKind.SYNTHESIZER,
    description="Kokoro-82M on MLX, for Apple silicon",
    extra="mlx",
    packages=("mlx", "kokoro_mlx"),
    files=("config.json", "kokoro-v1_0.safetensors"),
)


def describe(model: str = MODEL) -> EngineInfo:
    """The engine as it is listed; installed when its packages and its weights are."""
    return _ENGINE.describe(model)


class KokoroMlxSynthesizer(PhonemeSynthesizer):
    """Kokoro on MLX; a cancel is obeyed when the piece under way is done."""

    def __init__(self, voice: str = JARVIS_VOICE, speed: float = 1.0, model: str = MODEL) -> None:
        """Load the network; ``model`` is a folder, or a name in the hub's cache.

        Raises ValueError for a speed that is not above zero, EngineMissing or EngineCorrupt.
        """
        load_styles(voice)
        super().__init__(_MlxNetwork(model), describe(model), voice, speed)


class _MlxNetwork:
    def __init__(self, model: str) -> None:
        try:
            self._mx: Any = importlib.import_module("mlx.core")
            network_class: Any = importlib.import_module("kokoro_mlx.model").KokoroModel
        except (ImportError, AttributeError) as error:
            raise EngineMissing(
                f"This engine needs mlx and kokoro-mlx: {error}.", f"Run: {_ENGINE.install}"
            ) from error
        folder = hub_snapshot(model)
        try:
            self._network: Any = network_class.from_pretrained(folder)
            self._durations = _Tap(self._network.predictor.duration_proj)
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, AttributeError) as error:
            reason = str(error).splitlines() or [type(error).__name__]
            raise EngineCorrupt(
                f"The model in {folder} cannot be loaded: {reason[0]}.",
                f"Run: hf download {model} --force-download",
            ) from error
        self._network.predictor.duration_proj = self._durations
        # The network takes symbols, not tokens, and looks them up in the table of its own weights.
        self._symbols = {token: symbol for symbol, token in vocabulary().items()}

    def infer(
        self, tokens: list[int], style: NDArray[np.float32], speed: float, cancel: CancelToken
    ) -> Inference:
        """See Network.infer."""
        if self._network is None:
            raise EngineFailed("The speech model was closed.", "Open the synthesizer again.")
        cancel.raise_if_cancelled()
        symbols = "".join(self._symbols[token] for token in tokens)
        try:
            audio = self._network.forward(symbols, self._mx.array(style), speed)
            samples = np.array(audio.astype(self._mx.float32)).reshape(-1)
            frames = self._frames(speed)
        except (RuntimeError, ValueError, IndexError) as error:
            raise EngineFailed(f"The speech model failed: {error}.", "Try again.") from error
        cancel.raise_if_cancelled()
        if len(frames) != len(tokens) + 2:
            raise EngineFailed(
                "The weights know other phonemes than ours.", f"Use the weights of {MODEL}."
            )
        return Inference(samples, edges_of(frames))

    def _frames(self, speed: float) -> NDArray[np.int64]:
        """The frames of each token, as the network itself derives them from this layer."""
        mx = self._mx
        frames = mx.round(mx.sigmoid(self._durations.last).sum(axis=-1) / speed)
        counted: NDArray[np.int64] = np.array(frames.astype(mx.int32)).astype(np.int64)
        return np.maximum(counted.reshape(-1), 1)

    def close(self) -> None:
        self._network = None


class _Tap:
    """Passes a layer's output on and keeps the last one; ``forward`` returns no durations."""

    def __init__(self, layer: Any) -> None:  # an mlx layer; mlx is not imported for typing
        self._layer = layer
        self.last: Any = None

    def __call__(self, given: Any) -> Any:
        self.last = self._layer(given)
        return self.last
