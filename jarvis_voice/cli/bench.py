"""``jarvis bench``: measurements of Jarvis itself.

The tracks live in the package ``bench``, which stands above the app and is therefore not imported
but loaded by name, through its one table ``bench.commands``.
"""

from __future__ import annotations

import argparse
import importlib
from types import ModuleType

from jarvis_voice.cli.io import Io
from jarvis_voice.errors import UsageError

_TABLE = "bench.commands"

_DESCRIPTION = """\
Measure Jarvis. Every track runs the same conversation and attention code as the app; a record of
all single measurements can be written as JSON and shown as one HTML page."""

_EXAMPLES = """\
examples:
  jarvis bench latency --quick                        a first look, in a few minutes
  jarvis bench latency --baseline sequential          ours beside a plain pipeline
  jarvis bench turns --html turns.html                the trade-off curve
  jarvis bench duplex --fail-under yield.share=0.95   exit status 1 when it is missed
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "bench",
        help="measure latency, turn-taking and more",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    table = _table()
    tracks = parser.add_subparsers(title="tracks", metavar="TRACK", dest="track")
    for name, track in table.TRACKS.items():
        table.add_arguments(name, tracks.add_parser(name, help=track.help))


def run(args: argparse.Namespace, io: Io) -> int:
    table = _table()
    if args.track is None:
        names = ", ".join(table.TRACKS)
        raise UsageError("No track was named.", f"Name one of: {names}.")
    return int(table.run(args.track, args, io))


def _table() -> ModuleType:
    """The table of tracks. Raises UsageError in an installation without the benchmarks."""
    try:
        return importlib.import_module(_TABLE)
    except ModuleNotFoundError as error:
        if error.name not in {"bench", _TABLE}:
            raise
        raise UsageError(
            "The benchmarks are not installed.", "Install jarvis-voice anew; they come with it."
        ) from error
