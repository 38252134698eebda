"""``jarvis attach``: writes Jarvis into an agent runtime's settings and proves that it holds."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from jarvis_voice.cli.io import Io
from jarvis_voice.errors import JarvisError, UsageError
from jarvis_voice.runtimes.attach import NAMES, attachment
from jarvis_voice.runtimes.attach.base import MOST_HOLD_S, Place

if TYPE_CHECKING:
    from jarvis_voice.config import Settings
    from jarvis_voice.runtimes.attach.base import Attachment, Edit, Link
    from jarvis_voice.wire.rendezvous import Rendezvous

_DESCRIPTION = """\
Let an agent runtime ask Jarvis before each tool call. The change to the runtime's own settings is
shown first; the old file is kept, and 'jarvis detach' brings it back. Then a harmless test call
goes through what was written: only when it was held and refused is the runtime attached, else all
is put back."""

_EXAMPLES = """\
examples:
  jarvis attach claude-code                         for all of your projects
  jarvis attach codex --project . --fail closed     for this one; refuse when Jarvis is not there
  jarvis attach gemini --dry-run                    only show what would change
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "attach",
        help="let an agent runtime ask Jarvis before it acts",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runtime", choices=NAMES, help="which runtime")
    parser.add_argument(
        "--fail",
        choices=("open", "closed"),
        help="when Jarvis is not there or nobody decides in time: let the call run (open) or "
        "refuse it (closed); the default is the setting gate.fail",
    )
    parser.add_argument(
        "--hold",
        type=float,
        metavar="SECONDS",
        help=f"hold a call for at most this time (default: gate.hold_s; at most {MOST_HOLD_S:g})",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--dry-run", action="store_true", help="only show what would change")
    shown.add_argument(
        "--print",
        action="store_true",
        help="print the entries in full, with the secret, to add them by hand",
    )
    from jarvis_voice.cli.attaching import add_place

    add_place(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    from jarvis_voice import config
    from jarvis_voice.cli import attaching
    from jarvis_voice.runtimes.attach.changes import diff

    settings = config.load(args.config).settings
    runtime, place = attachment(args.runtime), attaching.place_of(args)
    rendezvous = attaching.rendezvous_of(args)
    link = _link(args, settings, rendezvous)
    if args.print:
        return _print(runtime, place, link, io)
    changing = [edit for edit in runtime.edits(place, link) if edit.changes]
    if args.dry_run:
        io.line(diff(changing, link.token) or "Nothing would change.")
        return 0
    if changing and not attaching.agreed(changing, link.token, args, io):
        io.note("Nothing was changed.")
        return 1
    take_back = _written(runtime, place, rendezvous, changing)
    try:
        held_s, caveat = attaching.proven(runtime, place, rendezvous, urlsplit(link.url).port or 0)
    except JarvisError:
        take_back()
        io.note("The test call failed; the settings are as they were.")
        raise
    io.line(f"A test call was held for {held_s:.1f} s and refused. {caveat}".strip())
    _conclude(runtime, place, link, io)
    if runtime.name == "claude-code" and not link.url.endswith(f":{settings.gate.port}"):
        io.line(
            f"- Jarvis listens at {link.url} only for now; the setting gate.port is "
            f"{settings.gate.port}. Attach again when it has been restarted."
        )
    return 0


def _link(args: argparse.Namespace, settings: Settings, rendezvous: Rendezvous) -> Link:
    from jarvis_voice.cli import attaching
    from jarvis_voice.runtimes.attach.base import Link

    gate = attaching.running(rendezvous)
    port = gate.port if gate is not None else settings.gate.port
    if port == 0:
        raise UsageError(
            "The gate has no fixed port (gate.port is 0), so a runtime could not find it.",
            "Set gate.port to a port of your choice, or start Jarvis first.",
        )
    hold_s = min(settings.gate.hold_s, MOST_HOLD_S) if args.hold is None else args.hold
    if not 1.0 <= hold_s <= MOST_HOLD_S:
        raise UsageError(
            f"A hold of {hold_s:g} s cannot be kept.",
            f"Give one from 1 to {MOST_HOLD_S:g}; the runtimes themselves give up after 600 s.",
        )
    return Link(
        url=f"http://127.0.0.1:{port}",
        token=rendezvous.token(),
        gate_file=rendezvous.gate_file.absolute(),
        command=attaching.own_command(),
        fail=args.fail or settings.gate.fail,
        hold_s=hold_s,
    )


def _print(runtime: Attachment, place: Place, link: Link, io: Io) -> int:
    """The entries as they would stand in files that hold nothing else."""
    with tempfile.TemporaryDirectory() as empty:
        bare = Path(empty)
        project = bare if place.project is not None else None
        for edit in runtime.edits(Place(bare, project, {}), link):
            io.line(f"# {edit.path.relative_to(bare)}")
            io.line((edit.after or b"").decode())
    return 0


def _written(
    runtime: Attachment, place: Place, rendezvous: Rendezvous, edits: list[Edit]
) -> Callable[[], None]:
    from jarvis_voice.cli import attaching
    from jarvis_voice.clock import wall_now

    stamp = wall_now()[:19].replace(":", "")
    changes = attaching.changes_of(rendezvous)
    return changes.apply(runtime.name, edits, runtime.removal(place), stamp)


def _conclude(runtime: Attachment, place: Place, link: Link, io: Io) -> None:
    where = f"for the project {place.project}" if place.project else "for all of your projects"
    io.line(f"attached: {runtime.name}, {where}.")
    absent = "are refused" if link.fail == "closed" else "run"
    io.line(
        f"A call is held for at most {link.hold_s:g} s. When Jarvis is not there or nobody decides "
        f"in time, calls {absent} (fail {link.fail})."
    )
    for note in runtime.notes(place):
        io.line(f"- {note}")
    if shutil.which(runtime.program) is None:
        io.line(f"- The program {runtime.program} is not on your PATH, so it was not asked.")
    scope = f" --project {place.project}" if place.project else ""
    io.line(f"- To undo this: jarvis detach {runtime.name}{scope}")
