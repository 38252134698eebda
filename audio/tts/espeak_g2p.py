"""Phonemes from espeak-ng, for those who accept its licence (GPL-3): an extra, never the default.

espeak knows rules where our dictionary knows words, so it reads names and made-up words otherwise.
Each word is asked for by itself: espeak would merge words of a phrase, and each needs its mark.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from audio.clocks import Clocks
from audio.engine import EngineInfo
from audio.errors import EngineFailed, EngineMissing
from audio.tts import kokoro
from audio.tts.g2p import word_and_pause
from audio.tts.kokoro_stream import open_network
from audio.tts.phoneme_speech import PhonemeSynthesizer
from audio.tts.phonemes import from_ipa, pronounceable
from audio.tts.voices import JARVIS_VOICE, load_styles

NAME = "kokoro-espeak"
_INSTALL = 'pip install "jarvis-voice[espeak]"'


def describe() -> EngineInfo:
    """The engine as it is listed; installed when espeak and Kokoro are."""
    base = kokoro.describe()
    packages = all(importlib.util.find_spec(name) for name in ("phonemizer", "espeakng_loader"))
    hint = base.install_hint if packages else _INSTALL
    return replace(
        base,
        name=NAME,
        description="Kokoro-82M as above, words read by espeak-ng (GPL-3)",
        installed=base.installed and packages,
        install_hint=hint,
    )


class EspeakG2P:
    """Turns words into Kokoro's phonemes with espeak-ng. One object for one thread."""

    def __init__(self) -> None:
        """Raises EngineMissing when the extra is not installed or its library does not load."""
        try:
            loader: Any = importlib.import_module("espeakng_loader")
            wrapper: Any = importlib.import_module("phonemizer.backend.espeak.wrapper")
            backend: Any = importlib.import_module("phonemizer.backend")
            wrapper.EspeakWrapper.set_library(loader.get_library_path())
            wrapper.EspeakWrapper.set_data_path(loader.get_data_path())
            self._backend = backend.EspeakBackend("en-us", with_stress=True)
        except (ImportError, AttributeError, OSError, RuntimeError) as error:
            raise EngineMissing(
                f"espeak-ng cannot be used: {error}.", f"Run: {_INSTALL}"
            ) from error

    def phonemize(self, words: Sequence[str]) -> list[str]:
        """As EnglishG2P.phonemize. Raises EngineFailed."""
        parts = [word_and_pause(word) for word in words]
        try:
            sounds: list[str] = self._backend.phonemize([text for text, _ in parts], strip=True)
        except (RuntimeError, ValueError, IndexError) as error:
            raise EngineFailed(f"espeak-ng failed: {error}.", "Try again.") from error
        return [
            f"{said}{pause}" if (said := pronounceable(from_ipa(sound))) else ""
            for sound, (_, pause) in zip(sounds, parts, strict=True)
        ]


class EspeakKokoroSynthesizer(PhonemeSynthesizer):
    """The shipped network, with words read by espeak-ng."""

    def __init__(
        self,
        voice: str = JARVIS_VOICE,
        speed: float = 1.0,
        threads: int = kokoro.THREADS,
        clocks: Clocks | None = None,
    ) -> None:
        """See KokoroSynthesizer."""
        load_styles(voice)
        phonemize = EspeakG2P().phonemize
        network = open_network(voice, threads, clocks)
        super().__init__(network, describe(), voice, speed, phonemize)
