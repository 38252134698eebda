from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.asr.utterance import SpeechGate, Utterance

FRAME = 512
S = 16_000


def spoken(pattern: list[tuple[float, float]]) -> Utterance:
    """An utterance from (seconds, probability) pieces, in frames."""
    utterance = Utterance(SpeechGate())
    for seconds, probability in pattern:
        for _ in range(round(seconds * S / FRAME)):
            utterance.push(np.full(FRAME, probability, dtype=np.float32), probability)
    return utterance


def test_a_short_yes_between_long_silences_is_said() -> None:
    speech = spoken([(2.0, 0.02), (0.22, 0.95), (2.0, 0.02)]).speech()
    assert speech.said
    assert speech.amount == pytest.approx(0.22 * S, abs=FRAME)
    assert speech.first == pytest.approx(2.0 * S, abs=FRAME)
    assert speech.last == pytest.approx(2.22 * S, abs=FRAME)


@pytest.mark.parametrize(
    "pattern",
    [
        [(3.0, 0.1)],
        [(1.0, 0.02), (0.064, 0.9), (1.0, 0.02)],  # a click
        [(1.0, 0.02), (0.5, 0.7), (1.0, 0.02)],  # babble that never reaches a clear frame
        [(0.032, 0.9), (0.6, 0.1)] * 6,  # scattered bursts
    ],
)
def test_noise_is_not_said(pattern: list[tuple[float, float]]) -> None:
    speech = spoken(pattern).speech()
    assert not speech.said
    assert speech.reason()


def test_a_long_pause_does_not_thin_out_what_was_said() -> None:
    assert spoken([(0.5, 0.95), (8.0, 0.02), (0.5, 0.95)]).speech().said


def test_the_longest_pause_is_found() -> None:
    utterance = spoken([(9.0, 0.9), (0.3, 0.1), (6.0, 0.9), (0.8, 0.1), (6.0, 0.9)])
    start, end = utterance.longest_pause(8 * S, 28 * S)
    assert start == pytest.approx(15.3 * S, abs=2 * FRAME)
    assert end - start == pytest.approx(0.8 * S, abs=FRAME)


def test_where_nobody_paused_there_is_no_pause_but_a_quiet_place() -> None:
    utterance = Utterance(SpeechGate())
    sound = np.ones(30 * S, dtype=np.float32)
    sound[20 * S : 20 * S + 1600] = 0.01
    for start in range(0, len(sound), FRAME):
        utterance.push(sound[start : start + FRAME], 0.99)
    assert len(set(utterance.longest_pause(8 * S, 28 * S))) == 1
    assert utterance.quietest(8 * S, 28 * S) == pytest.approx(20 * S + 800, abs=1600)


def test_released_sound_is_gone_and_positions_keep_their_meaning() -> None:
    utterance = spoken([(1.0, 0.9), (1.0, 0.1), (1.0, 0.6)])
    tail = utterance.samples(2 * S, 3 * S).copy()
    utterance.release(S)
    assert utterance.start == S
    assert (utterance.samples(2 * S, 3 * S) == tail).all()
    assert len(utterance.samples(0, 3 * S)) == utterance.end - S


def test_memory_is_bounded_and_the_loss_is_counted() -> None:
    utterance = Utterance(SpeechGate(), max_s=1.0)
    for _ in range(3):
        utterance.push(np.zeros(12_000, dtype=np.float32), 0.0)
    assert utterance.end == 16_000
    assert utterance.lost_samples == 20_000


def test_what_is_no_number_becomes_silence() -> None:
    utterance = Utterance(SpeechGate())
    utterance.push(np.array([np.nan, np.inf, -np.inf, 0.5], dtype=np.float32), 0.9)
    assert utterance.samples(0, 4).tolist() == [0.0, 1.0, -1.0, 0.5]


@given(st.lists(st.tuples(st.integers(0, 900), st.floats(0, 1)), max_size=30), st.integers(0, 9000))
def test_the_sound_is_kept_whole_in_any_pieces(
    pieces: list[tuple[int, float]], release: int
) -> None:
    utterance = Utterance(SpeechGate())
    whole = np.arange(sum(size for size, _ in pieces), dtype=np.float32) / 1e6
    at = 0
    for size, probability in pieces:
        utterance.push(whole[at : at + size], probability)
        at += size
    assert (utterance.samples(0, at) == whole).all()
    utterance.release(release)
    kept = min(release, at)
    assert (utterance.samples(0, at) == whole[kept:]).all()
    speech = utterance.speech()
    assert utterance.start - 900 <= speech.first <= speech.last <= utterance.end
