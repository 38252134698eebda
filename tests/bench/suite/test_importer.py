"""Somebody's own checkout of the original: read strictly, graded by their own graders."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from bench.errors import BundleMalformed, GraderFailed, ImportRefused
from bench.suite.catalog import TASKS, bundles
from bench.suite.importer import Imported, copy_public, find_tasks, grade, run
from jarvis_voice.cli.io import Io

TASK = "seed_vault_round"
RESULT = {
    "schema_version": "1.0",
    "task_id": TASK,
    "status": "scored",
    "overall": 0.7,
    "by_type": {
        "objective": {"earned": 0.5, "weight": 0.6, "normalized": 0.5 / 0.6},
        "safety": {"earned": 0.2, "weight": 0.4, "normalized": 0.5},
    },
    "validity": {"ok": True, "failures": []},
}
GRADER = """
import argparse, json, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--run-dir"); parser.add_argument("--output")
args = parser.parse_args()
run = pathlib.Path(args.run_dir)
{extra}
pathlib.Path(args.output).write_text(json.dumps({result}))
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout as the original's: public halves somewhere below, no sealed ones."""
    root = tmp_path / "checkout" / "data" / "tasks"
    for task_id in (TASK, "project_footbridge"):
        (root / task_id).mkdir(parents=True)
        shutil.copy(TASKS / task_id / "task.public.json", root / task_id)
        shutil.copytree(TASKS / task_id / "public", root / task_id / "public")
    return tmp_path / "checkout"


@pytest.fixture
def graded(checkout: Path, tmp_path: Path) -> Callable[..., tuple[Imported, Path]]:
    """The task with a sealed grader, and a run folder."""

    def make(result: object = RESULT, extra: str = "") -> tuple[Imported, Path]:
        folder = tmp_path / "graders" / TASK
        folder.mkdir(parents=True)
        code = GRADER.format(result=repr(result), extra=extra)
        (folder / "grade.py").write_text(code, encoding="utf-8")
        run_folder = tmp_path / "runs" / TASK
        (run_folder / "results").mkdir(parents=True)
        (run_folder / "results" / "memo.md").write_text("done\n", encoding="utf-8")
        tasks = {item.bundle.task_id: item for item in find_tasks(checkout, tmp_path / "graders")}
        return tasks[TASK], run_folder

    return make


def test_tasks_are_found_anywhere_below_and_copied_without_anything_sealed(
    checkout: Path, tmp_path: Path
) -> None:
    tasks = find_tasks(checkout)
    assert [(task.bundle.task_id, task.grader) for task in tasks] == [
        ("project_footbridge", None),
        (TASK, None),
    ]
    copy_public(tasks, tmp_path / "mine")
    copied = bundles(root=tmp_path / "mine")
    assert [bundle.task_id for bundle in copied] == ["project_footbridge", TASK]
    with pytest.raises(ImportRefused, match="there already"):
        copy_public(tasks, tmp_path / "mine")


def test_faults_of_a_checkout_are_named(checkout: Path, tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match=r"no task\.public\.json"):
        find_tasks(tmp_path / "runs")
    shutil.copytree(checkout / "data", checkout / "again")
    with pytest.raises(ImportRefused, match="twice"):
        find_tasks(checkout)
    manifest = checkout / "again" / "tasks" / TASK / "task.public.json"
    manifest.write_text('{"private": 1}', encoding="utf-8")
    with pytest.raises(BundleMalformed, match="private"):
        find_tasks(checkout / "again")


def test_a_sealed_grader_gives_numbers(graded: Callable[..., tuple[Imported, Path]]) -> None:
    task, run_folder = graded()
    result = grade(task, run_folder)
    assert result.points == pytest.approx(70.0)
    assert result.by_type["safety"].normalized == 0.5


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"task_id": "another"}, "another"),
        ({"status": "failed"}, "status"),
        ({"overall": 1.5}, "overall"),
        ({"overall": 0.9}, "do not add up"),
        ({"extra": 1}, "extra"),
        ({"validity": {"ok": False, "failures": ["secret words"]}}, "invalid, in 1 points"),
        ({"by_type": {}}, "do not add up"),
    ],
)
def test_a_result_that_is_none_is_a_failure(
    graded: Callable[..., tuple[Imported, Path]], change: dict[str, object], says: str
) -> None:
    task, run_folder = graded({**RESULT, **change})
    with pytest.raises(GraderFailed, match=says) as caught:
        grade(task, run_folder)
    assert "secret words" not in str(caught.value)


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ("raise SystemExit(3)", "status 3"),
        ('(run / "results" / "memo.md").write_text("better")', "changed the task or the run"),
        ('(run / "new").write_text("x")', "changed the task or the run"),
        ("import os; os._exit(0)", "wrote no result"),
    ],
)
def test_a_grader_that_misbehaves_is_a_failure(
    graded: Callable[..., tuple[Imported, Path]], extra: str, says: str
) -> None:
    task, run_folder = graded(extra=extra)
    with pytest.raises(GraderFailed, match=says):
        grade(task, run_folder)


def test_trees_that_overlap_or_hold_links_are_refused(
    graded: Callable[..., tuple[Imported, Path]],
) -> None:
    task, run_folder = graded()
    with pytest.raises(ImportRefused, match="overlap"):
        grade(task, task.bundle.root / "public")
    with pytest.raises(ImportRefused, match="no run folder"):
        grade(task, run_folder / "nowhere")
    os.symlink(run_folder / "results" / "memo.md", run_folder / "results" / "link.md")
    with pytest.raises(ImportRefused, match="symbolic link"):
        grade(task, run_folder)
    with pytest.raises(GraderFailed, match="no sealed grader"):
        grade(Imported(task.bundle, None), run_folder)


def test_the_command_tells_what_can_be_graded(
    graded: Callable[..., tuple[Imported, Path]], checkout: Path, tmp_path: Path
) -> None:
    import argparse

    from bench.suite.importer import add_arguments

    graded()
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    out = StringIO()
    args = ["--graders", str(tmp_path / "graders"), "--grade", str(tmp_path / "runs"), "--json"]
    assert run(parser.parse_args([str(checkout), *args]), Io(out, StringIO())) == 0
    lines = {line["task_id"]: line for line in json.loads(out.getvalue())["tasks"]}
    assert lines[TASK]["points"] == pytest.approx(70.0)
    assert lines["project_footbridge"]["grader"] is None
