"""Recognizers that transcribe a stretch of sound at a time, made into streams.

The stream finds the speech in what was pushed by the VAD's probabilities, hands just that stretch,
brought to a usual level, to the engine's ``Transcriber``, and gives nothing where nothing was said.
A text stays valid while the speech is the same, so a final that only silence was pushed before
costs nothing.

A long turn is cut at its longest pause. What is before the cut is settled once, so the cost of a
hypothesis does not grow with the turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE, Final, Hypothesis
from audio.asr.guards import stuck
from audio.asr.level import levelled
from audio.asr.utterance import Speech, SpeechGate, Utterance
from audio.engine import CancelToken, EngineInfo
from audio.errors import EngineFailed


@dataclass(frozen=True, slots=True)
class SegmentSettings:
    """How speech is found and cut. Seconds."""

    gate: SpeechGate = field(default_factory=SpeechGate)
    margin_s: float = 0.3  # kept around the speech: soft consonants lie outside speech frames
    comfortable_s: float = 16.0  # a longer open stretch is cut, where there is a real pause
    pause_s: float = 0.3  # a real pause; shorter ones lie inside of words
    longest_s: float = 28.0  # an open stretch longer than this is cut anyway
    earliest_cut_s: float = 8.0  # never nearer to the start of the stretch: context helps
    rolling: bool = True  # False: hypotheses hold only what is settled, for engines that cost


@dataclass(frozen=True, slots=True)
class Verdict:
    """A stretch of speech as recognized; ``text`` is empty when ``reason`` speaks against it."""

    text: str
    reason: str = ""
    path: str = ""  # how the engine did it, such as "short-window"
    confidence: float | None = None  # 0 to 1
    language: str | None = None  # ISO 639-1
    settled: bool = True  # False when a final would look closer


class Transcriber(Protocol):
    """Turns one stretch of speech into text."""

    def transcribe(
        self, sound: NDArray[np.float32], *, settle: bool, cancel: CancelToken
    ) -> Verdict:
        """Recognize float32 mono at 16 kHz; with ``settle`` as well as the engine can.

        Raises Cancelled or EngineFailed.
        """
        ...

    def close(self) -> None:
        """Release the model. Called once."""
        ...


def judged(text: str, sound: NDArray[np.float32], path: str, language: str | None) -> Verdict:
    """A verdict on a text that comes without evidence: only an empty or endless one is dropped."""
    text = " ".join(text.split())
    if not re.search(r"\w", text):
        return Verdict("", "no words", path)
    doubt = stuck(text, len(sound) / SAMPLE_RATE)
    return Verdict("", doubt, path) if doubt else Verdict(text, "", path, None, language)


class SegmentedRecognizer:
    """A recognizer around a transcriber."""

    def __init__(
        self, info: EngineInfo, transcriber: Transcriber, settings: SegmentSettings
    ) -> None:
        self._info = info
        self._transcriber: Transcriber | None = transcriber
        self._settings = settings

    @property
    def info(self) -> EngineInfo:
        return self._info

    def stream(self) -> SegmentedStream:
        """Open an utterance. Raises EngineFailed when the recognizer is closed."""
        if self._transcriber is None:
            raise EngineFailed(f"{self._info.name} is closed.", "Open it again.")
        return SegmentedStream(self._transcriber, self._info.name, self._settings)

    def close(self) -> None:
        if self._transcriber is not None:
            transcriber, self._transcriber = self._transcriber, None
            transcriber.close()


@dataclass(frozen=True, slots=True)
class _Memo:
    """A verdict that holds while the speech is the same."""

    first: int
    last: int
    verdict: Verdict


class SegmentedStream:
    """One utterance."""

    def __init__(self, transcriber: Transcriber, name: str, settings: SegmentSettings) -> None:
        self._transcriber = transcriber
        self._name = name
        self._settings = settings
        self._utterance = Utterance(settings.gate)
        self._frozen: list[Verdict] = []
        self._memo: _Memo | None = None
        self._open = True

    def push(self, samples: NDArray[np.float32], speech_probability: float) -> None:
        if self._open:
            self._utterance.push(samples, speech_probability)

    def hypothesis(self, cancel: CancelToken) -> Hypothesis:
        """Recognize quickly; a text that cannot be trusted is left out."""
        through = self._check(cancel)
        if not self._settings.rolling:
            return Hypothesis(_joined(self._frozen), through)
        verdict = self._recognize(cancel, settle=False)
        return Hypothesis(_joined([*self._frozen, verdict]), through)

    def final(self, cancel: CancelToken) -> Final:
        """Recognize as well as the engine can."""
        through = self._check(cancel)
        verdict = self._recognize(cancel, settle=True)
        parts = [*self._frozen, verdict]
        text = _joined(parts)
        said = [part for part in parts if part.text]
        confidences = [part.confidence for part in said if part.confidence is not None]
        reason = "" if text else verdict.reason
        if self._utterance.lost_samples:
            lost_s = self._utterance.lost_samples / SAMPLE_RATE
            reason = f"{reason} The last {lost_s:.0f} s were too much and were not heard.".strip()
        return Final(
            text=text,
            through_sample=through,
            reason=reason,
            engine=f"{self._name}/{(said or parts)[-1].path}",
            confidence=min(confidences, default=None),
            language=said[-1].language if said else None,
        )

    def close(self) -> None:
        self._open = False
        self._utterance.release(self._utterance.end)
        self._memo = None

    def _check(self, cancel: CancelToken) -> int:
        cancel.raise_if_cancelled()
        if not self._open:
            raise EngineFailed("The utterance is closed.", "Open a new stream.")
        return self._utterance.end

    def _recognize(self, cancel: CancelToken, *, settle: bool) -> Verdict:
        self._freeze_long(cancel)
        speech = self._utterance.speech()
        if not speech.said:
            return Verdict("", speech.reason(), "gate")
        memo = self._memo
        same = memo is not None and (memo.first, memo.last) == (speech.first, speech.last)
        if memo is not None and same and (memo.verdict.settled or not settle):
            return memo.verdict
        verdict = self._transcribe(speech, self._utterance.end, cancel, settle=settle)
        # With 75 ms behind it a word is whole: 25 utterances, of which 20 end in hard consonants,
        # read the same with 64, 96, 160 and 288 ms (1 error in 140 words each).
        margin = int(self._settings.margin_s * SAMPLE_RATE)
        whole = self._utterance.end >= speech.last + margin // 4
        self._memo = _Memo(speech.first, speech.last, verdict) if whole else None
        return verdict

    def _freeze_long(self, cancel: CancelToken) -> None:
        while (cut := self._next_cut()) is not None:
            speech = self._utterance.speech(before=cut)
            if speech.said:
                self._frozen.append(self._transcribe(speech, cut, cancel, settle=True))
            self._utterance.release(cut)
            self._memo = None

    def _next_cut(self) -> int | None:
        """Where the open stretch is too long to go on with; None when it is not."""
        options = self._settings
        start, held = self._utterance.start, self._utterance.end - self._utterance.start
        too_long = held > options.longest_s * SAMPLE_RATE
        if not too_long and held <= options.comfortable_s * SAMPLE_RATE:
            return None
        earliest = start + int(options.earliest_cut_s * SAMPLE_RATE)
        latest = start + min(held, int(options.longest_s * SAMPLE_RATE))
        pause_start, pause_end = self._utterance.longest_pause(earliest, latest)
        if pause_end - pause_start >= options.pause_s * SAMPLE_RATE:
            return (pause_start + pause_end) // 2
        return self._utterance.quietest(earliest, latest) if too_long else None

    def _transcribe(
        self, speech: Speech, before: int, cancel: CancelToken, *, settle: bool
    ) -> Verdict:
        margin = int(self._settings.margin_s * SAMPLE_RATE)
        end = min(speech.last + margin, before)
        sound = levelled(self._utterance.samples(speech.first - margin, end))
        verdict = self._transcriber.transcribe(sound, settle=settle, cancel=cancel)
        cancel.raise_if_cancelled()
        return verdict


def _joined(parts: list[Verdict]) -> str:
    return " ".join(part.text for part in parts if part.text)
