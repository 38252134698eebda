"""The network that hears whether a sound asks for the floor, and who follows the sound for it."""

from __future__ import annotations

import numpy as np
import pytest

from audio.overlap_claim import (
    AFTER,
    BEFORE,
    FRAME,
    INPUTS,
    PAUSE,
    SOONEST,
    ClaimJudge,
    ClaimNetwork,
    features,
    load_claim_network,
)


class Asked(ClaimNetwork):
    """Remembers what it was asked and claims with the share of the sound that it saw."""

    def __init__(self) -> None:
        super().__init__({})
        self.seen: list[np.ndarray] = []

    def classes(self, seen: np.ndarray) -> np.ndarray:
        self.seen.append(seen)
        return np.array([seen[-1], 0.0, 0.0], np.float32)


def noise(frames: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(frames * FRAME).astype(np.float32) * 0.1


def hear(judge: ClaimJudge, probabilities: list[float], wanted: bool = True) -> list[float | None]:
    frames = noise(len(probabilities)).reshape(-1, FRAME)
    return [judge.hear(f, p, wanted=wanted) for f, p in zip(frames, probabilities, strict=True)]


def test_the_level_does_not_count() -> None:
    sound, track = noise(12), np.full(12, 0.9, np.float32)
    assert np.allclose(features(sound, track), features(sound * 0.03, track), atol=1e-3)


def test_what_was_not_heard_yet_is_zero() -> None:
    seen = features(noise(BEFORE + 4), np.full(BEFORE + 4, 0.9, np.float32))
    assert seen.shape == (INPUTS,)
    assert seen[-1] == pytest.approx(4 / AFTER)
    assert not seen[2 * (BEFORE + 4) * 20 : -26].any()


def test_it_is_asked_from_the_third_frame_of_speech_on_and_no_more_after_the_last() -> None:
    network = Asked()
    claims = hear(ClaimJudge(network), [0.0] * 8 + [0.9] * 40)
    assert claims[: 8 + SOONEST - 1] == [None] * (8 + SOONEST - 1)
    assert claims[8 + SOONEST - 1] == pytest.approx(SOONEST / AFTER)
    assert claims[8 + AFTER - 1 :] == [1.0] * (40 - AFTER + 1)
    assert len(network.seen) == AFTER - SOONEST + 1


def test_it_sees_what_was_trained_on() -> None:
    network = Asked()
    judge = ClaimJudge(network)
    probabilities = [0.02] * 9 + [0.9] * 6
    hear(judge, probabilities)
    start = 9 - BEFORE
    expected = features(noise(15)[start * FRAME :], np.array(probabilities[start:], np.float32))
    assert np.allclose(network.seen[-1], expected)


def test_at_the_very_start_silence_stands_for_what_came_before() -> None:
    network = Asked()
    hear(ClaimJudge(network), [0.9] * 4)
    assert network.seen[-1].shape == (INPUTS,)
    assert network.seen[-1][-1] == pytest.approx(4 / AFTER)


def test_a_pause_ends_the_stretch_and_the_claim() -> None:
    judge = ClaimJudge(Asked())
    claims = hear(judge, [0.0] * 8 + [0.9] * 6 + [0.0] * (PAUSE + 1) + [0.9] * 4)
    assert claims[13 + PAUSE - 1] is not None  # a short gap lies within the stretch
    assert claims[13 + PAUSE : 13 + PAUSE + 4] == [None] * 4
    assert claims[-1] == pytest.approx(4 / AFTER)


def test_nothing_is_computed_while_nobody_wants_to_know() -> None:
    network = Asked()
    assert hear(ClaimJudge(network), [0.0] * 8 + [0.9] * 8, wanted=False) == [None] * 16
    assert network.seen == []


def test_the_network_that_ships_gives_probabilities() -> None:
    network = load_claim_network()
    classes = network.classes(np.stack([features(noise(12, s), np.ones(12)) for s in range(3)]))
    assert classes.shape == (3, 3)
    assert np.allclose(classes.sum(axis=1), 1.0, atol=1e-5)
    assert classes[:, 0].max() < 0.5  # steady noise asks for nothing
