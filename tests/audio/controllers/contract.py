"""What every turn controller keeps to, the real ones and the double."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from audio.controllers.base import HeardSound, Judgement, Pause, TurnController
from audio.turn.events import TurnState

HOP = 512
Make = Callable[[], TurnController]


def sound(seconds: float = 1.0, seed: int = 3) -> np.ndarray:
    return (np.random.default_rng(seed).standard_normal(int(seconds * 16_000)) * 0.05).astype(
        np.float32
    )


def hear(controller: TurnController, samples: np.ndarray, at: int = 0) -> list[Judgement]:
    found: list[Judgement] = []
    for start in range(0, len(samples), HOP):
        found += controller.push(HeardSound(samples[start : start + HOP], at + start))
    return found


def pause(length: int, at: int = 0) -> Pause:
    return Pause(at, at + length - 2560, at + length, "Tell the agent to")


def check_controller(make: Make) -> None:
    """The contract of ``audio.controllers.base.TurnController``."""
    for check in (
        check_caps,
        check_judgement,
        check_without_sound,
        check_gap_and_broken_sound,
        check_reset,
        check_sound_is_left_alone,
    ):
        controller = make()
        try:
            check(controller)
        finally:
            controller.close()
            controller.close()


def check_caps(controller: TurnController) -> None:
    caps = controller.caps
    assert caps.name
    assert caps.states
    assert caps.looks_back_s >= 0
    assert caps.algorithmic_s >= 0


def _fits(controller: TurnController, judgement: Judgement) -> None:
    assert judgement.state in controller.caps.states | {TurnState.UNKNOWN}
    assert judgement.probability is None or 0.0 <= judgement.probability <= 1.0


def check_judgement(controller: TurnController) -> None:
    samples = sound(1.5)
    for judgement in hear(controller, samples):
        _fits(controller, judgement)
    _fits(controller, controller.judge(pause(len(samples))))


def check_without_sound(controller: TurnController) -> None:
    _fits(controller, controller.judge(Pause(0, 0, 0)))


def check_gap_and_broken_sound(controller: TurnController) -> None:
    hear(controller, sound(0.5))
    hear(controller, np.full(4096, np.nan, np.float32), at=10**9)
    hear(controller, np.full(4096, np.inf, np.float32), at=10**9 + 50_000)
    hear(controller, sound(0.5), at=0)
    _fits(controller, controller.judge(pause(8000, at=10**9 + 46_096)))


def check_reset(controller: TurnController) -> None:
    hear(controller, sound(1.0))
    controller.reset("a test")
    controller.reset("a test")
    hear(controller, sound(1.0), at=99_000)
    _fits(controller, controller.judge(pause(16_000, at=99_000)))


def check_sound_is_left_alone(controller: TurnController) -> None:
    samples = sound(1.0)
    before = samples.copy()
    hear(controller, samples)
    controller.judge(pause(len(samples)))
    assert np.array_equal(samples, before)
