"""A recognizer that says what it was told to: for demos, the benchmark and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import Final, Hypothesis
from audio.engine import CancelToken, EngineInfo, EngineKind
from audio.errors import AudioError, EngineFailed

Work = Callable[[str, CancelToken], None]

_SPEECH_PROBABILITY = 0.5  # sound under this says nothing


@dataclass(frozen=True, slots=True)
class Reply:
    """What one utterance gives.

    ``hypotheses`` are given one by one, the last one again and again; without any it is ``text``.
    ``continued`` holds the finals for when speech went on after a final, in order. ``failure`` is
    raised by the next final instead, once; asking again gives the text.
    """

    text: str
    hypotheses: tuple[str, ...] = ()
    continued: tuple[str, ...] = ()
    failure: AudioError | None = None
    confidence: float | None = 1.0
    language: str | None = "en"


class ScriptedRecognizer:
    """Gives the next reply for each stream that is opened; when they are used up, nothing."""

    def __init__(self, replies: Iterable[Reply | str], work: Work | None = None) -> None:
        """``work`` is called with "hypothesis" or "final" before each answer, in the worker thread.

        It may take time, cancel the token or raise what a real engine raises.
        """
        self._replies = (Reply(r) if isinstance(r, str) else r for r in replies)  # may be endless
        self._work = work
        self._open = True
        self._info = EngineInfo(
            name="scripted",
            kind=EngineKind.RECOGNIZER,
            description="Says what it was told to, whatever it hears",
            installed=True,
        )

    @property
    def info(self) -> EngineInfo:
        return self._info

    def stream(self) -> ScriptedStream:
        """Open an utterance. Raises EngineFailed when the recognizer is closed."""
        if not self._open:
            raise EngineFailed("The scripted recognizer is closed.", "Open it again.")
        return ScriptedStream(next(self._replies, Reply("")), self._work)

    def close(self) -> None:
        self._open = False


class ScriptedStream:
    """One scripted utterance."""

    def __init__(self, reply: Reply, work: Work | None) -> None:
        self._failure = reply.failure
        self._reply = reply
        self._work = work
        self._hypotheses = list(reply.hypotheses or (reply.text,))
        self._finals = [reply.text, *reply.continued]
        self._samples = 0
        self._speech = False
        self._speech_since_final = False
        self._answered = False
        self._open = True

    def push(self, samples: NDArray[np.float32], speech_probability: float) -> None:
        if not self._open:
            return
        self._samples += len(samples)
        if speech_probability >= _SPEECH_PROBABILITY and len(samples):
            self._speech = self._speech_since_final = True

    def hypothesis(self, cancel: CancelToken) -> Hypothesis:
        self._begin("hypothesis", cancel)
        if not self._speech:
            return Hypothesis("", self._samples)
        text = self._hypotheses.pop(0) if len(self._hypotheses) > 1 else self._hypotheses[0]
        return Hypothesis(text, self._samples)

    def final(self, cancel: CancelToken) -> Final:
        self._begin("final", cancel)
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        if not self._speech:
            return Final("", self._samples, reason="no speech", engine="scripted/gate")
        if self._answered and self._speech_since_final and len(self._finals) > 1:
            self._finals.pop(0)
        self._answered, self._speech_since_final = True, False
        text = self._finals[0]
        return Final(
            text=text,
            through_sample=self._samples,
            reason="" if text else "the script says nothing",
            engine="scripted/script",
            confidence=self._reply.confidence if text else None,
            language=self._reply.language if text else None,
        )

    def close(self) -> None:
        self._open = False

    def _begin(self, step: str, cancel: CancelToken) -> None:
        cancel.raise_if_cancelled()
        if not self._open:
            raise EngineFailed("The utterance is closed.", "Open a new stream.")
        if self._work is not None:
            self._work(step, cancel)
            cancel.raise_if_cancelled()
