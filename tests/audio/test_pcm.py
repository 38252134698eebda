"""Widths, levels and durations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio import pcm


@given(st.lists(st.integers(-32768, 32767), max_size=50))
def test_int16_survives_the_way_through_float32(values: list[int]) -> None:
    samples = np.array(values, np.int16)
    assert np.array_equal(pcm.to_int16(pcm.to_float32(samples)), samples)


def test_too_loud_is_clipped_and_nan_is_silence() -> None:
    samples = np.array([2.0, -2.0, np.nan, np.inf, -np.inf], np.float32)
    assert pcm.to_int16(samples).tolist() == [32767, -32768, 0, 32767, -32768]


def test_mono_is_the_average_of_the_channels() -> None:
    stereo = np.array([[1.0, 0.0], [0.5, -0.5]], np.float32)
    mono = pcm.to_mono(stereo)
    assert mono.dtype == np.float32
    assert mono.tolist() == [0.5, 0.0]
    assert pcm.to_mono(mono) is mono


@pytest.mark.parametrize("level", [0.0, -6.0, -42.0, -96.0])
def test_levels_of_a_sine(level: float) -> None:
    sine = np.sin(2 * np.pi * 100 * np.arange(16_000) / 16_000).astype(np.float32)
    samples = (sine * pcm.from_dbfs(level)).astype(np.float32)
    assert pcm.peak_dbfs(samples) == pytest.approx(level, abs=0.01)
    assert pcm.rms_dbfs(samples) == pytest.approx(level - 3.01, abs=0.01)


def test_nothing_is_silence() -> None:
    for samples in (np.zeros(0, np.float32), np.zeros(10, np.float32)):
        assert pcm.rms_dbfs(samples) == pcm.SILENCE_DBFS
        assert pcm.peak_dbfs(samples) == pcm.SILENCE_DBFS


@given(st.integers(0, 10**9), st.sampled_from([8_000, 16_000, 44_100, 48_000]))
def test_duration_and_count_are_inverse(samples: int, rate: int) -> None:
    assert pcm.samples_for(pcm.duration_s(samples, rate), rate) == samples
