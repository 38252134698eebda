"""Sound that is not said to anyone: made, except for the recordings that babble is mixed from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Sound = NDArray[np.float32]
S = 16_000


def made_noises() -> dict[str, Sound]:
    random = np.random.default_rng(7)
    time_s = np.arange(4 * S) / S
    white = random.standard_normal(4 * S)
    noises = {
        "short silence": np.zeros(2 * S),
        "long silence": np.zeros(6 * S),
        "white noise": 0.1 * white,
        "pink noise": 0.15 * _pink(white),
        "60 Hz hum": sum(0.2 / k * np.sin(2 * np.pi * 60 * k * time_s) for k in (1, 2, 3)),
        "key clicks": _clicks(random),
        "a cough": np.concatenate([np.zeros(S), _cough(random), np.zeros(S)]),
        "three coughs": np.concatenate([_cough(random) for _ in range(3)]),
        "a tune": _tune(),
        "a vibrating chord": _chord(),
    }
    return {name: np.asarray(sound, dtype=np.float32) for name, sound in noises.items()}


def babble(voices: list[Sound], seed: int, seconds: float = 4.0) -> Sound:
    """Two stretches of each voice on top of each other, at -34 dBFS."""
    random = np.random.default_rng(seed)
    length = int(seconds * S)
    total = np.zeros(length)
    for voice in [*voices, *voices]:
        start = int(random.integers(0, len(voice)))
        stretch = np.take(voice, np.arange(start, start + length), mode="wrap")
        total += stretch / max(1e-6, float(stretch.std()))
    return (0.02 * total / total.std()).astype(np.float32)


def _pink(white: NDArray[np.float64]) -> NDArray[np.float64]:
    hz = np.maximum(np.fft.rfftfreq(len(white), 1 / S), 20)
    pink = np.fft.irfft(np.fft.rfft(white) / np.sqrt(hz), len(white))
    return pink / pink.std()


def _clicks(random: np.random.Generator) -> NDArray[np.float64]:
    sound = np.zeros(4 * S)
    for _ in range(18):
        at = int(random.uniform(0, 3.9) * S)
        sound[at : at + 240] += 0.5 * random.standard_normal(240) * np.exp(-np.arange(240) / 40)
    return sound


def _cough(random: np.random.Generator) -> NDArray[np.float64]:
    """A burst of 300 to 4000 Hz that dies away, and a second, weaker one."""
    spectrum = np.fft.rfft(random.standard_normal(10_000))
    hz = np.fft.rfftfreq(10_000, 1 / S)
    spectrum[(hz < 300) | (hz > 4000)] = 0
    burst = np.fft.irfft(spectrum, 10_000)
    time_s = np.arange(10_000) / S
    envelope = np.exp(-time_s / 0.06) + 0.4 * np.exp(-(((time_s - 0.22) / 0.05) ** 2))
    return 0.7 * burst / np.abs(burst).max() * envelope


def _tune() -> NDArray[np.float64]:
    notes = []
    time_s = np.arange(6000) / S
    for hz in (262, 330, 392, 523, 392, 330, 262, 196) * 2:
        partials = [0.15 / k * np.sin(2 * np.pi * hz * k * time_s) for k in range(1, 6)]
        notes.append(np.sum(partials, axis=0) * np.exp(-3 * time_s))
    return np.concatenate(notes)


def _chord() -> NDArray[np.float64]:
    time_s = np.arange(6 * S) / S
    vibrato = 0.9 * np.sin(2 * np.pi * 5 * time_s)
    swell = 0.6 + 0.4 * np.sin(2 * np.pi * 0.7 * time_s)
    voices = [np.sin(2 * np.pi * hz * time_s + vibrato) for hz in (220, 277, 330, 440)]
    return 0.08 * np.sum(voices, axis=0) * swell
