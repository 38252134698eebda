"""How much weaker is this speech than this user usually is?

The level of speech falls by 6 dB with each doubling of the distance. What this user's speech is
like is learned while nobody speaks over it; what a weaker voice is worth, ``overlap.py`` decides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SURE = 0.5  # probability of a frame that is speech
LEARNED_FRAMES = 30  # of speech, about a second, before anything is called weaker
WINDOW = 12  # frames of speech: a third of a second holds the vowel of a word
_STEP = 0.05  # how fast the usual level follows
_UP, _DOWN = 1.7, 0.3  # times the step: what is learned is the loud part of speech
_FLOOR = 1e-6  # -60 dBFS


class Distance:
    """Follows the level of speech, frame by frame."""

    def __init__(self) -> None:
        self._usual_dbfs = -60.0
        self._frames = 0
        self._recent: list[float] = []

    def below_db(
        self, samples: NDArray[np.float32], probability: float, *, over_agent: bool
    ) -> float:
        """How far the speech of the last third of a second, this frame included, is below usual.

        ``samples`` is float32 of any length, full scale 1.0. 0 until the user's own level is known,
        without speech, for what is as loud or louder, and where nobody speaks over the agent.
        """
        if probability < SURE:
            self._recent = self._recent[1:]
            return 0.0
        power = float(np.dot(samples, samples)) / max(1, len(samples))
        self._recent = [*self._recent, power][-WINDOW:]
        level_dbfs = 10.0 * np.log10(sum(self._recent) / len(self._recent) + _FLOOR)
        if not over_agent:
            self._learn(level_dbfs)
            return 0.0
        if self._frames < LEARNED_FRAMES:
            return 0.0
        return max(0.0, self._usual_dbfs - float(level_dbfs))

    def _learn(self, level_dbfs: float) -> None:
        self._frames += 1
        step = max(_STEP, 1.0 / self._frames)
        step *= _UP if level_dbfs > self._usual_dbfs else _DOWN
        self._usual_dbfs += min(step, 1.0) * (level_dbfs - self._usual_dbfs)
