"""The distance between two renderings."""

from __future__ import annotations

import numpy as np
import pytest

from audio.tts.streaming.likeness import mel_distance, spectral_distance

RATE = 24_000


def _noise(seconds: float, seed: int) -> np.ndarray:
    return (0.1 * np.random.default_rng(seed).standard_normal(int(RATE * seconds))).astype("f4")


def test_a_sound_is_like_itself() -> None:
    sound = _noise(1, 1)
    assert mel_distance(sound, sound, RATE) == 0
    assert spectral_distance(sound, sound) == 0


def test_a_louder_copy_is_apart_by_its_gain() -> None:
    sound = _noise(1, 1)
    assert mel_distance(sound, 2 * sound, RATE) == pytest.approx(6.02, abs=0.05)
    assert spectral_distance(sound, 2 * sound) == pytest.approx(6.02, abs=0.05)


def test_bands_forgive_what_single_frequencies_do_not() -> None:
    one, other = _noise(1, 1), _noise(1, 2)
    assert mel_distance(one, other, RATE) < spectral_distance(one, other)


def test_silence_on_both_sides_does_not_count() -> None:
    sound, silence = _noise(0.5, 1), np.zeros(RATE, np.float32)
    padded = np.concatenate([sound, silence])
    assert mel_distance(padded, 2 * padded, RATE) == pytest.approx(6.02, abs=0.2)
    assert mel_distance(silence, silence, RATE) == 0
