"""The voices that ship: what they are and where they came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.errors import EngineCorrupt, EngineMissing
from audio.resources import asset

_ROWS, _STYLE = 510, 256  # one style per number of phonemes


@dataclass(frozen=True, slots=True)
class VoiceInfo:
    """A voice as ``jarvis models`` lists it."""

    name: str  # the word used in settings
    language: str  # IETF tag of the accent
    gender: str
    description: str
    licence: str
    source: str


_SOURCE = "npm kokoro-js 1.2.1, from hexgrad/Kokoro-82M"


def _voice(name: str, language: str, gender: str, description: str) -> VoiceInfo:
    return VoiceInfo(name, language, gender, description, "Apache-2.0", _SOURCE)


JARVIS_VOICE = "am_michael"
PROMPT_VOICE = "bf_emma"

_VOICES = (
    _voice("am_michael", "en-US", "male", "calm and even; the voice of Jarvis"),
    _voice("bf_emma", "en-GB", "female", "clear; speaks the shared prompts of the demo"),
    _voice("af_heart", "en-US", "female", "warm and lively"),
)

# Users of the benchmarks speak with these too, so that no measurement hangs on one kind of voice.
_BENCH_VOICES = (
    _voice("bm_george", "en-GB", "male", "a user of the benchmarks"),
    _voice("am_puck", "en-US", "male", "a user of the benchmarks"),
)


def voices() -> list[VoiceInfo]:
    """All voices that ship, Jarvis's first."""
    return list(_VOICES)


def load_styles(name: str) -> NDArray[np.float32]:
    """The styles of a voice, shape (510, 256): row ``n - 1`` is for text of ``n`` phonemes.

    Raises EngineMissing for a name that is not a voice, and EngineCorrupt.
    """
    if name not in {voice.name for voice in (*_VOICES, *_BENCH_VOICES)}:
        known = ", ".join(voice.name for voice in _VOICES)
        raise EngineMissing(f"There is no voice named {name!r}.", f"Choose one of: {known}.")
    path = asset("voices", f"{name}.npy")
    try:
        styles: NDArray[np.float32] = np.load(path).astype(np.float32)
    except (OSError, ValueError) as error:
        raise EngineCorrupt(
            f"The voice {path} cannot be read: {error}.",
            "Run: pip install --force-reinstall jarvis-voice",
        ) from error
    if styles.shape != (_ROWS, _STYLE):
        raise EngineCorrupt(
            f"The voice {path} has the shape {styles.shape}, not {(_ROWS, _STYLE)}.",
            "Run: pip install --force-reinstall jarvis-voice",
        )
    return styles
