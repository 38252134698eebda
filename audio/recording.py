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

_CUT_SPAN_S = 0.3  # a cut is looked for in the middle of a silence of about this length


@dataclass(frozen=True, slots=True)
class CutSettings:
    """Where a recording is cut; seconds and probabilities.

    A recording needs no quick answer, so pieces are cut at longer pauses than turns are ended:
    recognizers do better with more context. Cut at pauses of 1 s, Whisper tiny.en hears "and so
    am I fellow Americans" where it hears "and so my fellow Americans" in one piece.
    """

    speech_threshold: float = 0.5  # a frame at or over this is speech, as in a conversation
    silence_threshold: float = 0.35  # and speech goes on until a frame is below this
    pause_s: float = 2.0  # a longer silence parts two pieces
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
    token = cancel or CancelToken()
    pieces = cut(probabilities, settings)
    for piece, (first, last) in zip(
        pieces, _with_margins(pieces, len(frames), settings.margin_s), strict=True
    ):
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


def _with_margins(pieces: Sequence[Piece], frames: int, margin_s: float) -> Iterator[Piece]:
    """The pieces with some sound around each, but never a neighbour's: it would be said twice."""
    margin = round(margin_s * SAMPLE_RATE / FRAME_SAMPLES)
    ends = [0, *(piece.last for piece in pieces)]
    starts = [*(piece.first for piece in pieces[1:]), frames]
    for piece, before, after in zip(pieces, ends, starts, strict=False):
        yield Piece(max(piece.first - margin, before), min(piece.last + margin, after))


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
    """Cut a piece that is too long where, in the second half of it, speech is least likely."""
    first, last = piece
    span = max(1, round(_CUT_SPAN_S * SAMPLE_RATE / FRAME_SAMPLES))
    likely = np.convolve(probabilities, np.ones(span) / span, mode="same")
    while last - first > longest:
        backwards = likely[first + longest // 2 : first + longest][::-1]
        end = first + longest - int(np.argmin(backwards))  # the last of equals: fewer pieces
        yield Piece(first, end)
        first = end
    yield Piece(first, last)


def _frames(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """The recording as whole frames, the last one filled up with silence; shape (n, 512)."""
    count = -(-len(samples) // FRAME_SAMPLES)
    padded = np.zeros(count * FRAME_SAMPLES, np.float32)
    padded[: len(samples)] = samples
    return padded.reshape(count, FRAME_SAMPLES)
