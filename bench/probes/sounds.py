"""Sound without words: coughs, doors, keys, noise, and rooms. Seeded numpy, mono at 16 kHz. Pure.

None of it is a recording. The sounds have the length, spectrum and envelope of what they stand for;
how a real one fares is measured with recordings (``--audio``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from audio.devices.echo_path import EchoPath
from audio.pcm import RATE, from_dbfs, rms_dbfs

Sound = NDArray[np.float32]

SPEECH_DBFS = -23.0  # RMS of a user's speech: half a metre from a laptop
ROOM_DBFS = -66.0  # RMS of a quiet room
LOUD_DBFS = -20.0  # of a cough or a door
TALKERS = 12  # of a babble: with six of them, voice detectors hear somebody speak all the time


def at_level(sound: Sound, level_dbfs: float) -> Sound:
    """The sound with this RMS level, silence left as it is; peaks are kept below full scale."""
    now = rms_dbfs(sound)
    if now <= -119.0:
        return sound
    louder = sound * np.float32(from_dbfs(level_dbfs - now))
    peak = float(np.abs(louder).max())
    return (louder * np.float32(min(1.0, 0.95 / peak))).astype(np.float32)


def in_room(sound: Sound, reverb_s: float, seed: int = 1) -> Sound:
    """The sound as a room gives it back; as long as before, plus the room's decay."""
    if not reverb_s:
        return sound
    response = EchoPath(gain_db=0.0, delay_s=0.0, reverb_s=reverb_s, seed=seed)
    wet = np.convolve(sound, response.impulse_response(RATE)).astype(np.float32)
    return at_level(wet, rms_dbfs(sound))


def noise(kind: str, seconds: float, seed: int, babble: Sequence[Sound] = ()) -> Sound:
    """Steady noise at the level of speech: "pink", "hum", "white", or "babble" of these voices.

    Raises ValueError for another kind, and for babble without voices.
    """
    size = round(seconds * RATE)
    draw = np.random.default_rng(seed)
    if kind == "babble" and babble:
        made = _babble(size, draw, babble)
    elif kind == "hum":
        at_s = np.arange(size) / RATE
        made = np.zeros(size)
        for k, frequency in enumerate((50, 100, 150, 300), 1):
            made += np.sin(2 * np.pi * frequency * at_s) / k
    elif kind in ("pink", "white"):
        made = _shaped(size, draw, lambda f: 1 / np.sqrt(f) if kind == "pink" else np.ones_like(f))
    else:
        raise ValueError(f"there is no noise called {kind!r}")
    return at_level(np.asarray(made, np.float32), SPEECH_DBFS)


def event(kind: str, seed: int) -> Sound:
    """A short sound: cough, sneeze, door, keys or chair. Raises ValueError for another one."""
    makers: dict[str, Callable[[np.random.Generator], NDArray[np.float64]]] = {
        "cough": _cough,
        "sneeze": _sneeze,
        "door": _door,
        "keys": _keys,
        "chair": _chair,
    }
    if kind not in makers:
        raise ValueError(f"there is no sound called {kind!r}")
    made = makers[kind](np.random.default_rng(seed))
    return at_level(made.astype(np.float32), LOUD_DBFS)


def _babble(size: int, draw: np.random.Generator, voices: Sequence[Sound]) -> NDArray[np.float64]:
    """Many streams of talk at once, each from voices in turn."""
    mixed = np.zeros(size)
    for _ in range(TALKERS):
        stream = np.concatenate([voices[k] for k in draw.permutation(len(voices))])
        turned = np.roll(stream, int(draw.integers(stream.size)))
        mixed += np.resize(turned, size)
    return mixed


def _shaped(
    size: int,
    draw: np.random.Generator,
    gain: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Noise with a spectrum: ``gain`` takes frequencies in Hz, all above zero."""
    spectrum = np.fft.rfft(draw.standard_normal(size))
    frequencies = np.maximum(np.fft.rfftfreq(size, 1 / RATE), 20.0)
    return np.asarray(np.fft.irfft(spectrum * gain(frequencies), size))


def _band(low: float, high: float) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Passes frequencies between two, falling off by 12 dB an octave outside."""
    return lambda f: 1 / (1 + (low / f) ** 2) / (1 + (f / high) ** 2)


def _decay(size: int, attack_s: float, decay_s: float) -> NDArray[np.float64]:
    at_s = np.arange(size) / RATE
    rise = np.minimum(1.0, at_s / attack_s)
    return np.asarray(rise * np.exp(-np.maximum(0.0, at_s - attack_s) / decay_s))


def _cough(draw: np.random.Generator) -> NDArray[np.float64]:
    """An explosive burst, a hoarse middle, sometimes a second push."""
    pushes = []
    for _ in range(int(draw.integers(1, 3))):
        size = round(RATE * draw.uniform(0.28, 0.4))
        burst = _shaped(size, draw, _band(400, 2800)) * _decay(size, 0.008, 0.07)
        hoarse = _shaped(size, draw, _band(200, 1200)) * _decay(size, 0.06, 0.09)
        pushes += [burst / np.abs(burst).max() + 0.6 * hoarse / np.abs(hoarse).max()]
        pushes += [np.zeros(round(RATE * 0.12))]
    return np.concatenate(pushes[:-1])


def _sneeze(draw: np.random.Generator) -> NDArray[np.float64]:
    size = round(RATE * 0.55)
    return _shaped(size, draw, _band(900, 6000)) * _decay(size, 0.03, 0.13)


def _door(draw: np.random.Generator) -> NDArray[np.float64]:
    size = round(RATE * 0.5)
    thump = _shaped(size, draw, _band(40, 160)) * _decay(size, 0.004, 0.08)
    rattle = _shaped(size, draw, _band(500, 2000)) * _decay(size, 0.002, 0.03)
    return np.asarray(thump / np.abs(thump).max() + 0.4 * rattle / np.abs(rattle).max())


def _keys(draw: np.random.Generator) -> NDArray[np.float64]:
    """Ten strokes on a keyboard."""
    out = np.zeros(round(RATE * 1.6))
    size = round(RATE * 0.03)
    for stroke in range(10):
        start = round(RATE * (0.15 * stroke + draw.uniform(0, 0.05)))
        click = _shaped(size, draw, _band(1500, 6000)) * _decay(size, 0.001, 0.006)
        out[start : start + size] += click[: out.size - start]
    return out


def _chair(draw: np.random.Generator) -> NDArray[np.float64]:
    """A chair pushed over the floor."""
    size = round(RATE * 0.8)
    scrape = _shaped(size, draw, _band(150, 900))
    stick = 0.6 + 0.4 * np.sin(2 * np.pi * 23 * np.arange(size) / RATE)
    return np.asarray(scrape * stick * np.hanning(size))
