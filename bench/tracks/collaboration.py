"""The collaboration track: one run of a worker on a task, with a controller and a simulated user.

The desk, its boundaries, its journal and the snapshots are the app's own. A crew of this process
works in virtual time, which makes a run the same each time; an agent runtime takes its own time.
What the agent is measured by is graded afterwards, from what it left behind. Whatever fails that is
not the agent's makes the run invalid, with the kind of the failure; a task without a grader leaves
it ungraded.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import tempfile
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import real_agents
from bench.controllers import Budget, Setting, Spending, build
from bench.errors import BenchError, ControllerFailed
from bench.requester import Manner, Requester, ScriptedRequester
from bench.results import Episode, Failure, Receipts, RunRecord
from bench.statistics import attention_cost
from bench.suite.background import Background, background_of
from bench.suite.bundle import Bundle, Topology, load_bundle
from bench.tracks.boundary import DeskReview, Holds
from bench.tracks.crew import Crew, Site, Tally
from bench.tracks.seat import Seat, Talking, User
from bench.tracks.watching import Timeline, Watching, Windows
from bench.workers.session import FreeReview
from bench.workers.workspace import Workspace
from jarvis_voice.attention.desk import Desk
from jarvis_voice.attention.desk_settings import DeskSettings, Outside
from jarvis_voice.attention.journal import ScriptedJournal
from jarvis_voice.attention.state import GuidancePhase
from jarvis_voice.brain.chat_model import ChatModel
from jarvis_voice.errors import JarvisError
from jarvis_voice.virtual_time import NothingLeftToHappen, run_virtual

START_S = 1_750_000_000.0  # the Unix time at which every run begins
NOON = 12 * 60
AGENT_HOLD_S = 530.0  # the gate gives up on a hook of an agent runtime after 540 s
PROBLEM_CHARS = 600


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a run needs beside its task. ``hands`` raises a BenchError for no worker."""

    hands: Callable[[Bundle, str], Crew]
    requester: Requester = field(default_factory=ScriptedRequester)
    model: ChatModel | None = None  # for a controller that has one; it is closed with the run
    graders: Path | None = None  # the sealed parts of somebody else's tasks, as DIR/TASK/
    at_hand: bool = False  # the user answers soon and for good, whatever the task says
    talking: Talking = field(default_factory=Talking)


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
            return _graded(run.to_its_end(about), task, folder)
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
        self._crew = conditions.hands(bundle, episode.workers)
        self._folder = folder
        self._workspace = Workspace(bundle.public, folder)
        self._watching = Watching(Windows(task.windows or ()), Timeline(START_S))
        self._holds = Holds()
        self._degraded: list[str] = []

    def to_its_end(self, about: RunRecord) -> RunRecord:
        """Run it in an event loop of its own, on the clock that its crew can have."""
        drive: Callable[[Coroutine[Any, Any, RunRecord]], RunRecord] = run_virtual
        if self._crew.in_real_time:
            drive = asyncio.run
        return drive(self.whole(about))

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
        began_s = loop.time()

        def now() -> float:
            return START_S + loop.time() - began_s

        graders = self._conditions.graders
        site = Site(self._bundle, self._workspace, self._watching, self._holds, now, graders)
        spending = self._spending()
        if spending is None:
            return self._record(about, await self._crew.work(site, FreeReview()), None, None)
        desk = self._desk(spending, now)
        async with asyncio.TaskGroup() as group:
            seat = Seat(desk, self._user(), self._watching, group, now)
            review = DeskReview(
                desk, seat, self._watching, self._holds, now, self._crew.one_call_a_turn
            )
            seat.sit()
            desk.start()
            try:
                tally = await self._crew.work(site, review)
                record = self._record(about, tally, spending, seat)
            finally:
                seat.leave()
                desk.close()
        return record

    def _desk(self, spending: Spending, now: Callable[[], float]) -> Desk:
        numbers = itertools.count()
        outside = Outside(now, lambda: NOON, lambda: f"n{next(numbers)}", self._watching.look)
        settings = DeskSettings(
            hold_s_by_runtime=dict.fromkeys(real_agents.NAMES, AGENT_HOLD_S),
            after_read_back_s=self._conditions.talking.after_read_back_s,
            final_paths=(self._task.final_record_path,),
        )
        return Desk(spending, ScriptedJournal(), settings, outside)

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
        availability, memories = self._task.availability, self._task.memories
        manner = availability.manner
        if self._conditions.at_hand:
            manner, memories = Manner(), manner.known(memories, math.inf)
        return User(
            self._conditions.requester if memories else ScriptedRequester(),
            manner,
            memories,
            self._episode.random_seed,
            calendar=availability.calendar,
            word_s=self._conditions.talking.word_s,
        )

    # --- the record

    def _record(
        self, about: RunRecord, tally: Tally, spending: Spending | None, seat: Seat | None
    ) -> RunRecord:
        spent = {} if spending is None else _spent(spending)
        strict = self._episode.mode == "strict"
        asked = [] if seat is None else seat.asked(by_calendar=strict)
        faults = [*(spending.faults if spending else ()), *(seat.faults if seat else ())]
        expected = self._bundle.manifest.episode.result_paths
        no_window = bool(about.control) or self._task.windows is None
        update = {
            **spent,
            "degraded": [*self._degraded, *(seat.degraded if seat else ())],
            "questions": seat.questions(no_window=no_window) if seat else [],
            "held_s": round(tally.held_s, 3),
            "worker_s": round(tally.worker_s, 3),
            "calls": tally.calls,
            "timed_out": tally.timed_out,
            "missing": [path for path in expected if not (self._folder / path).is_file()],
            "receipts": _receipts(seat.desk) if seat else Receipts(),
            "attention_cost": round(attention_cost(asked), 4),
            "timeline": self._watching.timeline.in_order(),
        }
        record = about.model_copy(update=update)
        return _invalid(record, faults[0]) if faults else record


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
