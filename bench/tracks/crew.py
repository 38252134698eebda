"""The seam between a run and whoever works in it: sessions of this process, or an agent runtime."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bench.suite.bundle import Bundle
from bench.tracks.boundary import Holds
from bench.tracks.watching import Watching
from bench.workers.session import Review
from bench.workers.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Site:
    """Where a crew works, and who watches it."""

    bundle: Bundle
    workspace: Workspace
    watching: Watching
    holds: Holds
    now: Callable[[], float]  # Unix time of the run's own clock, virtual or real
    graders: Path | None = None  # where sealed parts lie beside those in the suite

    @property
    def closed(self) -> tuple[str, ...]:
        """Folders in which no worker has anything to look for."""
        places = (self.bundle.root.parent, self.graders)
        return tuple(str(place) for place in places if place is not None)


@dataclass(frozen=True, slots=True)
class Tally:
    """What a crew did, in figures. Times in seconds."""

    calls: int = 0
    held_s: float = 0.0  # of all calls that waited for a ruling
    worker_s: float = 0.0  # of the session that worked longest, holds excluded
    timed_out: bool = False


class Boundary(Review, Protocol):
    """A review that is told of turns."""

    def batch_ended(self, run_id: str) -> None:
        """All calls of one turn of this session have ended."""
        ...


class Crew(Protocol):
    """Who does a task."""

    @property
    def in_real_time(self) -> bool:
        """It takes its own time, so that no virtual clock may run."""
        ...

    @property
    def one_call_a_turn(self) -> bool:
        """No turn of its model makes several calls; of any other the desk learns the batches."""
        ...

    async def work(self, site: Site, review: Boundary) -> Tally:
        """Do the whole task, each action past ``review``. Raises BenchError, or groups of it."""
        ...
