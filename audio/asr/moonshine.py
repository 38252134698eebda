"""Moonshine tiny-en as a recognizer, through its own library.

Its cost grows with the sound instead of being that of a fixed window, so it is the quickest on
short turns. The library's own VAD is switched off: the stream already knows where speech is, and a
second opinion cuts sentences apart. It gives no evidence for its text, so what the VAD takes for
speech is written down, unless the text runs in circles, as it often does on babble. About half of
the babble that passes the VAD is still written down: Whisper is better where others talk.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE
from audio.asr.guards import repeats_in, words_of
from audio.asr.segmented import SegmentedRecognizer, SegmentSettings, Verdict, judged
from audio.engine import CancelToken, EngineInfo, EngineKind, Weight
from audio.errors import EngineCorrupt, EngineFailed, EngineMissing
from audio.weights import locate, verify

NAME = "moonshine-tiny-en"
_DISTRIBUTION = "moonshine-voice"
_INSTALL = 'pip install "jarvis-voice[moonshine]"'
_FOLDER = "moonshine_voice/assets/tiny-en"
_FILES = (  # of moonshine-voice 0.0.73: name, SHA-256, bytes
    (
        "encoder_model.ort",
        "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221",
        13_281_600,
    ),
    (
        "decoder_model_merged.ort",
        "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0",
        30_412_256,
    ),
    (
        "tokenizer.bin",
        "6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d",
        249_974,
    ),
)
_OPTIONS = {
    "vad_threshold": "0.0",  # everything is speech
    "vad_max_segment_duration": "30.0",  # seconds; above our own longest stretch, so nothing is cut
    "return_audio_data": "false",
    "identify_speakers": "false",
}


@dataclass(frozen=True, slots=True)
class MoonshineSettings:
    """How speech is cut: earlier than for Whisper, since cost grows with length."""

    segments: SegmentSettings = field(
        default_factory=lambda: SegmentSettings(longest_s=15.0, earliest_cut_s=6.0)
    )


def describe() -> EngineInfo:
    """The engine as it is listed, installed or not."""
    weights = []
    installed = True
    for name, sha256, size in _FILES:
        try:
            path: str | None = str(locate(_DISTRIBUTION, f"{_FOLDER}/{name}"))
        except EngineMissing:
            path, installed = None, False
        weights.append(Weight(name, f"{_DISTRIBUTION} 0.0.73", "MIT", path, sha256, size))
    return EngineInfo(
        name=NAME,
        kind=EngineKind.RECOGNIZER,
        description="Moonshine tiny-en: English, the quickest on short turns",
        installed=installed,
        weights=tuple(weights),
        install_hint="" if installed else _INSTALL,
    )


class MoonshineRecognizer(SegmentedRecognizer):
    """Moonshine tiny-en on the CPU."""

    def __init__(self, settings: MoonshineSettings | None = None) -> None:
        """Load the weights. Raises EngineMissing or EngineCorrupt with what to do."""
        options = settings or MoonshineSettings()
        super().__init__(describe(), _Moonshine(), options.segments)


class _Moonshine:
    def __init__(self) -> None:
        try:
            paths = [
                verify(
                    locate(_DISTRIBUTION, f"{_FOLDER}/{name}"),
                    sha256,
                    f"Run: pip install --force-reinstall {_DISTRIBUTION}==0.0.73",
                )
                for name, sha256, _ in _FILES
            ]
            api = importlib.import_module("moonshine_voice.moonshine_api")
            errors = importlib.import_module("moonshine_voice.errors")
            library = importlib.import_module("moonshine_voice.transcriber")
        except EngineMissing as error:
            raise EngineMissing(error.problem, f"Run: {_INSTALL}") from None
        except (ImportError, OSError) as error:
            raise EngineMissing(
                f"The Moonshine library cannot be loaded: {error}.", f"Run: {_INSTALL}"
            ) from error
        self._error: type[Exception] = errors.MoonshineError
        try:
            self._model: Any = library.Transcriber(
                paths[0].parent, api.ModelArch.TINY, options=_OPTIONS
            )
        except self._error as error:
            raise EngineCorrupt(
                f"The Moonshine model cannot be loaded: {error}.",
                f"Run: pip install --force-reinstall {_DISTRIBUTION}==0.0.73",
            ) from error

    def transcribe(
        self, sound: NDArray[np.float32], *, settle: bool, cancel: CancelToken
    ) -> Verdict:
        """Blocks for about 30 ms per second of sound; the library cannot be stopped earlier."""
        cancel.raise_if_cancelled()
        try:
            transcript = self._model.transcribe_without_streaming(sound.tolist(), SAMPLE_RATE)
        except self._error as error:
            raise EngineFailed(f"Moonshine failed: {error}.", "Say it again.") from error
        text = " ".join(line.text for line in transcript.lines)
        doubt = repeats_in(text, len(sound) / SAMPLE_RATE)
        if doubt and not _said_twice(text):
            return Verdict("", doubt, "whole")
        return judged(text, sound, "whole", "en")

    def close(self) -> None:
        self._model.close()


def _said_twice(text: str) -> bool:
    """A whole sentence and the same again, as people do who were not answered."""
    words = words_of(text)
    half = len(words) // 2
    return text.rstrip().endswith((".", "?", "!")) and words[:half] == words[half:]
