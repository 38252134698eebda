"""Resampling keeps time, length and content, however the stream is cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audio.resample import StreamResampler, resample

PAIRS = [
    (48_000, 16_000),
    (44_100, 16_000),
    (24_000, 16_000),
    (8_000, 16_000),
    (24_000, 48_000),
    (24_000, 44_100),
    (16_000, 16_000),
]


def sine(rate: int, samples: int, frequency: float = 440.0) -> np.ndarray:
    return np.sin(2 * np.pi * frequency * np.arange(samples) / rate).astype(np.float32)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(PAIRS), st.lists(st.integers(0, 2000), min_size=1, max_size=20))
def test_any_chunking_gives_the_same_stream(pair: tuple[int, int], chunks: list[int]) -> None:
    samples = np.random.default_rng(1).standard_normal(sum(chunks)).astype(np.float32)
    whole = resample(samples, *pair)
    resampler = StreamResampler(*pair)
    pieces = []
    at = 0
    for chunk in chunks:
        pieces.append(resampler.process(samples[at : at + chunk]))
        at += chunk
        given_so_far = sum(map(len, pieces))
        assert at * pair[1] / pair[0] - given_so_far <= resampler.delay_samples
    pieces.append(resampler.flush())
    streamed = np.concatenate(pieces)
    assert len(streamed) == len(whole) == round(len(samples) * pair[1] / pair[0])
    np.testing.assert_allclose(streamed, whole, atol=1e-5)


@pytest.mark.parametrize("pair", PAIRS)
def test_a_tone_stays_where_it_was_in_time(pair: tuple[int, int]) -> None:
    out = resample(sine(pair[0], pair[0]), *pair)
    expected = sine(pair[1], len(out))
    edge = pair[1] // 50  # the filter rings where the tone starts and stops
    np.testing.assert_allclose(out[edge:-edge], expected[edge:-edge], atol=1e-3)


def test_what_the_lower_rate_cannot_hold_is_removed() -> None:
    out = resample(sine(48_000, 48_000, 12_000.0), 48_000, 16_000)
    assert np.abs(out[500:-500]).max() < 1e-3


def test_delay_is_small_enough_for_a_conversation() -> None:
    assert StreamResampler(48_000, 16_000).delay_samples / 16_000 < 0.002
    assert StreamResampler(16_000, 16_000).delay_samples == 0


def test_reset_and_flush_start_anew() -> None:
    tone = sine(48_000, 4800)
    resampler = StreamResampler(48_000, 16_000)
    first = resampler.process(tone)
    resampler.reset()
    assert np.array_equal(resampler.process(tone), first)
    resampler.flush()
    assert np.array_equal(resampler.process(tone), first)


def test_equal_rates_give_a_copy() -> None:
    tone = sine(16_000, 100)
    out = StreamResampler(16_000, 16_000).process(tone)
    assert np.array_equal(out, tone)
    assert out is not tone


def test_a_long_stream_does_not_drift() -> None:
    resampler = StreamResampler(44_100, 16_000)
    block = np.zeros(441_000, np.float32)
    given_samples = sum(len(resampler.process(block)) for _ in range(30))
    assert abs(given_samples - 30 * 160_000) <= resampler.delay_samples


@pytest.mark.parametrize("rates", [(0, 16_000), (16_000, -1)])
def test_rates_are_positive(rates: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="positive"):
        StreamResampler(*rates)
