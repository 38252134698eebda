from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.devices.rate_match import CaptureAtRate, PlaybackAtRate
from audio.devices.scripted import Script, ScriptedCapture, ScriptedPlayback


def tone(rate: int, seconds: float, hz: float = 440.0) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)).astype(
        np.float32
    )


def correlation(one: np.ndarray, two: np.ndarray) -> float:
    size = min(one.size, two.size)
    return float(np.corrcoef(one[:size], two[:size])[0, 1])


@pytest.mark.parametrize("rate", [16_000, 44_100, 48_000])
def test_a_microphone_at_any_rate_is_heard_at_16_khz(rate: int) -> None:
    device = ScriptedCapture(tone(rate, 1.0), rate)
    port = CaptureAtRate(device, 16_000)
    heard: list[np.ndarray] = []
    port.start(lambda block: heard.append(block.copy()), lambda reason: None)
    device.advance(50)
    sound = np.concatenate(heard)
    assert port.info.rate == 16_000
    assert 15_900 <= sound.size <= 16_000
    assert correlation(sound, tone(16_000, 1.0)) > 0.999


@given(st.sampled_from([24_000, 44_100, 48_000, 16_000]), st.sampled_from([0.01, 0.02, 0.03]))
def test_a_loudspeaker_at_any_rate_plays_what_is_rendered_at_24_khz(
    rate: int, block_s: float
) -> None:
    device = ScriptedPlayback(rate, block_s)
    port = PlaybackAtRate(device, 24_000)
    sound = tone(24_000, 2.0)
    at = 0

    def render(out: np.ndarray) -> None:
        nonlocal at
        out[:] = sound[at : at + out.size]
        at += out.size

    port.start(render, lambda reason: None)
    device.advance(20)
    assert port.info.rate == 24_000
    assert correlation(device.played, tone(rate, 2.0)) > 0.999
    # it runs ahead of the device by no more than the filter and one pull
    assert at / 24_000 - device.played.size / rate < 0.015


def test_a_device_that_comes_back_at_another_rate_is_followed() -> None:
    device = ScriptedCapture(rate=16_000, script=Script(rates=(16_000, 48_000)))
    port = CaptureAtRate(device, 16_000)
    heard: list[np.ndarray] = []
    for _ in range(2):
        port.start(lambda block: heard.append(block.copy()), lambda reason: None)
        heard.clear()
        device.advance(50)
        assert np.concatenate(heard).size == pytest.approx(16_000, abs=50)
        port.stop()
