from __future__ import annotations

import asyncio
import dataclasses
import json
import math
import os
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from jarvis_voice.clock import session_now, unix_now
from jarvis_voice.errors import RunSourceError
from jarvis_voice.events import RunChanged, RunStatus
from jarvis_voice.runs.model import AgentSaid, PromptGiven, RunEvent
from jarvis_voice.runs.sources import Recording, open_recording
from jarvis_voice.runs.watcher import KEPT_VERSIONS, RunWatcher


class Published(list[RunChanged]):
    """What was published; ``until`` waits for a state."""

    def __init__(self) -> None:
        super().__init__()
        self._more = asyncio.Event()

    def __call__(self, change: RunChanged) -> None:
        self.append(change)
        self._more.set()

    async def until(self, fits) -> RunChanged:
        async with asyncio.timeout(10):
            while not (self and fits(self[-1].snapshot)):
                self._more.clear()
                await self._more.wait()
        return self[-1]


def recording(*events: RunEvent) -> Recording:
    return Recording("r", "claude-code", "a run", events)


def said(text: str, number: int = 0) -> str:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    record = {
        "type": "assistant",
        "message": message,
        "uuid": f"u{text}{number}",
        "sessionId": "s1",
    }
    return json.dumps(record) + "\n"


async def test_a_replay_keeps_the_recorded_times_at_its_pace(demo_run: Path) -> None:
    published = Published()
    run = open_recording(demo_run)
    length_s = run.events[-2].at_s - run.events[0].at_s
    watcher = RunWatcher(published)
    before = session_now()
    await watcher.replay(run, pace=0.5)
    assert session_now() - before == pytest.approx(length_s / 0.5, abs=0.01)
    assert [change.snapshot.version for change in published] == list(range(len(run.events) + 1))
    assert watcher.snapshots()[0].status is RunStatus.DONE
    denied = next(change for change in published if len(change.snapshot.evidence) == 3)
    assert denied.at_s - before == pytest.approx(2 * (1795985664.974 - 1795985660.733), abs=0.05)


async def test_the_present_of_a_replayed_run_is_in_its_own_time(demo_run: Path) -> None:
    run = open_recording(demo_run)
    start_s = run.events[0].at_s
    watcher = RunWatcher(Published())
    async with asyncio.TaskGroup() as group:
        group.create_task(watcher.replay(run, pace=2.0))
        await asyncio.sleep(1.0)
        assert watcher.run_time_s(run.run_id) == pytest.approx(start_s + 2.0, abs=0.01)
    await asyncio.sleep(1000)
    assert watcher.run_time_s(run.run_id) == pytest.approx(
        watcher.snapshots()[0].updated_at_s, abs=0.01
    )
    assert watcher.run_time_s("another") is None


async def test_an_instant_replay_neither_waits_nor_floods(demo_run: Path) -> None:
    published = Published()
    watcher = RunWatcher(published)
    before = session_now()
    await watcher.replay(open_recording(demo_run), math.inf)
    assert session_now() == before
    assert [change.snapshot.version for change in published] == [0, 14]
    assert watcher.snapshots()[0].status is RunStatus.DONE


async def test_times_that_jump_back_or_are_missing_do_not_stop_a_replay() -> None:
    times = [None, 100.0, 90.0, None, 101.0]
    events = [AgentSaid(str(n), at_s, f"word {n}") for n, at_s in enumerate(times)]
    watcher = RunWatcher(Published())
    before = session_now()
    await watcher.replay(recording(*events))
    assert session_now() - before == pytest.approx(1.0)
    assert watcher.snapshots()[0].version == 5


async def test_a_recording_without_times_is_told_step_by_step() -> None:
    events = [AgentSaid(str(n), None, f"word {n}") for n in range(5)]
    watcher = RunWatcher(Published())
    before = session_now()
    await watcher.replay(recording(*events))
    assert session_now() - before == pytest.approx(2.0)


