"""The seam of voice activity detection: a probability per frame, nothing more."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audio.engine import EngineInfo

FRAME_SAMPLES = 512  # what Silero needs at 16 kHz: 32 ms
SAMPLE_RATE = 16_000  # Hz


class Vad(Protocol):
    """Gives the probability that a frame holds speech. It keeps state from frame to frame."""

    info: EngineInfo

    def probability(self, frame: NDArray[np.float32]) -> float:
        """Probability of speech, 0 to 1, in the next frame of the stream.

        ``frame`` is float32 mono at 16 kHz, shape (512,), full scale 1.0.
        Raises ValueError for another shape and EngineFailed when the model raises.
        """
        ...

    def reset(self) -> None:
        """Forget the stream so far, as after a gap in capture."""
        ...
