"""Does the sound ask for the floor? A small network that hears the first half second of it.

"Mm-hm" and "what failed" differ long before a recognizer has words for them: in how they begin, in
how the level and the voice detector's certainty go on. The network (one hidden layer, numpy) sees
the spectrum from 0.16 s before the onset of the speech up to now, and is asked with each frame. It
was trained on synthesized speech and shaped noise; see ``bench/make_overlap_claim.py``.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from audio.errors import EngineCorrupt
from audio.resources import asset

FRAME: Final = 512  # samples at 16 kHz: 32 ms
BEFORE: Final = 5  # frames before the onset
AFTER: Final = 20  # frames from the onset on; later ones change nothing
FRAMES: Final = BEFORE + AFTER
SOONEST: Final = 3  # frames of speech before the network is asked
ONSET: Final = 0.5  # probability of speech that begins a stretch
SILENT: Final = 0.35  # and under which a frame is silent
PAUSE: Final = 8  # silent frames that end a stretch: a quarter of a second

BANDS: Final = 20
_HOP: Final = FRAME // 2
_LOWEST_HZ: Final = 100.0
_HIGHEST_HZ: Final = 7600.0
_RANGE_DB: Final = 50.0
_FLOOR: Final = 1e-9

CLAIMS, BACKCHANNEL, NOISE = range(3)  # the classes
INPUTS: Final = 2 * FRAMES * BANDS + FRAMES + 1


def features(
    samples: NDArray[np.float32], probabilities: NDArray[np.float32]
) -> NDArray[np.float32]:
    """What the network sees, shape (INPUTS,).

    ``samples`` is float32 at 16 kHz, shape (n * 512,), from BEFORE frames before the onset on;
    ``probabilities`` of speech has shape (n,); BEFORE < n <= FRAMES. The level does not count.
    """
    count = len(probabilities)
    padded = np.concatenate((np.zeros(_HOP, np.float32), samples[: count * FRAME]))
    windows = np.lib.stride_tricks.sliding_window_view(padded, FRAME)[::_HOP]
    power = np.square(np.abs(np.fft.rfft(windows * _window(), axis=1)))
    level = 10.0 * np.log10(power @ _filters().T + _FLOOR)
    level -= level[2 * BEFORE :].max()
    seen = np.zeros((2 * FRAMES, BANDS), np.float32)
    seen[: len(level)] = np.maximum(level, -_RANGE_DB) * (2.0 / _RANGE_DB) + 1.0
    speech = np.zeros(FRAMES, np.float32)
    speech[:count] = 2.0 * probabilities - 1.0
    share = np.array([(count - BEFORE) / AFTER], np.float32)
    return np.concatenate((seen.ravel(), speech, share))


class ClaimJudge:
    """Follows the user's side frame by frame. One per conversation."""

    def __init__(self, network: ClaimNetwork) -> None:
        self._network = network
        self._samples: deque[NDArray[np.float32]] = deque(maxlen=FRAMES)
        self._probabilities: deque[float] = deque(maxlen=FRAMES)
        self._since_onset = 0  # frames of the stretch, its first one included; 0 outside of one
        self._silent = PAUSE
        self._claim: float | None = None

    def hear(
        self, samples: NDArray[np.float32], probability: float, *, wanted: bool
    ) -> float | None:
        """Take in a frame, shape (512,); how surely the newest speech claims the floor, 0 to 1.

        None outside of speech, before SOONEST frames of it, and where it was not ``wanted``.
        """
        if self._since_onset < AFTER:
            self._samples.append(samples)
            self._probabilities.append(probability)
        self._silent = 0 if probability >= SILENT else self._silent + 1
        if self._since_onset:
            self._since_onset += 1
            if self._silent >= PAUSE:
                self._since_onset = 0
                self._claim = None
        elif probability >= ONSET:
            self._since_onset = 1
        if wanted and SOONEST <= self._since_onset <= AFTER:
            self._claim = self._ask()
        return self._claim

    def _ask(self) -> float:
        count = min(BEFORE + self._since_onset, len(self._samples))
        samples = list(self._samples)[-count:]
        probabilities = list(self._probabilities)[-count:]
        missing = BEFORE + self._since_onset - count  # at the very start of a conversation
        sound = np.concatenate([np.zeros(missing * FRAME, np.float32), *samples])
        track = np.concatenate((np.zeros(missing, np.float32), np.array(probabilities, np.float32)))
        return float(self._network.classes(features(sound, track))[CLAIMS])


class ClaimNetwork:
    """One hidden layer; ``classes`` are probabilities."""

    def __init__(self, weights: dict[str, NDArray[np.float32]]) -> None:
        """``w1`` (INPUTS, h), ``b1`` (h,), ``w2`` (h, 3), ``b2`` (3,)."""
        self._weights = weights

    def classes(self, seen: NDArray[np.float32]) -> NDArray[np.float32]:
        """Probabilities of CLAIMS, BACKCHANNEL and NOISE for features of shape (..., INPUTS)."""
        held = self._weights
        hidden = np.maximum(seen @ held["w1"] + held["b1"], 0.0)
        scores = hidden @ held["w2"] + held["b2"]
        odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
        share: NDArray[np.float32] = odds / odds.sum(axis=-1, keepdims=True)
        return share


def load_claim_network() -> ClaimNetwork:
    """The network that ships. Raises EngineCorrupt."""
    path = asset("models", "overlap_claim.npz")
    try:
        with np.load(path) as stored:
            weights = {name: stored[name].astype(np.float32) for name in ("w1", "b1", "w2", "b2")}
    except (OSError, ValueError, KeyError) as error:
        remedy = "Run: pip install --force-reinstall jarvis-voice"
        raise EngineCorrupt(f"The network {path} cannot be read: {error}.", remedy) from error
    return ClaimNetwork(weights)


@lru_cache(maxsize=1)
def _window() -> NDArray[np.float32]:
    return np.hanning(FRAME + 1)[:-1].astype(np.float32)


@lru_cache(maxsize=1)
def _filters() -> NDArray[np.float32]:
    """Triangles on the mel scale, shape (BANDS, 257), each of unit area."""
    mel = np.linspace(_mel(_LOWEST_HZ), _mel(_HIGHEST_HZ), BANDS + 2)
    hz = 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    bins = np.arange(FRAME // 2 + 1) * (16_000 / FRAME)
    rise = (bins - hz[:-2, None]) / (hz[1:-1] - hz[:-2])[:, None]
    fall = (hz[2:, None] - bins) / (hz[2:] - hz[1:-1])[:, None]
    shape = np.maximum(np.minimum(rise, fall), 0.0)
    area = np.maximum(shape.sum(axis=1, keepdims=True), 1e-6)
    filters: NDArray[np.float32] = (shape / area).astype(np.float32)
    return filters


def _mel(hz: float) -> float:
    return float(2595.0 * np.log10(1.0 + hz / 700.0))
