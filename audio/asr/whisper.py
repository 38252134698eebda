"""Whisper as a recognizer: when to listen, which window to decode, what to believe.

A short encoder window (10 s, or 3 s more than the speech) is about 4 times faster than the 30 s
that Whisper was trained on, but loops on some speech. So a final takes the short window, and the
full one when the short one's text loops or lacks evidence. What the VAD does not take for speech is
never decoded; what the model itself takes for noise is dropped.

A long turn is cut at its longest pause. What is before the cut is settled once, so the cost of a
hypothesis does not grow with the turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE, Final, Hypothesis
from audio.asr.guards import loop_in, stuck
from audio.asr.level import levelled
from audio.asr.utterance import Speech, SpeechGate, Utterance
from audio.asr.whisper_model import FULL_WINDOW_S, Decoded, WhisperModel
from audio.asr.whisper_weights import describe, model_folder
from audio.engine import CancelToken, EngineInfo
from audio.errors import EngineFailed


@dataclass(frozen=True, slots=True)
class WhisperSettings:
    """How speech is cut and what counts as evidence. Seconds; probabilities; natural logarithms."""

    language: str | None = "en"  # ISO 639-1; None lets the multilingual model choose
    gate: SpeechGate = field(default_factory=SpeechGate)
    margin_s: float = 0.3  # kept around the speech: soft consonants lie outside speech frames
    short_window_s: float = 10.0  # 8 s loops on real speech (word error rate 0.97 over 60 clips)
    short_window_tail_s: float = 3.0  # silence that the short window keeps after the speech
    noise_no_speech: float = 0.6  # real speech stays under 0.52, noise over 0.62 in full windows
    noise_logprob: float = -0.7  # ... and noise is written with less confidence than this
    certain_no_speech: float = 0.85  # noise however confident: silence gives "you" at 0.95
    sure_logprob: float = -0.7  # a final of the short window below this is checked in the full one
    unclear_logprob: float = -1.0  # below this the words are guesses, of speech as well
    longest_s: float = 28.0  # an open stretch longer than this is cut
    earliest_cut_s: float = 8.0  # never nearer to the start of the stretch: context helps


@dataclass(frozen=True, slots=True)
class _Verdict:
    """A stretch of speech as recognized."""

    text: str
    reason: str
    path: str
    confidence: float | None
    language: str | None


@dataclass(frozen=True, slots=True)
class _Memo:
    """A decoding that still holds while the speech is the same."""

    first: int
    last: int
    verdict: _Verdict
    settled: bool  # as good as a final


class WhisperRecognizer:
    """Whisper tiny.en (English) or base (multilingual) on the CPU, int8."""

    def __init__(
        self,
        variant: str = "tiny.en",
        threads: int = 2,
        settings: WhisperSettings | None = None,
    ) -> None:
        """Load the weights. Raises EngineMissing or EngineCorrupt with what to do."""
        self._info = describe(variant)
        self._model: WhisperModel | None = WhisperModel(model_folder(variant), threads)
        self._settings = settings or WhisperSettings()

    @property
    def info(self) -> EngineInfo:
        return self._info

    def stream(self) -> WhisperStream:
        """Open an utterance. Raises EngineFailed when the recognizer is closed."""
        if self._model is None:
            raise EngineFailed(f"{self._info.name} is closed.", "Open it again.")
        return WhisperStream(self._model, self._info.name, self._settings)

    def close(self) -> None:
        if self._model is not None:
            self._model.close()
            self._model = None


class WhisperStream:
    """One utterance."""

    def __init__(self, model: WhisperModel, name: str, settings: WhisperSettings) -> None:
        self._model = model
        self._name = name
        self._settings = settings
        self._utterance = Utterance(settings.gate)
        self._frozen: list[_Verdict] = []
        self._memo: _Memo | None = None
        self._open = True

    def push(self, samples: NDArray[np.float32], speech_probability: float) -> None:
        if self._open:
            self._utterance.push(samples, speech_probability)

    def hypothesis(self, cancel: CancelToken) -> Hypothesis:
        """Recognize in the short window only; a text that cannot be trusted is left out."""
        through = self._check(cancel)
        verdict = self._recognize(cancel, settle=False)
        return Hypothesis(_joined([*self._frozen, verdict]), through)

    def final(self, cancel: CancelToken) -> Final:
        """Recognize as well as the model can."""
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
            engine=f"{self._name}/{verdict.path}",
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

    def _recognize(self, cancel: CancelToken, *, settle: bool) -> _Verdict:
        self._freeze_long(cancel)
        speech = self._utterance.speech()
        if not speech.said:
            return _Verdict("", speech.reason(), "gate", None, None)
        memo = self._memo
        if (
            memo
            and memo.settled >= settle
            and (memo.first, memo.last) == (speech.first, speech.last)
        ):
            return memo.verdict
        verdict, settled = self._decode(speech, cancel, settle=settle)
        margin = int(self._settings.margin_s * SAMPLE_RATE)
        whole = self._utterance.end >= speech.last + margin // 2
        self._memo = _Memo(speech.first, speech.last, verdict, settled) if whole else None
        return verdict

    def _freeze_long(self, cancel: CancelToken) -> None:
        longest = int(self._settings.longest_s * SAMPLE_RATE)
        earliest = int(self._settings.earliest_cut_s * SAMPLE_RATE)
        while self._utterance.end - self._utterance.start > longest:
            start = self._utterance.start
            cut = self._utterance.cut(start + earliest, start + longest)
            speech = self._utterance.speech(before=cut)
            if speech.said:
                verdict, _ = self._decode(speech, cancel, settle=True)
                self._frozen.append(verdict)
            self._utterance.release(cut)
            self._memo = None

    def _decode(
        self, speech: Speech, cancel: CancelToken, *, settle: bool
    ) -> tuple[_Verdict, bool]:
        """The verdict on a stretch, and whether it is as good as a final."""
        options = self._settings
        margin = int(options.margin_s * SAMPLE_RATE)
        sound = levelled(self._utterance.samples(speech.first - margin, speech.last + margin))
        seconds = len(sound) / SAMPLE_RATE
        window_s = max(options.short_window_s, seconds + options.short_window_tail_s)
        if window_s < FULL_WINDOW_S:
            short = self._model.decode(sound, window_s, options.language, cancel)
            doubt = self._doubt(short) or loop_in(short.text, seconds)
            sure = not doubt and short.average_logprob >= options.sure_logprob
            if sure or not settle:
                return _verdict(short, doubt, "short-window"), sure
        full = self._model.decode(sound, FULL_WINDOW_S, options.language, cancel)
        doubt = self._doubt(full) or stuck(full.text, seconds)
        return _verdict(full, doubt, "full-window"), True

    def _doubt(self, decoded: Decoded) -> str:
        """Why a text is not to be believed, "" when it is."""
        options = self._settings
        if not re.search(r"\w", decoded.text):
            return "no words"
        logprob = decoded.average_logprob
        likely = decoded.no_speech > options.noise_no_speech and logprob < options.noise_logprob
        if likely or decoded.no_speech > options.certain_no_speech:
            return f"noise (no-speech probability {decoded.no_speech:.2f})"
        if logprob < options.unclear_logprob:
            return f"words could not be made out (confidence {decoded.confidence:.2f})"
        return ""


def _verdict(decoded: Decoded, doubt: str, path: str) -> _Verdict:
    if doubt:
        return _Verdict("", doubt, path, None, None)
    return _Verdict(decoded.text, "", path, decoded.confidence, decoded.language)


def _joined(parts: list[_Verdict]) -> str:
    return " ".join(part.text for part in parts if part.text)
