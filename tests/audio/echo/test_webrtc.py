"""The canceller on synthetic echo: how much it takes away, and what it must leave alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from audio.echo.base import FRAME_SAMPLES, EchoCanceller
from audio.echo.bypass import Bypass
from audio.echo.webrtc import WebRtcEchoCanceller, describe
from audio.errors import EngineMissing
from audio.pcm import RATE, rms_dbfs
from audio.wav import read_audio

SHARED = Path(os.environ.get("JARVIS_SHARED", Path(__file__).parents[4] / "shared")) / "audio"


def speech_like(seconds: float, seed: int = 3, lowest_hz: float = 100.0) -> np.ndarray:
    """Noise with a speech-like spectrum and syllables of 4 Hz, at about -23 dBFS."""
    rng = np.random.default_rng(seed)
    count = round(seconds * RATE)
    spectrum = np.fft.rfft(rng.standard_normal(count))
    frequency = np.fft.rfftfreq(count, 1 / RATE)
    spectrum *= (frequency > lowest_hz) / (1.0 + (frequency / 700.0) ** 2)
    noise = np.fft.irfft(spectrum, count)
    syllables = np.maximum(0.0, np.sin(2 * np.pi * 4 * np.arange(count) / RATE)) ** 0.5
    sound = noise / np.std(noise) * syllables * 0.1
    return sound.astype(np.float32)


def room(far: np.ndarray, delay: int, gain: float = 0.5) -> np.ndarray:
    """The far end as the microphone hears it: delayed (or, when negative, early) and reverberant.

    60 ms of exponentially falling reflections.
    """
    rng = np.random.default_rng(11)
    reflections = rng.standard_normal(960) * np.exp(-np.arange(960) / 160.0) * 0.15
    reflections[0] = 1.0
    echo = np.convolve(far, reflections)[: len(far)] * gain
    out = np.zeros_like(far)
    if delay >= 0:
        out[delay:] = echo[: len(far) - delay]
    else:
        out[:delay] = echo[-delay:]
    return out


def run(canceller: EchoCanceller, near: np.ndarray, far: np.ndarray) -> np.ndarray:
    whole = len(near) // FRAME_SAMPLES * FRAME_SAMPLES
    return np.concatenate(
        [
            canceller.process(near[at : at + FRAME_SAMPLES], far[at : at + FRAME_SAMPLES])
            for at in range(0, whole, FRAME_SAMPLES)
        ]
    )


def erle_db(near: np.ndarray, out: np.ndarray, from_s: float) -> float:
    start = round(from_s * RATE)
    return rms_dbfs(near[start:]) - rms_dbfs(out[start:])


def with_hiss(echo: np.ndarray) -> np.ndarray:
    hiss = np.random.default_rng(5).standard_normal(len(echo)) * 10 ** (-75 / 20)
    return (echo + hiss).astype(np.float32)


@pytest.mark.parametrize("delay_ms", [10, 80, 300])
def test_echo_that_the_reference_leads_is_cancelled(delay_ms: int) -> None:
    far = speech_like(8.0)
    near = with_hiss(room(far, delay_ms * RATE // 1000))
    out = run(WebRtcEchoCanceller(), near, far)
    assert erle_db(near, out, from_s=4.0) >= 20.0


def test_a_reference_that_lags_does_not_cancel() -> None:
    """Why ``audio.near_end`` keeps the reference fresh: 20 ms of lag lose most of the effect."""
    far = speech_like(8.0)
    leading = with_hiss(room(far, RATE * 20 // 1000))
    lagging = with_hiss(room(far, -RATE * 20 // 1000))
    led = erle_db(leading, run(WebRtcEchoCanceller(), leading, far), from_s=4.0)
    lagged = erle_db(lagging, run(WebRtcEchoCanceller(), lagging, far), from_s=4.0)
    assert lagged < 20.0
    assert led - lagged > 15.0


@pytest.mark.parametrize("make", [WebRtcEchoCanceller, Bypass])
def test_the_user_is_left_alone_while_nothing_plays(make: type) -> None:
    file = SHARED / "aec_nearend_singletalk_mic.wav"
    # Made-up speech is louder in its lowest tones than recorded speech; it begins above them.
    near = read_audio(file)[0] if file.is_file() else speech_like(6.0, seed=9, lowest_hz=300.0)
    canceller: EchoCanceller = make()
    out = run(canceller, near, np.zeros_like(near))
    assert rms_dbfs(out) == pytest.approx(rms_dbfs(near), abs=0.5)
    delay = canceller.delay_samples
    kept = near[: len(out) - delay]
    similarity = np.corrcoef(out[delay:], kept)[0, 1]
    assert similarity > 0.9  # its high-pass filter turns the phase of the lowest tones


def test_the_user_is_heard_again_as_soon_as_the_agent_stops() -> None:
    far = speech_like(6.0)
    far[4 * RATE :] = 0.0
    user = np.zeros_like(far)
    user[round(4.3 * RATE) :] = speech_like(6.0, seed=8)[round(4.3 * RATE) :]
    near = with_hiss(room(far, 80 * RATE // 1000)) + user
    out = run(WebRtcEchoCanceller(), near, far)
    start = round(4.5 * RATE)
    assert rms_dbfs(out[start:]) == pytest.approx(rms_dbfs(near[start:]), abs=3.0)


@pytest.mark.parametrize("make", [WebRtcEchoCanceller, Bypass])
def test_an_impulse_comes_out_as_late_as_promised(make: type) -> None:
    canceller: EchoCanceller = make()
    near = np.zeros(RATE, np.float32)
    near[8000] = 0.5
    for _ in range(2):
        out = run(canceller, near, np.zeros_like(near))
        assert int(np.argmax(np.abs(out))) == 8000 + canceller.delay_samples
        canceller.reset()


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf])
def test_broken_samples_do_not_deafen_it(broken: float) -> None:
    canceller = WebRtcEchoCanceller()
    frame = np.full(FRAME_SAMPLES, broken, np.float32)
    canceller.process(frame, frame)
    near = speech_like(1.0)
    out = run(canceller, near, np.zeros_like(near))
    assert np.isfinite(out).all()
    assert rms_dbfs(out) == pytest.approx(rms_dbfs(near), abs=2.0)


@pytest.mark.parametrize("shape", [(0,), (159,), (161,), (160, 1)])
def test_a_partial_frame_is_refused(shape: tuple[int, ...]) -> None:
    whole = np.zeros(FRAME_SAMPLES, np.float32)
    with pytest.raises(ValueError, match="160"):
        WebRtcEchoCanceller().process(np.zeros(shape, np.float32), whole)


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert describe().installed
    monkeypatch.setitem(sys.modules, "pywebrtc_audio", None)
    with pytest.raises(EngineMissing, match="pip install pywebrtc-audio"):
        WebRtcEchoCanceller()


def test_bypass_gives_a_copy() -> None:
    frame = np.ones(FRAME_SAMPLES, np.float32)
    out = Bypass().process(frame, np.zeros_like(frame))
    assert np.array_equal(out, frame)
    assert out is not frame
