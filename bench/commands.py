"""What ``jarvis bench`` can run: a table, so that a new track is one line.

Each track is ``name: Track(help, add_arguments, run)``: ``add_arguments(parser)`` declares its
options and ``run(args, io)`` returns the exit status. Both are looked up by module and name, so
that ``jarvis bench --help`` loads none of them.
"""

from __future__ import annotations

import argparse
import importlib
from typing import NamedTuple

from jarvis_voice.cli.io import Io


class Track(NamedTuple):
    """One track; ``add_arguments`` and ``run`` are "module:function"."""

    help: str
    add_arguments: str
    run: str


_PROBES = "bench.probes.options"
_COLLABORATION = "bench.tracks.collaboration"
_INTERACTION = "bench.tracks.interaction"
TRACKS = {
    "check": Track(
        "check tasks: the ladder that each of them must pass to be measured with",
        "bench.suite.options:add_arguments",
        "bench.suite.check:run",
    ),
    "import": Track(
        "take in your own checkout of the original JarvisBench tasks",
        "bench.suite.importer:add_arguments",
        "bench.suite.importer:run",
    ),
    "latency": Track(
        "how long you wait for an answer, by stage",
        f"{_PROBES}:latency",
        "bench.probes.run:latency",
    ),
    "turns": Track(
        "how patient and how quick the end of your turn is found",
        f"{_PROBES}:turns",
        "bench.probes.run_turns:turns",
    ),
    "duplex": Track(
        "interruptions, backchannels, noise and echo while Jarvis speaks",
        f"{_PROBES}:duplex",
        "bench.probes.run:duplex",
    ),
    "collab": Track(
        "whether asking the user improves what agents deliver",
        f"{_COLLABORATION}_options:collab",
        f"{_COLLABORATION}_command:collab",
    ),
    "interact": Track(
        "whether Jarvis answers well when you ask about a run",
        f"{_INTERACTION}_options:interact",
        f"{_INTERACTION}_command:interact",
    ),
    "compare": Track(
        "two results of collab, with intervals",
        f"{_COLLABORATION}_options:compare",
        f"{_COLLABORATION}_command:compare",
    ),
}


def add_arguments(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of a track."""
    _function(TRACKS[name].add_arguments)(parser)


def run(name: str, args: argparse.Namespace, io: Io) -> int:
    """Run a track; returns the exit status."""
    return int(_function(TRACKS[name].run)(args, io))


def _function(place: str):  # type: ignore[no-untyped-def]  # any of the tracks' functions
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
