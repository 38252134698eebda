"""One session: reading is free, changes are reviewed with their content, all is recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.errors import WorkerFailed
from bench.workers.app_state import AppState
from bench.workers.base import Deed, Pace
from bench.workers.session import MAX_CALLS, FreeReview, Identity, Link, Place, Session, Tape
from bench.workers.shell import Shell
from bench.workers.workspace import Workspace
from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.clock import session_now
from jarvis_voice.events import EvidenceKind, RunStatus
from jarvis_voice.runs.model import GuidanceGiven, ToolDenied, ToolFinished
from jarvis_voice.runs.reducer import fold, initial

APP = AppState(
    {"collections": {"notes": [{"id": "n1", "text": "old"}]}},
    {
        "actions": {
            "edit": {
                "required": ["note", "text"],
                "types": {"note": "string", "text": "string"},
                "target": {"collection": "notes", "argument": "note"},
                "set": {"text": {"from_argument": "text"}},
            }
        }
    },
)
NO = Ruling(Verdict.DENY, 'The user decided: "not so". [decision r-0123456789abcdef]')


class Ruled:
    """A review that gives these rulings in turn, then allows; and tells this once."""

    def __init__(self, *rulings: Ruling, told: str = "") -> None:
        self.seen: list[ProposedAction] = []
        self._rulings = list(rulings)
        self._told = told

    async def review(self, action: ProposedAction) -> Ruling:
        self.seen.append(action)
        return self._rulings.pop(0) if self._rulings else Ruling(Verdict.ALLOW)

    def waiting(self, run_id: str) -> str:
        told, self._told = self._told, ""
        return told


def _session(
    tmp_path: Path, review: Ruled | FreeReview, app: AppState | None = None
) -> tuple[Session, Tape]:
    public = tmp_path / "public"
    public.mkdir(exist_ok=True)
    (public / "a.txt").write_text("hello\n", encoding="utf-8")
    tape = Tape()
    place = Place(Workspace(public, tmp_path / "run").scope(), Shell(), app)
    link = Link(review, tape, session_now, Pace())
    return Session(Identity("project", "run-1"), place, link), tape


async def test_reading_is_free_and_takes_its_time(tmp_path: Path) -> None:
    review = Ruled()
    session, tape = _session(tmp_path, review)
    assert await session.look("a.txt") == (True, "hello\n")
    assert not (await session.look("b.txt")).ok
    assert await session.look_bytes("a.txt") == b"hello\n"
    assert review.seen == []
    assert session_now() == pytest.approx(12.0)
    assert [(item.deed, item.what) for item in tape.happenings] == [(Deed.READ, "a.txt")] * 2


async def test_a_write_is_reviewed_with_what_it_would_write(tmp_path: Path) -> None:
    review = Ruled(NO)
    session, tape = _session(tmp_path, review)
    refused = await session.write("results/final.json", '{"choice": "a"}')
    assert refused == (False, NO.reason)
    assert not (tmp_path / "run" / "results" / "final.json").exists()
    assert (await session.write("results/final.json", '{"choice": "b"}')).ok
    assert [action.files for action in review.seen] == [("results/final.json",)] * 2
    assert [action.content for action in review.seen] == ['{"choice": "a"}', '{"choice": "b"}']
    assert review.seen[0].fingerprint != review.seen[1].fingerprint
    assert [item.deed for item in tape.happenings] == [Deed.REFUSED, Deed.WRITTEN]
    assert any(isinstance(event, ToolDenied) for event in tape.events)


async def test_a_write_within_a_script_is_a_boundary_too(tmp_path: Path) -> None:
    review = Ruled(NO)
    session, tape = _session(tmp_path, review)
    command = "python3 -c \"open('results/' + 'fin' + 'al.json', 'w').write('{}')\""
    assert await session.run(command) == (False, NO.reason)
    [action] = review.seen
    assert action.command == command
    assert action.files == ("results/final.json",)
    assert action.content == "{}"
    assert not (tmp_path / "run" / "results" / "final.json").exists()
    assert (await session.run(command)).ok
    assert (tmp_path / "run" / "results" / "final.json").read_text(encoding="utf-8") == "{}"
    assert tape.happenings[-1].what == "results/final.json"


async def test_guidance_comes_with_a_permission_or_waits_for_a_sentence(tmp_path: Path) -> None:
    told = 'The user says: "use UTC". [decision r-0123456789abcdef]'
    review = Ruled(Ruling(Verdict.ALLOW, told), told=told)
    session, tape = _session(tmp_path, review)
    reply = await session.write("results/x.md", "x")
    assert reply.ok
    assert reply.text.endswith(told)
    assert await session.say("Half of it is done.") == (True, told)
    assert await session.say("All of it is done.") == (True, "")
    assert sum(isinstance(event, GuidanceGiven) for event in tape.events) == 2


async def test_what_cannot_be_written_is_not_reviewed(tmp_path: Path) -> None:
    review = Ruled()
    session, tape = _session(tmp_path, review)
    assert not (await session.write("a.txt", "x")).ok
    assert review.seen == []
    finished = [event for event in tape.events if isinstance(event, ToolFinished)]
    assert [event.ok for event in finished] == [False]


async def test_an_apps_changes_are_reviewed_and_its_records_are_not(tmp_path: Path) -> None:
    review = Ruled(NO)
    session, tape = _session(tmp_path, review, APP)
    assert (await session.act("list", {"collection": "notes"})).ok
    assert not (await session.act("edit", {"note": "n1", "text": "new"})).ok
    assert APP.log == []
    assert (await session.act("edit", {"note": "n1", "text": "new"})).ok
    assert [entry["ok"] for entry in APP.log] == [True]
    assert [action.tool for action in review.seen] == ["app_edit"] * 2
    assert '"new"' in review.seen[0].content
    assert "app/notes" in [item.what for item in tape.happenings if item.deed is Deed.READ]


async def test_a_session_without_an_app_has_no_actions(tmp_path: Path) -> None:
    session, _ = _session(tmp_path, FreeReview())
    assert await session.act("list", {"collection": "x"}) == (
        False,
        "There is no app in this task.",
    )


async def test_the_apps_reducer_folds_what_is_recorded(tmp_path: Path) -> None:
    session, tape = _session(tmp_path, Ruled(NO))
    session.begin("Do the thing.", "Thing")
    await session.look("a.txt")
    await session.say("There are 6 tests.")
    await session.write("results/x.md", "x")
    session.end()
    state = initial("run-1", "bench")
    for event in tape.events:
        state = fold(state, event)
    snapshot = state.snapshot
    assert snapshot.status is RunStatus.DONE
    assert snapshot.goal is not None
    assert "Do the thing." in snapshot.goal
    assert snapshot.tool_calls == 2
    assert snapshot.last_message == "There are 6 tests."
    assert EvidenceKind.DENIAL in {item.kind for item in snapshot.evidence}
    assert len({event.event_id for event in tape.events}) == len(tape.events)


async def test_endless_calls_are_stopped(tmp_path: Path) -> None:
    session, _ = _session(tmp_path, FreeReview())
    session.calls = MAX_CALLS
    with pytest.raises(WorkerFailed, match="more than"):
        await session.say("Once more.")
