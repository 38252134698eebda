"""The recipe, and what is made of it: the same for a seed, and true to the sample."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from audio.pcm import RATE, rms_dbfs
from audio.tts.scripted import ScriptedSynthesizer
from audio.tts.voices import load_styles
from audio.wav import write_wav
from bench.probes import human, recipe, sounds
from bench.probes.corpus import Corpus, shared_prompts
from bench.probes.recipe import Line
from bench.probes.speaker import Studio, audible, paused
from jarvis_voice.errors import UsageError


class Tones:
    """Voices that hum."""

    model = "tones"

    def __init__(self) -> None:
        self.opened = 0

    def open(self, line: Line) -> ScriptedSynthesizer:
        self.opened += 1
        return ScriptedSynthesizer()

    def close(self) -> None:
        """Nothing to release."""


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    return Studio(tmp_path, Tones())


def test_a_seed_gives_the_same_recipe_and_another_seed_another() -> None:
    assert recipe.turn_cases(1) == recipe.turn_cases(1)
    assert recipe.turn_cases(1) != recipe.turn_cases(2)
    assert recipe.duplex_cases(1) == recipe.duplex_cases(1)
    assert len(recipe.prompt_cases()) == 30 * 2 * 2


def test_an_even_choice_keeps_the_order_and_spreads_over_all() -> None:
    cases = recipe.duplex_cases(7, 12)
    everything = recipe.duplex_cases(7)
    assert len(cases) == 12
    places = [everything.index(case) for case in cases]
    assert places == sorted(places)
    assert {"interruption", "backchannel", "sound"} <= {case.kind for case in cases}
    places_of = {case.place.name for seed in range(4) for case in recipe.prompt_cases(seed, 2)}
    assert places_of == {"quiet", "noisy"}


def test_pauses_are_as_long_as_the_published_comparison_has_them() -> None:
    import random

    chance = random.Random(3)
    drawn = [recipe.pause_s(chance) for _ in range(4000)]
    assert np.mean(np.array(drawn) > 0.3) == pytest.approx(0.556, abs=0.03)
    assert np.mean(np.array(drawn) > 0.6) == pytest.approx(0.217, abs=0.03)


def test_a_mark_in_a_text_is_a_pause_behind_so_many_words() -> None:
    assert recipe.parse("So the thing is | I | know.") == ("So the thing is I know.", (4, 5))


def test_every_voice_of_the_recipe_ships() -> None:
    for name in ("latency", "turns", "duplex"):
        for voice in recipe.texts(name)["speakers"]:
            assert load_styles(voice).shape == (510, 256)


def test_pauses_are_put_in_to_the_frame_and_all_words_move_along(studio: Studio) -> None:
    plain = studio.clip(Line("one two three four", "bf_emma"))
    clip = studio.clip(Line("one two three four", "bf_emma", ((1, 0.5), (3, 1.2))))
    assert [round(pause.seconds, 3) for pause in clip.pauses] == [0.5, 1.2]
    assert clip.end_s == pytest.approx(plain.end_s + 0.5 + 1.2 - 2 * 0.05, abs=0.02)
    for word, start_s in zip(clip.words, (0.0, 0.8, 1.15, 2.65), strict=True):
        assert word.start_s == pytest.approx(start_s, abs=0.03)
    for pause in clip.pauses:
        inside = clip.samples[round(pause.start_s * RATE) : round(pause.end_s * RATE)]
        assert not audible(inside).any()


def test_a_pause_in_the_middle_of_sound_is_exact_too(studio: Studio) -> None:
    clip = studio.clip(Line("one", "bf_emma"))
    words = (clip.words[0]._replace(end_s=0.15), clip.words[0]._replace(start_s=0.15))
    from dataclasses import replace

    both = replace(clip, text="o ne", words=words)
    [pause] = paused(both, [(1, 0.4)]).pauses
    assert pause.seconds == pytest.approx(0.4, abs=0.011)


def test_a_line_is_spoken_once_and_found_again(tmp_path: Path) -> None:
    voices = Tones()
    line = Line("one two", "bf_emma")
    first = Studio(tmp_path, voices).clip(line)
    again = Studio(tmp_path, voices).clip(line)
    assert voices.opened == 1
    assert again.digest == first.digest
    assert np.array_equal(again.samples, first.samples)
    assert again.words == first.words


def test_a_damaged_file_in_the_cache_is_made_anew(tmp_path: Path) -> None:
    voices = Tones()
    line = Line("one two", "bf_emma")
    first = Studio(tmp_path, voices).clip(line)
    [kept] = tmp_path.glob("*.npz")
    for damage in (b"", b"PK\x03\x04 broken", kept.read_bytes()[:200]):
        kept.write_bytes(damage)
        assert Studio(tmp_path, voices).clip(line).digest == first.digest
    assert voices.opened == 4


@pytest.mark.parametrize("kind", ["cough", "sneeze", "door", "keys", "chair"])
def test_a_sound_has_its_level_and_its_seed(kind: str) -> None:
    made = sounds.event(kind, 5)
    assert np.array_equal(made, sounds.event(kind, 5))
    assert not np.array_equal(made, sounds.event(kind, 6))
    assert np.abs(made).max() <= 0.95 + 1e-6
    assert rms_dbfs(made) == pytest.approx(sounds.LOUD_DBFS, abs=0.1) or kind == "keys"
    assert np.abs(made).max() > 0.2  # keys are clicks: loud, and short
    assert np.isfinite(made).all()


@pytest.mark.parametrize("kind", ["pink", "hum", "white"])
def test_a_noise_is_at_the_level_of_speech(kind: str) -> None:
    made = sounds.noise(kind, 1.0, 3)
    assert made.size == RATE
    assert rms_dbfs(made) == pytest.approx(sounds.SPEECH_DBFS, abs=1)


def test_unknown_sounds_are_refused() -> None:
    with pytest.raises(ValueError, match="no sound"):
        sounds.event("trumpet", 1)
    with pytest.raises(ValueError, match="no noise"):
        sounds.noise("babble", 1.0, 1)


def test_a_noisy_place_lies_so_far_below_the_speech(studio: Studio) -> None:
    corpus = Corpus(studio, 3)
    background = corpus.background(recipe.NOISY)
    assert background is not None
    assert corpus.background(recipe.QUIET) is None
    assert rms_dbfs(background) == pytest.approx(sounds.SPEECH_DBFS - 12.0, abs=0.5)


def test_every_case_of_the_recipe_can_be_made(studio: Studio) -> None:
    corpus = Corpus(studio, 3)
    for case in recipe.duplex_cases(3):
        clip = corpus.overlap(case)
        assert clip.samples.dtype == np.float32
        assert (clip.end_s > clip.start_s) == (case.kind != "echo")
        assert bool(clip.text) == (case.line is not None)
    for turn in recipe.turn_cases(3, 20):
        clip = corpus.turn(turn)
        longest = [seconds for _, seconds in turn.line.pauses if seconds >= 0.2]
        found = sorted(pause.seconds for pause in clip.pauses)
        for seconds in longest:
            assert min(abs(seconds - had) for had in found) < 0.011
    prompt = corpus.prompt(recipe.prompt_cases()[0])
    assert prompt.end_s > 0.5


def test_the_shared_prompts_have_their_truth() -> None:
    prompts = shared_prompts()
    assert [prompt.interrupts for prompt in prompts] == [False, False, False, True, False]
    for prompt in prompts:
        assert prompt.clip.start_s == pytest.approx(0.15, abs=0.1)
        assert 0.3 < prompt.clip.end_s < prompt.clip.samples.size / RATE


def test_recordings_of_people_are_taken_where_they_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none of the recordings"):
        human.clips(tmp_path, "turn")
    sound = np.concatenate([sounds.noise("pink", 0.5, 1), np.zeros(8000, np.float32)] * 2)
    write_wav(tmp_path / "speech_recognition_english_123_en.wav", sound, RATE)
    [(name, clip)] = human.clips(tmp_path, "turn")
    assert name == "speech_recognition_english_123_en"
    assert [round(pause.seconds, 2) for pause in clip.pauses] == [0.5]
    assert human.clips(tmp_path, "sound") == []
