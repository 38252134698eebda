"""Every fact about the user's attention in one SQLite file, written before it is acted upon.

The file is a write-ahead log with full synchronisation: what ``append`` has returned for survives a
crash of the process, of the system and of the power. What only the ledger wants to know (a call
that was let go on without a question) survives a crash of the process, and one of the power from
the next decision on: the agent need not wait for the disk.

One process at a time may write; others read (``StoreReader``) while it does. Each fact has a
checksum of its own, as SQLite has none.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NoReturn

from jarvis_voice import clock
from jarvis_voice.attention import salvage
from jarvis_voice.attention.facts import ActionReleased, Fact, decode, encode
from jarvis_voice.errors import StoreBusy, StoreDamaged, StoreError

BUSY_S: Final = 5.0  # longest wait for another connection's lock
EVENTS_KEPT: Final = 100_000  # newest notes about runs; decisions are never dropped
APPLICATION_ID: Final = 0x4A56_4154  # "JVAT": tells our file from any other database
SMALLEST: Final = 512  # bytes of the smallest database; SQLite takes one byte for an empty one
PAGE: Final = 500  # rows read at a time, so that a reader never holds the file for long

FOR_THE_LEDGER: Final = frozenset((ActionReleased,))
"""No decision of the user's, and nothing follows from them. 4.0 ms at the median were measured for
a synchronised append on a busy machine, 0.07 ms without."""

MIGRATIONS: Final = (
    """
    CREATE TABLE facts (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at_s REAL NOT NULL,
        run_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        crc INTEGER NOT NULL
    );
    CREATE TABLE run_notes (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at_s REAL NOT NULL,
        project_id TEXT NOT NULL,
        run_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL
    );
    """,
)
"""One script per schema version, in order; a file of an older version is brought up to date."""

_KEPT = "Nothing was decided on it; the file is as it was."


@dataclass(frozen=True, slots=True)
class RunNote:
    """Something that happened in a run, kept for the log; the text is redacted and bounded."""

    at_s: float  # Unix time
    project_id: str
    run_id: str
    kind: str
    text: str


class _Rows:
    """Reads facts and notes page by page. SQLite's faults become ours."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection
        self._one_at_a_time = threading.Lock()

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def facts(self, after: int = 0) -> Iterator[Fact]:
        """The facts behind this sequence number, oldest first. Raises FactUnreadable, StoreError"""
        for _, fact in self.numbered(after):
            yield fact

    def numbered(self, after: int = 0) -> Iterator[tuple[int, Fact]]:
        """The same with each fact's sequence number, which grows and is never reused."""
        query = "SELECT seq, body FROM facts WHERE seq > ? ORDER BY seq LIMIT ?"
        while page := self._fetch(query, after, PAGE):
            for seq, body in page:
                after = seq
                yield seq, decode(json.loads(body))

    def last(self) -> int:
        """The newest fact's sequence number, 0 when there is none."""
        return int(self._fetch("SELECT coalesce(max(seq), 0) FROM facts")[0][0])

    def notes(self, after: int = 0) -> Iterator[tuple[int, RunNote]]:
        """What was noted about runs, oldest first, with sequence numbers."""
        query = (
            "SELECT seq, at_s, project_id, run_id, kind, text FROM run_notes "
            "WHERE seq > ? ORDER BY seq LIMIT ?"
        )
        while page := self._fetch(query, after, PAGE):
            for after, *values in page:
                yield after, RunNote(*values)

    def close(self) -> None:
        """Release the file; calling it twice is fine."""
        with self._one_at_a_time:
            self._connection.close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _fetch(self, query: str, *values: int) -> list[Any]:  # Any: rows are as SQLite has them
        with self._one_at_a_time, _typed(self._path, "read"):
            return self._connection.execute(query, values).fetchall()


