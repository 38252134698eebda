"""Finds the bundles: our own, or those of another folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.errors import BundleMalformed, ImportRefused
from bench.suite.bundle import Bundle, load_bundle

TASKS = Path(__file__).resolve().parent.parent / "tasks"


def folders(root: Path = TASKS) -> Mapping[str, Path]:
    """Task to its folder, in order of names: those right in ``root``, else anywhere below it.

    A checkout of somebody else's keeps its tasks deeper. Raises ImportRefused for two of one name.
    """
    found: dict[str, Path] = {}
    for path in [*root.glob("*/task.public.json")] or [*root.rglob("task.public.json")]:
        name = path.parent.name
        if name in found:
            raise ImportRefused(f'"{name}" stands twice below {root}.')
        found[name] = path.parent
    return dict(sorted(found.items()))


def task_ids(root: Path = TASKS) -> tuple[str, ...]:
    """The names of all folders that hold a task, in order."""
    return tuple(sorted(path.parent.name for path in root.glob("*/task.public.json")))


def find(task_id: str, root: Path = TASKS) -> Bundle:
    """One bundle. Raises BundleMalformed when there is none of this name, or it is at fault."""
    if task_id not in task_ids(root):
        raise BundleMalformed(
            f'There is no task "{task_id}" in {root}.', "The names are those of its folders."
        )
    return load_bundle(root / task_id)


def bundles(wanted: Sequence[str] = (), root: Path = TASKS) -> tuple[Bundle, ...]:
    """The bundles of these names, or all. Raises BundleMalformed at the first that is at fault."""
    return tuple(find(task_id, root) for task_id in (wanted or task_ids(root)))
