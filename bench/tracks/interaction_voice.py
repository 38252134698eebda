"""Questions and answers of the interaction track as sound: said, heard again, and timed.

The question is spoken with another voice than Jarvis's and recognized, the answer is spoken and
recognized, and what was heard is graded. The time to first audio is what recognizer, brain and
synthesizer need one after another, from the end of the question; there is no endpoint in it, and no
device, so it is a lower bound of what a person waits for.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE, Recognizer
from audio.engine import CancelToken
from audio.framing import Framer
from audio.resample import resample
from audio.tts.base import Synthesizer
from audio.tts.phrasing import Phraser
from audio.tts.spoken_text import speak
from audio.vad.base import FRAME_SAMPLES, Vad
from bench.answerers import Answered, Answerer, Asked
from jarvis_voice.clock import stopwatch


class Spoken:
    """An answerer that is asked and answers aloud. Engines are used from one thread."""

    def __init__(
        self, inner: Answerer, ears: tuple[Recognizer, Vad], asker: Synthesizer, voice: Synthesizer
    ) -> None:
        self._inner = inner
        self._recognizer, self._vad = ears
        self._asker = asker
        self._voice = voice

    async def answer(self, asked: Asked) -> Answered:
        """The inner answer as it was heard. Raises what the engines raise."""
        sound = _said(asked.question, self._asker)
        began_s = stopwatch()
        question = self._heard(sound)
        heard = Asked(question or asked.question, asked.view, asked.history)
        said = await self._inner.answer(heard)
        first_s, answer = self._spoken(said.text)
        waited_s = None if first_s is None else first_s - began_s
        return Answered(self._heard(answer) if said.text else "", said.versions, waited_s)

    def _spoken(self, text: str) -> tuple[float | None, NDArray[np.float32]]:
        """When the first sample was there, and all of them at 16 kHz."""
        first_s: float | None = None
        pieces = []
        for samples in _phrases(text, self._voice):
            first_s = stopwatch() if first_s is None else first_s
            pieces.append(samples)
        return first_s, _joined(pieces, self._voice.rate)

    def _heard(self, sound: NDArray[np.float32]) -> str:
        """What the recognizer makes of it."""
        silence = np.zeros(SAMPLE_RATE // 5, np.float32)
        stream = self._recognizer.stream()
        try:
            self._vad.reset()
            for frame in Framer(FRAME_SAMPLES).push(np.concatenate([silence, sound, silence])):
                stream.push(frame.samples, self._vad.probability(frame.samples))
            return stream.final(CancelToken()).text
        finally:
            stream.close()


def _said(text: str, synthesizer: Synthesizer) -> NDArray[np.float32]:
    return _joined(list(_phrases(text, synthesizer)), synthesizer.rate)


def _phrases(text: str, synthesizer: Synthesizer) -> Iterator[NDArray[np.float32]]:
    """The sound of a text piece by piece, phrase by phrase as the app would say it."""
    phraser = Phraser()
    for phrase in [*phraser.feed(text), *phraser.finish()]:
        for chunk in synthesizer.synthesize(speak(phrase.text), CancelToken()):
            yield chunk.samples


def _joined(pieces: list[NDArray[np.float32]], rate: int) -> NDArray[np.float32]:
    whole = np.concatenate(pieces) if pieces else np.zeros(0, np.float32)
    return resample(whole, rate, SAMPLE_RATE)
