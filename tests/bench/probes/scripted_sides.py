"""Both sides from scripted engines, and a voice whose every phrase is a noise of its own."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np

from audio.asr.scripted import ScriptedRecognizer
from audio.echo.bypass import Bypass
from audio.engine import CancelToken, EngineInfo, EngineKind
from audio.tts.base import SpeechChunk, SpokenPhrase, WordMark
from audio.vad.scripted import EnergyVad
from bench.probes.play import Opened, Ports, Publish
from bench.probes.sequential import SequentialPipeline
from bench.probes.sides import MindFor
from bench.probes.tap import Spoken, Tap
from jarvis_voice.conversation import Conversation, ConversationSettings, Parts

WORD_S = 0.3
RATE = 24_000


def hiss(seed: str, seconds: float, rate: int = RATE, level: float = 0.1) -> np.ndarray:
    """Noise that another seed gives differently."""
    draw = np.random.default_rng(zlib.crc32(seed.encode()))
    return (draw.standard_normal(round(seconds * rate)) * level).astype(np.float32)


class HissingSynthesizer:
    """Each word is a noise of 0.3 s of its own, so that it is found again in a recording."""

    info = EngineInfo("hissing", EngineKind.SYNTHESIZER, "noise for words", installed=True)
    rate = RATE

    def synthesize(self, phrase: SpokenPhrase, cancel: CancelToken) -> Iterator[SpeechChunk]:
        size = round(WORD_S * RATE)
        for place, word in enumerate(phrase.words):
            cancel.raise_if_cancelled()
            samples = hiss(f"{phrase.source}/{word.spoken}/{place}", WORD_S)
            mark = WordMark(place, place * size, (place + 1) * size)
            yield SpeechChunk(samples, (mark,))

    def close(self) -> None:
        """Nothing to release."""


class ScriptedSide:
    """Jarvis, or the sequential reference, from scripted engines."""

    def __init__(self, mind: MindFor, replies: list[str], *, sequential: bool = False) -> None:
        self.name = "sequential" if sequential else "jarvis"
        self._mind = mind
        self._replies = replies
        self._sequential = sequential
        self.tap = Tap(HissingSynthesizer())

    def open(self, ports: Ports, publish: Publish, *, echo: bool) -> Opened:
        mind = self._mind(publish)
        parts = Parts(
            ports.capture,
            ports.playback,
            Bypass(),
            EnergyVad(),
            ScriptedRecognizer(self._replies),
            self.tap,
            mind.brain,
        )
        if self._sequential:
            return Opened(SequentialPipeline(parts, publish), mind.beside)
        return Opened(Conversation(parts, ConversationSettings(), publish), mind.beside)

    def spoken(self) -> list[Spoken]:
        return self.tap.take()
