"""What the desk is given: its limits, and what it reads from outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from jarvis_voice.attention.agenda import AgendaSettings
from jarvis_voice.attention.records import FINAL_PATHS
from jarvis_voice.boundary import ProposedAction
from jarvis_voice.events import RunSnapshot


@dataclass(frozen=True, slots=True)
class DeskSettings:
    """How long things may last, and what happens when nobody answers."""

    hold_s: float = 540.0  # a runtime that waits 600 s for its hook, less a margin
    hold_s_by_runtime: dict[str, float] = field(default_factory=dict)
    approval_s: float = 12 * 3600.0  # a runtime that waits for its user itself does so for long
    fail_closed: frozenset[str] = frozenset()  # runtimes whose unanswered actions are denied
    announce_batches: frozenset[str] = frozenset({"claude-code"})  # tell when a turn's calls ended
    correct_s: float = 3.0  # after an answer, before the runtime is told
    after_read_back_s: float = 1.5  # the same, counted from the end of the read-back
    read_back_s: float = 30.0  # longest that a read-back or a correction may take to be said
    policy_s: float = 10.0  # a policy that thinks longer is out of order
    delivered_s: float = 1.0  # a ruling not reported lost by then has arrived
    final_paths: tuple[str, ...] = FINAL_PATHS
    agenda: AgendaSettings = field(default_factory=AgendaSettings)


class Surroundings(NamedTuple):
    """What is known of the run that acts, and of the others of its project."""

    snapshot: RunSnapshot | None = None
    siblings: tuple[RunSnapshot, ...] = ()


def _looks_at_nothing(action: ProposedAction) -> Surroundings:
    return Surroundings()


@dataclass(frozen=True, slots=True)
class Outside:
    """What the desk reads from outside, as callables."""

    unix_now: Callable[[], float]
    minute_of_day: Callable[[], int]  # local, 0 to 1439
    nonce: Callable[[], str]  # fresh and unguessable each time
    look: Callable[[ProposedAction], Surroundings] = _looks_at_nothing

    def made(self, action: ProposedAction) -> tuple[str, ...]:
        """What the acting run is known to have made itself."""
        snapshot = self.look(action).snapshot
        return snapshot.created if snapshot else ()
