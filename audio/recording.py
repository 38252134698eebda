"""A whole recording to text: find the speech in it, cut it at pauses, recognize piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import Recognizer
from audio.engine import CancelToken
from audio.vad.base import FRAME_SAMPLES, SAMPLE_RATE, Vad


@dataclass(frozen=True, slots=True)
class CutSettings:
    """Where a recording is cut; seconds and probabilities.

    A recording needs no quick answer, so pieces are cut at longer pauses than turns are ended:
    recognizers do better with more context.
    """

    speech_threshold: float = 0.5  # a frame at or over this is speech, as in a conversation
    silence_threshold: float = 0.35  # and speech goes on until a frame is below this
    pause_s: float = 1.0  # a longer silence parts two pieces
    margin_s: float = 0.4  # kept around the speech, so that soft consonants are not lost
    longest_s: float = 25.0  # Whisper hears 30 s at once; a longer piece is cut at its best pause


class Piece(NamedTuple):
    """A stretch of frames with speech: [first, last)."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Passage:
    """What was said in a stretch of the recording. ``text`` is empty when it was no words."""

    text: str
    start_s: float
    end_s: float
    engine: str
    reason: str
    confidence: float | None


def transcribe(
    samples: NDArray[np.float32],
    vad: Vad,
    recognizer: Recognizer,
    cancel: CancelToken | None = None,
    settings: CutSettings | None = None,
) -> Iterator[Passage]:
    """Yield the passages of a recording, in order, as they are recognized.

    ``samples`` are float32 mono at 16 kHz. Raises Cancelled or EngineFailed.
    """
    settings = settings or CutSettings()
    frames = _frames(samples)
    vad.reset()
    probabilities = [vad.probability(frame) for frame in frames]
    margin = round(settings.margin_s * SAMPLE_RATE / FRAME_SAMPLES)
    token = cancel or CancelToken()
    for piece in cut(probabilities, settings):
        first, last = max(piece.first - margin, 0), min(piece.last + margin, len(frames))
        stream = recognizer.stream()
        try:
            for index in range(first, last):
                stream.push(frames[index], probabilities[index])
            final = stream.final(token)
        finally:
            stream.close()
        yield Passage(
            text=final.text,
            start_s=piece.first * FRAME_SAMPLES / SAMPLE_RATE,
            end_s=min(piece.last * FRAME_SAMPLES, len(samples)) / SAMPLE_RATE,
            engine=final.engine,
            reason=final.reason,
            confidence=final.confidence,
        )


def cut(probabilities: Sequence[float], settings: CutSettings) -> list[Piece]:
    """Part the frames into pieces of speech, by their probabilities; pieces never overlap."""
    pause = max(1, round(settings.pause_s * SAMPLE_RATE / FRAME_SAMPLES))
    longest = max(2, round(settings.longest_s * SAMPLE_RATE / FRAME_SAMPLES))
    pieces: list[Piece] = []
    for run in _speech_runs(probabilities, settings):
        if pieces and run.first - pieces[-1].last < pause:
            pieces[-1] = Piece(pieces[-1].first, run.last)
        else:
            pieces.append(run)
    return [short for piece in pieces for short in _shortened(piece, probabilities, longest)]


def _speech_runs(probabilities: Sequence[float], settings: CutSettings) -> Iterator[Piece]:
    first: int | None = None
    for index, probability in enumerate(probabilities):
        if first is None:
            if probability >= settings.speech_threshold:
                first = index
        elif probability < settings.silence_threshold:
            yield Piece(first, index)
            first = None
    if first is not None:
        yield Piece(first, len(probabilities))


def _shortened(piece: Piece, probabilities: Sequence[float], longest: int) -> Iterator[Piece]:
    """Cut a piece that is too long at the quietest frame of the second half of what may be kept."""
    first, last = piece
    while last - first > longest:
        candidates = range(first + longest // 2, first + longest)
        at = min(candidates, key=lambda index: probabilities[index])
        yield Piece(first, at + 1)
        first = at + 1
    yield Piece(first, last)


def _frames(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """The recording as whole frames, the last one filled up with silence; shape (n, 512)."""
    count = -(-len(samples) // FRAME_SAMPLES)
    padded = np.zeros(count * FRAME_SAMPLES, np.float32)
    padded[: len(samples)] = samples
    return padded.reshape(count, FRAME_SAMPLES)
