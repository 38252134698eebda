"""Scripted workers: loaded by the bundle, and settling a decision by what the user says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.errors import BenchError, WorkerFailed, WorkspaceFailed
from bench.suite.catalog import TASKS, find, task_ids
from bench.suite.rehearsal import Answering, rehearse
from bench.suite.sealed import load_sealed
from bench.workers.base import Decision, Reply, Style, Tools, Work, Worker
from bench.workers.play import play
from bench.workers.scripted import (
    Choice,
    Listening,
    as_record,
    load_worker,
    read,
    read_json,
    settle,
)

DECISION = Decision({"red": ("red",), "blue": ("blue",)}, "red")


class Shelf:
    """Tools that know a few files and nothing else."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    async def look(self, path: str) -> Reply:
        return Reply(path in self._files, self._files.get(path, f"There is no {path}."))

    async def look_bytes(self, path: str) -> bytes:
        return b""

    async def write(self, path: str, text: str) -> Reply:
        return Reply(True, "")

    async def run(self, command: str) -> Reply:
        return Reply(True, "")

    async def act(self, action: str, arguments: Mapping[str, Any]) -> Reply:
        return Reply(True, "")

    async def say(self, text: str) -> Reply:
        return Reply(True, "")


def _said(words: str) -> str:
    return f'The user was asked: "Which?" The user decided: "{words}" [decision r-0123456789abcdef]'


@pytest.mark.parametrize(
    ("replies", "choices"),
    [
        ([Reply(True, "Wrote it.")], [Choice("red")]),
        (
            [Reply(False, _said("Blue.")), Reply(True, "Wrote it.")],
            [Choice("red"), Choice("blue", True, False, "Blue.")],
        ),
        (
            [Reply(True, f"Wrote it. {_said('Blue.')}"), Reply(True, "Wrote it.")],
            [Choice("red"), Choice("blue", True, False, "Blue.")],
        ),
        (
            [Reply(False, _said("You decide.")), Reply(True, "Wrote it.")],
            [Choice("red"), Choice("red", False, True, "You decide.")],
        ),
        ([Reply(False, "Refused without a word.")] * 4, [Choice("red")] * 4),
    ],
)
async def test_a_decision_is_settled_by_what_the_user_says(
    replies: list[Reply], choices: list[Choice]
) -> None:
    made: list[Choice] = []

    async def deliver(choice: Choice) -> Reply:
        made.append(choice)
        return replies[len(made) - 1]

    settled = await settle(DECISION, deliver)
    assert made == choices
    assert settled == choices[-1]


async def test_who_listens_misses_no_word_that_came_with_another_call() -> None:
    class Telling(Shelf):
        """Says something along with the second call."""

        calls = 0

        async def write(self, path: str, text: str) -> Reply:
            self.calls += 1
            return Reply(True, _said("No, blue.") if self.calls == 2 else "Wrote it.")

    for listens, wanted in ((True, "blue"), (False, "red")):
        shelf = Telling({})
        tools = Listening(shelf)

        async def deliver(choice: Choice, tools: Tools = tools) -> Reply:
            for path in ("results/first.csv", "results/second.csv"):
                await tools.write(path, choice.option)
            return await tools.write("results/final.json", choice.option)

        settled = await settle(DECISION, deliver, None, tools if listens else None)
        assert settled.option == wanted
        assert shelf.calls == (6 if listens else 3)


async def test_a_worker_cannot_go_on_without_its_materials() -> None:
    tools: Tools = Shelf({"a.json": '{"x": 1}', "b.json": "{"})
    assert await read_json(tools, "a.json") == {"x": 1}
    with pytest.raises(WorkerFailed, match="no JSON"):
        await read_json(tools, "b.json")
    with pytest.raises(WorkerFailed, match=r"There is no c\.csv"):
        await read(tools, "c.csv")
    assert as_record({"ä": 1}) == '{\n  "ä": 1\n}\n'


@pytest.mark.parametrize("task_id", task_ids())
def test_every_bundle_has_its_worker(task_id: str) -> None:
    bundle = find(task_id)
    worker = load_worker(bundle)
    assert set(worker.decisions) == {window.id for window in load_sealed(bundle).windows}


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("x = 1", "lacks work"),
        ("async def work(tools, style): pass\nDECISIONS = {'a': 7}", "no default among"),
        ("raise ValueError('no')", "ValueError"),
    ],
)
def test_a_file_that_is_no_worker_is_refused(tmp_path: Path, code: str, says: str) -> None:
    import shutil

    root = tmp_path / "control_crate_deposits"
    shutil.copytree(TASKS / "control_crate_deposits", root)
    (root / "worker.py").write_text(code, encoding="utf-8")
    with pytest.raises(WorkerFailed, match=says):
        load_worker(find(root.name, tmp_path))


async def _raises(tools: Tools, style: Style) -> None:
    raise KeyError("nothing there")


async def _fails(tools: Tools, style: Style) -> None:
    raise WorkspaceFailed("The disk is full.")


async def _works(tools: Tools, style: Style) -> None:
    await tools.say("Done.")


@pytest.mark.parametrize(
    ("main", "stream", "kind"),
    [
        (_raises, _works, WorkerFailed),
        (_works, _raises, WorkerFailed),
        (_fails, _works, WorkspaceFailed),
        (_works, _fails, WorkspaceFailed),
    ],
)
async def test_what_a_worker_raises_has_a_name(
    main: Work, stream: Work, kind: type[BenchError]
) -> None:
    with pytest.raises(kind):
        await play(Worker(main, {"one": stream, "two": _works}), Style.GOOD, lambda _: Shelf({}))


def test_a_rehearsal_is_the_same_each_time(tmp_path: Path) -> None:
    bundle = find("project_footbridge")
    worker, sealed = load_worker(bundle), load_sealed(bundle)
    first = rehearse(bundle, worker, tmp_path / "a", review=Answering(sealed))
    again = rehearse(bundle, worker, tmp_path / "b", review=Answering(sealed))
    assert first.tape.events == again.tape.events
    assert first.happenings == again.happenings
    assert first.run.digest() == again.run.digest()
    assert first.lasted_s == again.lasted_s
    assert set(first.sessions) == {"main", "survey", "detours"}
