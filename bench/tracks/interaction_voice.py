"""Questions and answers of the interaction track as sound: said, heard again, and timed.

The question is spoken with another voice than Jarvis's and recognized, and the answer is spoken and
recognized; a question of which nothing is heard is not answered. The time to first audio is what
recognizer, brain and synthesizer need one after another, from the end of the question. No endpoint
and no device is in it, and the whole question is still to be recognized then, while the app
recognizes as the user speaks: it tells how the engines compare, not how long a person waits.

The engines are the app's, with its cache of phrases: a phrase that was said before in this process
is played and not made again, and an answer that begins with one is marked as *kept*.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE, Recognizer
from audio.engine import CancelToken
from audio.framing import Framer
from audio.resample import resample
from audio.tts.base import SpokenPhrase
from audio.tts.cached import CachedSynthesizer
from audio.tts.phrasing import Phraser
from audio.tts.spoken_text import speak
from audio.vad.base import FRAME_SAMPLES, Vad
from bench.answerers import Answered, Answerer, Asked, Heard
from jarvis_voice.clock import stopwatch


class Spoken:
    """An answerer that is asked and answers aloud. Engines are used from one thread."""

    def __init__(
        self,
        inner: Answerer,
        ears: tuple[Recognizer, Vad],
        asker: CachedSynthesizer,
        voice: CachedSynthesizer,
    ) -> None:
        self._inner = inner
        self._recognizer, self._vad = ears
        self._asker = asker
        self._voice = voice

    async def answer(self, asked: Asked) -> Answered:
        """The inner answer as it was heard. Raises what the engines raise."""
        question, ended_s = self._heard(_said(asked.question, self._asker))
        if not question:
            return Answered("", heard=Heard(""))
        said = await self._inner.answer(Asked(question, asked.view, asked.history))
        first_s, kept, sound = self._spoken(said.text)
        waited_s = None if first_s is None else first_s - ended_s
        text = self._heard(sound)[0] if first_s is not None else ""
        return Answered(text, said.versions, Heard(question, said.text, waited_s, kept))

    def _spoken(self, text: str) -> tuple[float | None, bool, NDArray[np.float32]]:
        """When the first sample was there, whether it was kept, and all of them at 16 kHz."""
        first_s: float | None = None
        kept = False
        pieces = []
        for phrase in _phrases(text):
            held = first_s is None and self._voice.holds(phrase)
            for chunk in self._voice.synthesize(phrase, CancelToken()):
                if first_s is None:
                    first_s, kept = stopwatch(), held
                pieces.append(chunk.samples)
        return first_s, kept, _joined(pieces, self._voice.rate)

    def _heard(self, sound: NDArray[np.float32]) -> tuple[str, float]:
        """What the recognizer makes of it, and when the last of it had been pushed."""
        silence = np.zeros(SAMPLE_RATE // 5, np.float32)
        stream = self._recognizer.stream()
        try:
            self._vad.reset()
            for frame in Framer(FRAME_SAMPLES).push(np.concatenate([silence, sound, silence])):
                stream.push(frame.samples, self._vad.probability(frame.samples))
            ended_s = stopwatch()
            return stream.final(CancelToken()).text.strip(), ended_s
        finally:
            stream.close()


def _said(text: str, synthesizer: CachedSynthesizer) -> NDArray[np.float32]:
    made = (synthesizer.synthesize(phrase, CancelToken()) for phrase in _phrases(text))
    return _joined([chunk.samples for chunks in made for chunk in chunks], synthesizer.rate)


def _phrases(text: str) -> Iterator[SpokenPhrase]:
    """A text phrase by phrase, as the app would say it."""
    phraser = Phraser()
    for phrase in [*phraser.feed(text), *phraser.finish()]:
        yield speak(phrase.text)


def _joined(pieces: list[NDArray[np.float32]], rate: int) -> NDArray[np.float32]:
    whole = np.concatenate(pieces) if pieces else np.zeros(0, np.float32)
    return resample(whole, rate, SAMPLE_RATE)
