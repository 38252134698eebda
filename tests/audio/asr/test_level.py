from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.asr.level import levelled


def tone(amplitude: float) -> np.ndarray:
    return (amplitude * np.sin(np.arange(8000) * 0.2)).astype(np.float32)


@given(st.floats(-90, 20))
def test_speech_of_any_level_ends_up_usable(level_dbfs: float) -> None:
    out = levelled(tone(10 ** (level_dbfs / 20)))
    assert out.dtype == np.float32
    assert np.abs(out).max() <= 1.0
    if level_dbfs > -54:
        assert np.abs(out).max() > 0.09


def test_a_usual_level_is_left_alone() -> None:
    sound = tone(0.3)
    assert levelled(sound) is sound


def test_a_click_in_quiet_speech_does_not_hide_it() -> None:
    sound = tone(0.01)
    sound[100] = 0.9
    assert np.abs(levelled(sound)[200:]).max() == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize("samples", [0, 1, 1000])
def test_silence_stays_silence(samples: int) -> None:
    assert not levelled(np.zeros(samples, dtype=np.float32)).any()
