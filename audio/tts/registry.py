"""All synthesizers by name. An engine's packages are imported only when it is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from audio.engine import EngineInfo
from audio.errors import EngineMissing
from audio.tts import scripted
from audio.tts.base import Synthesizer
from audio.tts.voices import JARVIS_VOICE, VoiceInfo
from audio.tts.voices import voices as _shipped_voices

DEFAULT_SYNTHESIZER = "kokoro"

Open = Callable[[str, float], Synthesizer]


@dataclass(frozen=True, slots=True)
class _Entry:
    describe: Callable[[], EngineInfo]
    open: Open  # takes a voice and a speed


def _describe_kokoro() -> EngineInfo:
    from audio.tts import kokoro

    return kokoro.describe()


def _open_kokoro(voice: str, speed: float) -> Synthesizer:
    from audio.tts.kokoro import KokoroSynthesizer

    return KokoroSynthesizer(voice, speed)


def _open_scripted(voice: str, speed: float) -> Synthesizer:
    return scripted.ScriptedSynthesizer(scripted.Script(word_s=0.3 / speed))


_ENTRIES = {
    "kokoro": _Entry(_describe_kokoro, _open_kokoro),
    "scripted": _Entry(scripted.describe, _open_scripted),
}


def synthesizers() -> list[EngineInfo]:
    """Every synthesizer that is known, the default one first, installed or not."""
    return [entry.describe() for entry in _ENTRIES.values()]


def open_synthesizer(
    name: str = DEFAULT_SYNTHESIZER, voice: str = JARVIS_VOICE, speed: float = 1.0
) -> Synthesizer:
    """Load the synthesizer ``name`` with a voice.

    Raises ValueError for a speed that is not above zero, and EngineMissing, EngineCorrupt or
    UnwritableOutput when the engine cannot be loaded.
    """
    if not speed > 0:
        raise ValueError(f"speed must be above zero, not {speed}")
    entry = _ENTRIES.get(name)
    if entry is None:
        raise EngineMissing(
            f"There is no synthesizer named {name!r}.", f"Choose one of: {', '.join(_ENTRIES)}."
        )
    return entry.open(voice, speed)


def voices() -> list[VoiceInfo]:
    """The voices that ship, Jarvis's first."""
    return _shipped_voices()
