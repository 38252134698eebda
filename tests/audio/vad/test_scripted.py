"""The doubles do what their scripts and levels say."""

from __future__ import annotations

import numpy as np
import pytest

from audio.pcm import from_dbfs
from audio.vad.base import FRAME_SAMPLES
from audio.vad.scripted import EnergyVad, ScriptedVad


def test_the_script_is_followed_and_then_there_is_silence() -> None:
    vad = ScriptedVad([0.2, 1.7, -3.0])
    frame = np.zeros(FRAME_SAMPLES, np.float32)
    assert [vad.probability(frame) for _ in range(5)] == [0.2, 1.0, 0.0, 0.0, 0.0]
    vad.reset()
    assert vad.resets == 1


def test_energy_grows_with_the_level() -> None:
    vad = EnergyVad(threshold_dbfs=-40.0)
    square = np.where(np.arange(FRAME_SAMPLES) % 2, 1.0, -1.0)
    given = [
        vad.probability((square * from_dbfs(level)).astype(np.float32))
        for level in (-120.0, -60.0, -46.0, -40.0, -34.0, -20.0, 0.0)
    ]
    assert given == sorted(given)
    assert given[1] < 0.01
    assert given[3] == pytest.approx(0.5, abs=0.01)
    assert given[4] == pytest.approx(0.88, abs=0.01)
    assert given[5] > 0.99
