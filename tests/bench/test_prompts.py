"""The shared prompts as committed, and the script that makes them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from audio.asr.base import SAMPLE_RATE
from audio.engine import CancelToken
from audio.pcm import RATE
from audio.resources import asset
from audio.tts.scripted import ScriptedSynthesizer
from audio.tts.voices import JARVIS_VOICE, voices
from audio.wav import read_audio
from audio.weights import sha256_of
from bench.make_prompts import PROMPTS, in_room, speak

LISTING = json.loads(asset("prompts", "prompts.json").read_text("utf-8"))


def test_the_listing_is_what_the_script_says() -> None:
    assert [(p["id"], p["text"], p["role"]) for p in LISTING["prompts"]] == [
        (prompt.id, prompt.text, prompt.role) for prompt in PROMPTS
    ]
    roles = [prompt.role for prompt in PROMPTS]
    assert roles.index("interrupts") == roles.index("interrupted") + 1


@pytest.mark.parametrize("entry", LISTING["prompts"], ids=lambda entry: entry["id"])
def test_each_recording_is_the_one_that_was_checked(entry: dict[str, object]) -> None:
    path = asset("prompts", str(entry["file"]))
    assert sha256_of(path) == entry["sha256"]
    samples, info = read_audio(path)
    assert (info.rate, info.channels) == (RATE, 1)
    assert len(samples) / RATE == pytest.approx(entry["duration_s"], abs=0.001)
    assert np.abs(samples).max() < 0.99
    assert np.abs(samples).max() > 0.1


def test_the_user_sounds_unlike_jarvis() -> None:
    spoken_by = {entry["voice"] for entry in LISTING["prompts"]}
    assert spoken_by <= {voice.name for voice in voices()} - {JARVIS_VOICE}


def test_speech_is_brought_to_16_khz_and_a_level_without_its_last_pause() -> None:
    speech = speak(ScriptedSynthesizer(), "one two")
    assert len(speech) == pytest.approx((0.3 + 0.05 + 0.3) * RATE, abs=2)
    assert 10 * np.log10(np.mean(np.square(speech))) == pytest.approx(-23, abs=0.1)


def test_a_recording_has_faint_noise_before_and_after_the_speech() -> None:
    quiet = in_room(np.zeros(RATE, np.float32), np.random.default_rng(1))
    again = in_room(np.zeros(RATE, np.float32), np.random.default_rng(1))
    assert len(quiet) == pytest.approx(1.4 * RATE, abs=2)
    assert 10 * np.log10(np.mean(np.square(quiet))) == pytest.approx(-66, abs=0.5)
    assert np.array_equal(quiet, again)


@pytest.mark.model
@pytest.mark.parametrize("entry", LISTING["prompts"], ids=lambda entry: entry["id"])
def test_the_default_recognizer_understands_it(entry: dict[str, str], recognizer) -> None:
    samples, _ = read_audio(asset("prompts", entry["file"]), SAMPLE_RATE)
    stream = recognizer.stream()
    stream.push(samples, 0.9)
    heard = stream.final(CancelToken()).text
    stream.close()
    assert _words(heard) == _words(entry["text"])


def _words(text: str) -> list[str]:
    return [word for word in (w.strip(",.?!") for w in text.lower().split()) if word]


@pytest.fixture(scope="module")
def recognizer():
    from audio.asr.registry import open_recognizer

    opened = open_recognizer("whisper-tiny.en")
    yield opened
    opened.close()