class StoreReader(_Rows):
    """Reads a file that another process may be writing. Raises StoreError when it cannot."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise StoreError(
                f"There is no file {path}.", "Jarvis makes it when it first watches a live run."
            )
        with _typed(path, "read"):
            connection = _connect(f"{path.absolute().as_uri()}?mode=ro")
            _check_owner(path, connection)
        super().__init__(path, connection)

    def __enter__(self) -> StoreReader:
        return self


class AttentionStore(_Rows):
    """The file, open for this process alone to write. Any thread may call it, one at a time.

    Raises StoreBusy when another process has it. A damaged file is put aside, what can be read of
    it goes into a new one, and StoreDamaged says so; opening again then works.
    """

    def __init__(self, path: Path) -> None:
        _prepare(path)
        self._owner = _own(path)
        try:
            connection = _open(path)
        except BaseException:
            self._owner.close()
            raise
        super().__init__(path, connection)
        self._noted = 0
        self._trim()

    def __enter__(self) -> AttentionStore:
        return self

    def append(self, fact: Fact) -> int:
        """Keep the fact for good and return its sequence number; it is on disk by then.

        Raises StoreError when it could not be kept: then it must not be acted upon.
        """
        return self._append((fact,), synchronised=type(fact) not in FOR_THE_LEDGER)

    def append_all(self, facts: Sequence[Fact]) -> int:
        """Keep all of these or none; returns the last one's sequence number."""
        return self._append(facts, synchronised=True)

    def _append(self, facts: Sequence[Fact], *, synchronised: bool) -> int:
        rows = [_row(fact) for fact in facts]
        query = "INSERT INTO facts (at_s, run_id, kind, body, crc) VALUES (?, ?, ?, ?, ?)"
        with self._writing(synchronised=synchronised) as connection:
            seq = 0
            for row in rows:
                seq = connection.execute(query, row).lastrowid or 0
        return seq

    def note(self, notes: Sequence[RunNote]) -> None:
        """Keep what happened in runs, all at once; the oldest beyond ``EVENTS_KEPT`` are dropped.

        One call costs one write to the disk, however many notes it brings: gather them first.
        """
        query = (
            "INSERT INTO run_notes (at_s, project_id, run_id, kind, text) VALUES (?, ?, ?, ?, ?)"
        )
        with self._writing() as connection:
            connection.executemany(
                query, [(n.at_s, n.project_id, n.run_id, n.kind, n.text) for n in notes]
            )
        self._noted += len(notes)
        if self._noted > EVENTS_KEPT // 10:
            self._trim()

    def close(self) -> None:
        """Release the file; calling it twice is fine."""
        super().close()
        self._owner.close()

    def _trim(self) -> None:
        self._noted = 0
        with self._writing() as connection:
            connection.execute(
                "DELETE FROM run_notes WHERE seq <= (SELECT max(seq) FROM run_notes) - ?",
                (EVENTS_KEPT,),
            )

    @contextmanager
    def _writing(self, *, synchronised: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction, on disk when it ends well, undone when it does not."""
        with self._one_at_a_time, _typed(self._path, "written"):
            self._connection.execute(f"PRAGMA synchronous={'FULL' if synchronised else 'NORMAL'}")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def open_store(path: Path) -> tuple[AttentionStore, StoreDamaged | None]:
    """The store, and what was wrong with the file when it had to be begun anew."""
    try:
        return AttentionStore(path), None
    except StoreDamaged as damage:
        return AttentionStore(path), damage


def checksum(body: str) -> int:
    """Of a fact as it is stored."""
    return zlib.crc32(body.encode("utf-8", "surrogatepass"))


def _row(fact: Fact) -> tuple[float, str, str, str, int]:
    body = json.dumps(encode(fact), separators=(",", ":"))
    run_id = fact.run_id.encode("utf-8", "replace").decode()  # SQLite takes no lone surrogates
    return fact.at_s, run_id, type(fact).__name__, body, checksum(body)


def _prepare(path: Path) -> None:
    """Make the folder and an empty file that only its user can read."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        salvage.finish(path)
        for file in (path, path.with_name(f"{path.name}.owner")):
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise StoreError(
            f"The file {path} for decisions cannot be opened: {error.strerror}.",
            "Check the permissions of that folder, or name another file.",
        ) from None


def _own(path: Path) -> sqlite3.Connection:
    """A lock that ends with this process, however it ends: an open transaction on a file beside."""
    with _typed(path, "written"):
        owner = sqlite3.connect(
            f"{path}.owner", isolation_level=None, timeout=0, check_same_thread=False
        )
        try:
            owner.execute("PRAGMA journal_mode=MEMORY")  # it never holds anything
            owner.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            owner.close()
            if "locked" not in str(error):
                raise
            raise StoreBusy(
                f"Another Jarvis keeps its decisions in {path}.",
                "Stop it first, or give this one another file.",
            ) from None
    return owner


def _open(path: Path) -> sqlite3.Connection:
    connection = None
    try:
        if 0 < path.stat().st_size < SMALLEST:
            raise sqlite3.DatabaseError("it is shorter than any database")
        connection = _connect(str(path.absolute()))
        _check_owner(path, connection)
        connection.execute("PRAGMA journal_mode=WAL")
        _verify(connection)
        _migrate(path, connection)
        return connection
    except sqlite3.DatabaseError as error:
        if connection is not None:
            connection.close()
        if isinstance(error, sqlite3.OperationalError) and not salvage.is_damage(error):
            _raise(path, "opened", error)
        _put_aside(path, error)
    except StoreError:
        if connection is not None:
            connection.close()
        raise


def _connect(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address,
        uri=address.startswith("file:"),
        isolation_level=None,
        timeout=BUSY_S,
        check_same_thread=False,
    )
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA fullfsync=ON")  # macOS: through the drive's own cache too
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check_owner(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse a database of something else or of a newer version; an empty file is ours to fill."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    if tables and mark != APPLICATION_ID:
        raise StoreError(f"{path} is a database of another program.", f"Name another file. {_KEPT}")
    if _version(connection) > len(MIGRATIONS):
        raise StoreError(
            f"{path} was written by a newer Jarvis.", f"Use that one, or another file. {_KEPT}"
        )


def _verify(connection: sqlite3.Connection) -> None:
    """Raise DatabaseError when SQLite finds a fault or a fact is not what was written."""
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(str(found))
    if _version(connection) == 0:
        return
    for seq, body, crc in connection.execute("SELECT seq, body, crc FROM facts"):
        if not isinstance(body, str) or checksum(body) != crc:
            raise sqlite3.DatabaseError(f"fact {seq} is not what was written")


def _migrate(path: Path, connection: sqlite3.Connection) -> None:
    done = _version(connection)
    with _typed(path, "brought up to date"):
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, at_s REAL)"
        )
        for version, script in enumerate(MIGRATIONS[done:], start=done + 1):
            connection.executescript(
                f"BEGIN; {script} INSERT INTO migrations VALUES ({version}, {clock.unix_now()!r});"
                f"PRAGMA user_version={version}; COMMIT;"
            )


