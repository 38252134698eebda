"""Foretells what the generator's norms would measure over a phrase, before there is any sound.

A ridge regression for each voice, from a few numbers of the plan to the mean and the logarithm of
the variance of 8448 channels. ``bench.stream_statistics`` fits it and tells how well it does.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.errors import EngineCorrupt
from audio.resources import asset
from audio.tts.streaming.generator import Affine, in_norms
from audio.tts.streaming.network import Plan

_REACH = 3.0  # standard deviations: what lies farther out is taken to lie here
_VOICED_HZ = 10.0
FLOOR = 1e-8  # of variances, before their logarithm
STATISTICS = 8448


def features(plan: Plan) -> NDArray[np.float64]:
    """What is known of a phrase beforehand, shape (11,)."""
    frames, pitch, energy = plan.frames[0], plan.pitch, plan.energy
    voiced = pitch > _VOICED_HZ
    hertz = pitch[voiced] if voiced.any() else np.zeros(1)
    loudness = np.log(np.square(frames).mean(axis=0) + 1e-6)
    return np.array(
        [
            1.0,
            voiced.mean(),
            energy.mean(),
            energy.std(),
            hertz.mean() / 100,
            hertz.std() / 100,
            loudness.mean(),
            loudness.std(),
            30 / plan.length,
            frames.mean(),
            frames.std(),
        ]
    )


@dataclass(frozen=True, slots=True)
class Forecast:
    """The fitted regression of a voice."""

    centre: NDArray[np.float32]  # of the features
    spread: NDArray[np.float32]
    weights: NDArray[np.float32]  # (features, 2 * 8448): means, then logarithms of variances

    def measures(self, known: NDArray[np.float64]) -> NDArray[np.float32]:
        """Means and then logarithms of variances, (16896,), from ``features``."""
        z = np.clip((known - self.centre) / self.spread, -_REACH, _REACH)
        return (z @ self.weights).astype(np.float32)

    def norms(self, plan: Plan) -> Affine:
        """The norms of a phrase, foretold."""
        mean, log_variance = self.measures(features(plan)).reshape(2, STATISTICS)
        return in_norms(plan.affine, mean, np.exp(log_variance))


def load_forecast(voice: str) -> Forecast:
    """Raises EngineMissing when there is none for the voice, and EngineCorrupt."""
    path = asset("kokoro", f"forecast_{voice}.npz")
    try:
        with np.load(path) as found:
            return Forecast(*(found[n].astype(np.float32) for n in ("centre", "spread", "weights")))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise EngineCorrupt(
            f"The file {path} cannot be read: {error}.",
            "Run: pip install --force-reinstall jarvis-voice",
        ) from error
