"""How a voice stops, told from tones that sink, stay up, or break off."""

import numpy as np
import pytest

from audio.controllers.base import HeardSound, Pause
from audio.controllers.prosody import measure
from audio.controllers.semantic import SemanticController
from audio.turn.events import TurnState

RATE = 16_000


def voice(pitch_end: float, level_end: float, seconds: float = 1.5) -> np.ndarray:
    """A buzz at 120 Hz whose last fifth of a second goes to another pitch and level."""
    count, last = int(seconds * RATE), int(0.2 * RATE)
    pitch, level = np.full(count, 120.0), np.full(count, 0.1)
    pitch[-last:] = np.linspace(120.0, pitch_end, last)
    level[-last:] = np.linspace(0.1, level_end, last)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    buzz = sum(np.sin(k * phase) / k for k in range(1, 6))
    return (level * buzz).astype(np.float32)


def judge(sound: np.ndarray):
    controller = SemanticController()
    controller.push(HeardSound(sound, 0))
    return controller.judge(Pause(0, len(sound), len(sound)))


def test_pitch_and_level_at_the_end_are_measured():
    falling, level = measure(voice(90.0, 0.01)), measure(voice(120.0, 0.1))
    assert falling is not None
    assert level is not None
    assert level.fall_semitones == pytest.approx(0.0, abs=0.3)
    assert level.fall_db == pytest.approx(0.0, abs=1.0)
    assert falling.fall_semitones is not None
    assert -6 < falling.fall_semitones < -2
    assert falling.fall_db < -3


def test_a_voice_that_sinks_is_over_and_one_that_stays_up_is_not():
    assert judge(voice(90.0, 0.003)).state is TurnState.COMPLETE
    assert judge(voice(125.0, 0.1)).state is TurnState.INCOMPLETE


def test_noise_has_no_pitch_and_a_click_tells_nothing():
    noise = (0.1 * np.random.default_rng(1).standard_normal(RATE)).astype(np.float32)
    found = measure(noise)
    assert found is not None
    assert found.fall_semitones is None
    assert measure(noise[:1000]) is None
    assert judge(noise[:1000]).state is TurnState.UNKNOWN


def test_silence_is_measured_without_harm():
    found = measure(np.zeros(RATE, np.float32))
    assert found is not None
    assert np.isfinite(found.fall_db)


def test_the_level_of_the_whole_makes_no_difference():
    loud, soft = measure(voice(90.0, 0.01)), measure(0.05 * voice(90.0, 0.01))
    assert loud is not None
    assert soft is not None
    assert soft.fall_db == pytest.approx(loud.fall_db, abs=0.1)
