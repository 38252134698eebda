"""Whisper as a recognizer: which window to decode and what to believe.

A short encoder window (10 s, or 3 s more than the speech) is about 4 times faster than the 30 s
that Whisper was trained on, but loops on some speech. So a final takes the short window, and the
full one when the short one's text loops or lacks evidence. What the VAD does not take for speech is
never decoded; what the model itself takes for noise is dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE
from audio.asr.guards import loop_in, stuck
from audio.asr.segmented import SegmentedRecognizer, SegmentSettings, Verdict
from audio.asr.whisper_model import FULL_WINDOW_S, Decoded, WhisperModel
from audio.asr.whisper_weights import describe, model_folder
from audio.engine import CancelToken


@dataclass(frozen=True, slots=True)
class WhisperSettings:
    """What is decoded and what counts as evidence. Seconds; natural logarithms per token."""

    language: str | None = "en"  # ISO 639-1; None lets the multilingual model choose
    segments: SegmentSettings = field(default_factory=SegmentSettings)
    short_window_s: float = 10.0  # 8 s loops on real speech (word error rate 0.97 over 60 clips)
    short_window_tail_s: float = 3.0  # silence that the short window keeps after the speech
    noise_no_speech: float = 0.6  # real speech stays under 0.52, noise over 0.62 in full windows
    noise_logprob: float = -0.7  # ... and noise is written with less confidence than this
    certain_no_speech: float = 0.85  # noise however confident: silence gives "you" at 0.95
    sure_logprob: float = -0.7  # a final of the short window below this is checked in the full one
    unclear_logprob: float = -1.0  # below this the words are guesses, of speech as well


class WhisperRecognizer(SegmentedRecognizer):
    """Whisper tiny.en (English) or base (multilingual) on the CPU, int8."""

    def __init__(
        self,
        variant: str = "tiny.en",
        threads: int = 1,  # 2 save 20 ms, but on a busy machine each step waits for both: 1 to 4 s
        settings: WhisperSettings | None = None,
    ) -> None:
        """Load the weights. Raises EngineMissing or EngineCorrupt with what to do."""
        options = settings or WhisperSettings()
        info = describe(variant)
        model = WhisperModel(model_folder(variant), threads)
        super().__init__(info, WhisperTranscriber(model, options), options.segments)


class WhisperTranscriber:
    """Decides between the windows and judges what they give."""

    def __init__(self, model: WhisperModel, settings: WhisperSettings) -> None:
        self._model = model
        self._settings = settings

    def transcribe(
        self, sound: NDArray[np.float32], *, settle: bool, cancel: CancelToken
    ) -> Verdict:
        options = self._settings
        seconds = len(sound) / SAMPLE_RATE
        window_s = max(options.short_window_s, seconds + options.short_window_tail_s)
        if window_s < FULL_WINDOW_S:
            short = self._model.decode(sound, window_s, options.language, cancel)
            doubt = self._doubt(short) or loop_in(short.text, seconds)
            sure = not doubt and short.average_logprob >= options.sure_logprob
            if sure or not settle:
                return _verdict(short, doubt, "short-window", settled=sure)
        full = self._model.decode(sound, FULL_WINDOW_S, options.language, cancel)
        doubt = self._doubt(full) or stuck(full.text, seconds)
        return _verdict(full, doubt, "full-window", settled=True)

    def close(self) -> None:
        self._model.close()

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


def _verdict(decoded: Decoded, doubt: str, path: str, *, settled: bool) -> Verdict:
    if doubt:
        return Verdict("", doubt, path, settled=settled)
    return Verdict(decoded.text, "", path, decoded.confidence, decoded.language, settled)
