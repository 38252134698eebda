"""What the brain needs to know of the watched runs; whoever watches them hands it in."""

from __future__ import annotations

from typing import Protocol

from jarvis_voice.events import Evidence, RunSnapshot, RunStatus


class Changes(Protocol):
    """The difference between an earlier picture of a run and the present one."""

    @property
    def from_version(self) -> int | None: ...
    @property
    def status_before(self) -> RunStatus | None: ...
    @property
    def status_now(self) -> RunStatus: ...
    @property
    def new_evidence(self) -> tuple[Evidence, ...]: ...
    @property
    def missed(self) -> int: ...
    @property
    def new_failures(self) -> tuple[str, ...]: ...
    @property
    def new_files(self) -> tuple[str, ...]: ...
    @property
    def steps_done(self) -> tuple[str, ...]: ...


class RunLookup(Protocol):
    """The watched runs. Every call is quick and never raises."""

    def snapshots(self) -> tuple[RunSnapshot, ...]:
        """The newest picture of each run."""
        ...

    def changes_since(self, run_id: str, version: int) -> Changes | None:
        """What happened after a version of a run; None when there is no such run."""
        ...

    def run_time_s(self, run_id: str) -> float | None:
        """The present in the run's own time, Unix seconds; None when there is no such run."""
        ...
