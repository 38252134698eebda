from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio import pcm
from audio.devices.echo_path import EchoFilter, EchoPath

RATE = 16_000


def through(path: EchoPath, sound: np.ndarray, block: int) -> np.ndarray:
    echo = EchoFilter(path, RATE, block)
    blocks = sound[: sound.size // block * block].reshape(-1, block)
    return np.concatenate([echo.process(piece) for piece in blocks])


def test_a_path_without_reverberation_only_delays_and_lowers() -> None:
    sound = np.random.default_rng(1).standard_normal(8_000).astype(np.float32) * 0.1
    heard = through(EchoPath(gain_db=-6.0, delay_s=0.05), sound, 320)
    assert not heard[: round(0.05 * RATE) - 1].any() or np.abs(heard[:799]).max() < 1e-6
    np.testing.assert_allclose(heard[800:], sound[:-800] * 10 ** (-6 / 20), atol=1e-6)


@given(
    st.sampled_from([80, 160, 320, 512]),
    st.floats(0.0, 0.3),
    st.floats(0.0, 0.2),
    st.integers(0, 5),
)
def test_it_is_the_impulse_response_whatever_the_block(
    block: int, delay_s: float, reverb_s: float, seed: int
) -> None:
    path = EchoPath(-6.0, delay_s, reverb_s, seed)
    rng = np.random.default_rng(seed)
    sound = rng.standard_normal(4 * block).astype(np.float32)
    sound[block : 2 * block] = 0.0  # a silent block in the middle must still carry the tail
    sound = np.concatenate((sound, np.zeros(8 * block, np.float32)))
    expected = np.convolve(sound, path.impulse_response(RATE))[: sound.size]
    np.testing.assert_allclose(through(path, sound, block), expected, atol=1e-4)


def test_reverberation_decays_and_is_3_db_below_the_direct_sound() -> None:
    response = EchoPath(0.0, 0.01, reverb_s=0.3).impulse_response(RATE)
    direct, tail = response[160], response[161:]
    assert 10 * np.log10(direct**2 / np.sum(tail**2)) == pytest.approx(3.0, abs=0.1)
    early, late = tail[: tail.size // 4], tail[-tail.size // 4 :]
    assert pcm.rms_dbfs(early) - pcm.rms_dbfs(late) > 30


def test_the_same_seed_is_the_same_room() -> None:
    one, two, other = (
        EchoPath(reverb_s=0.1, seed=seed).impulse_response(RATE) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)
