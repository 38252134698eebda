"""The pitch of speech by autocorrelation, and how far two renderings are apart in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_FRAME_S, _HOP_S = 0.04, 0.01
_LOWEST_HZ, _HIGHEST_HZ = 60.0, 400.0
_VOICED = 0.6  # of the autocorrelation at 0
_NEARLY = 0.9  # of the highest peak
_LOUD = 0.01  # of full scale, rms


def pitch(audio: NDArray[np.float32], rate: int) -> NDArray[np.float64]:
    """Hz every 10 ms, 0 where nothing is voiced."""
    size, hop = int(_FRAME_S * rate), int(_HOP_S * rate)
    if len(audio) < size:
        return np.zeros(0)
    frames = np.lib.stride_tricks.sliding_window_view(audio, size)[::hop].astype(np.float64)
    loud = np.sqrt(np.square(frames).mean(axis=1)) > _LOUD
    windowed = (frames - frames.mean(axis=1, keepdims=True)) * np.hanning(size)
    spectrum = np.abs(np.fft.rfft(windowed, 2 * size)) ** 2
    correlation = np.fft.irfft(spectrum)[:, :size]
    window = np.fft.irfft(np.abs(np.fft.rfft(np.hanning(size), 2 * size)) ** 2)[:size]
    correlation /= np.maximum(correlation[:, :1], 1e-12) * np.maximum(window / window[0], 1e-3)
    low, high = int(rate / _HIGHEST_HZ), int(rate / _LOWEST_HZ)
    lags = correlation[:, low:high]
    peaks = (lags >= correlation[:, low - 1 : high - 1]) & (
        lags > correlation[:, low + 1 : high + 1]
    )
    # the first peak that is nearly the highest: every multiple of the period is one too
    best = low + (peaks & (lags > _NEARLY * lags.max(axis=1, keepdims=True))).argmax(axis=1)
    rows = np.arange(len(best))
    before, at, after = (correlation[rows, best + d] for d in (-1, 0, 1))
    bend = before - 2 * at + after
    shift = np.where(bend < 0, (before - after) / (2 * np.minimum(bend, -1e-12)), 0)
    hertz: NDArray[np.float64] = rate / (best + np.clip(shift, -0.5, 0.5))
    return np.where(loud & (at > _VOICED), hertz, 0.0)


def pitch_difference(
    a: NDArray[np.float32], b: NDArray[np.float32], rate: int
) -> tuple[float, float]:
    """Median of the absolute difference in cents where both are voiced; share beyond 50 cents."""
    one, other = pitch(a, rate), pitch(b, rate)
    steps = min(len(one), len(other))
    one, other = one[:steps], other[:steps]
    both = (one > 0) & (other > 0)
    if not both.any():
        return 0.0, 0.0
    cents = np.abs(1200 * np.log2(one[both] / other[both]))
    return float(np.median(cents)), float((cents > 50).mean())
