"""``jarvis bench collab`` and ``jarvis bench compare``: options in, a record and figures out."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from bench import real_agents
from bench.agent_models import model_named
from bench.controllers import NAMES, Setting, build
from bench.episodes import Where
from bench.errors import ControllerFailed, RuntimeMissing
from bench.model_requester import ModelRequester
from bench.requester import ScriptedRequester
from bench.results import FILE_NAME, NONE, Episode, Plan, ResultFile, RunRecord, read
from bench.suite.background import marks
from bench.suite.bundle import digest_of
from bench.suite.catalog import TASKS, folders
from bench.summary import compare as compare_records
from bench.summary import figures, groups
from bench.tracks import collaboration_report
from bench.tracks.collaboration import Conditions, run_episode
from bench.tracks.collaboration_options import WORKERS
from bench.tracks.hands import CHAT, EXTERNAL, hands_of, is_able
from bench.tracks.running import carried_on, chosen, write
from jarvis_voice import __version__, config
from jarvis_voice.cli.build import chat_model
from jarvis_voice.cli.io import Io
from jarvis_voice.config import BrainSettings
from jarvis_voice.errors import UsageError

Mode = Literal["paper", "strict"]
PAGE_NAME = "collaboration.html"
PAPER_REQUESTS = 2
_COST = "1 + 0.05/word asked + 0.1/word said + 0.5/repeat + 1/600 s idle, strict: + busy(t)"
_OWN_TASKS = ""  # the bundles of the installation, wherever that is on another machine


@dataclass(frozen=True, slots=True)
class Setup:
    """What all runs of a benchmark have in common; can be sent to another process."""

    suite: str = _OWN_TASKS
    graders: str = ""  # the sealed parts of somebody else's tasks
    user: str = "scripted"
    brain: BrainSettings | None = None  # when a model takes part


class Job(NamedTuple):
    """One run, as it is sent to where it is made."""

    episode: Episode
    setup: Setup
    folder: str = ""  # of the task, below the suite


def perform(job: Job) -> RunRecord:
    """Make one run. Raises SettingsError when a model is wanted that the settings do not give."""
    setup = job.setup
    model = chat_model(setup.brain) if setup.brain is not None else None
    by_model = setup.user == "model" and model is not None
    conditions = Conditions(
        lambda bundle, name: hands_of(bundle, name, model),
        ModelRequester(model) if by_model and model is not None else ScriptedRequester(),
        model,
        Path(setup.graders) if setup.graders else None,
    )
    return run_episode(_root(setup) / (job.folder or job.episode.task), job.episode, conditions)


def collab(args: argparse.Namespace, io: Io) -> int:
    """Run the track; 1 when a run is invalid, else 0."""
    setup = _setup(args)
    plan = _plan(args, setup, io)
    records = list(_records(args, plan, setup, io))
    if args.out is not None:
        write(args.out / PAGE_NAME, collaboration_report.html(plan, records, args.seed))
        io.note(f"The record and a page with plots are in {args.out}.")
    if args.json:
        io.json(as_json(plan, records, args.seed))
    else:
        io.line(collaboration_report.text(records, args.seed))
    return 0 if all(record.failure is None for record in records) else 1


def compare(args: argparse.Namespace, io: Io) -> int:
    """Compare two results."""
    (first, one), (second, other) = read(args.first), read(args.second)
    found = compare_records(other, one)
    if not found:
        raise UsageError(
            "The two results have no run in common.",
            "Run both with the same tasks, workers, controllers, seed and mode.",
        )
    changed = [
        name for name, mark in first.bundles.items() if second.bundles.get(name, mark) != mark
    ]
    if changed:
        io.note(f"These tasks differ between the two: {', '.join(changed)}.")
    if args.json:
        io.json({g: {c: gain.as_json() for c, gain in gains.items()} for g, gains in found.items()})
    else:
        io.line(collaboration_report.comparison(found))
    return 0


def as_json(plan: Plan, records: Sequence[RunRecord], seed: int) -> dict[str, Any]:
    """The figures of all groups, for a program."""
    return {
        "plan": plan.digest(),
        "groups": {
            name: [item.as_json() for item in figures(runs, seed)]
            for name, runs in groups(records).items()
        },
    }


def _root(setup: Setup) -> Path:
    return Path(setup.suite) if setup.suite else TASKS


def _records(args: argparse.Namespace, plan: Plan, setup: Setup, io: Io) -> Iterator[RunRecord]:
    root = _root(setup)
    below = {task: str(folder.relative_to(root)) for task, folder in folders(root).items()}
    return carried_on(
        perform,
        [Job(episode, setup, below[episode.task]) for episode in plan.episodes],
        ResultFile(args.out / FILE_NAME, plan, RunRecord) if args.out is not None else None,
        Where(args.jobs, args.ray),
        (io, "collab", lambda record: f"{record.episode.task} {record.episode.controller}"),
    )


# --- the plan ----------------------------------------------------------------------------------


def _setup(args: argparse.Namespace) -> Setup:
    for name, least in (("repeats", 1), ("jobs", 1)):
        if getattr(args, name) < least:
            raise UsageError(f"--{name} {getattr(args, name)} is too small.", f"At least {least}.")
    needs_model = args.user == "model" or "jarvis-model" in args.controller or CHAT in args.workers
    brain = config.load(getattr(args, "config", None)).settings.brain if needs_model else None
    suite = str(args.suite.resolve()) if args.suite is not None else _OWN_TASKS
    if args.graders is not None and not args.graders.is_dir():
        raise UsageError(f"There is no folder {args.graders}.", "Name one that is there.")
    graders = str(args.graders.resolve()) if args.graders is not None else ""
    return Setup(suite, graders, args.user, brain)


def _plan(args: argparse.Namespace, setup: Setup, io: Io) -> Plan:
    root = _root(setup)
    places = folders(root)
    tasks = chosen("task", args.tasks, list(places)) or tuple(places)
    if not tasks:
        raise UsageError(f"There are no tasks in {root}.", "Name a folder of tasks with --suite.")
    workers = chosen("workers", args.workers, WORKERS)
    out_of_reach = _out_of_reach(args, workers, {task: places[task] for task in tasks}, io)
    settings = {
        "seed": args.seed,
        "repeats": args.repeats,
        "user": args.user,
        "model": setup.brain.model if setup.brain else "",
        "cost": _COST,
    }
    programs = {
        name: [real_agents.version(name), model_named(name, real_agents.environment())]
        for name in workers
        if name in EXTERNAL
    }
    if programs:
        settings["programs"] = programs
    sealed = marks({task: places[task] for task in tasks}, args.graders)
    if sealed:
        settings["graders"] = sealed
    episodes = [
        Episode(
            task=task,
            controller=name,
            workers=kind,
            mode=mode,
            budget=budget,
            seed=args.seed,
            repeat=repeat,
        )
        for kind in workers
        for mode, budget in _modes(args)
        for task in tasks
        for name in _controllers(args.controller)
        for repeat in range(args.repeats)
        if (kind, task) not in out_of_reach
    ]
    return Plan(
        version=__version__,
        settings=settings,
        bundles={task: digest_of(places[task], ".") for task in tasks},
        episodes=episodes,
    )


def _out_of_reach(
    args: argparse.Namespace, workers: Sequence[str], places: Mapping[str, Path], io: Io
) -> set[tuple[str, str]]:
    """Workers and the tasks that they cannot do. Raises UsageError for a task that was named."""
    found = set()
    for name in workers:
        if name in EXTERNAL:
            try:
                real_agents.check_installed(name)
            except RuntimeMissing as error:
                raise UsageError(error.problem, error.remedy) from error
        unable = [task for task, folder in places.items() if not is_able(name, folder)]
        if unable and (args.tasks or len(unable) == len(places)):
            raise UsageError(
                f"{name} cannot do {unable[0]}, which acts on an app.", "Name other tasks."
            )
        if unable:
            io.note(f"Left out for {name}, because they act on an app: {', '.join(unable)}.")
        found |= {(name, task) for task in unable}
    return found


def _modes(args: argparse.Namespace) -> list[tuple[Mode, int]]:
    """Every mode with its budgets."""
    found: list[tuple[Mode, int]] = []
    if args.mode != "strict":
        found.append(("paper", PAPER_REQUESTS))
    if args.mode != "paper":
        found += [("strict", budget) for budget in dict.fromkeys(args.budget)]
    return found


def _controllers(wanted: Sequence[str]) -> tuple[str, ...]:
    """The baseline and those that were named, each once."""
    named = [name for item in wanted for name in (NAMES if item == "all" else (item,))]
    names = tuple(dict.fromkeys((NONE, *named)))
    for name in names:
        if name != "jarvis-model":  # its model is looked for when it is used
            try:
                build(name, Setting())
            except ControllerFailed as error:
                raise UsageError(error.problem, error.remedy) from error
    return names