@pytest.mark.parametrize("pace", [0.0, -1.0, math.nan])
async def test_an_impossible_pace_is_refused(pace: float) -> None:
    with pytest.raises(ValueError, match="pace"):
        await RunWatcher(Published()).replay(recording(), pace)


async def test_changes_since_a_version_are_the_difference() -> None:
    events = [PromptGiven("p", 0.0, "go")]
    events += [AgentSaid(str(n), float(n), f"word {n}") for n in range(1, 6)]
    watcher = RunWatcher(Published())
    await watcher.replay(recording(*events))
    texts = [item.text for item in watcher.changes_since("r", 4).new_evidence]
    assert texts == ["word 4", "word 5"]
    assert watcher.changes_since("r", 6).new_evidence == ()
    assert watcher.changes_since("other", 1) is None


async def test_a_version_that_is_no_longer_kept_counts_as_never_heard() -> None:
    events = [AgentSaid(str(n), float(n), f"word {n}") for n in range(KEPT_VERSIONS + 50)]
    watcher = RunWatcher(Published())
    await watcher.replay(recording(*events))
    assert watcher.changes_since("r", 3).from_version is None


async def test_several_runs_are_kept_apart(demo_run: Path) -> None:
    first = open_recording(demo_run)
    second = dataclasses.replace(first, run_id="other", title="The other", events=first.events[:3])
    watcher = RunWatcher(Published())
    async with asyncio.TaskGroup() as group:
        group.create_task(watcher.replay(first))
        group.create_task(watcher.replay(second))
    by_id = {run.run_id: run for run in watcher.snapshots()}
    assert by_id[first.run_id].status is RunStatus.DONE
    assert by_id["other"].status is RunStatus.WORKING


# --- following a file; real time, for the file is read in a thread -----------------------------


@asynccontextmanager
async def following(path: Path):
    published = Published()
    watcher = RunWatcher(published)
    task = asyncio.ensure_future(watcher.follow(path, poll_s=0.01))
    try:
        yield watcher, published
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def has_said(text: str):
    return lambda run: run.last_message == text


@pytest.mark.real_time
async def test_a_growing_file_is_followed_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    async with following(path) as (watcher, published):
        assert watcher.snapshots() == ()
        path.write_text(said("one"))
        await published.until(has_said("one"))
        with path.open("a") as file:
            whole = said("two")
            file.write(whole[:30])
            file.flush()
            file.write(whole[30:] + said("three"))
        await published.until(has_said("three"))
        run = watcher.snapshots()[0]
        assert [item.text for item in run.evidence] == ["one", "two", "three"]
        assert run.degraded is None
        assert run.run_id == "s1"
        assert watcher.run_time_s("s1") == pytest.approx(unix_now(), abs=5)


@pytest.mark.real_time
async def test_a_file_that_is_cut_and_written_again_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(said("one") + said("two"))
    async with following(path) as (_, published):
        await published.until(has_said("two"))
        path.write_text(said("one"))
        path.write_text(said("one") + said("two") + said("three"))
        change = await published.until(has_said("three"))
        assert [item.text for item in change.snapshot.evidence] == ["one", "two", "three"]


@pytest.mark.real_time
async def test_a_rotated_file_goes_on_in_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(said("one"))
    async with following(path) as (_, published):
        await published.until(has_said("one"))
        os.replace(path, tmp_path / "run.jsonl.1")
        path.write_text(said("two"))
        change = await published.until(has_said("two"))
        assert [item.text for item in change.snapshot.evidence] == ["one", "two"]


@pytest.mark.real_time
async def test_a_deleted_file_is_said_and_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(said("one"))
    async with following(path) as (_, published):
        await published.until(has_said("one"))
        path.unlink()
        await published.until(lambda run: run.degraded == "The file run.jsonl is gone.")
        path.write_text(said("one") + said("back"))
        change = await published.until(has_said("back"))
        assert change.snapshot.last_message == "back"


@pytest.mark.real_time
async def test_a_folder_can_not_be_followed(tmp_path: Path) -> None:
    with pytest.raises(RunSourceError, match="is a folder"):
        await RunWatcher(Published()).follow(tmp_path)
