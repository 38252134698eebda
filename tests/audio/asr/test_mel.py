from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.asr.mel import HOP_SAMPLES, MEL_BANDS, SAMPLE_RATE, log_mel, mel_filters


def tone(hz: float, seconds: float, amplitude: float = 0.5) -> np.ndarray:
    time_s = np.arange(int(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    return (amplitude * np.sin(2 * np.pi * hz * time_s)).astype(np.float32)


def direct(samples: np.ndarray, frames: int) -> np.ndarray:
    """The definition, frame by frame in float64, without any short cut."""
    sound = np.zeros(frames * HOP_SAMPLES)
    sound[: len(samples)] = samples[: len(sound)]
    padded = np.pad(sound, 200, mode="reflect")
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 400)
    bins = np.exp(-2j * np.pi * np.outer(np.arange(201), np.arange(400)) / 400)
    columns = []
    for frame in range(frames):
        piece = padded[frame * HOP_SAMPLES : frame * HOP_SAMPLES + 400] * window
        columns.append(np.log10(np.maximum(mel_filters() @ np.abs(bins @ piece) ** 2, 1e-10)))
    spectrum = np.array(columns).T
    return (np.maximum(spectrum, spectrum.max() - 8) + 4) / 4


def test_the_filters_are_triangles_of_unit_area_over_the_whole_band() -> None:
    filters = mel_filters()
    assert filters.shape == (MEL_BANDS, 201)
    assert (filters >= 0).all()
    for band in filters:
        inside = np.flatnonzero(band)
        assert (np.diff(inside) == 1).all()
        rises = np.diff(band[inside]) > 0
        assert not any(b and not a for a, b in pairwise(rises))
    # The area of each triangle is one per Hz; the wide ones are sampled well enough to see it.
    assert filters[40:].sum(axis=1) * 40 == pytest.approx(np.ones(40), rel=0.12)


def test_the_centres_are_linear_below_1_khz_and_logarithmic_above() -> None:
    centres_hz = [float(np.average(np.arange(201) * 40.0, weights=band)) for band in mel_filters()]
    low = [hz for hz in centres_hz if 200 < hz < 900]
    assert np.ptp(np.diff(low)) < 25
    high = np.array([hz for hz in centres_hz if hz > 2000])
    assert np.ptp(high[1:] / high[:-1]) < 0.03


@pytest.mark.parametrize("hz", [100.0, 440.0, 1000.0, 3000.0, 7000.0])
def test_a_tone_is_loudest_in_the_band_around_it(hz: float) -> None:
    spectrum = log_mel(tone(hz, 1.0), 100)
    loudest = int(np.argmax(spectrum[:, 50]))
    weights = mel_filters()[loudest]
    assert weights[round(hz / 40)] > 0


@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.3, 0.995, 1.0, 1.7])
def test_it_equals_the_definition(seconds: float) -> None:
    noise = np.random.default_rng(3).standard_normal(int(seconds * SAMPLE_RATE)) * 0.1
    sound = noise.astype(np.float32)
    assert log_mel(sound, 100) == pytest.approx(direct(sound, 100), abs=2e-4)


@given(st.integers(3, 400), st.integers(0, 70_000))
def test_shape_type_and_range_hold_for_any_length(frames: int, samples: int) -> None:
    spectrum = log_mel(np.full(samples, 0.25, dtype=np.float32), frames)
    assert spectrum.shape == (MEL_BANDS, frames)
    assert spectrum.dtype == np.float32
    assert float(np.ptp(spectrum)) <= 2.0 + 1e-6


def test_a_longer_window_only_adds_silence() -> None:
    sound = tone(300, 0.8)
    short, long = log_mel(sound, 200), log_mel(sound, 3000)
    assert (long[:, :190] == short[:, :190]).all()
    assert (long[:, 190:] == long.min()).all()


def test_ten_times_the_amplitude_is_20_db() -> None:
    quiet, loud = log_mel(tone(500, 1.0, 0.05), 100), log_mel(tone(500, 1.0, 0.5), 100)
    assert loud - quiet == pytest.approx(np.full_like(loud, 0.5), abs=1e-3)  # 2 log10 units / 4


def test_a_window_of_two_frames_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 3"):
        log_mel(np.zeros(320, dtype=np.float32), 2)
