"""Sessions in this process: scripted workers and chat models, with tools of our own.

The children work side by side, then the parent integrates; a single agent is a parent without
children. A worker's clock stands still while an action of it is held: its time limit counts its
own time, and when that is up, it ends where it is.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from bench.errors import WorkerFailed
from bench.tracks.crew import Boundary, Site, Tally
from bench.workers.app_state import AppState
from bench.workers.base import Pace, Style, Work, Worker
from bench.workers.session import Identity, Link, Place, Review, Session
from bench.workers.shell import Shell
from jarvis_voice.errors import JarvisError
from jarvis_voice.events import RunStatus


@dataclass(frozen=True, slots=True)
class Hands:
    """Who works: a worker policy, how well, and how long its tools take (``crew.Crew``)."""

    worker: Worker
    style: Style = Style.GOOD
    pace: Pace = field(default_factory=Pace)

    @property
    def in_real_time(self) -> bool:
        """Any clock will do."""
        return False

    @property
    def one_call_a_turn(self) -> bool:
        """Tools are awaited one by one."""
        return True

    async def work(self, site: Site, review: Boundary) -> Tally:
        """All sessions of the task."""
        sessions = _Sessions(self, site, review)
        await sessions.work()
        return sessions.tally()


class _Sessions:
    """The sessions of one run."""

    def __init__(self, hands: Hands, site: Site, review: Review) -> None:
        self._hands = hands
        self._site = site
        self._review = review
        bundle = site.bundle
        self._app = AppState.of(bundle.public) if bundle.is_app else None
        self._all: list[Session] = []
        self._timed_out = False

    async def work(self) -> None:
        """The children side by side, then who integrates; or the single agent."""
        bundle = self._site.bundle
        task, main = bundle.task_id, f"{bundle.task_id}/main"
        briefs = {stream.id: stream for stream in bundle.workstreams}
        async with asyncio.TaskGroup() as group:
            for name, work in self._hands.worker.streams.items():
                session = self._open(
                    Identity(task, f"{task}/{name}", name, main), briefs[name].label
                )
                group.create_task(self._within(session, work, briefs[name].brief))
        session = self._open(Identity(task, main), bundle.manifest.title)
        await self._within(session, self._hands.worker.main, bundle.manifest.episode.brief)
        if self._app is not None:
            self._app.save(self._site.workspace.folder)

    def _open(self, who: Identity, title: str) -> Session:
        site = self._site
        stream = None if who.session == "main" else who.session
        place = Place(site.workspace.scope(stream), Shell(), self._app)
        recorder = site.watching.recorder(who.run_id, title, who.parent_run_id)
        session = Session(who, place, Link(self._review, recorder, site.now, self._hands.pace))
        self._all.append(session)
        return session

    async def _within(self, session: Session, work: Work, brief: str) -> None:
        """Let a session work until it is done or its own time is up; then it ends where it is."""
        now, holds = self._site.now, self._site.holds
        limit_s = float(self._site.bundle.manifest.runtime.worker_timeout_seconds)
        began_s = now()
        session.begin(brief)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(_contained(session, work, self._hands.style))
            while not task.done():
                held_s = holds.so_far(session.who.run_id, now())
                left_s = limit_s + held_s - (now() - began_s)
                if left_s <= 0:
                    self._timed_out = True
                    task.cancel()
                await asyncio.wait((task,), timeout=max(left_s, 1.0))
        status = RunStatus.STOPPED if task.cancelled() else RunStatus.DONE
        session.end(status)

    def tally(self) -> Tally:
        """What they all did."""
        return Tally(
            sum(session.calls for session in self._all),
            sum(session.held_s for session in self._all),
            self._worker_s(),
            self._timed_out,
        )

    def _worker_s(self) -> float:
        """The own time of the session that worked longest."""
        runs = {run.run_id: run for run in self._site.watching.snapshots()}
        return max(
            (
                (runs[session.who.run_id].updated_at_s or 0.0)
                - (runs[session.who.run_id].started_at_s or 0.0)
                - session.held_s
                for session in self._all
            ),
            default=0.0,
        )


async def _contained(session: Session, work: Work, style: Style) -> None:
    """A worker's code; what it raises that is none of ours is a WorkerFailed."""
    try:
        await work(session, style)
    except JarvisError:
        raise
    except Exception as error:  # code of a bundle can raise anything
        raise WorkerFailed(
            f"The worker {session.who.run_id} raised {type(error).__name__}: {error}."
        ) from error
