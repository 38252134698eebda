"""The gate of an agent runtime: what is looked at when, also when hooks do not come in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.suite.bundle import load_bundle
from bench.tracks.boundary import Holds
from bench.tracks.crew import Site
from bench.tracks.eyes import Eyes
from bench.tracks.keeper import Keeper
from bench.tracks.watching import Timeline, Watching, Windows
from bench.workers.afterwards import Afterwards
from bench.workers.session import MAX_CALLS
from bench.workers.view import View
from bench.workers.workspace import Workspace
from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runtimes import RUNTIMES

Tiny = Callable[..., Path]
NO = Ruling(Verdict.DENY, "Not so.")


class Boundary:
    """Refuses what writes one of these files; never rules on ``undecided``."""

    def __init__(self) -> None:
        self.refused: set[str] = set()
        self.undecided: set[str] = set()
        self.said = ""
        self.seen: list[ProposedAction] = []
        self.ended: list[str] = []
        self.by_user = False

    async def review(self, action: ProposedAction) -> Ruling:
        self.seen.append(action)
        if self.undecided & set(action.files):
            await asyncio.get_running_loop().create_future()
        if self.refused & set(action.files):
            return NO
        return Ruling(Verdict.ALLOW, by_user=self.by_user)

    def waiting(self, run_id: str) -> str:
        said, self.said = self.said, ""
        return said

    def batch_ended(self, run_id: str) -> None:
        self.ended.append(run_id)


class Desk:
    """A keeper in a folder, and what a runtime would tell it."""

    def __init__(self, root: Path, top: Path) -> None:
        bundle = load_bundle(root)
        workspace = Workspace(bundle.public, top / "run")
        self.watching = Watching(Windows(()), Timeline(0.0))
        graders = top / "graders"
        site = Site(bundle, workspace, self.watching, Holds(), lambda: 5.0, graders)
        self.boundary = Boundary()
        view = View(workspace.scope(), top / "project")
        eyes = Eyes(site, "claude-code", view.folder)
        self.keeper = Keeper(site, self.boundary, view, eyes, list)
        self.runtime = Afterwards(RUNTIMES["claude-code"])
        self.project, self.kept = view.folder, workspace.folder

    async def tell(self, event: str, call_id: str = "t1", **fields: Any) -> Ruling | None:
        payload = {"hook_event_name": event, "session_id": "s", "tool_use_id": call_id}
        payload |= {"tool_name": "Bash", "tool_input": {"command": "make"}, **fields}
        self.keeper.observe("claude-code", payload)
        action = self.runtime.proposed(payload, 0.0)
        return await self.keeper.review(action) if action is not None else None

    def write(self, name: str, text: str = "new") -> None:
        (self.project / name).write_text(text)

    def results(self) -> dict[str, str]:
        return {f.name: f.read_text() for f in sorted((self.kept / "results").iterdir())}


@pytest.fixture
def desk(tiny: Tiny, tmp_path: Path) -> Desk:
    return Desk(tiny(), tmp_path)


async def test_what_a_command_wrote_is_offered_with_its_content(desk: Desk) -> None:
    await desk.tell("PreToolUse", tool_input={"command": f"cd {desk.project}/sources; make"})
    desk.write("results/a.txt")
    assert await desk.tell("PostToolUse") == Ruling(Verdict.ALLOW)
    before, after = desk.boundary.seen
    assert (before.command, before.run_id) == ("cd sources; make", "gifts/main")
    assert (after.files, after.content) == (("results/a.txt",), "new")
    assert (after.project_id, after.at_s) == ("gifts", 5.0)
    assert before.action_id != after.action_id
    assert desk.results() == {"a.txt": "new"}


async def test_a_proposed_write_is_not_offered_again_and_what_came_beside_it_is(
    desk: Desk,
) -> None:
    write: dict[str, Any] = {
        "tool_name": "Write",
        "tool_input": {"file_path": f"{desk.project}/results/a.txt", "content": "new"},
    }
    await desk.tell("PreToolUse", **write)
    desk.write("results/a.txt")
    await desk.tell("PostToolUse", **write)
    assert [action.files for action in desk.boundary.seen] == [("results/a.txt",)]
    desk.boundary.refused = {"results/b.txt"}
    await desk.tell("PreToolUse", "t2", **write)
    desk.write("results/a.txt", "newer")
    desk.write("results/b.txt")
    ruling = await desk.tell("PostToolUse", "t2", **write)
    assert ruling is not None
    assert (ruling.verdict, ruling.reason.splitlines()[0]) == (Verdict.DENY, "Not so.")
    assert "results/b.txt" in ruling.reason
    assert desk.results() == {"a.txt": "newer"}
    assert not (desk.project / "results/b.txt").exists()


async def test_what_the_user_has_just_decided_on_is_not_offered_again(desk: Desk) -> None:
    command = {"tool_input": {"command": "make > results/a.txt"}}
    desk.boundary.by_user = True
    await desk.tell("PreToolUse", **command)
    desk.write("results/a.txt")
    await desk.tell("PostToolUse", **command)
    assert len(desk.boundary.seen) == 1
    assert desk.results() == {"a.txt": "new"}


async def test_what_was_missed_is_looked_at_before_the_next_call(desk: Desk) -> None:
    desk.boundary.refused = {"results/a.txt"}
    desk.write("results/a.txt")
    assert (await desk.tell("PreToolUse") or NO).verdict is Verdict.DENY
    assert [action.files for action in desk.boundary.seen] == [("results/a.txt",)]
    assert (await desk.tell("PreToolUse", "t2") or NO).verdict is Verdict.ALLOW
    desk.write("results/b.txt")
    await desk.tell("PreToolUse", "t3")  # the one before has not ended: nobody knows whose it is
    assert desk.results() == {}
    await desk.tell("PostToolUse", "t2")
    assert desk.results() == {"b.txt": "new"}


async def test_what_was_missed_is_looked_at_when_the_agent_wants_to_stop(desk: Desk) -> None:
    await desk.tell("PreToolUse")  # and nobody tells that it ended
    desk.write("results/a.txt")
    desk.boundary.refused = {"results/a.txt"}
    assert (await desk.tell("Stop") or NO).verdict is Verdict.DENY
    desk.boundary.refused = set()
    await desk.tell("PreToolUse", "t2", agent_id="child")
    desk.write("results/a.txt")
    assert await desk.tell("Stop") == Ruling(Verdict.ALLOW)
    assert desk.results() == {}  # a child is still at work
    await desk.tell("PostToolUse", "t2", agent_id="child")
    assert desk.results() == {"a.txt": "new"}
    assert desk.boundary.seen[-1].run_id == "gifts/child-1"
    assert desk.boundary.seen[-1].parent_run_id == "gifts/main"


async def test_what_the_user_says_unasked_goes_along_with_the_next_result(desk: Desk) -> None:
    await desk.tell("PreToolUse")
    desk.boundary.said = "Use UTC."
    assert await desk.tell("PostToolUse") == Ruling(Verdict.ALLOW, "Use UTC.")
    assert await desk.tell("Stop") == Ruling(Verdict.ALLOW)
    await desk.tell("PostToolBatch")
    assert desk.boundary.ended == ["gifts/main"]


async def test_a_runtime_that_hangs_up_leaves_its_results_to_be_looked_at(desk: Desk) -> None:
    await desk.tell("PreToolUse")
    desk.write("results/a.txt")
    desk.boundary.undecided = {"results/a.txt"}
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1.0):
            await desk.tell("PostToolUse")
    assert desk.results() == {}
    desk.boundary.undecided = set()
    await desk.tell("Stop")
    assert desk.results() == {"a.txt": "new"}


async def test_a_worker_without_end_is_stopped(desk: Desk) -> None:
    desk.keeper.calls = MAX_CALLS - 1
    assert (await desk.tell("PreToolUse") or NO).verdict is Verdict.ALLOW
    assert desk.keeper.fault is None
    assert (await desk.tell("PreToolUse", "t2") or NO).verdict is Verdict.DENY
    assert "tool calls" in str(desk.keeper.fault)


@pytest.mark.parametrize(
    ("tool", "key"), [("Bash", "command"), ("Read", "file_path"), ("mcp__files__open", "where")]
)
@pytest.mark.parametrize("place", ["tasks/gifts/sealed/task.json", "graders/gifts/grade.py"])
async def test_who_turns_to_a_folder_of_sealed_halves_is_stopped(
    desk: Desk, tmp_path: Path, tool: str, key: str, place: str
) -> None:
    there = {key: f"{tmp_path}/{place}"}
    ruling = await desk.tell("PreToolUse", tool_name=tool, tool_input=there)
    assert ruling is not None
    assert ruling.verdict is Verdict.DENY
    assert "sealed halves" in str(desk.keeper.fault)
    assert desk.boundary.seen == []


async def test_what_nobody_has_looked_at_in_the_end_does_not_count(desk: Desk) -> None:
    for name in ("results/a.txt", "sources/gifts.csv", "make.py"):
        desk.write(name)
    desk.keeper.close()
    assert desk.results() == {}
    assert {m.kind: m.text for m in desk.watching.timeline.moments} == {
        "put back": "sources/gifts.csv",
        "not kept": "results/a.txt",
        "left aside": "make.py",
    }
