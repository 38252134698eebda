"""The engines of the interaction track's voice, loaded once for each process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from audio.tts.registry import open_synthesizer
from audio.tts.voices import PROMPT_VOICE
from bench.answerers import Answerer
from bench.tracks.interaction_voice import Spoken
from jarvis_voice import config
from jarvis_voice.cli.build import load_engines
from jarvis_voice.config import Settings


@cache
def aloud() -> Callable[[Answerer], Answerer]:
    """What makes an answerer be asked and answer aloud, with the engines of the settings.

    Raises EngineMissing, EngineCorrupt or EngineFailed.
    """
    settings: Settings = config.load(None).settings
    asking = replace(settings.synthesizer, voice=PROMPT_VOICE)
    asker = open_synthesizer(asking.engine, **asking.options())
    engines = load_engines(settings)

    def spoken(inner: Answerer) -> Answerer:
        ears = (engines.recognizer, engines.vad)
        return Spoken(inner, ears, asker, engines.synthesizer)

    return spoken
