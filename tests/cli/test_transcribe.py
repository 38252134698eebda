"""``jarvis transcribe``: any recording in, its text alone out; bad files are one clear line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from audio.resample import resample
from audio.wav import read_audio
from jarvis_voice.resources import asset

RATE = 16_000


@pytest.fixture(scope="session")
def speech() -> tuple[NDArray[np.float32], str]:
    """A prompt that ships, mono at 16 kHz, and what is said in it."""
    prompts = json.loads(asset("prompts", "prompts.json").read_text(encoding="utf-8"))["prompts"]
    samples, _ = read_audio(asset("prompts", prompts[0]["file"]))
    return samples, prompts[0]["text"]


def _words(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum() or c == " ").strip()


@pytest.mark.model
@pytest.mark.parametrize(
    "form",
    [
        (16_000, 1, "PCM_16", ".wav"),
        (44_100, 2, "PCM_24", ".wav"),
        (48_000, 1, "FLOAT", ".wav"),
        (8_000, 1, "ULAW", ".wav"),
        (48_000, 2, "PCM_24", ".flac"),
    ],
)
def test_any_usual_file_gives_its_text_alone(
    jarvis: Callable[..., object],
    tmp_path: Path,
    speech: tuple[NDArray[np.float32], str],
    form: tuple[int, int, str, str],
) -> None:
    rate, channels, subtype, suffix = form
    samples, text = speech
    sound = resample(samples, RATE, rate)
    path = tmp_path / f"speech{suffix}"
    soundfile.write(path, np.column_stack([sound] * channels), rate, subtype=subtype)
    ran = jarvis("transcribe", path)
    assert (ran.status, ran.err) == (0, "")
    assert _words(ran.out) == _words(text)


@pytest.mark.model
@pytest.mark.parametrize("gain_db", [-40.0, 20.0])
def test_very_quiet_and_clipped_speech_is_understood(
    jarvis: Callable[..., object],
    tmp_path: Path,
    speech: tuple[NDArray[np.float32], str],
    gain_db: float,
) -> None:
    samples, text = speech
    peak = float(np.abs(samples).max())
    path = tmp_path / "speech.wav"
    soundfile.write(path, np.clip(samples / peak * 10 ** (gain_db / 20), -1, 1), RATE)
    ran = jarvis("transcribe", path)
    assert ran.status == 0
    assert _words(ran.out) == _words(text)


@pytest.mark.model
def test_json_has_the_text_with_its_times(
    jarvis: Callable[..., object], tmp_path: Path, speech: tuple[NDArray[np.float32], str]
) -> None:
    samples, text = speech
    pause = np.zeros(4 * RATE, np.float32)
    path = tmp_path / "twice.wav"
    soundfile.write(path, np.concatenate([samples, pause, samples]), RATE)
    told = json.loads(jarvis("transcribe", path, "--json").out)
    assert _words(told["text"]) == _words(f"{text} {text}")
    first, second = told["passages"]
    assert first["end_s"] < len(samples) / RATE + 0.5
    assert second["start_s"] - first["start_s"] == pytest.approx(len(samples) / RATE + 4, abs=0.1)
    assert told["engine"] == "whisper-tiny.en"


@pytest.mark.model
def test_a_recording_without_speech_gives_nothing_and_says_so(
    jarvis: Callable[..., object], hum_file: Path
) -> None:
    ran = jarvis("transcribe", hum_file)
    assert (ran.status, ran.out) == (0, "")
    assert "Nobody speaks in" in ran.err
    told = json.loads(jarvis("transcribe", hum_file, "--json").out)
    assert told["text"] == ""


def test_a_file_that_is_not_there_is_named(jarvis: Callable[..., object], tmp_path: Path) -> None:
    path = tmp_path / "none.wav"
    assert str(path) in jarvis("transcribe", path).refused()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"this is no sound at all, but a letter\n" * 50, "not a sound file"),
        (b"RIFF\x24\x00\x00\x00WAVEfmt ", "truncated"),
    ],
)
def test_a_file_that_is_no_sound_is_named(
    jarvis: Callable[..., object], tmp_path: Path, content: bytes, says: str
) -> None:
    path = tmp_path / "bad.wav"
    path.write_bytes(content)
    line = jarvis("transcribe", path).refused()
    assert str(path) in line
    assert says in line


def test_a_truncated_recording_is_not_taken_for_a_whole_one(
    jarvis: Callable[..., object], tmp_path: Path, hum_file: Path
) -> None:
    path = tmp_path / "cut.wav"
    path.write_bytes(hum_file.read_bytes()[:20_000])
    ran = jarvis("transcribe", path)
    assert "truncated" in ran.refused()
    assert ran.out == ""


def test_a_folder_and_an_unknown_engine_are_refused(
    jarvis: Callable[..., object], tmp_path: Path, hum_file: Path
) -> None:
    assert "folder" in jarvis("transcribe", tmp_path).refused()
    line = jarvis("transcribe", hum_file, "--engine", "whisper-huge").refused()
    assert "whisper-huge" in line
    assert "whisper-tiny.en" in line
