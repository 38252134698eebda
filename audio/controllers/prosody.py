"""How the voice stopped: its pitch and level at the end against those of the turn before.

A voice that comes to an end sinks: the last syllable is softer and lower than the turn was. One
that stops to think stays up. Both are told from the last three seconds in a few milliseconds; the
signs are weak, and the weight of them is small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audio.controllers.base import SAMPLE_RATE

LOOKS_BACK_S = 3.0
_WINDOW, _HOP = 640, 160  # samples: 40 ms, so that the lowest voice has three periods in it
_LOWEST_HZ, _HIGHEST_HZ = 70.0, 400.0
_VOICED = 0.5  # of the autocorrelation at the period
_SPEECH_DB = 30.0  # below the loudest: what is softer is no speech
_LAST = 20  # frames: 0.2 s, about a syllable
_LEAP = 8.0  # semitones: more is a mistake of the octave, as in a creaky voice
_LEAST_VOICED = 8  # frames of the turn; with fewer no pitch is known


class Prosody(NamedTuple):
    """The end of a stretch of speech. None is not known."""

    fall_db: float  # level of the last syllable against the speech before, below zero when softer
    fall_semitones: float | None  # pitch of its end against that of the speech before


def measure(speech: NDArray[np.float32]) -> Prosody | None:
    """The prosody of ``speech``, mono at 16 kHz, which ends where the speech does.

    None when there is less than 0.3 s of it.
    """
    if len(speech) < 0.3 * SAMPLE_RATE:
        return None
    frames = np.lib.stride_tricks.sliding_window_view(speech.astype(np.float64), _WINDOW)[::_HOP]
    level = 10 * np.log10(np.mean(np.square(frames), axis=1) + 1e-12)
    sounding = np.flatnonzero(level > level.max() - _SPEECH_DB)
    last = int(sounding[-1]) + 1
    pitch = _pitch(frames[:last])
    known = level[:last]
    usual = float(np.median(known[known > level.max() - _SPEECH_DB]))
    fall_db = float(np.mean(known[-_LAST:])) - usual
    voiced = np.flatnonzero(np.isfinite(pitch))
    if len(voiced) < _LEAST_VOICED:
        return Prosody(fall_db, None)
    fall = float(np.median(pitch[voiced[-6:]]) - np.median(pitch[voiced]))
    return Prosody(fall_db, fall if abs(fall) < _LEAP else None)


def _pitch(frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pitch of each frame in semitones above 100 Hz; NaN where there is no voice."""
    shortest, longest = int(SAMPLE_RATE / _HIGHEST_HZ), int(SAMPLE_RATE / _LOWEST_HZ)
    centred = (frames - frames.mean(axis=1, keepdims=True)) * np.hanning(_WINDOW)
    spectrum = np.fft.rfft(centred, 2 * _WINDOW, axis=1)
    correlation = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)
    window = np.fft.irfft(np.abs(np.fft.rfft(np.hanning(_WINDOW), 2 * _WINDOW)) ** 2)
    span = slice(shortest, longest)
    even = correlation[:, span] / (correlation[:, :1] + 1e-9) * (window[0] / window[span])
    best = np.argmax(even, axis=1)
    strength = even[np.arange(len(even)), best]
    semitones: NDArray[np.float64] = 12 * np.log2(SAMPLE_RATE / (best + shortest) / 100.0)
    semitones[strength < _VOICED] = np.nan
    return semitones
