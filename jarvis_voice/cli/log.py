"""``jarvis log``: what was asked, decided, delivered and applied, from the file of decisions."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from jarvis_voice.cli.io import Io

if TYPE_CHECKING:
    from jarvis_voice.attention.ledger import Ledger, LedgerRow
    from jarvis_voice.attention.store import StoreReader

_DESCRIPTION = """\
Show the ledger of decisions: which run wanted what, what you were asked, what you said, when the
agent was told, and when that was seen in its own record. It can be read while Jarvis runs."""

_EXAMPLES = """\
examples:
  jarvis log                        the newest fifty decisions
  jarvis log --project shop         those of one project: its folder, or the last part of it
  jarvis log --follow               print each change as it happens, until ctrl-C
  jarvis log --all                  also what was let go on without a question
  jarvis log --json                 for a program; with --follow, one JSON object a line
"""
_NARROWEST = 60  # columns; below that the table is wider than the terminal
_LOOK_S = 0.5  # between two looks at the file while following


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "log",
        help="show what was asked, decided, delivered and applied",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--project", metavar="NAME", help="only decisions of this project")
    parser.add_argument("--last", metavar="N", type=int, default=50, help="(default: 50)")
    parser.add_argument(
        "--all", action="store_true", help="also what was let go on without a question"
    )
    parser.add_argument("--follow", action="store_true", help="go on as decisions are made")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--file", metavar="FILE", type=Path, help="another file of decisions than the usual one"
    )


def run(args: argparse.Namespace, io: Io) -> int:
    from jarvis_voice import config
    from jarvis_voice.attention.ledger import Ledger
    from jarvis_voice.attention.store import StoreReader
    from jarvis_voice.errors import UsageError

    if args.last < 1:
        raise UsageError(f"--last {args.last} shows nothing.", "Give a number above zero.")
    path = args.file or config.decisions_path()
    if args.file is None and not path.exists() and not args.follow:
        if args.json:
            io.json([])
        else:
            io.note(f"Nothing was decided yet; decisions will be kept in {path}.")
        return 0
    ledger = Ledger()
    with StoreReader(path) as reader:
        last = _read(reader, ledger, 0)
        rows = [row for row in ledger.rows() if _is_wanted(row, args)][-args.last :]
        _print(rows, args, io)
        if args.follow:
            _follow(reader, ledger, last, lambda row: _print_change(row, args, io))
    return 0


def _read(reader: StoreReader, ledger: Ledger, after: int) -> int:
    for number, fact in reader.numbered(after):
        ledger.take(number, fact)
        after = number
    return after


def _follow(
    reader: StoreReader,
    ledger: Ledger,
    after: int,
    show: Callable[[LedgerRow], None],
    pause: Callable[[], object] | None = None,
) -> None:
    """Show each row that changes, until interrupted."""
    import threading

    pause = pause or (lambda: threading.Event().wait(_LOOK_S))
    while True:
        pause()
        changed: dict[tuple[int, str, tuple[str, ...]], LedgerRow] = {}
        for number, fact in reader.numbered(after):
            after = number
            for row in ledger.take(number, fact):
                changed[row.number, row.kind.value, row.run_ids] = row
        for row in changed.values():
            show(row)


def _is_wanted(row: LedgerRow, args: argparse.Namespace) -> bool:
    from jarvis_voice.attention.ledger import Kind

    if row.kind is Kind.RELEASED and not args.all:
        return False
    if args.project is None:
        return True
    wanted = args.project.rstrip("/\\")
    return wanted in (row.project_id, _name(row.project_id))


def _name(project_id: str) -> str:
    """The last part of a project's folder."""
    return project_id.rstrip("/\\").replace("\\", "/").rsplit("/", 1)[-1]


def _print(rows: list[LedgerRow], args: argparse.Namespace, io: Io) -> None:
    if args.json and args.follow:
        for row in rows:
            _print_change(row, args, io)
    elif args.json:
        io.json([row.as_json() for row in rows])
    elif not rows:
        from jarvis_voice import config

        io.note(f"There are no such decisions in {args.file or config.decisions_path()}.")
    else:
        for row in rows:
            io.line(_line(row, shutil.get_terminal_size((110, 24)).columns))


def _print_change(row: LedgerRow, args: argparse.Namespace, io: Io) -> None:
    if not _is_wanted(row, args):
        return
    if args.json:
        io.line(json.dumps(row.as_json(), ensure_ascii=False))
    else:
        io.line(_line(row, shutil.get_terminal_size((110, 24)).columns))


def _line(row: LedgerRow, columns: int) -> str:
    when = datetime.fromtimestamp(row.at_s).astimezone().strftime("%m-%d %H:%M:%S")
    who = _name(row.project_id)[:14] or "-"
    head = f"{when}  {row.kind.value:<9} {row.outcome.value:<9} {who:<14}  "
    return f"{head}{_cut(_told(row), max(columns, _NARROWEST) - len(head))}"


def _told(row: LedgerRow) -> str:
    """What the row is about, in one line."""
    what = row.question or row.action or row.why
    if row.answer or row.verdict:
        verdict = {"allow": "yes", "deny": "no"}.get(row.verdict, row.verdict)
        said = f'"{row.answer}"' if row.answer else verdict
        if row.answer and row.question:
            said = f"{said} ({verdict})"
        what = f"{what} -> {said}" if what else f"told {said}"
    if row.corrected:
        what += ", corrected"
    if row.kind.value == "released" and row.why:
        what += f" ({row.why})"
    return " ".join(what.split()) or "-"


def _cut(text: str, columns: int) -> str:
    return text if len(text) <= columns else text[: columns - 1] + "…"
