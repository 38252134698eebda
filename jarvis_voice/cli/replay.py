"""``jarvis replay``: plays a recorded project back, at any speed, as if it went on now."""

from __future__ import annotations

import argparse
import asyncio
import math
from pathlib import Path
from typing import TYPE_CHECKING

from jarvis_voice.cli.io import Io

if TYPE_CHECKING:
    from jarvis_voice.events import RunChanged
    from jarvis_voice.runs.sources import Recording

_DESCRIPTION = """\
Play the runs recorded in a file back and tell what happens in each as it happened. With --to a
folder the file is written there anew at the recorded pace, so that whatever watches the folder sees
a run that is going on; "--to live" is the folder that Jarvis itself watches."""

_EXAMPLES = """\
examples:
  jarvis replay run.jsonl                  as it was
  jarvis replay run.jsonl --speed 10       ten times as fast
  jarvis replay run.jsonl --speed inf      at once
  jarvis replay run.jsonl --to live        into a Jarvis that is running
"""
LIVE = "live"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "replay",
        help="play a recorded project back, at any speed",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="a recording of any known runtime")
    parser.add_argument(
        "--speed", metavar="X", type=float, default=1.0, help="recorded seconds per second"
    )
    parser.add_argument(
        "--to", metavar="WHERE", help="'live', or a folder: write the file there at its pace"
    )


def run(args: argparse.Namespace, io: Io) -> int:
    from jarvis_voice.errors import UsageError
    from jarvis_voice.runs.sources import open_recordings

    if not args.speed > 0:
        raise UsageError(f"--speed {args.speed:g} is no speed.", "Give a number above 0, or inf.")
    recordings = open_recordings(args.file)
    if args.to is None:
        asyncio.run(_tell(recordings, args.speed, io))
    else:
        asyncio.run(_write(args.file, args.to, args.speed, io))
    return 0


async def _tell(recordings: tuple[Recording, ...], speed: float, io: Io) -> None:
    """A line whenever a run changes for a person; all runs keep their common time."""
    from jarvis_voice.runs.replay import play
    from jarvis_voice.runs.watcher import RunWatcher

    shown: dict[str, str] = {}

    def publish(change: RunChanged) -> None:
        line = _line(change)
        if line != shown.get(change.snapshot.run_id):
            shown[change.snapshot.run_id] = line
            io.line(line)

    await play(recordings, RunWatcher(publish), speed)


def _line(change: RunChanged) -> str:
    run = change.snapshot
    what = run.waiting_for or run.current_action or run.last_message or run.goal or ""
    name = " ".join((run.title or run.run_id).split())
    return f"{name[:40]}  {run.status.value}  {' '.join(what.split())[:100]}".rstrip()


async def _write(path: Path, to: str, speed: float, io: Io) -> None:
    from jarvis_voice import config
    from jarvis_voice.runs.replay import copy_at_pace

    folder = config.agent_homes().events if to == LIVE else Path(to)
    target = await copy_at_pace(path, folder, speed)
    pace = "at once" if math.isinf(speed) else f"at {speed:g} times its pace"
    io.line(f"{target} was written {pace}.")
