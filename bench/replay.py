"""A worker's run as it can be told about: recorded once, replayed causally and read-only.

A *frame* is what the app's own reducer makes of the run after one more event. A *view* is the run
up to one frame: whoever answers from it cannot see further, because nothing later is in it. The
form of a frame, its bounds and the two checkpoints are JarvisBench's: at 25 % and 75 % of the
frames, never the first or the last.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from bench.errors import WorkerFailed
from bench.suite.bundle import Bundle
from bench.workers.app_state import AppState
from bench.workers.base import Happening, Pace, Style, Tools, Worker
from bench.workers.play import MAIN, play
from bench.workers.session import FreeReview, Identity, Link, Place, Session
from bench.workers.shell import Shell
from bench.workers.workspace import Workspace
from jarvis_voice.clock import session_now
from jarvis_voice.events import RunSnapshot, RunStatus
from jarvis_voice.runs.briefing import Briefing, brief
from jarvis_voice.runs.model import RunEvent, RunState
from jarvis_voice.runs.reducer import fold, initial
from jarvis_voice.virtual_time import run_virtual

START_S = 1_750_000_000.0  # the Unix time at which every recorded run begins
LEAST_FRAMES, MOST_FRAMES = 4, 4096
FILE_BYTES, LINE_BYTES = 8 * 1024 * 1024, 64 * 1024
PROGRESS_CHARS, GOAL_CHARS, STATUS_CHARS = 2000, 1000, 200
EVIDENCE, EVIDENCE_CHARS = 8, 1000
EARLY, LATE = 0.25, 0.75


class Recorded(NamedTuple):
    """One event of one session, when it came."""

    at_s: float  # Unix time
    run_id: str
    event: RunEvent


@dataclass(frozen=True, slots=True)
class Opened:
    """A session as it began."""

    run_id: str
    title: str
    parent_run_id: str | None


@dataclass(frozen=True, slots=True)
class Replay:
    """A whole run: its brief, its sessions, its events and what was done, in order."""

    task_id: str
    brief: str
    sessions: tuple[Opened, ...]
    events: tuple[Recorded, ...]
    happenings: tuple[Happening, ...]

    @property
    def checkpoints(self) -> tuple[int, int]:
        """The early and the late frame, by index. Raises WorkerFailed for a run that is no run."""
        count = len(self.events)
        early = max(1, round((count - 1) * EARLY))
        late = min(count - 2, round((count - 1) * LATE))
        if not LEAST_FRAMES <= count <= MOST_FRAMES or early >= late:
            raise WorkerFailed(
                f"The run of {self.task_id} has {count} events, which cannot be replayed: "
                f"{LEAST_FRAMES} to {MOST_FRAMES} are needed."
            )
        return early, late

    def view(self, index: int) -> View:
        """The run up to and with one frame."""
        seen = self.events[: index + 1]
        view = View(self.brief, seen[-1].at_s)
        for opened in self.sessions:
            if any(item.run_id == opened.run_id for item in seen):
                view.open(opened)
        for item in seen:
            view.take(item)
        view.happenings = tuple(item for item in self.happenings if item.at_s <= seen[-1].at_s)
        return view

    def frames(self) -> list[dict[str, Any]]:
        """Every frame in JarvisBench's form: index, elapsed_ms and what can be seen, bounded."""
        view = View(self.brief, START_S)
        known: set[str] = set()
        found: list[dict[str, Any]] = []
        elapsed_ms = -1
        for index, item in enumerate(self.events):
            if item.run_id not in known:
                known.add(item.run_id)
                view.open(next(each for each in self.sessions if each.run_id == item.run_id))
            view.take(item)
            elapsed_ms = max(elapsed_ms + 1, round((item.at_s - START_S) * 1000))
            found.append(_frame(index, elapsed_ms, view.snapshots(), item.run_id))
        return found

    def jsonl(self) -> str:
        """The frames as a file. Raises WorkerFailed when that is larger than the form allows."""
        lines = [json.dumps(frame, ensure_ascii=False) for frame in self.frames()]
        text = "".join(f"{line}\n" for line in lines)
        too_long = any(len(line.encode()) > LINE_BYTES for line in lines)
        if too_long or len(text.encode()) > FILE_BYTES:
            raise WorkerFailed(f"The frames of {self.task_id} are larger than the form allows.")
        return text


