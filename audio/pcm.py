"""Plain arithmetic on samples: widths, channels, levels and durations.

Everywhere in this package a sample is float32, full scale 1.0, and a stream is mono.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RATE = 16_000  # Hz, what recognizers, the VAD and the echo canceller work at
SILENCE_DBFS = -120.0  # the level given to digital silence; below the 16-bit floor of -96 dBFS
_FULL_SCALE = 32_768.0  # int16 steps; -32768 is exactly -1.0
_FLOOR = 10.0 ** (SILENCE_DBFS / 20.0)


def to_float32(samples: NDArray[np.int16]) -> NDArray[np.float32]:
    """int16 to float32 in [-1, 1)."""
    return samples.astype(np.float32) / np.float32(_FULL_SCALE)


def to_int16(samples: NDArray[np.float32]) -> NDArray[np.int16]:
    """float32 to int16, rounded; what exceeds full scale is clipped, NaN becomes silence."""
    bounded = np.clip(np.nan_to_num(samples, nan=0.0), -1.0, 1.0)
    scaled = np.minimum(np.rint(bounded * np.float32(_FULL_SCALE)), _FULL_SCALE - 1)
    return np.asarray(scaled, np.int16)


def to_mono(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Average the channels of shape (n, channels); mono of shape (n,) is returned as it is."""
    if samples.ndim == 1:
        return samples
    mono: NDArray[np.float32] = samples.mean(axis=1, dtype=np.float32)
    return mono


def rms_dbfs(samples: NDArray[np.float32]) -> float:
    """Root mean square level; a full-scale square wave is 0 dBFS. Empty counts as silence."""
    if samples.size == 0:
        return SILENCE_DBFS
    power = float(np.mean(np.square(samples, dtype=np.float64)))
    return _to_db(power**0.5)


def peak_dbfs(samples: NDArray[np.float32]) -> float:
    """Level of the largest sample. Empty counts as silence."""
    if samples.size == 0:
        return SILENCE_DBFS
    return _to_db(float(np.max(np.abs(samples))))


def from_dbfs(level_dbfs: float) -> float:
    """The amplitude of a level, or the factor of a gain in dB."""
    return float(10.0 ** (level_dbfs / 20.0))


def duration_s(samples: int, rate: int) -> float:
    """How long so many samples last."""
    return samples / rate


def samples_for(seconds: float, rate: int) -> int:
    """How many samples last so long, to the nearest one."""
    return round(seconds * rate)


def _to_db(amplitude: float) -> float:
    return float(20.0 * np.log10(max(amplitude, _FLOOR)))
