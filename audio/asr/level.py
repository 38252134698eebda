"""Brings speech to the level that recognizers were trained on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_QUIET = 0.1  # below this peak speech is raised: -20 dBFS
_TARGET = 0.5
_LARGEST_GAIN = 1000.0  # 60 dB: more would only raise the converter's own noise
_PEAK_SHARE = 0.999  # a click of a few samples does not count as the peak


def levelled(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """``samples`` raised when very quiet, lowered when over full scale; a copy or the same array.

    Float32 mono, full scale 1.0. Silence stays silence.
    """
    if len(samples) == 0:
        return samples
    peak = float(np.quantile(np.abs(samples), _PEAK_SHARE))
    if 0 < peak < _QUIET:
        raised: NDArray[np.float32] = samples * np.float32(min(_TARGET / peak, _LARGEST_GAIN))
        return np.clip(raised, np.float32(-1.0), np.float32(1.0))
    top = float(np.max(np.abs(samples)))
    return samples / np.float32(top) if top > 1.0 else samples
