"""``jarvis detach``: takes Jarvis out of an agent runtime's settings, exactly."""

from __future__ import annotations

import argparse

from jarvis_voice.cli.io import Io
from jarvis_voice.runtimes.attach import NAMES, attachment

_DESCRIPTION = """\
Take Jarvis out of an agent runtime's settings. A file that nobody has changed since 'jarvis attach'
gets its old content back, byte for byte; from any other only the entries of Jarvis are taken."""

_EXAMPLES = """\
examples:
  jarvis detach claude-code
  jarvis detach codex --project . --yes
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "detach",
        help="take Jarvis out of a runtime's settings again",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runtime", choices=NAMES, help="which runtime")
    from jarvis_voice.cli.attaching import add_place

    add_place(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    from jarvis_voice.cli import attaching

    runtime, place = attachment(args.runtime), attaching.place_of(args)
    rendezvous = attaching.rendezvous_of(args)
    changes = attaching.changes_of(rendezvous)
    edits = changes.undone(runtime.name, runtime.removal(place))
    changing = [edit for edit in edits if edit.changes]
    if not changing:
        io.line(f"{runtime.name} is not attached here; nothing was changed.")
        return 0
    if not attaching.agreed(changing, rendezvous.token(), args, io):
        io.note("Nothing was changed.")
        return 1
    changes.undo(edits)
    io.line(f"detached: {runtime.name}. Sessions that run already may keep their hooks.")
    return 0
