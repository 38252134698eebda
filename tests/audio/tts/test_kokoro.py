"""The default synthesizer on its real weights."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from audio.engine import CancelToken
from audio.errors import Cancelled, EngineCorrupt, EngineFailed, EngineMissing
from audio.resources import asset
from audio.tts import kokoro_model
from audio.tts.base import SpokenPhrase
from audio.tts.kokoro import KokoroSynthesizer, describe

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def kokoro() -> Iterator[KokoroSynthesizer]:
    synthesizer = KokoroSynthesizer()
    yield synthesizer
    synthesizer.close()


def test_it_keeps_the_contract(check_synthesizer) -> None:
    check_synthesizer(KokoroSynthesizer)


def _level_dbfs(samples: np.ndarray) -> float:
    return float(10 * np.log10(np.mean(np.square(samples, dtype=np.float64)) + 1e-12))


def test_speech_begins_within_tens_of_milliseconds(kokoro, say) -> None:
    (chunk,) = say(kokoro, "Finished.")
    onset_s = int(np.argmax(np.abs(chunk.samples) > 0.01)) / kokoro.rate
    assert 0.02 < onset_s < 0.12


@pytest.mark.parametrize(("text", "pause_s"), [("It is done.", 0.3), ("When it is done,", 0.14)])
def test_it_pauses_after_the_last_word_as_its_punctuation_asks(kokoro, say, text, pause_s) -> None:
    (chunk,) = say(kokoro, text)
    silence = len(chunk.samples) - chunk.marks[-1].end_sample
    assert silence / kokoro.rate == pytest.approx(pause_s, abs=0.01)
    assert _level_dbfs(chunk.samples[-silence // 2 :]) < -55


def test_marks_fall_into_the_silence_between_words_that_commas_part(kokoro, say) -> None:
    """Marks against energy: each word sounds between its marks, and pauses lie between them."""
    (chunk,) = say(kokoro, "Paris, Berlin, Tokyo, Cairo, and Delhi.")
    pauses = 0
    for before, after in zip(chunk.marks[:-2], chunk.marks[1:-1], strict=True):
        word = chunk.samples[before.start_sample : before.end_sample]
        gap = chunk.samples[before.end_sample : after.start_sample]
        assert _level_dbfs(word) > -35
        if len(gap) > 0.05 * kokoro.rate:
            pauses += 1
            middle = gap[len(gap) // 4 : -len(gap) // 4]
            assert _level_dbfs(middle) < _level_dbfs(word) - 15
    assert pauses >= 3


def test_a_long_phrase_comes_in_pieces_without_losing_a_word(kokoro, say) -> None:
    text = "First, it read the file, " + "then it wrote another small file, " * 4 + "and ended."
    chunks = say(kokoro, text)
    assert len(chunks) > 1
    marks = [mark for chunk in chunks for mark in chunk.marks]
    assert [mark.word for mark in marks] == list(range(len(text.split())))
    total = sum(len(chunk.samples) for chunk in chunks)
    assert total / kokoro.rate == pytest.approx(len(text.split()) * 0.3, rel=0.4)
    assert marks[-1].end_sample <= total


def test_speed_shortens_the_speech(say, kokoro) -> None:
    fast = KokoroSynthesizer(speed=1.5)
    try:
        slow_end, fast_end = (
            say(synthesizer, "It is running the tests again.")[0].marks[-1].end_sample
            for synthesizer in (kokoro, fast)
        )
    finally:
        fast.close()
    assert 0.55 < fast_end / slow_end < 0.85


def test_cancelling_stops_an_inference_under_way(kokoro, phrase) -> None:
    cancel = CancelToken()
    words: SpokenPhrase = phrase(
        "This takes far longer to say than anyone would want to wait here."
    )
    outcome: list[str] = []
    started = threading.Event()

    def work() -> None:
        started.set()
        try:
            list(kokoro.synthesize(words, cancel))
            outcome.append("said")
        except Cancelled:
            outcome.append("cancelled")

    worker = threading.Thread(target=work)
    worker.start()
    started.wait(5)
    threading.Timer(0.15, cancel.cancel).start()
    worker.join(10)
    assert outcome == ["cancelled"]


def test_it_works_again_after_a_cancel(kokoro, phrase, say) -> None:
    cancel = CancelToken()
    threading.Timer(0.1, cancel.cancel).start()
    with pytest.raises(Cancelled):
        list(
            kokoro.synthesize(
                phrase("A long sentence that is cut in the middle of it all."), cancel
            )
        )
    assert say(kokoro, "Yes.")


def test_a_closed_one_refuses_to_speak(say) -> None:
    synthesizer = KokoroSynthesizer()
    synthesizer.close()
    with pytest.raises(EngineFailed, match="closed"):
        say(synthesizer, "Hello.")


def test_a_voice_that_does_not_exist_is_named_with_the_choices() -> None:
    with pytest.raises(EngineMissing, match=r"no voice named 'robot'.*am_michael"):
        KokoroSynthesizer(voice="robot")


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan")])
def test_a_speed_that_makes_no_sense_is_refused(speed: float) -> None:
    with pytest.raises(ValueError, match="speed"):
        KokoroSynthesizer(speed=speed)


def test_it_says_where_its_weights_are(kokoro) -> None:
    (weight,) = describe().weights
    assert weight.path is not None
    assert Path(weight.path).stat().st_size == weight.size
    assert weight.licence == "Apache-2.0"


def test_the_bytes_behind_the_model_only_name_its_durations_as_an_output() -> None:
    """Written out field by field, as protobuf has them: number and wire type, length, content."""
    name = b"/encoder/Clip_output_0"
    float_tensor = b"\x12\x04" + b"\x0a\x02" + b"\x08\x01"  # type: tensor_type: elem_type = FLOAT
    value_info = b"\x0a" + bytes([len(name)]) + name + float_tensor
    output = b"\x62" + bytes([len(value_info)]) + value_info  # GraphProto.output
    graph = b"\x3a" + bytes([len(output)]) + output  # ModelProto.graph
    assert asset("kokoro", "durations_output.bin").read_bytes() == graph


def test_a_corrupt_part_is_reported_and_nothing_is_kept(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(tmp_path / "cache"))
    bad = tmp_path / "part.bin"
    bad.write_bytes(b"not a model")
    monkeypatch.setattr("audio.weights.locate", lambda *_: bad)
    with pytest.raises(EngineCorrupt, match="SHA-256"):
        kokoro_model.KokoroModel(threads=1)
    assert not list((tmp_path / "cache").glob("*.onnx*"))
