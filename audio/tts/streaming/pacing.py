"""How large each window is, and whether this machine keeps up at all.

PURE. A frame is 12.5 ms of sound. The cost of a window is counted in frames that go through the
whole decoder: its own, and the context around it, of which the second half of the network (three
fifths of the work) needs little.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from audio.tts.streaming.generator import CONTEXT, INNER_CONTEXT

FRAME_S = 0.0125
FIRST = 44  # frames of the first window: 0.55 s of sound, at least ...
_FIRST_MOST, _FIRST_STEP = 100, 8  # ... and 1.25 s at most, where the machine is slow
LEAD_S = 0.1  # of the first window this is silence that is not played
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


def least_slack(pace_s: float, frames: int, first: int = FIRST) -> float:
    """How much sound would be left at worst when a window of a phrase comes, in seconds."""
    slack, ahead, left = float("inf"), first * FRAME_S - LEAD_S, frames - first
    while left > 0:
        window = next_window(ahead, pace_s, left)
        ahead -= cost(window) * pace_s
        slack = min(slack, ahead)
        ahead += window * FRAME_S
        left -= window
    return slack


def first_window(pace_s: float, frames: int, wanted_s: float = ENOUGH_S) -> int | None:
    """The smallest first window after which every other comes with ``wanted_s`` to spare.

    None when there is none: the machine would fall behind its own speech.
    """
    for first in range(FIRST, _FIRST_MOST + 1, _FIRST_STEP):
        if least_slack(pace_s, frames, first) >= wanted_s:
            return min(first, frames)
    return None


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

    def first(self, frames: int) -> int | None:
        """The first window of a phrase of so many frames; None when it is better said whole."""
        first = first_window(self.frame_s, frames, ENOUGH_S if self.streams else _COMFORT_S)
        self.streams = first is not None
        return first
