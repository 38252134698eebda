from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from audio.asr import moonshine
from audio.asr.moonshine import MoonshineRecognizer
from audio.engine import CancelToken
from audio.errors import EngineCorrupt, EngineMissing

pytestmark = [pytest.mark.model, pytest.mark.extra]

Sound = NDArray[np.float32]
Heard = Callable[[Sound], list[tuple[Sound, float]]]


@pytest.fixture
def recognizer() -> Iterator[MoonshineRecognizer]:
    pytest.importorskip("moonshine_voice", reason="the moonshine extra is not installed")
    engine = MoonshineRecognizer()
    yield engine
    engine.close()


def test_it_keeps_the_contract(
    check_recognizer: Callable[..., None], heard: Heard, weather: Sound
) -> None:
    pytest.importorskip("moonshine_voice", reason="the moonshine extra is not installed")
    check_recognizer(MoonshineRecognizer, heard(weather))


def test_a_question_is_recognized_in_one_piece(
    recognizer: MoonshineRecognizer, heard: Heard, weather: Sound
) -> None:
    stream = recognizer.stream()
    for frame, probability in heard(weather):
        stream.push(frame, probability)
    final = stream.final(CancelToken())
    assert final.text == "What's the weather like?"
    assert final.engine == "moonshine-tiny-en/whole"
    stream.close()


def test_a_paused_sentence_stays_one(
    recognizer: MoonshineRecognizer, heard: Heard, shared_clip: Callable[[str], Sound]
) -> None:
    stream = recognizer.stream()
    for frame, probability in heard(shared_clip("jfk_en.flac")):
        stream.push(frame, probability)
    text = stream.final(CancelToken()).text
    assert "ask not what your country can do for you" in text.replace(",", "").lower()
    stream.close()


def test_what_is_said_twice_is_kept(
    recognizer: MoonshineRecognizer, heard: Heard, weather: Sound
) -> None:
    stream = recognizer.stream()
    for frame, probability in heard(np.concatenate([weather, weather])):
        stream.push(frame, probability)
    assert stream.final(CancelToken()).text.count("weather") == 2
    stream.close()


def test_a_text_that_runs_in_circles_is_dropped(
    recognizer: MoonshineRecognizer, weather: Sound, noises: ModuleType
) -> None:
    stream = recognizer.stream()
    stream.push(noises.babble([weather, weather[::-1], weather[::2]], 3), 0.9)
    final = stream.final(CancelToken())
    assert final.text == ""
    assert final.reason
    stream.close()


def test_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(distribution: str, relative_path: str) -> Path:
        raise EngineMissing(f"The package {distribution} is not installed.")

    monkeypatch.setattr(moonshine, "locate", missing)
    assert not moonshine.describe().installed
    with pytest.raises(EngineMissing, match=r"jarvis-voice\[moonshine\]"):
        MoonshineRecognizer()


def test_a_damaged_weight_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(tmp_path / "cache"))
    weight = tmp_path / "weight"
    weight.write_bytes(b"not a model")
    monkeypatch.setattr(moonshine, "locate", lambda distribution, path: weight)
    with pytest.raises(EngineCorrupt, match="force-reinstall"):
        MoonshineRecognizer()
