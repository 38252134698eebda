"""Foretells what the generator's norms would measure over a phrase, before there is any sound.

A ridge regression of low rank for each voice, from the mean and the spread of what enters the
generator, channel by channel, to the mean and the logarithm of the variance of 8448 channels inside
it. ``bench.stream_statistics`` fits it and tells how well it does.
"""

from __future__ import annotations

import zipfile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audio.errors import EngineCorrupt
from audio.resources import asset
from audio.tts.streaming.generator import Affine, in_norms
from audio.tts.streaming.network import Plan

_REACH = 3.0  # standard deviations: what lies farther out is taken to lie here
FLOOR = 1e-8  # of variances, before their logarithm
STATISTICS = 8448


def features(frames: NDArray[np.float32]) -> NDArray[np.float32]:
    """What is known of a phrase beforehand, from Plan.frames (1, 512, n): shape (1024,)."""
    spread = np.log(frames[0].std(axis=1) + 1e-3)
    return np.concatenate([frames[0].mean(axis=1), spread]).astype(np.float32)


class Forecast(NamedTuple):
    """The fitted regression of a voice."""

    centre: NDArray[np.float32]  # of the features
    spread: NDArray[np.float32]
    inwards: NDArray[np.float32]  # (1024, rank)
    outwards: NDArray[np.float32]  # (rank, 2 * 8448): means, then logarithms of variances
    usual: NDArray[np.float32]  # (2 * 8448,), of a phrase whose features are the centre

    def measures(self, known: NDArray[np.float32]) -> NDArray[np.float32]:
        """Means and then logarithms of variances, (16896,), from ``features``."""
        z = np.clip((known - self.centre) / self.spread, -_REACH, _REACH)
        foretold: NDArray[np.float32] = z @ self.inwards @ self.outwards + self.usual
        return foretold

    def norms(self, plan: Plan) -> Affine:
        """The norms of a phrase, foretold."""
        mean, log_variance = self.measures(features(plan.frames)).reshape(2, STATISTICS)
        return in_norms(plan.affine, mean, np.exp(log_variance))


def load_forecast(voice: str) -> Forecast:
    """Raises EngineMissing when there is none for the voice, and EngineCorrupt."""
    path = asset("kokoro", f"forecast_{voice}.npz")
    try:
        with np.load(path) as found:
            return Forecast(*(found[name].astype(np.float32) for name in Forecast._fields))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise EngineCorrupt(
            f"The file {path} cannot be read: {error}.",
            "Run: pip install --force-reinstall jarvis-voice",
        ) from error
