"""Each phrase is made once; what is kept is bounded, whole, and only what was to be said."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from audio.engine import CancelToken, EngineInfo, EngineKind, Weight
from audio.errors import Cancelled, EngineFailed
from audio.tts.audio_store import SUFFIX, AudioStore, KeptChunk, KeptPhrase, decoded, encoded
from audio.tts.base import SpeechChunk, SpokenPhrase, WordMark
from audio.tts.cached import MOST_S, CachedSynthesizer, voice_key
from audio.tts.scripted import Script, ScriptedSynthesizer
from audio.tts.spoken_text import speak

INFO = EngineInfo("e", EngineKind.SYNTHESIZER, "", True, (Weight("w", "s", "MIT", sha256="a"),))


class Counting:
    """A scripted synthesizer that counts how often it really works."""

    def __init__(self, script: Script | None = None) -> None:
        self._inner = ScriptedSynthesizer(script)
        self.made: list[str] = []
        self.info, self.rate = self._inner.info, self._inner.rate

    def synthesize(self, phrase: SpokenPhrase, cancel: CancelToken) -> Iterator[SpeechChunk]:
        self.made.append(phrase.text)
        yield from self._inner.synthesize(phrase, cancel)

    def close(self) -> None:
        self._inner.close()


def make(inner: Counting, folder: Path | None = None, voice: str = "v", **options: int):
    store = None if folder is None else AudioStore(folder, options.pop("disk", 1 << 20))
    return CachedSynthesizer(inner, voice, store, **options)


def hear(synthesizer: CachedSynthesizer, text: str) -> list[SpeechChunk]:
    return list(synthesizer.synthesize(speak(text), CancelToken()))


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{SUFFIX}"))


@pytest.mark.parametrize("script", [Script(), Script(words_per_chunk=2)])
def test_it_keeps_the_contract(check_synthesizer, tmp_path: Path, script: Script) -> None:
    check_synthesizer(lambda: make(Counting(script), tmp_path))


def test_the_second_time_is_the_first_time_again_to_half_a_bit() -> None:
    inner = Counting(Script(words_per_chunk=2))
    synthesizer = make(inner)
    first, again = hear(synthesizer, "one two three"), hear(synthesizer, "one two three")
    assert inner.made == ["one two three"]
    assert [chunk.marks for chunk in first] == [chunk.marks for chunk in again]
    for made, kept in zip(first, again, strict=True):
        assert kept.samples.dtype == np.float32
        assert np.abs(made.samples - kept.samples).max() <= 0.5 / 32767 + 1e-7


def test_the_same_spoken_words_are_one_phrase_wherever_they_stand() -> None:
    inner = Counting()
    synthesizer = make(inner)
    list(synthesizer.synthesize(speak("It works."), CancelToken()))
    list(synthesizer.synthesize(speak("It works.", 40), CancelToken()))
    assert len(inner.made) == 1


@pytest.mark.parametrize(
    "other",
    [
        voice_key(INFO, "b", 1.0, "1"),
        voice_key(INFO, "a", 1.1, "1"),
        voice_key(INFO, "a", 1.0, "2"),
        voice_key(EngineInfo("f", EngineKind.SYNTHESIZER, "", True), "a", 1.0, "1"),
    ],
)
def test_another_voice_speed_release_or_engine_is_another_sound(tmp_path: Path, other: str) -> None:
    first = make(Counting(), tmp_path, voice_key(INFO, "a", 1.0, "1"))
    hear(first, "Done.")
    first.close()
    inner = Counting()
    hear(make(inner, tmp_path, other), "Done.")
    assert inner.made == ["Done."]


def test_it_survives_a_restart_with_its_marks(tmp_path: Path) -> None:
    first = make(Counting(), tmp_path)
    said = hear(first, "It is done.")
    first.close()
    inner = Counting()
    second = make(inner, tmp_path)
    again = hear(second, "It is done.")
    assert inner.made == []
    assert [chunk.marks for chunk in again] == [chunk.marks for chunk in said]


def test_what_was_only_prepared_stays_in_memory_until_it_is_said(tmp_path: Path) -> None:
    inner = Counting()
    synthesizer = make(inner, tmp_path)
    for text in ("Two tests failed.", "One test failed."):
        synthesizer.prepare(speak(text), CancelToken())
    assert synthesizer.holds(speak("Two tests failed."))
    hear(synthesizer, "One test failed.")
    synthesizer.close()
    assert len(files(tmp_path)) == 1
    assert len(inner.made) == 2


def test_only_what_was_never_said_can_be_forgotten() -> None:
    synthesizer = make(Counting())
    synthesizer.prepare(speak("Maybe."), CancelToken())
    hear(synthesizer, "Really.")
    for text in ("Maybe.", "Really.", "Unknown."):
        synthesizer.forget(speak(text))
    assert not synthesizer.holds(speak("Maybe."))
    assert synthesizer.holds(speak("Really."))
    assert synthesizer.memory_bytes > 0


def test_what_was_called_off_or_failed_halfway_is_not_kept(tmp_path: Path) -> None:
    script = Script(words_per_chunk=1, failures={"breaks": "It broke."})
    synthesizer = make(Counting(script), tmp_path)
    token = CancelToken()
    pieces = synthesizer.synthesize(speak("one two three"), token)
    next(iter(pieces))
    token.cancel()
    with pytest.raises(Cancelled):
        list(pieces)
    with pytest.raises(EngineFailed):
        hear(synthesizer, "this breaks here")
    del pieces
    assert not synthesizer.holds(speak("one two three"))
    assert not synthesizer.holds(speak("this breaks here"))
    synthesizer.close()
    assert files(tmp_path) == []


def test_memory_is_bounded_and_the_least_recently_used_goes_first() -> None:
    inner = Counting()
    one_word = len(hear(make(Counting()), "a.")[0].samples) * 2
    synthesizer = make(inner, memory_bytes=2 * one_word)
    for text in ("a.", "b.", "a.", "c."):
        hear(synthesizer, text)
    assert synthesizer.memory_bytes <= 2 * one_word
    assert [synthesizer.holds(speak(text)) for text in ("a.", "b.", "c.")] == [True, False, True]


def test_a_long_phrase_is_not_kept() -> None:
    inner = Counting(Script(word_s=MOST_S))
    synthesizer = make(inner)
    hear(synthesizer, "Endless.")
    assert not synthesizer.holds(speak("Endless."))


def phrase(number: int, samples: int = 1000) -> KeptPhrase:
    sound = np.full(samples, number, np.int16)
    return KeptPhrase(24_000, (KeptChunk(sound, (WordMark(0, 0, samples),)),))


def test_a_file_is_read_as_it_was_written() -> None:
    back = decoded(encoded(phrase(7)))
    assert back is not None
    assert back.rate == 24_000
    assert back.chunks[0].marks == (WordMark(0, 0, 1000),)
    assert np.array_equal(back.chunks[0].samples, phrase(7).chunks[0].samples)


@pytest.mark.parametrize("harm", ["empty", "cut", "flipped", "foreign"])
def test_a_damaged_file_is_dropped_and_made_anew(tmp_path: Path, harm: str) -> None:
    first = make(Counting(), tmp_path)
    hear(first, "It is done.")
    first.close()
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    flipped = whole[:-1] + bytes([whole[-1] ^ 1])
    path.write_bytes({"empty": b"", "cut": whole[:-9], "flipped": flipped, "foreign": b"x"}[harm])
    inner = Counting()
    second = make(inner, tmp_path)
    assert len(hear(second, "It is done.")) == 1
    assert inner.made == ["It is done."]
    second.close()
    assert path.read_bytes() == whole


def test_the_disk_is_bounded_across_starts_and_keeps_what_was_used_last(tmp_path: Path) -> None:
    size = len(encoded(phrase(1)))
    store = AudioStore(tmp_path, 3 * size)
    for number, key in enumerate("abc"):
        store.put(key, phrase(number))
        os.utime(tmp_path / f"{key}{SUFFIX}", (number, number))
    assert AudioStore(tmp_path, 3 * size).get("a") is not None  # used now
    later = AudioStore(tmp_path, 2 * size)
    assert [later.holds(key) for key in "abc"] == [True, False, True]
    later.put("d", phrase(4))
    assert [later.holds(key) for key in "acd"] == [True, False, True]
    assert later.total_bytes == sum(path.stat().st_size for path in files(tmp_path)) == 2 * size
    later.put("e", phrase(5, samples=100_000))
    assert not later.holds("e")


def test_what_a_crash_left_behind_is_removed(tmp_path: Path) -> None:
    (tmp_path / "abc.part").write_bytes(b"half")
    AudioStore(tmp_path, 1000)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_another_process_removed_is_simply_not_there(tmp_path: Path) -> None:
    store = AudioStore(tmp_path, 1 << 20)
    store.put("a", phrase(1))
    files(tmp_path)[0].unlink()
    assert store.get("a") is None
    assert (len(store), store.total_bytes) == (0, 0)


def test_a_disk_that_cannot_be_written_makes_no_difference(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    inner = Counting()
    synthesizer = make(inner, tmp_path / "file")  # a file where the folder should be
    hear(synthesizer, "Done.")
    hear(synthesizer, "Done.")
    synthesizer.close()
    assert inner.made == ["Done."]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_others_cannot_read_what_was_kept(tmp_path: Path) -> None:
    store = AudioStore(tmp_path / "phrases", 1 << 20)
    store.put("a", phrase(1))
    assert stat.S_IMODE((tmp_path / "phrases").stat().st_mode) == 0o700
    assert stat.S_IMODE(files(tmp_path / "phrases")[0].stat().st_mode) == 0o600
