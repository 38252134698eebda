"""The self-test: what it finds for which machine, and what is remembered of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from audio.engine import CancelToken
from audio.tts.phoneme_speech import RATE, Inference, Stream, Window
from audio.tts.streaming import trial
from audio.tts.streaming.trial import Rivals, Verdict
from audio.tts.voices import load_styles

VOICE = "am_michael"


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class _Scripted:
    """Both ways to speak: noise, ``window_s`` a window, windows ``gain`` times as loud."""

    def __init__(self, clock: _Clock, whole_s: float, window_s: float, gain: float = 1.0) -> None:
        self._clock, self._whole_s, self._window_s, self._gain = clock, whole_s, window_s, gain
        rng = np.random.default_rng(5)
        self._audio = (0.1 * rng.standard_normal(RATE)).astype(np.float32)

    def infer(self, tokens, style, speed, cancel: CancelToken) -> Inference:
        self._clock.now += self._whole_s
        return Inference(self._audio, np.zeros(len(tokens) + 1, np.int64))

    def stream(self, tokens, style, speed, cancel: CancelToken) -> Stream:
        return Stream(np.zeros(len(tokens) + 1, np.int64), 2400, self._windows())

    def _windows(self) -> Iterator[Window]:
        for start in range(2400, RATE, 7200):
            self._clock.now += self._window_s
            yield Window(self._gain * self._audio[start : start + 7200], last=start > 16000)

    def close(self) -> None:
        pass


def _found(whole_s: float, window_s: float, gain: float = 1.0, frame_s: float = 0.003) -> Verdict:
    clock = _Clock()
    network = _Scripted(clock, whole_s, window_s, gain)
    styles = load_styles(VOICE)
    return trial.try_out(Rivals(network, network, lambda: frame_s, styles), clock)


def test_sooner_alike_and_fast_enough_means_windows() -> None:
    verdict = _found(whole_s=0.8, window_s=0.2)
    assert verdict.streams
    assert verdict.settled
    assert verdict.first_s == pytest.approx(0.2)
    assert verdict.whole_s == pytest.approx(0.8)
    assert verdict.mel_db == pytest.approx(0, abs=1e-6)


def test_windows_that_sound_otherwise_are_not_used() -> None:
    verdict = _found(whole_s=0.8, window_s=0.2, gain=2.0)
    assert not verdict.streams
    assert "6.0 dB" in verdict.reason


def test_a_machine_that_cannot_keep_up_says_whole_phrases() -> None:
    verdict = _found(whole_s=0.8, window_s=0.2, frame_s=0.02)
    assert not verdict.streams
    assert "keep up" in verdict.reason


def test_windows_that_come_no_sooner_are_not_used() -> None:
    assert "not sooner" in _found(whole_s=0.1, window_s=0.2).reason


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("own_cache")
def test_a_verdict_is_remembered_for_its_voice() -> None:
    verdict = Verdict(True, "sooner", 0.003, 0.3, 0.8, 2.0)
    trial.remember(verdict, VOICE, 2)
    assert trial.recall(VOICE, 2) == verdict
    assert trial.recall("bf_emma", 2) is None
    assert trial.recall(VOICE, 1) is None


@pytest.mark.parametrize("content", ["", "[]", "{", '{"streams": true}', '{"other": 1}'])
def test_a_verdict_that_cannot_be_read_is_found_anew(own_cache: Path, content: str) -> None:
    trial.remember(Verdict(True, "sooner"), VOICE, 2)
    (file,) = (own_cache / "streaming").iterdir()
    file.write_text(content)
    assert trial.recall(VOICE, 2) is None


def test_without_a_writable_cache_nothing_breaks(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(tmp_path / "file"))
    trial.remember(Verdict(True, "sooner"), VOICE, 2)
    assert trial.recall(VOICE, 2) is None


def test_a_machine_that_failed_may_try_again_a_few_times() -> None:
    assert [Verdict(False, "slow", tries=n).settled for n in (1, 2, 3)] == [False, False, True]
