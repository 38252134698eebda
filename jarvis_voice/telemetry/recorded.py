"""Turn-taking read from recorded sound alone: who was audible when. No clock, no log.

Speech is where the level of a 10 ms frame is above -50 dBFS; silences shorter than 200 ms lie
within speech. Times are seconds of the recording.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FRAME_S = 0.01
AUDIBLE_DBFS = -50.0
JOIN_S = 0.2


class Span(NamedTuple):
    """A stretch of audible sound, [start_s, end_s)."""

    start_s: float
    end_s: float


def audible_spans(channel: NDArray[np.float32], rate: int) -> list[Span]:
    """Where a mono channel, shape (n,), full scale 1.0, is audible."""
    size = round(FRAME_S * rate)
    frames = channel[: channel.size // size * size].reshape(-1, size).astype(np.float64)
    loud = np.flatnonzero(np.sqrt((frames**2).mean(axis=1)) > 10.0 ** (AUDIBLE_DBFS / 20.0))
    spans: list[Span] = []
    for frame in loud.tolist():
        start_s, end_s = frame * FRAME_S, (frame + 1) * FRAME_S
        if spans and start_s - spans[-1].end_s < JOIN_S:
            spans[-1] = Span(spans[-1].start_s, end_s)
        else:
            spans.append(Span(start_s, end_s))
    return spans


def speech_within(spans: Sequence[Span], start_s: float, end_s: float) -> Span | None:
    """From the first to the last audible sound between two times, None when there is none."""
    inside = [span for span in spans if span.start_s < end_s and span.end_s > start_s]
    if not inside:
        return None
    return Span(max(inside[0].start_s, start_s), min(inside[-1].end_s, end_s))


def response_latency_s(agent: Sequence[Span], user_ended_s: float) -> float | None:
    """From the end of the user's speech to the first sound that the agent begins after it."""
    starts = [span.start_s for span in agent if span.start_s >= user_ended_s]
    return min(starts) - user_ended_s if starts else None


def yield_latency_s(agent: Sequence[Span], user_began_s: float) -> float | None:
    """From the onset of the user's speech to the end of the agent's speech that it fell into.

    None when the agent was silent at the onset.
    """
    for span in agent:
        if span.start_s < user_began_s < span.end_s:
            return span.end_s - user_began_s
    return None
