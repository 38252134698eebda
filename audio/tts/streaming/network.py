"""Kokoro in two halves: the first says what will sound over a whole phrase, the second makes it so.

The first half (text, rhythm, melody: a tenth of the time) is the shipped int8 network up to the
decoder's last layer but one. The second is the generator of ``generator``. Both are made from the
joined weights in memory when they are loaded, which takes 1.5 s of a core and no disk: 310 MB once
they are there, where the shipped network takes 280, and 440 for a moment before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken
from audio.tts import kokoro_model
from audio.tts.kokoro_model import DURATIONS, OrtNetwork
from audio.tts.streaming import generator
from audio.tts.streaming.generator import (
    CONTEXT,
    FRAMES,
    INNER_CONTEXT,
    SAMPLES,
    SOURCE,
    SOURCE_STEPS,
    Affine,
    Styling,
)
from audio.tts.streaming.onnx_file import OnnxFile

_PITCH = "/encoder/Reshape_output_0"  # (1, frames), Hz, about 0 where nothing is voiced
_ENERGY = "/encoder/Reshape_1_output_0"  # (1, frames)
_OUTPUTS = (FRAMES, SOURCE, DURATIONS, _PITCH, _ENERGY)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the first half says of a phrase. A frame is 12.5 ms, 300 samples."""

    frames: NDArray[np.float32]  # (1, 512, n)
    source: NDArray[np.float32]  # (1, 22, 60 n + 1)
    edges: NDArray[np.int64]  # see Inference
    pitch: NDArray[np.float32]  # (n,)
    energy: NDArray[np.float32]  # (n,)
    affine: Affine  # the voice's, as Styling gives it

    @property
    def length(self) -> int:
        """Frames of the whole phrase."""
        return int(self.frames.shape[2])


class TwoHalves:
    """Both halves, loaded. One call at a time."""

    def __init__(self, threads: int) -> None:
        """Raises EngineMissing, EngineCorrupt or UnwritableOutput."""
        source = OnnxFile(kokoro_model.weights_path())
        self._first = OrtNetwork(source.ending_in(_OUTPUTS), threads)
        self._second = OrtNetwork(generator.build(source), threads)
        self._styling = Styling(source)

    def plan(
        self, tokens: list[int], style: NDArray[np.float32], speed: float, cancel: CancelToken
    ) -> Plan:
        """Work out what will sound. Raises Cancelled or EngineFailed."""
        inputs = kokoro_model.inputs_of(tokens, style, speed)
        frames, source, durations, pitch, energy = self._first.run(_OUTPUTS, inputs, cancel)
        edges = kokoro_model.edges_from(durations)
        affine = self._styling.affine(style)
        return Plan(frames, source, edges, pitch.ravel(), energy.ravel(), affine)

    def whole(self, plan: Plan, cancel: CancelToken) -> tuple[NDArray[np.float32], Affine]:
        """The audio of the whole phrase, and the norms that it turned out to have."""
        inputs = _inputs(plan, plan.affine, (0, plan.length), (0, plan.length))
        inputs["whole"] = np.ones(1, np.bool_)
        outputs = ("audio", "used_factor", "used_offset")
        audio, factor, offset = self._second.run(outputs, inputs, cancel)
        return audio, Affine(factor, offset)

    def window(
        self, plan: Plan, norms: Affine, start: int, end: int, cancel: CancelToken
    ) -> NDArray[np.float32]:
        """The audio of the frames [start, end), with norms as given: 300 samples each."""
        outer = max(0, start - CONTEXT), min(plan.length, end + CONTEXT)
        inner = max(0, start - INNER_CONTEXT), min(plan.length, end + INNER_CONTEXT)
        (audio,) = self._second.run(("audio",), _inputs(plan, norms, outer, inner), cancel)
        first = SAMPLES * (start - inner[0])
        wanted: NDArray[np.float32] = audio[first : first + SAMPLES * (end - start)]
        return wanted

    def close(self) -> None:
        """Release both; calling it twice is fine."""
        self._first.close()
        self._second.close()


def _inputs(
    plan: Plan, norms: Affine, outer: tuple[int, int], inner: tuple[int, int]
) -> dict[str, NDArray[np.generic]]:
    start, end = outer
    return {
        "frames": plan.frames[:, :, None, start:end],
        "source": plan.source[:, :, None, SOURCE_STEPS * start : SOURCE_STEPS * end + 1],
        "factor": norms.factor.reshape(1, -1, 1, 1),
        "offset": norms.offset.reshape(1, -1, 1, 1),
        "inner": np.array(inner, np.int64) - start,
        "whole": np.zeros(1, np.bool_),
    }
