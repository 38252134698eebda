"""Sounds that are made while Jarvis speaks and mean nothing to it, drawn from a seed.

Coughs, throat clearing, laughter, dogs, doors, clicks, keys and sighs are shaped noise and pulses:
no recording of a person is in them. Float32 mono at 16 kHz, peak below 1, each under two seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from audio.pcm import RATE

Sound = NDArray[np.float32]
Maker = Callable[[np.random.Generator], NDArray[np.float64]]


def make_sound(kind: str, draw: np.random.Generator) -> Sound:
    """One sound of a kind of SOUNDS, its loudest sample at 0.7. Raises KeyError."""
    sound = SOUNDS[kind](draw)
    peak = float(np.abs(sound).max()) or 1.0
    return (sound * (0.7 / peak)).astype(np.float32)


def at_level(sound: Sound, dbfs: float) -> Sound:
    """The sound with its loudest tenth of a second at an RMS level."""
    size = min(len(sound), RATE // 10)
    energy = np.convolve(np.square(sound, dtype=np.float64), np.ones(size) / size, "valid")
    level = float(np.sqrt(energy.max())) or 1.0
    louder: Sound = np.clip(sound * (10 ** (dbfs / 20) / level), -1, 1).astype(np.float32)
    return louder


def _cough(draw: np.random.Generator) -> NDArray[np.float64]:
    """A burst as the glottis opens, a noisy middle, and at times a voiced end."""
    parts = []
    for _ in range(int(draw.integers(1, 4))):
        length_s = draw.uniform(0.18, 0.38)
        formants = ((draw.uniform(500, 900), 250), (draw.uniform(1300, 2000), 400), (3000, 900))
        burst = _formants(_noise(draw, length_s), formants)
        burst *= _decay(len(burst), draw.uniform(0.004, 0.012), draw.uniform(0.05, 0.11))
        if draw.random() < 0.5:
            tail = _formants(
                _pulses(draw, draw.uniform(0.08, 0.16), draw.uniform(110, 240)), formants
            )
            start = int(draw.uniform(0.3, 0.6) * len(burst))
            end = min(len(burst), start + len(tail))
            burst[start:end] += 0.4 * np.abs(burst).max() * _unit(tail)[: end - start]
        parts += [burst, np.zeros(int(draw.uniform(0.06, 0.2) * RATE))]
    return np.concatenate(parts)


def _throat(draw: np.random.Generator) -> NDArray[np.float64]:
    """Clearing one's throat: rough low pulses under noise."""
    length_s = draw.uniform(0.3, 0.6)
    pulses = _pulses(draw, length_s, draw.uniform(45, 80), jitter=0.25)
    rough = _unit(pulses) + 0.5 * _unit(_noise(draw, length_s))[: len(pulses)]
    shaped = _formants(rough, ((600, 300), (1300, 500), (2600, 900)))
    return shaped * _swell(len(shaped), 0.05)


def _laugh(draw: np.random.Generator) -> NDArray[np.float64]:
    """Breathy vowels, four to six a second, falling in pitch."""
    pitch, parts = draw.uniform(140, 330), []
    formants = ((draw.uniform(600, 850), 150), (draw.uniform(1150, 1700), 200), (2700, 400))
    for _ in range(int(draw.integers(3, 7))):
        voiced_s = draw.uniform(0.06, 0.11)
        vowel = _formants(_pulses(draw, voiced_s, pitch), formants)
        breath = _formants(_noise(draw, draw.uniform(0.05, 0.1)), formants)
        parts += [0.35 * _unit(breath) * _swell(len(breath), 0.02)]
        parts += [_unit(vowel) * _swell(len(vowel), 0.02)]
        pitch *= draw.uniform(0.9, 0.99)
    return np.concatenate(parts)


def _sigh(draw: np.random.Generator) -> NDArray[np.float64]:
    breath = _formants(_noise(draw, draw.uniform(0.4, 0.9)), ((1200, 900), (3000, 2000)))
    return breath * _swell(len(breath), 0.2)


def _sneeze(draw: np.random.Generator) -> NDArray[np.float64]:
    breath = _formants(_noise(draw, 0.35), ((900, 400), (2200, 900)))
    hiss = _formants(_noise(draw, 0.3), ((4500, 2000), (6500, 1500)))
    return np.concatenate(
        (0.2 * _unit(breath) * np.linspace(0, 1, len(breath)), hiss * _decay(len(hiss), 0.01, 0.09))
    )


