"""``jarvis bench check``: takes bundles up the admission ladder and stores what each step found."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.errors import BenchError
from bench.suite.bundle import load_bundle
from bench.suite.catalog import TASKS, task_ids
from bench.suite.freeze import freeze
from bench.suite.ladder import Checked, check, check_suite
from jarvis_voice.clock import stopwatch

HELP = "check tasks: the ladder that each of them must pass to be measured with"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="names of tasks; all by default")
    parser.add_argument("--root", type=Path, default=TASKS, help="the folder that holds the tasks")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="store the result of every step there, as JSON"
    )
    parser.add_argument(
        "--freeze", action="store_true", help="write down the digests of those that pass the rest"
    )


def run(options: argparse.Namespace) -> int:
    """0 when every task passes, 1 when one does not, 2 for a name that is no task."""
    known = task_ids(options.root)
    unknown = [name for name in options.tasks if name not in known]
    if unknown or not known:
        sys.stderr.write(f"There is no task {', '.join(unknown) or 'at all'} in {options.root}.\n")
        return 2
    checked = []
    for task_id in options.tasks or known:
        began_s = stopwatch()
        found = check(options.root / task_id)
        if options.freeze:
            found = _frozen(options.root / task_id, found)
        _show(found, stopwatch() - began_s)
        if options.out is not None:
            for step in found.steps:
                step.save(options.out / task_id)
        checked.append(found)
    suite = check_suite(checked)
    if options.out is not None:
        suite.save(options.out)
    is_whole = not options.tasks
    if is_whole:
        _line("ok" if suite.ok else "FAILED", "the suite", suite.faults)
    passed = sum(item.ok for item in checked)
    sys.stdout.write(f"{passed} of {len(checked)} pass.\n")
    return 0 if passed == len(checked) and (suite.ok or not is_whole) else 1


def _frozen(root: Path, found: Checked) -> Checked:
    """Freeze what passes everything but the freeze, and check that step again."""
    if not all(step.ok for step in found.steps if step.name != "freeze"):
        return found
    try:
        freeze(load_bundle(root))
    except BenchError as error:
        sys.stderr.write(f"{error}\n")
        return found
    return check(root)


def _show(found: Checked, took_s: float) -> None:
    faults = [f"{step.title}: {fault}" for step in found.steps for fault in step.faults]
    _line("ok" if found.ok else "FAILED", f"{found.task_id} ({took_s:.1f} s)", faults)


def _line(status: str, what: str, faults: Sequence[str]) -> None:
    sys.stdout.write(f"{status:>6}  {what}\n")
    for fault in faults:
        sys.stdout.write(f"          {fault}\n")
    sys.stdout.flush()


def main(argv: Sequence[str] | None = None) -> int:
    """The command on its own, with these arguments."""
    parser = argparse.ArgumentParser(prog="jarvis bench check", description=HELP)
    add_arguments(parser)
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
