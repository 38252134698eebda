"""Takes in somebody's own checkout of the original tasks: read, never copied into this project.

``jarvis bench import DIR`` finds each ``task.public.json`` below DIR and checks it as strictly as
one of ours; ``jarvis bench collab --suite DIR`` runs them as they are, and ``--to`` makes a suite
folder of them. Where the user has a sealed ``grade.py`` for a task, runs are graded by it in a
process of its own (``grade.py --run-dir RUN --output FILE``); without one they stay ungraded, which
is no score of 0.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bench.errors import BenchError, GraderFailed, ImportRefused
from bench.suite.bundle import Bundle, digest_of, first_fault, load_bundle, refuse_symlinks
from jarvis_voice.cli.io import Io

HELP = "take in your own checkout of the original JarvisBench tasks"
TIME_LIMIT_S = 300.0
RESULT_BYTES = 1024 * 1024
_LOST = 1e-6


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CategoryResult(_Strict):
    """One category of a sealed result."""

    earned: Annotated[float, Field(ge=0, le=1)]
    weight: Annotated[float, Field(ge=0, le=1)]
    normalized: Annotated[float, Field(ge=0, le=1)] | None


class Validity(_Strict):
    """Whether the grader found the run fit to be graded; failures count, their text is not kept."""

    ok: bool
    failures: list[Any]


class SealedResult(_Strict):
    """What a sealed grader writes. Only its numbers are taken on."""

    schema_version: str
    task_id: str
    status: Literal["scored"]
    overall: Annotated[float, Field(ge=0, le=1)]
    by_type: dict[str, CategoryResult]
    validity: Validity

    @property
    def points(self) -> float:
        """The score on 0 to 100."""
        return 100 * self.overall


@dataclass(frozen=True, slots=True)
class Imported:
    """A task of a checkout."""

    bundle: Bundle
    grader: Path | None


def find_tasks(checkout: Path, graders: Path | None = None) -> list[Imported]:
    """All tasks below a folder, in order of their names.

    A grader is looked for as ``<graders>/<task_id>/grade.py``, and beside the task as ``grade.py``
    or ``sealed/grade.py``. Raises ImportRefused for no tasks or two of one name, and
    BundleMalformed for the first task that is at fault.
    """
    found: dict[str, Imported] = {}
    for path in sorted(checkout.rglob("task.public.json")):
        bundle = load_bundle(path.parent)
        if bundle.task_id in found:
            raise ImportRefused(f'"{bundle.task_id}" stands twice below {checkout}.')
        found[bundle.task_id] = Imported(bundle, grader_of(bundle, graders))
    if not found:
        raise ImportRefused(
            f"There is no task.public.json below {checkout}.",
            "Name the folder of a checkout that holds the tasks.",
        )
    return [found[name] for name in sorted(found)]


def grader_of(bundle: Bundle, graders: Path | None = None) -> Path | None:
    """The task's sealed grader; None when there is none."""
    places = sealed_places(bundle, "grade.py", graders)
    return next((path for path in places if path.is_file() and not path.is_symlink()), None)


def sealed_places(bundle: Bundle, name: str, graders: Path | None = None) -> list[Path]:
    """Where a sealed file of somebody else's task may lie, in the order in which it is taken."""
    places = [bundle.root / "sealed" / name, bundle.root / name]
    return places if graders is None else [graders / bundle.task_id / name, *places]


def copy_public(tasks: list[Imported], target: Path) -> None:
    """Copy the public halves into a new suite folder. Raises ImportRefused when one is there."""
    for task in tasks:
        place = target / task.bundle.task_id
        if place.exists():
            raise ImportRefused(f"{place} is there already; nothing of it was changed.")
    for task in tasks:
        place = target / task.bundle.task_id
        place.mkdir(parents=True)
        shutil.copy2(task.bundle.root / "task.public.json", place)
        shutil.copytree(task.bundle.public, place / "public")


def grade(task: Imported, run: Path) -> SealedResult:
    """Grade a run folder with the task's own sealed grader.

    Raises GraderFailed when there is none, when it fails, takes too long, changes what it looks at
    or writes no such result, and ImportRefused when the folders overlap or hold links.
    """
    if task.grader is None:
        raise GraderFailed(f"There is no sealed grader for {task.bundle.task_id}.")
    _apart(task, run)
    before = _digests(task, run)
    with tempfile.TemporaryDirectory(prefix="jarvis-bench-") as top:
        output = Path(top) / "result.json"
        _start(task.grader, run, output)
        result = read_result(output, task.bundle.task_id)
    if _digests(task, run) != before:
        raise GraderFailed(f"The grader of {task.bundle.task_id} changed the task or the run.")
    return result


