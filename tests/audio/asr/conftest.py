"""Sound with its VAD probabilities, recorded or made."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE
from audio.resample import resample
from audio.vad.silero import SileroVad

Sound = NDArray[np.float32]
Frames = list[tuple[Sound, float]]

FRAME_SAMPLES = 512


def read(path: Path) -> Sound:
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    mono = samples.mean(axis=1)
    return mono if rate == SAMPLE_RATE else resample(mono, rate, SAMPLE_RATE)


def in_frames(samples: Sound) -> list[Sound]:
    padded = np.pad(samples, (0, -len(samples) % FRAME_SAMPLES)).astype(np.float32)
    return list(padded.reshape(-1, FRAME_SAMPLES))


@pytest.fixture(scope="session")
def heard() -> Callable[[Sound], Frames]:
    """Frames of a sound with the real VAD's probability for each."""
    vad = SileroVad()

    def listen(samples: Sound) -> Frames:
        vad.reset()
        return [(frame, vad.probability(frame)) for frame in in_frames(samples)]

    return listen


@pytest.fixture(scope="session")
def weather() -> Sound:
    """A person who asks "What's the weather like?", 2 s."""
    return read(Path(__file__).parent / "data" / "whats_the_weather_like.flac")


@pytest.fixture(scope="session")
def shared_clip() -> Callable[[str], Sound]:
    """A recording of the shared collection; the test is skipped where that is not present."""
    beside = Path(__file__).parents[4] / "shared"
    folder = Path(os.environ.get("JARVIS_SHARED", str(beside))) / "audio"

    def load(name: str) -> Sound:
        path = folder / name
        if not path.is_file():
            pytest.skip(f"{name} is not here")
        return read(path)

    return load


@pytest.fixture(scope="session")
def check_recognizer() -> Callable[..., None]:
    """The contract suite."""
    check: Callable[..., None] = _beside("contract").check_recognizer
    return check


@pytest.fixture(scope="session")
def noises() -> ModuleType:
    """The module that makes sound which is no speech."""
    return _beside("noises")


@pytest.fixture(scope="session")
def tiny_qwen() -> ModuleType:
    """The module that makes tiny Qwen3-ASR models."""
    return _beside("tiny_qwen")


def _beside(name: str) -> ModuleType:
    """A helper module of this folder; test folders are no packages, so it is loaded by path."""
    spec = importlib.util.spec_from_file_location(
        f"asr_{name}", Path(__file__).parent / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
