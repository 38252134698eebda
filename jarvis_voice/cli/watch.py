"""``jarvis watch``: finds the agent runs that are going on, and shows what each is doing."""

from __future__ import annotations

import argparse
import asyncio
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from jarvis_voice.cli.io import Io

if TYPE_CHECKING:
    from jarvis_voice.events import RunSnapshot
    from jarvis_voice.runs.live.everything import LiveRuns
    from jarvis_voice.runs.watcher import RunWatcher

_DESCRIPTION = """\
Find the agent runs that are going on and list them: what each is to do, what it does now and what
it waits for. Nothing is written to and no run is disturbed."""

_EXAMPLES = """\
examples:
  jarvis watch                             the list, kept up to date until ctrl-C
  jarvis watch --once                      the list as it is now
  jarvis watch --once --file run.jsonl     the state of a recorded run; its runtime is recognized
  jarvis watch --once --json               for a program

A run counts as going on while its file was written to within --recent minutes.
"""
_REFRESH_S = 1.0
_CLEAR = "\x1b[H\x1b[2J"
_DETAILED = 5  # runs of a file that are shown in full


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "watch",
        help="list the agent runs that are going on",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--once", action="store_true", help="print once, and end")
    parser.add_argument(
        "--file", metavar="FILE", type=Path, help="the runs in FILE instead of those going on"
    )
    parser.add_argument(
        "--recent", metavar="MINUTES", type=float, default=30.0, help="(default: 30)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document (with --once)")


def run(args: argparse.Namespace, io: Io) -> int:
    from jarvis_voice.errors import UsageError

    if args.json and not args.once:
        raise UsageError("--json prints a document that ends.", "Give --once too.")
    if not 0 < args.recent < 1e6:
        raise UsageError(f"--recent {args.recent:g} is no number of minutes.", "Try 30.")
    if args.once and args.file is not None:
        _recorded(args.file, args.json, io)
    else:
        asyncio.run(_live(args, io))
    return 0


def _recorded(path: Path, as_json: bool, io: Io) -> None:
    from jarvis_voice.cli import run_table
    from jarvis_voice.clock import unix_now
    from jarvis_voice.runs.reducer import fold
    from jarvis_voice.runs.sources import open_recordings
    from jarvis_voice.runs.watcher import initial_of

    snapshots = []
    for recording in open_recordings(path):
        state = initial_of(recording)
        for event in recording.events:
            state = fold(state, event)
        snapshots.append(state.snapshot)
    if as_json:
        io.json(run_table.as_json(snapshots))
        return
    _show(snapshots, io)
    for snapshot in snapshots[:_DETAILED]:
        io.line()
        for line in run_table.details(snapshot, unix_now(), _width()):
            io.line(line)


async def _live(args: argparse.Namespace, io: Io) -> None:
    from jarvis_voice.cli import run_table
    from jarvis_voice.runs.watcher import RunWatcher

    watcher = RunWatcher(lambda change: None)
    if args.once:
        await _everything(watcher, args).catch_up()
        if args.json:
            io.json(run_table.as_json(watcher.snapshots()))
        else:
            _show(watcher.snapshots(), io)
        return
    async with asyncio.TaskGroup() as group:
        if args.file is not None:
            group.create_task(watcher.follow(args.file))
        else:
            group.create_task(_everything(watcher, args).run())
        await _keep_showing(watcher, io)


def _everything(watcher: RunWatcher, args: argparse.Namespace) -> LiveRuns:
    from jarvis_voice import config
    from jarvis_voice.runs.live.everything import LiveRuns, Places

    return LiveRuns(watcher, Places(config.agent_homes(), recent_s=args.recent * 60))


async def _keep_showing(watcher: RunWatcher, io: Io) -> None:
    """The list, anew whenever it changed. On a terminal it stays in place."""
    shown: list[str] | None = None
    while True:
        lines = _lines(watcher.snapshots())
        if lines != shown:
            io.line(_CLEAR + lines[0] if io.out.isatty() else lines[0])
            for line in lines[1:]:
                io.line(line)
            shown = lines
        await asyncio.sleep(_REFRESH_S)


def _show(snapshots: tuple[RunSnapshot, ...] | list[RunSnapshot], io: Io) -> None:
    for line in _lines(snapshots):
        io.line(line)


def _lines(snapshots: tuple[RunSnapshot, ...] | list[RunSnapshot]) -> list[str]:
    from jarvis_voice.cli import run_table
    from jarvis_voice.clock import unix_now

    if not snapshots:
        return ["No agent run is going on that Jarvis can see."]
    return run_table.table(snapshots, unix_now(), _width())


def _width() -> int:
    return max(shutil.get_terminal_size((120, 24)).columns, 60)
