"""Short cues that are no speech, made from sine tones, so that they exist at any rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ATTENTION_HZ = (659.26, 880.0)  # E5 then A5: a rising fourth asks, a falling one would close
TONE_S = 0.14
LEVEL_DBFS = -24.0  # below speech, so that it does not startle
DECAY = 5.0  # e-folds over a tone: like a struck bar, no click at the end


def attention(rate: int) -> NDArray[np.float32]:
    """The cue before Jarvis speaks unasked: float32 mono, shape (n,), 0.28 s at ``rate``."""
    level = 10.0 ** (LEVEL_DBFS / 20.0)
    size = round(TONE_S * rate)
    time_s = np.arange(size) / rate
    envelope = np.exp(-DECAY * time_s / TONE_S) * np.minimum(1.0, time_s / 0.005)
    envelope *= np.linspace(1.0, 0.0, size)
    tones = [np.sin(2.0 * np.pi * hertz * time_s) * envelope for hertz in ATTENTION_HZ]
    cue: NDArray[np.float32] = (level * np.concatenate(tones)).astype(np.float32)
    return cue
