"""Keeps the picture of every watched run up to date: replays recordings, follows growing files.

One event loop, no thread of its own but for file reads. Two clocks meet here: a run's own time (the
times in its events) and the loop's. ``run_time_s`` is the present in a run's own time, so "how long
ago" is true for a live run and for a replayed one at any pace.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from jarvis_voice.clock import session_now, unix_now
from jarvis_voice.events import RunChanged, RunSnapshot, RunStatus
from jarvis_voice.runs.briefing import Briefing, brief
from jarvis_voice.runs.model import RunEvent, RunState, UnknownSeen
from jarvis_voice.runs.reducer import fold, initial
from jarvis_voice.runs.sources import Recording, title_of
from jarvis_voice.runs.sources.sorting import Sorted
from jarvis_voice.runs.tail import Tail

KEPT_VERSIONS = 256
"""Past snapshots kept per run for "what changed since"; they share their texts."""
ALL_VERSIONS = 4096
"""Past snapshots kept of all runs together, though never less than eight of a run."""
MAX_RUNS = 2048
"""Runs that are kept; of more, the one that ended first is forgotten, or else the quietest."""
_OVER = (RunStatus.DONE, RunStatus.FAILED, RunStatus.STOPPED)

UNTIMED_GAP_S = 0.5  # between events of a recording that carries no times
PIECE_EVENTS = 128  # folded without a break: about 5 ms, a fraction of an audio frame's deadline
POLL_S = 0.25  # how often a followed file is looked at; under 0.1 % of a core


@dataclass(slots=True)
class _Watched:
    state: RunState
    past: deque[RunSnapshot] = field(default_factory=deque)
    clock: Callable[[], float] = unix_now  # the present in the run's own time


class RunWatcher:
    """The watched runs. ``publish`` gets every change; it must not block and not raise."""

    def __init__(self, publish: Callable[[RunChanged], None]) -> None:
        self._publish = publish
        self._runs: dict[str, _Watched] = {}
        self._kept_each = KEPT_VERSIONS

    def snapshots(self) -> tuple[RunSnapshot, ...]:
        """The newest picture of each run, in the order in which they came."""
        return tuple(watched.state.snapshot for watched in self._runs.values())

    def changes_since(self, run_id: str, version: int) -> Briefing | None:
        """What happened after ``version`` of a run, None when there is no such run.

        A version that is no longer kept counts as the oldest one that is, or as never heard of.
        """
        watched = self._runs.get(run_id)
        if watched is None:
            return None
        before = None
        for snapshot in watched.past:
            if snapshot.version > version:
                break
            before = snapshot
        return brief(before, watched.state.snapshot)

    def run_time_s(self, run_id: str) -> float | None:
        """The present in the run's own time (Unix seconds), None when there is no such run."""
        watched = self._runs.get(run_id)
        return None if watched is None else watched.clock()

    def note_trouble(self, run_id: str, reason: str) -> None:
        """Marks a run's picture as incomplete, in a sentence."""
        watched = self._runs.get(run_id)
        if watched is not None and watched.state.snapshot.degraded != reason:
            version = watched.state.snapshot.version
            self._fold(run_id, [UnknownSeen(f"trouble:{version}:{reason}", None, reason)])

    async def replay(self, recording: Recording, pace: float = 1.0) -> None:
        """Folds the events at their recorded times.

        ``pace`` is recorded seconds per second: 0.5 takes twice as long, ``inf`` does not wait
        and publishes only now and then.
        """
        if not pace > 0:
            raise ValueError(f"pace must be above 0, got {pace}")
        offsets = _offsets(recording.events)
        origin = next((event.at_s for event in recording.events if event.at_s is not None), None)
        started_s = session_now()
        position = _ReplayClock(origin, offsets[-1] if offsets else 0.0, started_s, pace)
        self._begin(initial_of(recording), position.now_s)
        if math.isinf(pace):
            await self._at_once(recording)
            return
        for offset, event in zip(offsets, recording.events, strict=True):
            wait_s = started_s + offset / pace - session_now()
            if wait_s > 0:
                await asyncio.sleep(wait_s)
            self._fold(recording.run_id, [event])

    async def _at_once(self, recording: Recording) -> None:
        """Folds all events in pieces, so that a long recording does not hold up the loop."""
        for start in range(0, len(recording.events), PIECE_EVENTS):
            self._fold(recording.run_id, recording.events[start : start + PIECE_EVENTS])
            await asyncio.sleep(0)

    async def follow(self, path: str | os.PathLike[str], poll_s: float = POLL_S) -> None:
        """Tails a JSONL file until cancelled; it may not exist yet, shrink, rotate or vanish.

        Raises RunSourceError when ``path`` can never be such a file (a folder).
        """
        tail = Tail(Path(path))
        told: str | None = None
        while True:
            found, trouble = await asyncio.to_thread(tail.poll)
            for item in found:
                self.accept(item)
            if trouble and trouble != told:
                for run_id in tail.runs:
                    self.note_trouble(run_id, trouble)
            told = trouble
            if not tail.more:
                await asyncio.sleep(poll_s)

    def accept(self, told: Sorted) -> None:
        """Takes in news of a live run, wherever they come from; one change is published."""
        if told.run_id not in self._runs:
            title = title_of(told.events, "")
            begun = initial(told.run_id, told.runtime, title, told.parent_run_id, told.cwd)
            self._begin(begun, unix_now)
        self._fold(told.run_id, told.events)

    def forget(self, run_id: str) -> None:
        """Drops a run and all that is known of it."""
        self._runs.pop(run_id, None)

    def _begin(self, begun: RunState, clock: Callable[[], float]) -> None:
        run_id = begun.snapshot.run_id
        if run_id not in self._runs:
            if len(self._runs) >= MAX_RUNS:
                self.forget(self._least_missed())
            self._runs[run_id] = _Watched(begun)
            self._kept_each = min(KEPT_VERSIONS, max(ALL_VERSIONS // len(self._runs), 8))
        self._runs[run_id].clock = clock
        self._tell(run_id)

    def _least_missed(self) -> str:
        def rank(run_id: str) -> tuple[bool, float]:
            snapshot = self._runs[run_id].state.snapshot
            return snapshot.status not in _OVER, snapshot.updated_at_s or 0.0

        return min(self._runs, key=rank)

    def _fold(self, run_id: str, events: Iterable[RunEvent]) -> None:
        watched = self._runs[run_id]
        before = watched.state
        for event in events:
            watched.state = fold(watched.state, event)
        if watched.state is not before:
            self._tell(run_id)

    def _tell(self, run_id: str) -> None:
        watched = self._runs[run_id]
        watched.past.append(watched.state.snapshot)
        while len(watched.past) > self._kept_each:
            watched.past.popleft()
        self._publish(RunChanged(session_now(), watched.state.snapshot))


def initial_of(recording: Recording) -> RunState:
    """The state of a recorded run before its first event."""
    return initial(
        recording.run_id,
        recording.runtime,
        recording.title,
        recording.parent_run_id,
        recording.cwd,
    )


@dataclass(frozen=True, slots=True)
class _ReplayClock:
    """Recorded time that passes at ``pace`` and stands still when the recording is over."""

    origin_s: float | None
    length_s: float
    started_s: float
    pace: float

    def now_s(self) -> float:
        if math.isinf(self.pace):
            passed_s = self.length_s
        else:
            passed_s = min((session_now() - self.started_s) * self.pace, self.length_s)
        return (self.origin_s or 0.0) + passed_s


def _offsets(events: tuple[RunEvent, ...]) -> list[float]:
    """Seconds from the first event to each; never falling, a fixed gap where no time is known."""
    origin: float | None = None
    offsets: list[float] = []
    now_s = 0.0
    timed = any(event.at_s is not None for event in events)
    for event in events:
        if event.at_s is None:
            now_s += 0.0 if timed or not offsets else UNTIMED_GAP_S
        else:
            origin = event.at_s - now_s if origin is None else origin
            now_s = max(now_s, event.at_s - origin)
        offsets.append(now_s)
    return offsets
