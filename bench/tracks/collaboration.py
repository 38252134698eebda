"""The collaboration track: one run of a worker on a task, with a controller and a simulated user.

The desk, its boundaries, its journal and the snapshots are the app's own; virtual time makes a run
the same each time. What the agent is measured by is graded afterwards, from what it left behind.
Whatever fails that is not the agent's makes the run invalid, with the kind of the failure; a task
without a grader leaves it ungraded.

The worker's clock stands still while an action of it is held: its time limit counts its own time.
"""

from __future__ import annotations

import asyncio
import itertools
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bench.controllers import Budget, Setting, Spending, build
from bench.errors import BenchError, ControllerFailed, WorkerFailed
from bench.requester import Change, Manner, Requester, ScriptedRequester
from bench.results import Episode, Failure, Receipts, RunRecord
from bench.statistics import attention_cost
from bench.suite.background import Background, background_of
from bench.suite.bundle import Bundle, Topology, load_bundle
from bench.suite.sealed import Availability
from bench.tracks.seat import Seat, User
from bench.tracks.watching import Timeline, Watching, Windows
from bench.workers.app_state import AppState
from bench.workers.base import Pace, Style, Work, Worker
from bench.workers.session import FreeReview, Identity, Link, Place, Review, Session
from bench.workers.shell import Shell
from bench.workers.workspace import Workspace
from jarvis_voice.attention.desk import Desk
from jarvis_voice.attention.desk_settings import DeskSettings, Outside
from jarvis_voice.attention.journal import ScriptedJournal
from jarvis_voice.attention.state import GuidancePhase
from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.brain.chat_model import ChatModel
from jarvis_voice.errors import JarvisError
from jarvis_voice.events import RunStatus
from jarvis_voice.virtual_time import NothingLeftToHappen, run_virtual

START_S = 1_750_000_000.0  # the Unix time at which every run begins
NOON = 12 * 60
PROBLEM_CHARS = 600


@dataclass(frozen=True, slots=True)
class Hands:
    """Who works: a worker policy, how well, and how long its tools take."""

    worker: Worker
    style: Style = Style.GOOD
    pace: Pace = field(default_factory=Pace)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a run needs beside its task. ``hands`` raises a BenchError for no worker."""

    hands: Callable[[Bundle, str], Hands]
    requester: Requester = field(default_factory=ScriptedRequester)
    model: ChatModel | None = None  # for a controller that has one; it is closed with the run
    graders: Path | None = None  # the sealed parts of somebody else's tasks, as DIR/TASK/


def run_episode(root: Path, episode: Episode, conditions: Conditions) -> RunRecord:
    """Run and grade the episode's task, the bundle in ``root``. Raises nothing of ours.

    Call it outside an event loop.
    """
    about = RunRecord(episode=episode, status="ungraded")
    try:
        bundle = load_bundle(root)
        about = about.model_copy(
            update={"topology": bundle.topology.value, "domain": bundle.manifest.domain}
        )
        task = background_of(bundle, conditions.graders)
        about = about.model_copy(update={"mechanism": task.mechanism, "control": task.control})
        with tempfile.TemporaryDirectory(prefix="jarvis-bench-") as top:
            folder = Path(top).resolve() / "run"
            run = _Run(bundle, task, episode, conditions, folder)
            return _graded(run_virtual(run.whole(about)), task, folder)
    except BaseExceptionGroup as group:
        return _invalid(about, _first_of(group))
    except (JarvisError, NothingLeftToHappen, OSError) as error:
        return _invalid(about, error)


def _graded(record: RunRecord, task: Background, folder: Path) -> RunRecord:
    """The record with its score, unless something was at fault on the way or nobody can grade."""
    if record.status == "invalid" or task.grade is None:
        return record
    found = task.grade(folder)
    return RunRecord.model_validate(
        record.model_dump()
        | {
            "status": "scored",
            "score": found.points,
            "categories": dict(found.categories),
            "checkpoints": dict(found.checkpoints),
        }
    )


def _invalid(about: RunRecord, error: BaseException) -> RunRecord:
    kind = error.kind if isinstance(error, BenchError) else "harness_failed"
    problem = str(error) or type(error).__name__
    failure = Failure(kind=kind, problem=problem[:PROBLEM_CHARS])
    return RunRecord.model_validate(
        about.model_dump() | {"status": "invalid", "score": None, "failure": failure}
    )


def _first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The failure that explains a group; what is none of ours goes on."""
    found: BaseException = group
    while isinstance(found, BaseExceptionGroup):
        ours = found.subgroup((JarvisError, OSError))
        found = (ours or found).exceptions[0]
    if not isinstance(found, JarvisError | OSError):
        raise group
    return found


