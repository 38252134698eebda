"""VADs without a model: one that follows a script, and one that goes by the level."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from audio.engine import EngineInfo, EngineKind
from audio.pcm import rms_dbfs
from audio.vad.base import FRAME_SAMPLES


class ScriptedVad:
    """Gives the probabilities of a script, one a frame, then silence.

    The sound itself is not looked at. ``reset`` does not rewind: the script tells what the user
    does, and a gap in capture does not make the user start over.
    """

    def __init__(self, probabilities: Iterable[float]) -> None:
        self.info = EngineInfo("scripted", EngineKind.VAD, "follows a script", installed=True)
        self._script = iter(probabilities)
        self.resets = 0

    def probability(self, frame: NDArray[np.float32]) -> float:
        """The script's next value, clipped to 0..1; 0 when it has ended."""
        _check(frame)
        return min(1.0, max(0.0, next(self._script, 0.0)))

    def reset(self) -> None:
        """Count the reset, so that a test can see it."""
        self.resets += 1


class EnergyVad:
    """Takes level for speech: half-way sure at ``threshold_dbfs``, 88 % sure 6 dB above.

    Good enough where the only sound *is* speech, as in simulations; the default threshold is the
    one that heard every interruption and no residual echo in a closed loop (-42 dBFS).
    """

    _SLOPE_DB = 3.0  # change of level that multiplies the odds by e

    def __init__(self, threshold_dbfs: float = -42.0) -> None:
        self.info = EngineInfo("energy", EngineKind.VAD, "goes by the level", installed=True)
        self._threshold_dbfs = threshold_dbfs

    def probability(self, frame: NDArray[np.float32]) -> float:
        """A logistic function of the frame's level in dBFS."""
        _check(frame)
        if not np.isfinite(frame).all():
            return 0.0
        odds = math.exp((rms_dbfs(frame) - self._threshold_dbfs) / self._SLOPE_DB)
        return odds / (1.0 + odds)

    def reset(self) -> None:
        """It has no memory."""


def _check(frame: NDArray[np.float32]) -> None:
    if frame.shape != (FRAME_SAMPLES,):
        raise ValueError(f"a frame has shape ({FRAME_SAMPLES},), not {frame.shape}")
