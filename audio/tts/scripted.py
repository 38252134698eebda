"""A synthesizer that needs no model: it hums each word for a known time.

For tests, for benches under a virtual clock, and for trying the app on a machine without weights.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken, EngineInfo, EngineKind
from audio.errors import EngineFailed
from audio.tts.base import SpeechChunk, SpokenPhrase, WordMark

NAME = "scripted"

_LEVEL = 0.1  # full scale 1.0: -23 dBFS, about as loud as Kokoro
_LOWEST_HZ, _STEP_HZ, _STEPS = 110.0, 5.0, 40
_EDGE_S = 0.005  # each hum rises and falls this long, so that nothing clicks


@dataclass(frozen=True, slots=True)
class Script:
    """How the speech goes."""

    word_s: float = 0.3  # sound of each word
    gap_s: float = 0.05  # silence after each word
    words_per_chunk: int | None = None  # None: the whole phrase in one chunk
    delay_s: float = 0.0  # waited in the worker thread before each chunk; cancelling ends the wait
    failures: Mapping[str, str] = field(default_factory=dict)  # a spoken word -> what goes wrong


def describe() -> EngineInfo:
    """The engine as it is listed; it is always installed."""
    return EngineInfo(
        name=NAME,
        kind=EngineKind.SYNTHESIZER,
        description="hums one tone per word; no speech, no weights",
        installed=True,
    )


class ScriptedSynthesizer:
    """Says any phrase as tones with exact marks; the same word always has the same pitch."""

    def __init__(self, script: Script | None = None, rate: int = 24_000) -> None:
        self._script = script or Script()
        self._rate = rate
        self._closed = False

    @property
    def info(self) -> EngineInfo:
        return describe()

    @property
    def rate(self) -> int:
        return self._rate

    def synthesize(self, phrase: SpokenPhrase, cancel: CancelToken) -> Iterator[SpeechChunk]:
        """See Synthesizer.synthesize. A word without a letter or digit is silent.

        Raises EngineFailed at a word that the script lets fail, and once closed.
        """
        spoken = [word.spoken for word in phrase.words]
        if not any(map(_is_audible, spoken)):
            return
        size = self._script.words_per_chunk or len(spoken)
        position = 0
        for first in range(0, len(spoken), size):
            self._wait(cancel)
            chunk = self._hum(spoken, range(first, min(first + size, len(spoken))), position)
            position += len(chunk.samples)
            yield chunk

    def _wait(self, cancel: CancelToken) -> None:
        if self._closed:
            raise EngineFailed("The synthesizer was closed.", "Open it again.")
        if self._script.delay_s > 0:
            woken = threading.Event()
            cancel.on_cancel(woken.set)
            woken.wait(self._script.delay_s)
            cancel.forget(woken.set)
        cancel.raise_if_cancelled()

    def _hum(self, spoken: list[str], words: range, position: int) -> SpeechChunk:
        parts: list[NDArray[np.float32]] = []
        marks = []
        gap = np.zeros(round(self._script.gap_s * self._rate), np.float32)
        for word in words:
            if spoken[word] in self._script.failures:
                raise EngineFailed(self._script.failures[spoken[word]], "Try again.")
            tone = self._tone(spoken[word]) if _is_audible(spoken[word]) else gap[:0]
            marks.append(WordMark(word, position, position + len(tone)))
            if len(tone):
                parts += [tone, gap]
                position += len(tone) + len(gap)
        samples = np.concatenate(parts) if parts else gap[:0]
        return SpeechChunk(samples, tuple(marks))

    def _tone(self, word: str) -> NDArray[np.float32]:
        count = round(self._script.word_s * self._rate)
        step = hashlib.sha256(word.lower().encode()).digest()[0] % _STEPS
        time_s = np.arange(count) / self._rate
        tone = _LEVEL * np.sin(2 * np.pi * (_LOWEST_HZ + step * _STEP_HZ) * time_s)
        edge = min(round(_EDGE_S * self._rate), count // 2)
        if edge:
            rise = np.linspace(0, 1, edge)
            tone[:edge] *= rise
            tone[-edge:] *= rise[::-1]
        return tone.astype(np.float32)

    def close(self) -> None:
        """Later calls of ``synthesize`` fail; calling it twice is fine."""
        self._closed = True


def _is_audible(word: str) -> bool:
    return any(character.isalnum() for character in word)
