"""An echo that was not cancelled is known by its envelope; a user is not mistaken for it."""

from __future__ import annotations

import numpy as np
import pytest

from audio.devices.echo_path import EchoPath
from audio.echo.likelihood import LIKELY, EchoLikelihood

RATE = 16_000
FRAME = 160


def talk(seconds: float, seed: int) -> np.ndarray:
    """Noise in syllables: bursts of random length and loudness, as speech rises and falls."""
    rng = np.random.default_rng(seed)
    level = np.zeros(int(seconds * RATE))
    place = 0
    while place < level.size:
        long, pause = rng.uniform(0.08, 0.3), rng.uniform(0.02, 0.2)
        level[place : place + int(long * RATE)] = 10 ** rng.uniform(-1.6, -0.8)
        place += int((long + pause) * RATE)
    return (level * rng.standard_normal(level.size) * 0.5).astype(np.float32)


def likelihoods(clean: np.ndarray, raw: np.ndarray, far: np.ndarray) -> np.ndarray:
    judge = EchoLikelihood()
    values = []
    for start in range(0, far.size - FRAME, FRAME):
        piece = slice(start, start + FRAME)
        judge.push(clean[piece], raw[piece], far[piece])
        values.append(judge.value())
    return np.array(values)


def in_the_room(far: np.ndarray, delay_s: float, gain_db: float = -6.0) -> np.ndarray:
    path = EchoPath(gain_db=gain_db, delay_s=delay_s, reverb_s=0.3).impulse_response(RATE)
    heard = np.convolve(far, path)[: far.size]
    hiss = np.random.default_rng(1).standard_normal(far.size) * 5e-4
    return (heard + hiss).astype(np.float32)


@pytest.mark.parametrize("delay_s", [0.02, 0.1, 0.3])
def test_an_echo_that_is_not_cancelled_is_likely_one(delay_s: float) -> None:
    far = talk(12.0, seed=1)
    near = in_the_room(far, delay_s)
    assert np.mean(likelihoods(near, near, far)[150:] > LIKELY) > 0.65


def test_a_reference_that_lags_a_little_does_not_hide_it() -> None:
    far = talk(12.0, seed=2)
    near = in_the_room(far, 0.02)
    late = np.concatenate((np.zeros(RATE // 20, np.float32), far))[: far.size]  # 50 ms
    assert np.mean(likelihoods(near, near, late)[150:] > LIKELY) > 0.65


@pytest.mark.parametrize("echo_db", [-6.0, -20.0, -60.0])
def test_a_user_who_speaks_over_the_agent_is_not_taken_for_an_echo(echo_db: float) -> None:
    far = talk(12.0, seed=3)
    near = in_the_room(far, 0.1, echo_db) + talk(12.0, seed=4) * 2.0
    assert np.mean(likelihoods(near, near, far)[150:] > LIKELY) < 0.1


def test_where_the_canceller_works_nothing_is_suspected() -> None:
    far = talk(12.0, seed=5)
    raw = in_the_room(far, 0.1)
    assert np.all(likelihoods(raw * 0.05, raw, far) == 0.0)


def test_it_says_nothing_before_it_has_heard_enough_and_after_a_reset() -> None:
    far = talk(3.0, seed=6)
    judge = EchoLikelihood()
    for start in range(0, RATE, FRAME):
        piece = far[start : start + FRAME]
        judge.push(piece, piece, piece)
    assert judge.value() == 0.0
    for start in range(RATE, 2 * RATE, FRAME):
        piece = far[start : start + FRAME]
        judge.push(piece, piece, piece)
    assert judge.value() > 0.99
    judge.reset()
    assert judge.value() == 0.0
