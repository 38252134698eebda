from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from jarvis_voice.clock import unix_now
from jarvis_voice.events import RunStatus
from jarvis_voice.runs.discovery import Homes, recent_files
from jarvis_voice.runs.live.claude_code import AgentState, ClaudeAgents, agents_of, news
from jarvis_voice.runs.live.everything import LiveRuns, Places
from jarvis_voice.runs.live.files import FileWatch
from jarvis_voice.runs.model import RunEnded, RunTitled, WaitingForUser, WaitOver

pytestmark = pytest.mark.real_time
SESSION = "a8d51c97-f821-43be-9691-f4da7d6d0cb6"


@pytest.fixture
def homes(tmp_path: Path) -> Homes:
    return Homes(*(tmp_path / name for name in ("claude", "codex", "openclaw", "events")))


def place(path: Path, *records: dict) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    return path


def claude(text: str, kind: str = "user", session: str = SESSION, **more: object) -> dict:
    message = {"role": kind, "content": [{"type": "text", "text": text}]}
    return {"type": kind, "uuid": text, "sessionId": session, "message": message} | more


def rollout(kind: str, **payload: object) -> dict:
    return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}


def populate(homes: Homes) -> None:
    project = homes.claude / "projects" / "-w-shop"
    place(project / f"{SESSION}.jsonl", claude("Build it", cwd="/w/shop"))
    child = {"isSidechain": True, "agentId": "a1"}
    place(project / SESSION / "subagents" / "agent-a1.jsonl", claude("Look", **child))
    day = homes.codex / "sessions" / "2026" / "01" / "31"
    meta = rollout("session_meta", id="t-1", cwd="/w/api")
    said = rollout("event_msg", type="user_message", message="Fix it")
    place(day / "rollout-2026-01-31T00-00-00-t-1.jsonl", meta, said)
    started = {"schema": "jarvis.event/v1", "run": "n", "type": "started", "goal": "Report"}
    place(homes.events / "n.jsonl", started)


async def test_every_kind_of_file_is_found_and_followed(homes: Homes, tools) -> None:
    populate(homes)
    sink = tools.Watching()
    watch = FileWatch(sink, lambda now_s: recent_files(homes, now_s))
    async with tools.running(watch.run):
        await sink.until(lambda run: run.goal == "Report")
        await sink.until(lambda run: run.run_id == "t-1" and run.goal == "Fix it")
        child = await sink.until(lambda run: run.parent_run_id == SESSION)
        assert (child.run_id, child.goal) == (f"{SESSION}/a1", "Look")
        path = homes.claude / "projects" / "-w-shop" / f"{SESSION}.jsonl"
        place(path, claude("I build", "assistant"))
        now = await sink.until(lambda run: run.last_message == "I build")
        assert (now.run_id, now.cwd) == (SESSION, "/w/shop")
        path.unlink()
        await sink.until(lambda run: run.degraded == f"The file {SESSION}.jsonl is gone.")


async def test_old_files_and_other_files_are_no_runs_that_go_on(homes: Homes) -> None:
    populate(homes)
    now_s = unix_now()
    found = recent_files(homes, now_s)
    assert {item.runtime for item in found} == {"claude-code", "codex", "other"}
    assert len(found) == 4
    for item in found:
        os.utime(item.path, (now_s - 7200, now_s - 7200))
    assert recent_files(homes, now_s) == []
    assert len(recent_files(homes, now_s, recent_s=3 * 3600)) == 4
    place(homes.events / "notes.txt", {})
    (homes.events / "folder.jsonl").mkdir()
    assert recent_files(homes, now_s) == []
    assert recent_files(Homes(*[Path("/nowhere")] * 4), now_s) == []


async def test_a_quiet_file_is_let_go_and_found_again(homes: Homes, tools) -> None:
    populate(homes)
    found = recent_files(homes, unix_now())
    answers = [found, [], found]
    sink = tools.Watching()
    watch = FileWatch(sink, lambda now_s: answers.pop(0))
    await watch.catch_up()
    before = [run.version for run in sink.snapshots()]
    await watch.catch_up()
    assert watch._tails == {}
    await watch.catch_up()
    assert [run.version for run in sink.snapshots()] == before, "what was read counts once"


def program(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "claude.py"
    path.write_text(text)
    return [sys.executable, str(path)]


async def test_claude_code_is_asked_for_what_its_files_do_not_tell(tmp_path: Path, tools) -> None:
    listed = [
        {"sessionId": SESSION, "cwd": "/w", "name": "Shop", "state": "blocked"}
        | {"waitingFor": "permission prompt", "pid": 7, "kind": "interactive"}
    ]
    sink = tools.Watching()
    text = f"import sys; assert sys.argv[1:] == ['agents', '--json']; print({json.dumps(listed)!r})"
    asked = ClaudeAgents(sink, program(tmp_path, text))
    await asked.look()
    [now] = sink.snapshots()
    assert (now.run_id, now.title, now.status) == (SESSION, "Shop", RunStatus.WAITING)
    assert now.waiting_for == "permission for what it is about to do"
    version = now.version
    await asked.look()
    assert sink.snapshots()[0].version == version


@pytest.mark.parametrize("text", ["print('{')", "print('[]')", "raise SystemExit(3)", "print(5)"])
async def test_a_program_that_answers_nonsense_is_no_news(tmp_path: Path, text, tools) -> None:
    sink = tools.Watching()
    assert await ClaudeAgents(sink, program(tmp_path, text)).look() == ()
    assert await ClaudeAgents(sink, ["/nowhere/claude"]).look() == ()
    assert sink.snapshots() == ()


def test_news_are_what_changed() -> None:
    now = AgentState("s", "A", "/w", "working", "")
    waits = AgentState("s", "A", "/w", "blocked", "input needed")
    failed = AgentState("s", "A", "/w", "failed", "")
    kinds = [
        [type(event) for event in news(*pair, "k")]
        for pair in ((now, None), (now, now), (waits, now), (now, waits), (failed, waits))
    ]
    assert kinds == [[RunTitled], [], [WaitingForUser], [WaitOver], [WaitOver, RunEnded]]
    assert agents_of('{"sessions": [{"sessionId": "s", "status": "working"}, 4, {}]}') == (
        AgentState("s", "", "", "working", ""),
    )


async def test_everything_together_starts_and_ends(homes: Homes, tools) -> None:
    populate(homes)
    sink = tools.Watching()
    places = Places(homes, claude_program=[], opencode_url=None)
    live = LiveRuns(sink, places)
    async with tools.running(live.run):
        await sink.until(lambda run: run.goal == "Report")
        assert live.control("n") is None
        assert live.approvals() == ()
