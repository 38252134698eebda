"""Runs that belong together in one picture: a parent, its children, their conflicts. PURE.

A project is the run that no other watched run handed its work to, with all that descend from it.
Children whose parent is not watched stay together under the parent's name.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jarvis_voice.events import RunSnapshot, RunStatus

MAX_CHILDREN = 64
"""Children that are kept of a project: those that wait first, then the newest."""
MAX_CONFLICTS = 8
_DEPTH = 16  # of children of children; deeper ones, and circles, end there
_LIVE = (RunStatus.HELD, RunStatus.WAITING, RunStatus.WORKING, RunStatus.STARTING)
_PAUSED = (RunStatus.HELD, RunStatus.WAITING)
_ORDER = (*_LIVE, RunStatus.FAILED, RunStatus.STOPPED, RunStatus.DONE)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Something that several runs of a project do in each other's way."""

    what: str  # one sentence
    run_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """The picture of runs that belong together."""

    project_id: str  # of the run at the root, watched or not
    title: str
    status: RunStatus
    root: RunSnapshot | None  # None when only children of it are watched
    children: tuple[RunSnapshot, ...]
    omitted: int  # children that are not listed
    waiting: tuple[str, ...]  # runs that wait for their user, the longest first
    conflicts: tuple[Conflict, ...]
    cost_usd: float | None
    updated_at_s: float | None


def projects(snapshots: Iterable[RunSnapshot]) -> tuple[Project, ...]:
    """Every project, in the order of its first run."""
    runs = {snapshot.run_id: snapshot for snapshot in snapshots}
    members: dict[str, list[RunSnapshot]] = {}
    for snapshot in runs.values():
        members.setdefault(root_of(snapshot, runs), []).append(snapshot)
    return tuple(_project(name, found, runs.get(name)) for name, found in members.items())


def root_of(snapshot: RunSnapshot, runs: Mapping[str, RunSnapshot]) -> str:
    """The run at the top of a run's family; itself when it has no parent."""
    name, parent = snapshot.run_id, snapshot.parent_run_id
    passed = {name}
    for _ in range(_DEPTH):
        if not parent or parent in passed:
            return min(passed) if parent in passed else name
        name = parent
        passed.add(name)
        above = runs.get(name)
        parent = above.parent_run_id if above else None
    return name


def _project(name: str, runs: list[RunSnapshot], root: RunSnapshot | None) -> Project:
    children = sorted((run for run in runs if run is not root), key=_rank)
    waiting = sorted(
        (run for run in runs if run.status in _PAUSED), key=lambda run: run.updated_at_s or 0.0
    )
    spent = [run.cost_usd for run in runs if run.cost_usd is not None]
    times = [run.updated_at_s for run in runs if run.updated_at_s is not None]
    first = root or runs[0]
    return Project(
        project_id=name,
        title=first.title,
        status=_status(root, runs),
        root=root,
        children=tuple(children[:MAX_CHILDREN]),
        omitted=max(len(children) - MAX_CHILDREN, 0),
        waiting=tuple(run.run_id for run in waiting[:MAX_CHILDREN]),
        conflicts=conflicts(runs),
        cost_usd=sum(spent) if spent else None,
        updated_at_s=max(times, default=None),
    )


def _rank(run: RunSnapshot) -> tuple[int, float]:
    return _ORDER.index(run.status), -(run.updated_at_s or 0.0)


def _status(root: RunSnapshot | None, runs: list[RunSnapshot]) -> RunStatus:
    """Whatever is still going on in it; else how the root ended, or the worst of the children."""
    worst = min((run.status for run in runs), key=_ORDER.index)
    if worst in _LIVE or root is None:
        return worst
    return root.status


def conflicts(runs: Iterable[RunSnapshot]) -> tuple[Conflict, ...]:
    """Files that several of the runs changed while one of them is still at work."""
    changed: dict[str, list[RunSnapshot]] = {}
    for run in runs:
        for path in {_full(run, path) for path in run.files_changed}:
            changed.setdefault(path, []).append(run)
    found = []
    for path in sorted(changed):
        among = changed[path]
        if len(among) > 1 and any(run.status in _LIVE for run in among):
            names = " and ".join(_named(run) for run in among[:3])
            what = f"{posixpath.basename(path)} was changed by {names}."
            found.append(Conflict(what, tuple(run.run_id for run in among)))
    return tuple(found[:MAX_CONFLICTS])


def _full(run: RunSnapshot, path: str) -> str:
    return posixpath.normpath(posixpath.join((run.cwd or "").replace("\\", "/"), path))


def _named(run: RunSnapshot) -> str:
    return run.title or run.run_id
