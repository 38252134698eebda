from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from audio.asr.whisper import WhisperRecognizer, WhisperSettings
from audio.asr.whisper_weights import describe
from audio.engine import CancelToken
from audio.weights import cache_dir

pytestmark = [pytest.mark.model, pytest.mark.extra]

Sound = NDArray[np.float32]
Heard = Callable[[Sound], list[tuple[Sound, float]]]

if not describe("base").installed:
    pytest.skip("the whisper-base extra is not installed", allow_module_level=True)


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("JARVIS_CACHE_DIR", str(folder))
        yield folder


@pytest.fixture(scope="module")
def recognizer(cache: Path) -> Iterator[WhisperRecognizer]:
    engine = WhisperRecognizer("base", settings=WhisperSettings(language=None))
    yield engine
    engine.close()


def test_its_parts_are_joined_in_the_cache(recognizer: WhisperRecognizer) -> None:
    paths = [weight.path for weight in describe("base").weights]
    assert paths[0] == str(cache_dir() / "whisper-base" / "model.bin")
    assert recognizer.info.installed


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("wyoming_living_room_light_ja.wav", "リビングの電気をつけて", "ja"),
        ("azure_whatstheweatherlike_en.wav", "What's the weather like?", "en"),
        ("tau2_yes_en.wav", "Yes.", "en"),
    ],
)
def test_it_finds_out_the_language(
    recognizer: WhisperRecognizer,
    heard: Heard,
    shared_clip: Callable[[str], Sound],
    name: str,
    text: str,
    language: str,
) -> None:
    stream = recognizer.stream()
    for frame, probability in heard(shared_clip(name)):
        stream.push(frame, probability)
    final = stream.final(CancelToken())
    assert (final.text, final.language) == (text, language)
    stream.close()


def test_a_named_language_is_kept_to(heard: Heard, weather: Sound) -> None:
    engine = WhisperRecognizer("base", settings=WhisperSettings(language="en"))
    stream = engine.stream()
    for frame, probability in heard(weather):
        stream.push(frame, probability)
    assert stream.final(CancelToken()).text == "What's the weather like?"
    engine.close()