def _apart(task: Imported, run: Path) -> None:
    """The run and the task are different plain trees."""
    if not run.is_dir():
        raise ImportRefused(f"There is no run folder {run}.")
    ours, theirs = run.resolve(), task.bundle.root.resolve()
    if ours == theirs or ours in theirs.parents or theirs in ours.parents:
        raise ImportRefused(f"The run {run} and the task {task.bundle.root} overlap.")
    for path in (run, *sorted(run.rglob("*"))):
        if path.is_symlink():
            raise ImportRefused(f"{path} is a symbolic link; a run holds plain files only.")
    refuse_symlinks(task.bundle.root)


def _digests(task: Imported, run: Path) -> tuple[str, str]:
    return digest_of(task.bundle.root, "."), digest_of(run, ".")


def _start(grader: Path, run: Path, output: Path) -> None:
    command = [sys.executable, str(grader.resolve()), "--run-dir", str(run.resolve())]
    try:
        done = subprocess.run(
            [*command, "--output", str(output)],
            cwd=output.parent,
            env={"PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIME_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GraderFailed(f"The grader {grader} did not run: {type(error).__name__}.") from error
    if done.returncode != 0:
        raise GraderFailed(f"The grader {grader} ended with status {done.returncode}.")


def read_result(path: Path, task_id: str) -> SealedResult:
    """A sealed result, checked. Raises GraderFailed."""
    try:
        if path.is_symlink() or path.stat().st_size > RESULT_BYTES:
            raise GraderFailed(f"The result for {task_id} is a link or too large.")
        result = SealedResult.model_validate_json(path.read_bytes())
    except OSError as error:
        raise GraderFailed(f"The grader of {task_id} wrote no result.") from error
    except ValidationError as error:
        raise GraderFailed(f"The result for {task_id} is none: {first_fault(error)}") from error
    if result.task_id != task_id:
        raise GraderFailed(f'The result for {task_id} is about "{result.task_id}".')
    if not result.validity.ok or result.validity.failures:
        count = len(result.validity.failures)
        raise GraderFailed(f"The grader of {task_id} found the run invalid, in {count} points.")
    earned = math.fsum(item.earned for item in result.by_type.values())
    weight = math.fsum(item.weight for item in result.by_type.values())
    if abs(earned - result.overall) > _LOST or abs(weight - 1) > _LOST:
        raise GraderFailed(f"The categories in the result for {task_id} do not add up to it.")
    return result


# --- the command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.description = (
        "Reads the public halves of the original tasks in a checkout of yours and checks them. "
        "Nothing of them is part of this project."
    )
    parser.add_argument("checkout", type=Path, metavar="DIR", help="your checkout")
    parser.add_argument(
        "--to", type=Path, metavar="SUITE", help="copy the public halves there, for collab --suite"
    )
    parser.add_argument(
        "--graders", type=Path, metavar="DIR", help="sealed graders, as DIR/TASK/grade.py"
    )
    parser.add_argument(
        "--grade", type=Path, metavar="RUNS", help="grade the run folders RUNS/TASK with them"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace, io: Io) -> int:
    """0 when every task is in order and every run that was to be graded was."""
    tasks = find_tasks(args.checkout, args.graders)
    if args.to is not None:
        copy_public(tasks, args.to)
    lines = [_line(task, args.grade) for task in tasks]
    if args.json:
        io.json({"tasks": lines})
    else:
        for line in lines:
            io.line(_shown(line))
    return 1 if any(line["fault"] for line in lines) else 0


def _line(task: Imported, runs: Path | None) -> Mapping[str, Any]:
    manifest = task.bundle.manifest
    line: dict[str, Any] = {
        "task_id": manifest.task_id,
        "domain": manifest.domain,
        "topology": task.bundle.topology.value,
        "grader": str(task.grader) if task.grader else None,
        "points": None,
        "fault": "",
    }
    folder = runs / manifest.task_id if runs is not None else None
    if folder is not None and folder.is_dir() and task.grader is not None:
        try:
            line["points"] = grade(task, folder).points
        except BenchError as error:
            line["fault"] = f"{error.kind}: {error}"
    return line


def _shown(line: Mapping[str, Any]) -> str:
    if line["fault"]:
        state = line["fault"]
    elif line["points"] is not None:
        state = f"{line['points']:.1f} points"
    else:
        state = "to be graded" if line["grader"] else "ungraded: no sealed grader"
    return f"{line['task_id']:<40} {line['domain']:<20} {state}"
