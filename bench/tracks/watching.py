"""What a run shows while it goes on: the app's own snapshots, decision windows, and a timeline.

Each session's events are folded by the app's own reducer, so that a policy sees a run just as it
would see a live one. Times in the timeline are seconds of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench.results import TIMELINE, Moment
from bench.statistics import timeliness
from bench.suite.sealed import Window
from bench.workers.base import Deed, Happening
from jarvis_voice.attention.desk_settings import Surroundings
from jarvis_voice.attention.policy import Candidate
from jarvis_voice.boundary import ProposedAction
from jarvis_voice.events import RunSnapshot
from jarvis_voice.runs.model import RunEvent, RunState
from jarvis_voice.runs.reducer import fold, initial

TEXT_CHARS = 200
_SHOWN = {
    Deed.READ: "read",
    Deed.WRITTEN: "write",
    Deed.RAN: "run",
    Deed.ACTED: "act",
    Deed.SAID: "say",
    Deed.REFUSED: "refused",
}


@dataclass(slots=True)
class Windows:
    """The sealed decision windows of a run: when each opened and closed."""

    windows: Sequence[Window]
    opened: dict[str, float] = field(default_factory=dict)
    closed: dict[str, float] = field(default_factory=dict)
    happenings: list[float] = field(default_factory=list)  # when, each; for what has to be redone

    def happened(self, happening: Happening) -> None:
        """Take in what a session did."""
        self.happenings.append(happening.at_s)
        for window in self.windows:
            if window.id not in self.opened and window.opens_when.met_by(happening):
                self.opened[window.id] = happening.at_s
            if window.id not in self.closed and window.closes_when.met_by(happening):
                self.closed[window.id] = happening.at_s

    def is_last_chance(self, window_id: str, candidate: Candidate) -> bool:
        """The window is open, and this action would close it, or is the run's last."""
        if window_id not in self.opened or window_id in self.closed:
            return False
        if candidate.boundary.final_record:
            return True
        window = next(item for item in self.windows if item.id == window_id)
        written = (Happening(0.0, "", Deed.WRITTEN, path) for path in candidate.action.files)
        return any(window.closes_when.met_by(item) for item in written)

    def judge(self, asked_s: float) -> tuple[str, float]:
        """The window that a question fits best, and how timely it was, 0 to 1."""
        best, timely = "", 0.0
        for window in self.windows:
            closed_s = self.closed.get(window.id)
            rework = sum(
                closed_s is not None and closed_s < at <= asked_s for at in self.happenings
            )
            value = timeliness(asked_s, self.opened.get(window.id), closed_s, rework)
            if value > timely:
                best, timely = window.id, value
        return best, timely


@dataclass(slots=True)
class Timeline:
    """Stretches of a run, bounded; ``began_s`` is the Unix time at which the run began."""

    began_s: float
    moments: list[Moment] = field(default_factory=list)

    def add(self, at_s: float, until_s: float, session: str, kind: str, text: str = "") -> None:
        """Keep a stretch between two Unix times; the newest beyond the bound are dropped."""
        if len(self.moments) < TIMELINE:
            self.moments.append(
                Moment(
                    at_s=round(at_s - self.began_s, 3),
                    until_s=round(until_s - self.began_s, 3),
                    session=session,
                    kind=kind,
                    text=" ".join(text.split())[:TEXT_CHARS],
                )
            )

    def in_order(self) -> list[Moment]:
        """By time; what began at the same time in the order in which it was kept."""
        return sorted(self.moments, key=lambda moment: moment.at_s)


class Watching:
    """All sessions of a run, and who is told what they do."""

    def __init__(self, windows: Windows, timeline: Timeline) -> None:
        self.windows = windows
        self.timeline = timeline
        self.on_evidence: Callable[[str, str], None] = lambda run_id, text: None
        self._states: dict[str, RunState] = {}

    def recorder(
        self, run_id: str, title: str, parent_run_id: str | None, runtime: str = "bench"
    ) -> Recording:
        """A recorder for one session (``bench.workers.session.Recorder``)."""
        self._states[run_id] = initial(run_id, runtime, title, parent_run_id)
        return Recording(self, run_id)

    def record(self, run_id: str, event: RunEvent) -> None:
        """Fold an event in, and pass on new evidence, in which a receipt may stand."""
        before = self._states[run_id]
        after = self._states[run_id] = fold(before, event)
        for item in after.snapshot.evidence:
            if item.seq >= before.next_seq:
                self.on_evidence(run_id, item.text)

    def happened(self, happening: Happening) -> None:
        """Keep what a session did."""
        self.windows.happened(happening)
        kind = _SHOWN[happening.deed]
        self.timeline.add(happening.at_s, happening.at_s, happening.session, kind, happening.what)

    def snapshots(self) -> tuple[RunSnapshot, ...]:
        """The sessions as the app sees them, in the order in which they began."""
        return tuple(state.snapshot for state in self._states.values())

    def look(self, action: ProposedAction) -> Surroundings:
        """The session that acts, and the others of its project."""
        own = self._states.get(action.run_id)
        others = (s.snapshot for run_id, s in self._states.items() if run_id != action.run_id)
        return Surroundings(own.snapshot if own else None, tuple(others))


@dataclass(frozen=True, slots=True)
class Recording:
    """One session's way into ``Watching``."""

    watching: Watching
    run_id: str

    def record(self, event: RunEvent) -> None:
        """What the runtime would report of itself."""
        self.watching.record(self.run_id, event)

    def happened(self, happening: Happening) -> None:
        """What the session did."""
        self.watching.happened(happening)
