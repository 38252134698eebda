"""The engines of the interaction track's voice, loaded once for each process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from audio.tts.cached import CachedSynthesizer
from audio.tts.registry import open_synthesizer
from audio.tts.voices import JARVIS_VOICE, PROMPT_VOICE
from bench.answerers import Answerer
from bench.tracks.interaction_voice import Spoken
from jarvis_voice.cli.build import cached, load_engines
from jarvis_voice.config import RecognizerSettings, Settings, SynthesizerSettings


@dataclass(frozen=True, slots=True)
class Engines:
    """Which engines speak and hear; can be sent to another process."""

    recognizer: RecognizerSettings
    synthesizer: SynthesizerSettings

    def named(self) -> dict[str, str]:
        """What the figures depend on, for the record."""
        return {
            "recognizer": self.recognizer.engine,
            "synthesizer": self.synthesizer.engine,
            "voice": self.synthesizer.voice or JARVIS_VOICE,
            "asking_voice": PROMPT_VOICE,
        }


@cache
def aloud(engines: Engines) -> Callable[[Answerer], Answerer]:
    """What makes an answerer be asked and answer aloud.

    Phrases are kept in memory only, so every process begins with none. Raises EngineMissing,
    EngineCorrupt or EngineFailed.
    """
    # the asking voice is not timed: it loads sooner without the streamed network
    asking = replace(engines.synthesizer, voice=PROMPT_VOICE, streaming="off")
    asker = cached(open_synthesizer(asking.engine, **asking.options()), asking)
    loaded = load_engines(Settings(recognizer=engines.recognizer, synthesizer=engines.synthesizer))
    made = loaded.synthesizer
    voice = made if isinstance(made, CachedSynthesizer) else cached(made, engines.synthesizer)

    def spoken(inner: Answerer) -> Answerer:
        return Spoken(inner, (loaded.recognizer, loaded.vad), asker, voice)

    return spoken
