"""The boundary of a run with a desk: who is held for how long, and what reaches the worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bench.tracks.seat import Seat
from bench.tracks.watching import Watching
from jarvis_voice.attention.desk import Desk
from jarvis_voice.boundary import ProposedAction, Ruling, Verdict

ANYBODY = ""
"""The name under which ``Holds`` counts the time in which at least one session is held."""
MOMENT_S = 0.05
"""A review that took less was no hold: in real time even a desk that asks nobody takes its time."""


@dataclass(slots=True)
class Holds:
    """How long each session has been held, the holds that go on included. Unix times.

    A session may have several calls on hold at once; that time counts once.
    """

    _ended_s: dict[str, float] = field(default_factory=dict)
    _open: dict[str, tuple[int, float]] = field(default_factory=dict)  # how many, since when

    def begin(self, run_id: str, now_s: float) -> None:
        """A call of this session is held."""
        for name in (run_id, ANYBODY):
            count, since_s = self._open.get(name, (0, now_s))
            self._open[name] = (count + 1, since_s)

    def end(self, run_id: str, now_s: float) -> None:
        """One of its holds is over."""
        for name in (run_id, ANYBODY):
            count, since_s = self._open.pop(name, (1, now_s))
            if count > 1:
                self._open[name] = (count - 1, since_s)
            else:
                self._ended_s[name] = self._ended_s.get(name, 0.0) + now_s - since_s

    def so_far(self, run_id: str, now_s: float) -> float:
        """Seconds that this session did not work because it was held."""
        _, since_s = self._open.get(run_id, (0, now_s))
        return self._ended_s.get(run_id, 0.0) + now_s - since_s


@dataclass(frozen=True, slots=True)
class DeskReview:
    """The app's desk as the boundary of a run (``crew.Boundary``).

    A worker that makes one call a turn has ended its turn with a refused one.
    """

    desk: Desk
    seat: Seat
    watching: Watching
    holds: Holds
    now: Callable[[], float]
    one_call_a_turn: bool = True

    async def review(self, action: ProposedAction) -> Ruling:
        """The desk's ruling."""
        began_s = self.now()
        self.holds.begin(action.run_id, began_s)
        try:
            ruling = await self.desk.review(action)
        finally:
            held_s = self.now() - began_s
            self.holds.end(action.run_id, began_s + held_s)
        self.desk.note_delivered(action.run_id, action.action_id)
        if ruling.verdict is Verdict.DENY and self.one_call_a_turn:
            self.desk.batch_ended(action.run_id)
        if held_s > MOMENT_S:
            session = action.run_id.rpartition("/")[2]
            self.watching.timeline.add(began_s, self.now(), session, "held", action.summary)
        self.seat.told(action.run_id, action.action_id, held_s)
        return ruling

    def batch_ended(self, run_id: str) -> None:
        """All calls of one turn of this session have ended."""
        self.desk.batch_ended(run_id)

    def waiting(self, run_id: str) -> str:
        """What the user said to this session unasked, told now."""
        items = self.desk.to_tell(run_id)
        for item in items:
            self.desk.telling(run_id, item.receipt)
            self.desk.told(run_id, item.receipt, taken=True)
        return " ".join(item.text for item in items)