def _put_aside(path: Path, cause: sqlite3.DatabaseError) -> NoReturn:
    with _typed(path, "saved"):
        saved = salvage.begin(path, _fill)
    raise StoreDamaged(
        f"The file of decisions was damaged ({cause}); it is kept as {saved.aside}, and "
        f"{saved.rows} facts of it could be read and were kept.",
        "Jarvis goes on with those from the next time that it opens the file.",
    ) from None


def _fill(path: Path, rows: Iterator[tuple[int, str, int]]) -> int:
    """A new file with those stored facts that are whole; returns how many."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = _connect(str(path))
    kept = 0
    try:
        _migrate(path, connection)
        connection.execute("BEGIN")
        for seq, body, crc in rows:
            if checksum(body) != crc:
                continue
            data = json.loads(body)
            values = (seq, data["at_s"], data["run_id"], data["fact"], body, crc)
            connection.execute("INSERT OR IGNORE INTO facts VALUES (?, ?, ?, ?, ?, ?)", values)
            kept += 1
        connection.execute("COMMIT")
    finally:
        connection.close()
    return kept


@contextmanager
def _typed(path: Path, done: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        _raise(path, done, error)


def _raise(path: Path, done: str, error: Exception) -> NoReturn:
    raise StoreError(
        f"The file of decisions {path} could not be {done}: {error}.",
        "What was decided before is kept; check the disk and the permissions of that folder.",
    ) from error
