"""The seam of speech recognition: a stream that can be asked for its hypothesis and its final.

All calls are blocking and are made from one worker thread per recognizer. A stream holds one
utterance; a hypothesis may change, a final does not, unless more sound is pushed after it: then the
utterance goes on and ``final`` is asked for again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken, EngineInfo

SAMPLE_RATE = 16_000  # Hz


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What the user seems to be saying so far."""

    text: str
    through_sample: int  # samples of the utterance that it covers


@dataclass(frozen=True, slots=True)
class Final:
    """What the user said.

    ``text`` is empty when nothing was said; ``reason`` then tells why ("speech in 4 % of frames").
    ``engine`` names the path taken, such as "whisper-tiny.en/short-window".
    """

    text: str
    through_sample: int
    reason: str = ""
    engine: str = ""
    confidence: float | None = None  # 0 to 1, None when the engine gives none
    language: str | None = None  # ISO 639-1


class RecognizerStream(Protocol):
    """One utterance."""

    def push(self, samples: NDArray[np.float32], speech_probability: float) -> None:
        """Add mono float32 at 16 kHz, of any length, with the VAD's probability for it. Cheap."""
        ...

    def hypothesis(self, cancel: CancelToken) -> Hypothesis:
        """Recognize what was pushed so far, quickly. Raises Cancelled or EngineFailed."""
        ...

    def final(self, cancel: CancelToken) -> Final:
        """Recognize all that was pushed, as well as the engine can. Raises as ``hypothesis``."""
        ...

    def close(self) -> None:
        """Release the utterance; calling it twice is fine."""
        ...


class Recognizer(Protocol):
    """A speech recognition engine with its weights loaded."""

    @property
    def info(self) -> EngineInfo: ...

    def stream(self) -> RecognizerStream:
        """Open an utterance. At most one is open at a time."""
        ...

    def close(self) -> None:
        """Release the model; calling it twice is fine."""
        ...
