"""How large the next window is, and whether this machine keeps up at all.

PURE. A frame is 12.5 ms of sound. The cost of a window is counted in frames that go through the
whole decoder: its own, and the context around it, of which the second half of the network (three
fifths of the work) needs little.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from audio.tts.streaming.generator import CONTEXT, INNER_CONTEXT

FRAME_S = 0.0125
FIRST = 44  # frames of the first window: 0.55 s of sound ...
LEAD_S = 0.1  # ... of which this is silence that is not played
_LEAST, _MOST = 28, 200  # frames of later ones; more saves nothing and is called off later
ENOUGH_S = 0.25  # sound that must be left when the next window comes
_PLANNED_S = 0.35  # ... that is planned for
_COMFORT_S = 0.3  # ... before streaming is tried again
_OUTER_SHARE = 0.4  # of the work is done with the whole context
_REMEMBERED = 5  # phrases

_CONTEXT_COST = 2 * (CONTEXT * _OUTER_SHARE + INNER_CONTEXT * (1 - _OUTER_SHARE))


def cost(frames: int) -> float:
    """The work of a window, in frames."""
    return frames + _CONTEXT_COST


def next_window(ahead_s: float, pace_s: float, remaining: int) -> int:
    """Frames of the next window: as many as are done while ``ahead_s`` of sound plays.

    ``pace_s`` is the time that a frame of work takes. Even, so that windows begin where the
    trimming counts from; a small rest is not left over.
    """
    affordable = (ahead_s - _PLANNED_S) / max(pace_s, 1e-6) - _CONTEXT_COST
    frames = int(min(max(affordable, _LEAST), _MOST)) // 2 * 2
    return remaining if remaining <= frames + _LEAST // 2 else frames


def least_slack(pace_s: float, frames: int) -> float:
    """How much sound would be left at worst when a window of a phrase comes, in seconds."""
    slack, ahead, left = float("inf"), FIRST * FRAME_S - LEAD_S, frames - FIRST
    while left > 0:
        window = next_window(ahead, pace_s, left)
        ahead -= cost(window) * pace_s
        slack = min(slack, ahead)
        ahead += window * FRAME_S
        left -= window
    return slack


@dataclass(slots=True)
class Pace:
    """What the last phrases took, and what follows from it: windows, or whole phrases."""

    frame_s: float  # the time that a frame of work takes, from a trial at first
    streams: bool = True
    _recent: deque[float] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))

    def spent(self, seconds: float, work: float) -> None:
        """A phrase took ``seconds`` in the decoder for ``work`` frames."""
        if work > 0:
            self._recent.append(seconds / work)
            self.frame_s = sorted(self._recent)[len(self._recent) // 2]

    def slack(self, seconds: float) -> None:
        """The least that was left of a phrase that was streamed."""
        if seconds < ENOUGH_S:
            self.streams = False

    def can_stream(self, frames: int) -> bool:
        """Whether a phrase of so many frames comes in windows; decided anew for each."""
        wanted = ENOUGH_S if self.streams else _COMFORT_S
        self.streams = least_slack(self.frame_s, frames) >= wanted
        return self.streams
