"""How far two renderings of one phrase are apart, as the field measures it.

PURE.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

_SIZE, _HOP = 1024, 240  # samples: 43 and 10 ms at 24 kHz
_BANDS = 80
_LEAST_DB = -60.0  # below the loudest: what is softer is silence


def mel_distance(a: NDArray[np.float32], b: NDArray[np.float32], rate: int) -> float:
    """Log-spectral distance over 80 mel bands, in dB: the mean over time of the rms over bands."""
    return float(_distances(_mel(a, rate), _mel(b, rate)).mean())


def spectral_distance(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """Log-spectral distance over all 513 frequencies, in dB."""
    return float(_distances(_spectrum(a), _spectrum(b)).mean())


def _distances(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    steps = min(len(a), len(b))
    a, b = a[:steps], b[:steps]
    floor = a.max() * 10 ** (_LEAST_DB / 10) + 1e-12
    decibels = 10 * np.log10(np.maximum(a, floor) / np.maximum(b, floor))
    heard = a.max(axis=1) > floor  # where both are silent there is nothing to compare
    found: NDArray[np.float64] = np.sqrt(np.square(decibels[heard]).mean(axis=1))
    return found if len(found) else np.zeros(1)


def _spectrum(audio: NDArray[np.float32]) -> NDArray[np.float64]:
    padded = np.concatenate([audio, np.zeros(_SIZE)])
    steps = np.lib.stride_tricks.sliding_window_view(padded, _SIZE)[::_HOP]
    power: NDArray[np.float64] = np.square(np.abs(np.fft.rfft(steps * np.hanning(_SIZE))))
    return power


def _mel(audio: NDArray[np.float32], rate: int) -> NDArray[np.float64]:
    return _spectrum(audio) @ _filters(rate)


@functools.cache
def _filters(rate: int) -> NDArray[np.float64]:
    """Triangles that overlap by half, evenly spaced in mel (HTK's), from 0 Hz to half the rate."""
    top = 2595 * np.log10(1 + rate / 2 / 700)
    corners = 700 * (10 ** (np.linspace(0, top, _BANDS + 2) / 2595) - 1)
    hertz = np.fft.rfftfreq(_SIZE, 1 / rate)[:, None]
    low, middle, high = corners[:-2], corners[1:-1], corners[2:]
    rising, falling = (hertz - low) / (middle - low), (high - hertz) / (high - middle)
    triangles = np.maximum(0, np.minimum(rising, falling))
    filters: NDArray[np.float64] = triangles / np.maximum(triangles.sum(axis=0), 1e-9)
    return filters
