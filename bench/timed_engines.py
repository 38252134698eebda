"""Scripted engines that take the time of real ones, of virtual time: for exact latencies.

In a VirtualTimeLoop the same conversation gives the same milliseconds on any machine, so that one
can tell exactly which stage waited for which.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import Final, Hypothesis, RecognizerStream
from audio.asr.scripted import Reply, ScriptedRecognizer
from audio.engine import CancelToken, EngineInfo
from audio.tts.base import SpeechChunk, SpokenPhrase, Synthesizer
from audio.tts.scripted import ScriptedSynthesizer
from bench.simulator import ScriptedBrain
from jarvis_voice import clock, events
from jarvis_voice.virtual_time import take_time

SPEECH_PROBABILITY = 0.5


class TimedRecognizer:
    """A scripted recognizer that takes so long to recognize new speech, and no time for old."""

    def __init__(self, replies: Iterable[Reply | str], seconds: float) -> None:
        self._inner = ScriptedRecognizer(replies)
        self._seconds = seconds

    @property
    def info(self) -> EngineInfo:
        return self._inner.info

    def stream(self) -> TimedStream:
        """Open an utterance."""
        return TimedStream(self._inner.stream(), self._seconds)

    def close(self) -> None:
        self._inner.close()


class TimedStream:
    """One utterance of a TimedRecognizer."""

    def __init__(self, inner: RecognizerStream, seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds
        self._news = False

    def push(self, samples: NDArray[np.float32], speech_probability: float) -> None:
        self._news = self._news or speech_probability >= SPEECH_PROBABILITY
        self._inner.push(samples, speech_probability)

    def hypothesis(self, cancel: CancelToken) -> Hypothesis:
        self._work(cancel)
        return self._inner.hypothesis(cancel)

    def final(self, cancel: CancelToken) -> Final:
        self._work(cancel)
        return self._inner.final(cancel)

    def close(self) -> None:
        self._inner.close()

    def _work(self, cancel: CancelToken) -> None:
        if self._news:
            take_time(self._seconds, cancel)
            self._news = False


class TimedSynthesizer:
    """A synthesizer whose every phrase takes so long until its first audio; ``made`` lists them."""

    def __init__(self, seconds: float, inner: Synthesizer | None = None) -> None:
        self._seconds = seconds
        self._inner = inner or ScriptedSynthesizer()
        self.made: list[str] = []

    @property
    def info(self) -> EngineInfo:
        return self._inner.info

    @property
    def rate(self) -> int:
        return self._inner.rate

    def synthesize(self, phrase: SpokenPhrase, cancel: CancelToken) -> Iterator[SpeechChunk]:
        """See Synthesizer.synthesize."""
        take_time(self._seconds, cancel)
        self.made.append(phrase.text)
        yield from self._inner.synthesize(phrase, cancel)

    def close(self) -> None:
        self._inner.close()


class TimedBrain(ScriptedBrain):
    """A brain that takes ``first_s`` until its first words, and may know what it will be asked."""

    def __init__(
        self,
        answers: dict[str, str],
        first_s: float = 0.0,
        likely: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        super().__init__(answers)
        self._first_s = first_s
        self._likely = likely
        self.ended: list[tuple[str, float]] = []  # question, when its reply was worded or closed

    async def reply(self, question: events.Question) -> AsyncIterator[str]:
        """The scripted answer, late."""
        try:
            await asyncio.sleep(self._first_s)
            async for piece in super().reply(question):
                yield piece
        finally:
            self.ended.append((question.text, clock.session_now()))

    def anticipated(self, history: tuple[events.Exchange, ...]) -> Sequence[str]:
        """See conversation.Anticipates."""
        return self._likely()
