"""Puts a damaged file of decisions aside and saves what can be read of it into a new one.

A crash at any moment of it leaves either the damaged file in its place, or the complete new one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROBED = 100_000  # rows looked up one by one in a part that cannot be read in order

Stored = tuple[int, str, int]  # sequence number, body, checksum
Fill = Callable[[Path, Iterator[Stored]], int]
"""Makes a new file at the path from the rows; returns how many of them were whole."""

_BESIDE = ("-wal", "-shm")  # SQLite keeps the newest part of a database beside it


@dataclass(frozen=True, slots=True)
class Salvaged:
    """Where the damaged file is, and how many rows were saved."""

    aside: Path
    rows: int


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite says that the file itself is broken, not that it cannot be got at."""
    return getattr(error, "sqlite_errorcode", None) in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_ERROR,  # a table is gone, for one
    )


def begin(path: Path, fill: Fill) -> Salvaged:
    """Save what can be read, put the damaged file aside, and put the new one in its place."""
    new = path.with_name(f"{path.name}.saving")
    for ending in ("", "-journal"):
        new.with_name(new.name + ending).unlink(missing_ok=True)
    rows = fill(new, _readable(path))
    new.replace(_complete(path))
    aside = path.with_name(f"{path.name}.damaged-{_asides(path) + 1}")
    path.replace(aside)
    finish(path)
    return Salvaged(aside, rows)


def finish(path: Path) -> None:
    """Put a complete new file in its place, when the damaged one is gone from there."""
    complete = _complete(path)
    if not complete.exists():
        return
    if path.exists():
        complete.unlink()  # the damaged one was not put aside yet: begin anew
        return
    for ending in _BESIDE:  # they belong to the damaged one and would spoil the new one
        beside = path.with_name(path.name + ending)
        if beside.exists():
            beside.replace(path.with_name(f"{path.name}.damaged-{_asides(path)}{ending}"))
    complete.replace(path)


def _asides(path: Path) -> int:
    """How many damaged files were put aside so far."""
    number = 0
    while path.with_name(f"{path.name}.damaged-{number + 1}").exists():
        number += 1
    return number


def _complete(path: Path) -> Path:
    return path.with_name(f"{path.name}.saved")


def _readable(path: Path) -> Iterator[Stored]:
    """The facts that SQLite can still give out, in order: from both ends, then one by one."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        head = _until_fault(connection, "SELECT seq, body, crc FROM facts ORDER BY seq")
        tail = _until_fault(connection, "SELECT seq, body, crc FROM facts ORDER BY seq DESC")
        first = max(head, default=0)
        last = min((seq for seq in tail if seq > first), default=first)
        found = head | tail
        for seq in range(first + 1, min(last, first + PROBED)):
            one = "SELECT seq, body, crc FROM facts WHERE seq = ?"
            found |= _until_fault(connection, one, seq)
    finally:
        connection.close()
    yield from (found[seq] for seq in sorted(found))


def _until_fault(connection: sqlite3.Connection, query: str, *values: int) -> dict[int, Stored]:
    found: dict[int, Stored] = {}
    try:
        for seq, body, crc in connection.execute(query, values):
            if isinstance(seq, int) and isinstance(body, str) and isinstance(crc, int):
                found[seq] = (seq, body, crc)
    except (sqlite3.Error, UnicodeDecodeError):
        pass  # what was read before the fault is what is wanted
    return found
