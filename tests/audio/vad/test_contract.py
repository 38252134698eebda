"""What every VAD keeps to, the real one and the doubles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from audio.engine import EngineKind
from audio.vad.base import FRAME_SAMPLES, Vad
from audio.vad.scripted import EnergyVad, ScriptedVad
from audio.vad.silero import SileroVad

MAKERS: dict[str, Callable[[], Vad]] = {
    "silero": SileroVad,
    "scripted": lambda: ScriptedVad([0.0, 0.3, 0.9, 1.0, 0.2] * 20),
    "energy": EnergyVad,
}


def check_vad(make: Callable[[], Vad]) -> None:
    """The contract of ``audio.vad.base.Vad``; ``make`` gives a fresh VAD at each call."""
    check_description(make())
    check_range(make())
    check_shapes(make())
    check_frames_are_left_alone(make())
    check_repeatable(make)
    check_survives_broken_sound(make())


def noise(frames: int, level: float = 0.1) -> np.ndarray:
    samples = np.random.default_rng(7).standard_normal((frames, FRAME_SAMPLES)) * level
    return samples.astype(np.float32)


def check_description(vad: Vad) -> None:
    assert vad.info.kind is EngineKind.VAD
    assert vad.info.installed
    assert vad.info.name


def check_range(vad: Vad) -> None:
    for level in (0.0, 1e-5, 0.1, 1.0, 8.0):
        for frame in noise(3, level):
            probability = vad.probability(frame)
            assert isinstance(probability, float)
            assert 0.0 <= probability <= 1.0


def check_shapes(vad: Vad) -> None:
    for shape in ((0,), (511,), (513,), (1, 512), (512, 1)):
        with pytest.raises(ValueError, match="shape"):
            vad.probability(np.zeros(shape, np.float32))
    vad.probability(np.zeros(FRAME_SAMPLES, np.float32))  # a refused frame does no harm


def check_frames_are_left_alone(vad: Vad) -> None:
    frame = noise(1)[0]
    before = frame.copy()
    vad.probability(frame)
    assert np.array_equal(frame, before)


def check_repeatable(make: Callable[[], Vad]) -> None:
    frames = noise(20)
    first, second = make(), make()
    assert [first.probability(f) for f in frames] == [second.probability(f) for f in frames]


def check_survives_broken_sound(vad: Vad) -> None:
    vad.probability(np.full(FRAME_SAMPLES, np.nan, np.float32))
    vad.probability(np.full(FRAME_SAMPLES, np.inf, np.float32))
    for frame in noise(3, 0.0):
        assert np.isfinite(vad.probability(frame))
    vad.reset()
    vad.reset()
    assert np.isfinite(vad.probability(noise(1)[0]))


@pytest.mark.parametrize("name", MAKERS)
def test_contract(name: str) -> None:
    check_vad(MAKERS[name])


@pytest.mark.parametrize("name", ["silero", "energy"])
def test_reset_forgets_the_stream(name: str) -> None:
    """Not for the script, which goes on: a gap does not make the user start over."""
    vad = MAKERS[name]()
    frames = noise(10)
    first = [vad.probability(frame) for frame in frames]
    vad.reset()
    assert [vad.probability(frame) for frame in frames] == first