class View:
    """What can be known of a run at one moment; the brain's RunLookup.

    ``now_s`` is the Unix time of the newest event.
    """

    def __init__(self, brief_text: str, now_s: float) -> None:
        self.brief = brief_text
        self.now_s = now_s
        self.happenings: tuple[Happening, ...] = ()
        self._states: dict[str, RunState] = {}
        self._past: dict[str, list[RunSnapshot]] = {}

    def open(self, opened: Opened) -> None:
        """A session begins."""
        state = initial(opened.run_id, "bench", opened.title, opened.parent_run_id)
        self._states[opened.run_id] = state
        self._past[opened.run_id] = [state.snapshot]

    def take(self, item: Recorded) -> None:
        """Fold one event in."""
        self._states[item.run_id] = fold(self._states[item.run_id], item.event)
        self._past[item.run_id].append(self._states[item.run_id].snapshot)
        self.now_s = item.at_s

    def snapshots(self) -> tuple[RunSnapshot, ...]:
        """The newest picture of each session that has begun."""
        return tuple(state.snapshot for state in self._states.values())

    def changes_since(self, run_id: str, version: int) -> Briefing | None:
        """What happened after a version of a session."""
        past = self._past.get(run_id)
        if past is None:
            return None
        before = [item for item in past if item.version <= version]
        return brief(before[-1] if before else None, past[-1])

    def run_time_s(self, run_id: str) -> float | None:
        """The moment of the view, for every session that has begun."""
        return self.now_s if run_id in self._states else None

    def text(self) -> str:
        """All words that can be seen: the brief, goals, messages, evidence, files, uncertainty."""
        parts = [self.brief]
        for run in self.snapshots():
            parts += [run.title, run.goal or "", run.last_message or "", run.proposed_action or ""]
            parts += [item.text for item in run.evidence]
            parts += [*run.files_changed, *run.uncertainties, run.status.value]
        return "\n".join(part for part in parts if part)


def _frame(index: int, elapsed_ms: int, runs: Sequence[RunSnapshot], acting: str) -> dict[str, Any]:
    """One frame; of several sessions it tells about the one that has just acted."""
    run = next(item for item in runs if item.run_id == acting)
    evidence = [item.text[:EVIDENCE_CHARS] for item in run.evidence[-EVIDENCE:]]
    return {
        "index": index,
        "elapsed_ms": elapsed_ms,
        "progress": (run.last_message or run.proposed_action or "")[:PROGRESS_CHARS],
        "current_goal": (run.goal or run.title)[:GOAL_CHARS],
        "evidence": evidence,
        "status": f"{run.title}: {run.status.value}"[:STATUS_CHARS],
    }


# --- recording ---------------------------------------------------------------------------------


@dataclass(slots=True)
class _Recorder:
    run_id: str
    events: list[Recorded] = field(default_factory=list)
    happenings: list[Happening] = field(default_factory=list)

    def record(self, event: RunEvent) -> None:
        """What the runtime would report of itself."""
        self.events.append(Recorded(START_S + session_now(), self.run_id, event))

    def happened(self, happening: Happening) -> None:
        """What the session did."""
        self.happenings.append(happening)


def record(bundle: Bundle, worker: Worker, style: Style = Style.GOOD) -> Replay:
    """Let a worker do the task alone, in virtual time, and keep all that could be seen of it.

    Raises the BenchError of what went wrong. Call it outside an event loop.
    """
    with tempfile.TemporaryDirectory(prefix="jarvis-bench-") as top:
        return run_virtual(_record(bundle, worker, style, Path(top).resolve() / "run"))


async def _record(bundle: Bundle, worker: Worker, style: Style, folder: Path) -> Replay:
    workspace = Workspace(bundle.public, folder)
    app = AppState.of(bundle.public) if bundle.is_app else None
    events: list[Recorded] = []
    happenings: list[Happening] = []
    opened: list[Opened] = []
    sessions: dict[str, Session] = {}
    briefs = {stream.id: stream for stream in bundle.workstreams}

    def tools(name: str) -> Tools:
        main = f"{bundle.task_id}/{MAIN}"
        run_id = main if name == MAIN else f"{bundle.task_id}/{name}"
        parent = None if name == MAIN else main
        title = bundle.manifest.title if name == MAIN else briefs[name].label
        opened.append(Opened(run_id, title, parent))
        recorder = _Recorder(run_id, events, happenings)
        scope = workspace.scope(None if name == MAIN else name)
        link = Link(FreeReview(), recorder, lambda: START_S + session_now(), Pace())
        session = Session(
            Identity(bundle.task_id, run_id, name, parent), Place(scope, Shell(), app), link
        )
        session.begin(bundle.manifest.episode.brief if name == MAIN else briefs[name].brief)
        sessions[name] = session
        return session

    await play(worker, style, tools, lambda name: sessions[name].end(RunStatus.DONE))
    return Replay(
        bundle.task_id,
        bundle.manifest.episode.brief,
        tuple(opened),
        tuple(events),
        tuple(happenings),
    )