def _bark(draw: np.random.Generator) -> NDArray[np.float64]:
    parts = []
    for _ in range(int(draw.integers(1, 4))):
        length_s = draw.uniform(0.12, 0.25)
        sweep = np.linspace(draw.uniform(450, 900), draw.uniform(250, 500), int(length_s * RATE))
        phase = 2 * np.pi * np.cumsum(sweep) / RATE
        tone = np.sin(phase) + 0.6 * np.sin(2 * phase) + 0.4 * np.sin(3 * phase)
        rough = tone + 0.7 * _unit(_noise(draw, length_s))[: len(tone)]
        parts += [rough * _decay(len(rough), 0.01, 0.08)]
        parts += [np.zeros(int(draw.uniform(0.1, 0.35) * RATE))]
    return np.concatenate(parts)


def _door(draw: np.random.Generator) -> NDArray[np.float64]:
    thud = _formants(_noise(draw, 0.4), ((draw.uniform(60, 150), 60), (400, 250)))
    return thud * _decay(len(thud), 0.002, draw.uniform(0.05, 0.1))


def _knock(draw: np.random.Generator) -> NDArray[np.float64]:
    parts = []
    for _ in range(int(draw.integers(2, 5))):
        knock = _formants(_noise(draw, 0.12), ((draw.uniform(180, 400), 80), (900, 300)))
        parts += [knock * _decay(len(knock), 0.001, 0.02)]
        parts += [np.zeros(int(draw.uniform(0.08, 0.2) * RATE))]
    return np.concatenate(parts)


def _keys(draw: np.random.Generator) -> NDArray[np.float64]:
    sound: NDArray[np.float64] = np.zeros(RATE)
    for _ in range(int(draw.integers(4, 12))):
        click = _formants(_noise(draw, 0.02), ((draw.uniform(2000, 4500), 1200),))
        start = int(draw.uniform(0, RATE - len(click)))
        sound[start : start + len(click)] += click * _decay(len(click), 0.0005, 0.004)
    return sound


def _cup(draw: np.random.Generator) -> NDArray[np.float64]:
    time_s = np.arange(int(0.5 * RATE)) / RATE
    tones = [np.sin(2 * np.pi * draw.uniform(1200, 5500) * time_s) for _ in range(4)]
    ring: NDArray[np.float64] = np.sum(tones, axis=0)
    return ring * np.exp(-time_s / draw.uniform(0.04, 0.12))


SOUNDS: Final[dict[str, Maker]] = {
    "cough": _cough,
    "throat": _throat,
    "laugh": _laugh,
    "sigh": _sigh,
    "sneeze": _sneeze,
    "bark": _bark,
    "door": _door,
    "knock": _knock,
    "keys": _keys,
    "cup": _cup,
}


def _noise(draw: np.random.Generator, length_s: float) -> NDArray[np.float64]:
    return draw.standard_normal(int(length_s * RATE))


def _pulses(
    draw: np.random.Generator, length_s: float, pitch_hz: float, jitter: float = 0.03
) -> NDArray[np.float64]:
    sound = np.zeros(int(length_s * RATE))
    place = 0.0
    while place < len(sound):
        sound[int(place)] = draw.uniform(0.7, 1.0)
        place += RATE / pitch_hz * draw.uniform(1 - jitter, 1 + jitter)
    return sound


def _formants(
    sound: NDArray[np.float64], formants: tuple[tuple[float, float], ...]
) -> NDArray[np.float64]:
    """Resonances at (centre, width) in Hz, drawn on the spectrum."""
    spectrum = np.fft.rfft(sound, 2 * len(sound))
    hz = np.fft.rfftfreq(2 * len(sound), 1 / RATE)
    gain = np.full_like(hz, 0.02)
    for place, (centre, width) in enumerate(formants):
        gain += 0.6**place / (1.0 + np.square((hz - centre) / width))
    shaped: NDArray[np.float64] = np.fft.irfft(spectrum * gain)[: len(sound)]
    return shaped


def _decay(count: int, rise_s: float, fall_s: float) -> NDArray[np.float64]:
    time_s = np.arange(count) / RATE
    return np.minimum(time_s / rise_s, 1.0) * np.exp(-np.maximum(time_s - rise_s, 0) / fall_s)


def _swell(count: int, edge_s: float) -> NDArray[np.float64]:
    edge = min(int(edge_s * RATE), count // 2)
    shape = np.ones(count)
    shape[:edge] = np.linspace(0, 1, edge)
    shape[count - edge :] = np.linspace(1, 0, edge)
    return shape


def _unit(sound: NDArray[np.float64]) -> NDArray[np.float64]:
    return sound / (float(np.abs(sound).max()) or 1.0)
