"""``jarvis bench interact``: options in, a record and figures out."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from bench.answerers import NAMES
from bench.episodes import Where
from bench.grading.judges import FAMILIES, family
from bench.replay import record
from bench.results import ResultFile
from bench.suite.bundle import digest_of, load_bundle
from bench.suite.catalog import TASKS, task_ids
from bench.tracks import interaction_report
from bench.tracks.interaction import QUESTIONS, Board, examine
from bench.tracks.interaction_aloud import Engines, aloud
from bench.tracks.interaction_figures import figures
from bench.tracks.interaction_records import FILE_NAME, InteractionPlan, Trajectory
from bench.tracks.running import carried_on, chosen, write
from bench.workers.scripted import load_worker
from jarvis_voice import __version__, config
from jarvis_voice.cli.build import chat_model
from jarvis_voice.cli.io import Io
from jarvis_voice.config import BrainSettings
from jarvis_voice.errors import UsageError

PAGE_NAME = "interaction.html"
_OWN_TASKS = ""  # the bundles of the installation, wherever that is on another machine


@dataclass(frozen=True, slots=True)
class Setup:
    """What all trajectories have in common; can be sent to another process."""

    suite: str = _OWN_TASKS
    brain: BrainSettings | None = None  # when a model answers or judges
    judges: tuple[str, ...] = ()
    engines: Engines | None = None  # when questions and answers are spoken


class Job(NamedTuple):
    """One trajectory, as it is sent to where it is examined."""

    task: str
    answerer: str
    setup: Setup
    aloud: bool


def perform(job: Job) -> Trajectory:
    """Examine one trajectory. Raises SettingsError for a model that the settings do not give."""
    setup = job.setup
    brain = setup.brain
    model = chat_model(brain) if brain is not None and job.answerer == "model" else None
    judges = tuple(
        chat_model(replace(brain, model=name)) for name in setup.judges if brain is not None
    )
    root = Path(setup.suite) if setup.suite else TASKS
    spoken = aloud(setup.engines) if job.aloud and setup.engines is not None else None
    return examine(root / job.task, job.answerer, Board(model, judges, spoken))


def interact(args: argparse.Namespace, io: Io) -> int:
    """Run the track; 0 when every trajectory has grades, 1 otherwise."""
    setup = _setup(args)
    if args.judges and len({family(name) for name in args.judges}) < FAMILIES:
        io.note("All judges are of one family by their names; their faults may be the same.")
    if setup.engines is not None:
        io.note("The engines that speak and hear are loaded first.")
        if args.jobs > 1:
            io.note("Jobs share the cores: take times to first audio from a run with one job.")
    plan = _plan(args, setup)
    if args.frames is not None:
        _write_frames(args.frames, plan, setup, io)
    records = list(_records(args, plan, setup, io))
    if args.out is not None:
        page = interaction_report.html(plan, records, args.seed)
        write(args.out / PAGE_NAME, page)
        io.note(f"The record and a page with plots are in {args.out}.")
    if args.json:
        found = [item.as_json() for item in figures(records, args.seed)]
        io.json({"plan": plan.digest(), "answerers": found})
    else:
        io.line(interaction_report.text(records, args.seed))
    return 0 if all(record.failure is None for record in records) else 1


def _setup(args: argparse.Namespace) -> Setup:
    if args.jobs < 1:
        raise UsageError(f"--jobs {args.jobs} is too small.", "At least 1.")
    if args.voice < 0:
        raise UsageError(f"--voice {args.voice} is too small.", "0 for none.")
    needs_model = "model" in args.answerer or bool(args.judges)
    settings = config.load(getattr(args, "config", None)).settings
    suite = str(args.suite.resolve()) if args.suite is not None else _OWN_TASKS
    return Setup(
        suite,
        settings.brain if needs_model else None,
        tuple(dict.fromkeys(args.judges)),
        Engines(settings.recognizer, settings.synthesizer) if args.voice else None,
    )


def _plan(args: argparse.Namespace, setup: Setup) -> InteractionPlan:
    root = Path(setup.suite) if setup.suite else TASKS
    tasks = chosen("task", args.tasks, task_ids(root)) or task_ids(root)
    names = chosen("answerer", args.answerer, NAMES)
    if not tasks or not names:
        raise UsageError("There is nothing to ask.", "Name tasks and answerers that there are.")
    settings = {
        "questions": {kind.value: text for kind, text in QUESTIONS.items()},
        "model": setup.brain.model if setup.brain else "",
        "judges": list(setup.judges),
        **({"aloud": args.voice, **setup.engines.named()} if setup.engines else {}),
    }
    return InteractionPlan(
        version=__version__,
        settings=settings,
        bundles={task: digest_of(root / task, ".") for task in tasks},
        trajectories=[(task, name) for name in names for task in tasks],
    )


def _records(
    args: argparse.Namespace, plan: InteractionPlan, setup: Setup, io: Io
) -> Iterator[Trajectory]:
    aloud = set(list(plan.bundles)[: args.voice])
    return carried_on(
        perform,
        [Job(task, name, setup, task in aloud) for task, name in plan.trajectories],
        ResultFile(args.out / FILE_NAME, plan, Trajectory) if args.out is not None else None,
        Where(args.jobs, args.ray),
        (io, "interact", lambda made: f"{made.task} {made.answerer}"),
    )


def _write_frames(folder: Path, plan: InteractionPlan, setup: Setup, io: Io) -> None:
    """The replayed frames of each task, in the form of the original benchmark."""
    root = Path(setup.suite) if setup.suite else TASKS
    folder.mkdir(parents=True, exist_ok=True)
    tasks: Sequence[str] = tuple(plan.bundles)
    for task in tasks:
        bundle = load_bundle(root / task)
        write(folder / f"{task}.jsonl", record(bundle, load_worker(bundle)).jsonl())
    io.note(f"The frames of {len(tasks)} tasks are in {folder}.")
