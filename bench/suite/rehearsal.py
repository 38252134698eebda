"""Rehearses a scripted worker without any controller: alone, or told the right answers.

That is what the ladder tries bundles with. The tracks run workers under the app's own desk instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench.grading.run_dir import RunDir
from bench.requester import answer
from bench.suite.bundle import Bundle
from bench.suite.sealed import SealedTask, Window
from bench.workers.app_state import AppState
from bench.workers.base import Happening, Pace, Style, Tools, Worker
from bench.workers.play import MAIN, play
from bench.workers.session import (
    FreeReview,
    Identity,
    Link,
    Place,
    Review,
    Session,
    Tape,
)
from bench.workers.shell import Shell
from bench.workers.workspace import Workspace
from jarvis_voice.attention.guidance import decision_text, receipt_of, with_call
from jarvis_voice.boundary import AnswerKind, ProposedAction, Ruling, UserAnswer, Verdict
from jarvis_voice.clock import session_now
from jarvis_voice.virtual_time import run_virtual

EPOCH_S = 1_750_000_000.0  # the Unix time at which every rehearsal begins


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What came of it."""

    run: RunDir
    tape: Tape
    calls: int  # tool calls of all sessions
    lasted_s: float  # virtual
    sessions: Mapping[str, Session] = field(default_factory=dict)

    @property
    def happenings(self) -> list[Happening]:
        """All that the sessions did, in order."""
        return self.tape.happenings


class Answering:
    """A review that holds the write that closes each window once, and tells what the user said.

    The user is asked the window's own question, so this is the best that any controller can do.
    """

    def __init__(self, sealed: SealedTask) -> None:
        self._sealed = sealed
        self._open = list(sealed.windows)
        self.told: list[str] = []

    async def review(self, action: ProposedAction) -> Ruling:
        """Denied with the user's words when a window closes here; else allowed."""
        due = [window for window in self._open if window.closes_when.written in action.files]
        if not due:
            return Ruling(Verdict.ALLOW)
        self._open = [window for window in self._open if window not in due]
        texts = [self._text(window, action) for window in due]
        self.told += texts
        return Ruling(Verdict.DENY, with_call(" ".join(texts), Verdict.DENY))

    def waiting(self, run_id: str) -> str:
        """Nothing: all is told where it is needed."""
        del run_id
        return ""

    def _text(self, window: Window, action: ProposedAction) -> str:
        words = answer(window.question, self._sealed.settled).user_text
        given = UserAnswer(window.id, AnswerKind.WORDS, Verdict.DENY, words, action.at_s)
        return decision_text(window.question, given, receipt_of(window.id, action.run_id))


def rehearse(
    bundle: Bundle,
    worker: Worker,
    folder: Path,
    style: Style = Style.GOOD,
    review: Review | None = None,
) -> Rehearsed:
    """Let a worker do the task in virtual time. Raises the BenchError of what went wrong."""
    return run_virtual(_rehearse(bundle, worker, folder, style, review or FreeReview()))


async def _rehearse(
    bundle: Bundle, worker: Worker, folder: Path, style: Style, review: Review
) -> Rehearsed:
    workspace = Workspace(bundle.public, folder)
    app = AppState.of(bundle.public) if bundle.is_app else None
    tape = Tape()
    link = Link(review, tape, lambda: EPOCH_S + session_now(), Pace())
    sessions: dict[str, Session] = {}

    def tools(session: str) -> Tools:
        stream = None if session == MAIN else session
        main_id = f"{bundle.task_id}-{MAIN}"
        who = Identity(
            bundle.task_id,
            f"{bundle.task_id}-{session}",
            session,
            None if stream is None else main_id,
        )
        sessions[session] = Session(who, Place(workspace.scope(stream), Shell(), app), link)
        return sessions[session]

    await play(worker, style, tools)
    if app is not None:
        app.save(folder)
    calls = sum(session.calls for session in sessions.values())
    return Rehearsed(RunDir(folder, bundle.public), tape, calls, session_now(), sessions)