# --- a run -------------------------------------------------------------------------------------


class _Run:
    """One run, from the brief to what it left in ``folder``."""

    def __init__(
        self,
        bundle: Bundle,
        task: Background,
        episode: Episode,
        conditions: Conditions,
        folder: Path,
    ) -> None:
        self._bundle = bundle
        self._task = task
        self._episode = episode
        self._conditions = conditions
        self._hands = conditions.hands(bundle, episode.workers)
        self._folder = folder
        self._workspace = Workspace(bundle.public, folder)
        self._app = AppState.of(bundle.public) if bundle.is_app else None
        self._watching = Watching(Windows(task.windows or ()), Timeline(START_S))
        self._sessions: list[Session] = []
        self._holds = _Holds()
        self._degraded: list[str] = []
        self._timed_out = False

    async def whole(self, about: RunRecord) -> RunRecord:
        """Run it, and give back what a model holds."""
        try:
            return await self.go(about)
        finally:
            if self._conditions.model is not None:
                await self._conditions.model.aclose()

    async def go(self, about: RunRecord) -> RunRecord:
        """Run it; the record lacks nothing but the score. Raises BenchError, or groups of it."""
        loop = asyncio.get_running_loop()

        def now() -> float:
            return START_S + loop.time()

        spending = self._spending()
        if spending is None:
            await self._work(FreeReview(), now)
            return self._record(about, None, None)
        numbers = itertools.count()
        outside = Outside(now, lambda: NOON, lambda: f"n{next(numbers)}", self._watching.look)
        settings = DeskSettings(final_paths=(self._task.final_record_path,))
        desk = Desk(spending, ScriptedJournal(), settings, outside)
        async with asyncio.TaskGroup() as group:
            seat = Seat(desk, self._user(), self._watching, group, now)
            seat.sit()
            desk.start()
            try:
                await self._work(_DeskReview(desk, seat, self._watching, self._holds, now), now)
            finally:
                seat.leave()
                record = self._record(about, spending, seat)
                desk.close()
        return record

    def _spending(self) -> Spending | None:
        windows = self._task.windows if self._episode.controller == "oracle" else ()
        if windows is None:
            raise ControllerFailed(
                f"The oracle needs sealed decision windows, and {self._bundle.task_id} has none.",
                "Name other controllers for somebody else's tasks.",
            )
        setting = Setting(
            seed=self._episode.random_seed,
            windows=windows,
            progress=self._watching.windows if self._episode.controller == "oracle" else None,
            model=self._conditions.model,
            on_fault=self._degraded.append,
        )
        policy = build(self._episode.controller, setting)
        if policy is None:
            return None
        single = self._bundle.topology is Topology.SINGLE
        reserved = single and self._episode.mode == "paper"
        return Spending(policy, Budget(self._episode.budget, reserved=reserved))

    def _user(self) -> User:
        """Who knows nothing can only say so, whoever plays the user."""
        memories = self._task.memories
        return User(
            self._conditions.requester if memories else ScriptedRequester(),
            manner_of(self._task.availability),
            memories,
            self._episode.random_seed,
        )

    # --- sessions

    async def _work(self, review: Review, now: Callable[[], float]) -> None:
        """The children side by side, then who integrates; or the single agent."""
        main = f"{self._bundle.task_id}/main"
        worker = self._hands.worker
        briefs = {stream.id: stream for stream in self._bundle.workstreams}
        async with asyncio.TaskGroup() as group:
            for name, work in worker.streams.items():
                who = Identity(self._bundle.task_id, f"{self._bundle.task_id}/{name}", name, main)
                session = self._session(who, briefs[name].label, review, now)
                group.create_task(self._within(session, work, briefs[name].brief))
        manifest = self._bundle.manifest
        session = self._session(Identity(self._bundle.task_id, main), manifest.title, review, now)
        await self._within(session, worker.main, manifest.episode.brief)
        if self._app is not None:
            self._app.save(self._folder)

    def _session(
        self, who: Identity, title: str, review: Review, now: Callable[[], float]
    ) -> Session:
        stream = None if who.session == "main" else who.session
        place = Place(self._workspace.scope(stream), Shell(), self._app)
        recorder = self._watching.recorder(who.run_id, title, who.parent_run_id)
        session = Session(who, place, Link(review, recorder, now, self._hands.pace))
        self._sessions.append(session)
        return session

    async def _within(self, session: Session, work: Work, brief: str) -> None:
        """Let a session work until it is done or its own time is up; then it ends where it is."""
        loop = asyncio.get_running_loop()
        limit_s = float(self._bundle.manifest.runtime.worker_timeout_seconds)
        began_s = loop.time()
        session.begin(brief)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(_contained(session, work, self._hands.style))
            while not task.done():
                held_s = self._holds.so_far(session.who.run_id, START_S + loop.time())
                left_s = limit_s + held_s - (loop.time() - began_s)
                if left_s <= 0:
                    self._timed_out = True
                    task.cancel()
                await asyncio.wait((task,), timeout=max(left_s, 1.0))
        status = RunStatus.STOPPED if task.cancelled() else RunStatus.DONE
        session.end(status)

    # --- the record

    def _record(self, about: RunRecord, spending: Spending | None, seat: Seat | None) -> RunRecord:
        spent = {} if spending is None else _spent(spending)
        asked = [] if seat is None else seat.asked()
        faults = [*(spending.faults if spending else ()), *(seat.faults if seat else ())]
        expected = self._bundle.manifest.episode.result_paths
        no_window = bool(about.control) or self._task.windows is None
        held_s = sum(session.held_s for session in self._sessions)
        update = {
            **spent,
            "degraded": [*self._degraded, *(seat.degraded if seat else ())],
            "questions": seat.questions(no_window=no_window) if seat else [],
            "held_s": round(held_s, 3),
            "worker_s": round(self._worker_s(), 3),
            "calls": sum(session.calls for session in self._sessions),
            "timed_out": self._timed_out,
            "missing": [path for path in expected if not (self._folder / path).is_file()],
            "receipts": _receipts(seat.desk) if seat else Receipts(),
            "attention_cost": round(attention_cost(asked), 4),
            "timeline": self._watching.timeline.in_order(),
        }
        record = about.model_copy(update=update)
        return _invalid(record, faults[0]) if faults else record

    def _worker_s(self) -> float:
        """The own time of the session that worked longest."""
        runs = {run.run_id: run for run in self._watching.snapshots()}
        return max(
            (
                (runs[session.who.run_id].updated_at_s or 0.0)
                - (runs[session.who.run_id].started_at_s or 0.0)
                - session.held_s
                for session in self._sessions
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


@dataclass(slots=True)
class _Holds:
    """How long each session has been held, the hold that goes on included. Unix times."""

    ended: dict[str, float] = field(default_factory=dict)
    began: dict[str, float] = field(default_factory=dict)

    def end(self, run_id: str, now_s: float) -> float:
        """A hold of this session is over; returns its length."""
        held_s = now_s - self.began.pop(run_id, now_s)
        self.ended[run_id] = self.ended.get(run_id, 0.0) + held_s
        return held_s

    def so_far(self, run_id: str, now_s: float) -> float:
        """Seconds that this session did not work because it was held."""
        return self.ended.get(run_id, 0.0) + now_s - self.began.get(run_id, now_s)


@dataclass(frozen=True, slots=True)
class _DeskReview:
    """The boundary of a run with a desk (``bench.workers.session.Review``)."""

    desk: Desk
    seat: Seat
    watching: Watching
    holds: _Holds
    now: Callable[[], float]

    async def review(self, action: ProposedAction) -> Ruling:
        """The desk's ruling. A worker makes one call a turn, so a refused one ends its turn."""
        began_s = self.holds.began[action.run_id] = self.now()
        ruling = await self.desk.review(action)
        held_s = self.holds.end(action.run_id, self.now())
        self.desk.note_delivered(action.run_id, action.action_id)
        if ruling.verdict is Verdict.DENY:
            self.desk.batch_ended(action.run_id)
        if held_s > 0:
            session = action.run_id.rpartition("/")[2]
            self.watching.timeline.add(began_s, self.now(), session, "held", action.summary)
        self.seat.told(action.run_id, action.action_id, held_s)
        return ruling

    def waiting(self, run_id: str) -> str:
        """What the user said to this session unasked, told now."""
        items = self.desk.to_tell(run_id)
        for item in items:
            self.desk.telling(run_id, item.receipt)
            self.desk.told(run_id, item.receipt, taken=True)
        return " ".join(item.text for item in items)


def _spent(spending: Spending) -> dict[str, int]:
    return {
        "candidates": spending.candidates,
        "duplicates": spending.duplicates,
        "over_budget": spending.over_budget,
    }


def _receipts(desk: Desk) -> Receipts:
    """Every decision that was sent must have been seen in the run's own record."""
    sent = [item for session in desk.state.sessions.values() for item in session.guidance]
    applied = sum(item.phase is GuidancePhase.APPLIED for item in sent)
    return Receipts(sent=len(sent), applied=applied, closed=applied == len(sent))


def manner_of(availability: Availability) -> Manner:
    """How the task's user is to be had."""
    change = availability.changes_mind
    return Manner(
        availability.delay_s,
        availability.absent,
        availability.delegates,
        Change(change.after_s, change.memory_id) if change else None,
    )
