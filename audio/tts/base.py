"""The seam of speech synthesis: one phrase in, audio in one or several pieces out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken, EngineInfo


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """One spoken word and the part of the source text that it stands for.

    "$3.5M" becomes "three", "point", "five", "million", "dollars", which all stand for the same
    span: only when the last of them was heard was "$3.5M" heard.
    """

    spoken: str  # with the punctuation that follows it, for prosody
    start: int  # span in the source text, [start, end)
    end: int


@dataclass(frozen=True, slots=True)
class SpokenPhrase:
    """What is synthesized in one go: source text, and the words to be said for it."""

    source: str
    words: tuple[SpokenWord, ...]
    offset: int = 0  # where ``source`` begins in the whole reply

    @property
    def text(self) -> str:
        """The words to be said, joined."""
        return " ".join(word.spoken for word in self.words)


@dataclass(frozen=True, slots=True)
class WordMark:
    """When a word sounds. ``word`` is its index in the phrase's words."""

    word: int
    start_sample: int  # in the phrase's audio, at the synthesizer's rate
    end_sample: int


@dataclass(frozen=True, slots=True)
class SpeechChunk:
    """The next piece of a phrase's audio: float32 mono, shape (n,), full scale 1.0.

    ``marks`` cover the words that end in this piece; their samples count from the phrase's start.
    """

    samples: NDArray[np.float32]
    marks: tuple[WordMark, ...] = ()


class Synthesizer(Protocol):
    """A speech synthesis engine with its weights and one voice loaded."""

    @property
    def info(self) -> EngineInfo: ...

    @property
    def rate(self) -> int:
        """Hz of all chunks."""
        ...

    def synthesize(self, phrase: SpokenPhrase, cancel: CancelToken) -> Iterator[SpeechChunk]:
        """Yield the phrase's audio, in order, as it becomes ready.

        Called from one worker thread; the consumer may stop early. A phrase without a word that
        can be said yields nothing. Raises Cancelled or EngineFailed.
        """
        ...

    def close(self) -> None:
        """Release the model; calling it twice is fine."""
        ...
