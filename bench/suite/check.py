"""``jarvis bench check``: takes bundles up the admission ladder and stores what each step found."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.suite.bundle import load_bundle
from bench.suite.catalog import TASKS, task_ids
from bench.suite.freeze import freeze
from bench.suite.ladder import Checked, check, check_suite
from bench.suite.options import add_arguments
from bench.tracks.bounds import policy_scores
from jarvis_voice.cli.io import Io
from jarvis_voice.clock import stopwatch
from jarvis_voice.errors import UsageError


def run(args: argparse.Namespace, io: Io) -> int:
    """0 when every task passes, 1 when one does not. Raises UsageError for what is no task."""
    root: Path = args.suite or TASKS
    known = task_ids(root)
    unknown = [name for name in args.tasks if name not in known]
    if unknown or not known:
        raise UsageError(
            f"There is no task {', '.join(unknown) or 'at all'} in {root}.",
            "The names are those of its folders.",
        )
    checked = [_checked(root / task_id, args, io) for task_id in args.tasks or known]
    suite = check_suite(checked)
    if args.out is not None:
        suite.save(args.out)
    is_whole = not args.tasks
    if is_whole:
        _show("the suite", suite.faults, io)
    passed = sum(item.ok for item in checked)
    io.line(f"{passed} of {len(checked)} pass.")
    return 0 if passed == len(checked) and (suite.ok or not is_whole) else 1


def _checked(root: Path, args: argparse.Namespace, io: Io) -> Checked:
    began_s = stopwatch()
    scores = policy_scores(root.parent)
    found = check(root, scores)
    if args.freeze and all(step.ok for step in found.steps if step.name != "freeze"):
        freeze(load_bundle(root))
        found = check(root, scores)
    if args.out is not None:
        for step in found.steps:
            step.save(args.out / root.name)
    faults = [f"{step.title}: {fault}" for step in found.steps for fault in step.faults]
    _show(f"{found.task_id} ({stopwatch() - began_s:.1f} s)", faults, io)
    return found


def _show(what: str, faults: Sequence[str], io: Io) -> None:
    io.line(f"{'FAILED' if faults else 'ok':>6}  {what}")
    for fault in faults:
        io.line(f"          {fault}")


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(prog="jarvis bench check", description=__doc__)
    add_arguments(_parser)
    sys.exit(run(_parser.parse_args(), Io.standard()))
