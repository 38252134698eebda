"""The workspace of a run: public materials that stay as they are, and results that grow.

A session sees a *scope* of it: the single agent and the parent see everything and write below
``results/``; a child sees what is common and its own workstream, and writes below
``results/<id>/``. A shell command runs in a *view*, a copy of what the scope shows. What it changed
there is found by content, reviewed by the caller, and kept or thrown away with the view; a change
to anything outside the scope's results is always thrown away, and said so.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from bench.errors import WorkspaceFailed
from bench.suite.bundle import is_plain
from bench.workers.base import Reply
from bench.workers.shell import Shell

LOOK_CHARS = 400_000
WRITE_BYTES = 2 * 1024 * 1024
RESULT_FILES = 500
_NOTED = 4
_REMEMBERED, _REMEMBERED_BYTES = 1024, 256 * 1024
_MADE_AT_S = 1_750_000_000  # every file's date in a view: the same run lists the same dates


@dataclass(frozen=True, slots=True)
class Changes:
    """What a command did to its view: new content by path, None for a deleted file."""

    kept: Mapping[str, bytes | None]  # within the scope's results
    dropped: tuple[str, ...]  # elsewhere: not kept whatever the review says
    removed: tuple[str, ...] = ()  # of all these, what was there before and is gone

    def texts(self) -> dict[str, str]:
        """The kept changes as a review shows them."""
        return {path: _shown(data) for path, data in self.kept.items()}

    def note(self) -> str:
        """A line for the worker on what was not kept; empty when all was."""
        if not self.dropped:
            return ""
        names = ", ".join(self.dropped[:_NOTED])
        return f"\n[Not kept, because it is outside the results: {names}]"


def _shown(data: bytes | None) -> str:
    if data is None:
        return "[deleted]"
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return f"[{len(data)} bytes]"


class Ran(NamedTuple):
    """What came of a command: its output, and what it would change."""

    reply: Reply
    changes: Changes


class _Memory:
    """What commands did, by all that they could see. Shared by the runs of one process.

    A command that is shut in sees its view and nothing else, so the same command on the same files
    does the same. The arms of a benchmark repeat each command many times.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, Ran] = OrderedDict()

    def get(self, key: str) -> Ran | None:
        return self._known.get(key)

    def put(self, key: str, ran: Ran) -> None:
        if sum(len(data or b"") for data in ran.changes.kept.values()) > _REMEMBERED_BYTES:
            return
        self._known[key] = ran
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)


_memory = _Memory()


def _digests(folder: Path) -> dict[str, str]:
    """Content by path. A link is no file: it can neither be kept nor reach outside."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        name = path.relative_to(folder).as_posix()
        found[name] = _digest(path)
        if len(found) > 4 * RESULT_FILES:
            raise WorkspaceFailed(f"A command left more than {4 * RESULT_FILES} files behind.")
    return found


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class Workspace:
    """The public folder of a task, and the folder of one run of it, which must be empty or new."""

    public: Path
    folder: Path

    def __post_init__(self) -> None:
        try:
            (self.folder / "results").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WorkspaceFailed(f"{self.folder} cannot be used for a run: {error}.") from error

    def scope(self, stream: str | None = None) -> Scope:
        """What one session sees: a child's when ``stream`` names its workstream."""
        return Scope(self, stream)

    def put(self, path: str, data: bytes) -> None:
        """Write a file of the results. Raises WorkspaceFailed when that is not possible."""
        target = self.folder / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        except OSError as error:
            raise WorkspaceFailed(f"{path} cannot be written: {error}.") from error


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of a workspace that one session sees and may write. It cannot be left."""

    workspace: Workspace
    stream: str | None

    @property
    def results(self) -> str:
        """Where this session may write."""
        return f"results/{self.stream}/" if self.stream else "results/"

    def plain(self, path: str) -> str:
        """The path in its one form, relative to the workspace; empty when it leads outside."""
        path = path.replace("\\", "/").strip()
        path = path.removeprefix("/workspace/").rstrip("/")
        path = PurePosixPath(path).as_posix() if path not in ("", "/workspace") else "."
        return path if path == "." or is_plain(path) else ""

    def may_see(self, path: str) -> bool:
        """A child sees of workstreams and results only its own."""
        first, _, rest = path.partition("/")
        if self.stream and first in ("workstreams", "results") and rest:
            return rest == self.stream or rest.startswith(f"{self.stream}/")
        return True

    def may_write(self, path: str) -> bool:
        """It is one of this session's results."""
        return path.startswith(self.results) and is_plain(path)

    def look(self, path: str) -> Reply:
        """A text file, or the names in a folder."""
        plain = self.plain(path)
        if not plain or not self.may_see(plain):
            return Reply(False, f"There is no {path} in this workspace.")
        names = self._names(plain)
        if names is not None:
            return Reply(True, "\n".join(names))
        found = self._file(plain)
        if found is None:
            return Reply(False, f"There is no {path} in this workspace.")
        try:
            text = found.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError:
            return Reply(False, f"{path} is no text file.")
        if len(text) > LOOK_CHARS:
            return Reply(False, f"{path} has {len(text)} characters: read it with a command.")
        return Reply(True, text)

    def look_bytes(self, path: str) -> bytes:
        """A file as bytes; empty when it cannot be read."""
        plain = self.plain(path)
        found = self._file(plain) if plain and self.may_see(plain) else None
        return found.read_bytes() if found else b""

    def unwritable(self, path: str, text: str) -> str:
        """Why this cannot be written; empty when it can."""
        plain = self.plain(path)
        if not plain or not self.may_write(plain):
            return f"{path} cannot be written: only {self.results} can."
        if len(text.encode("utf-8", "replace")) > WRITE_BYTES:
            return f"{path} cannot be written: it is larger than {WRITE_BYTES} bytes."
        if (self.workspace.folder / plain).is_dir():
            return f"{path} cannot be written: it is a folder."
        return ""

    def write(self, path: str, text: str) -> None:
        """Write a text that ``unwritable`` has nothing against."""
        self.workspace.put(self.plain(path), text.encode("utf-8", "replace"))

    def named_in(self, command: str) -> tuple[str, ...]:
        """The visible files and folders that a command names."""
        words = {self.plain(word) for word in re.findall(r"[\w./-]+", command) if "/" in word}
        return tuple(sorted(word for word in words if word not in ("", ".") and self._is(word)))

    async def execute(self, shell: Shell, command: str) -> Ran:
        """Run a command in a view. Nothing that it changed is kept yet: see ``keep``.

        Raises WorkspaceFailed when there is no view or no shell to be had.
        """
        if shell.inline:
            return self.execute_now(shell, command)
        return await asyncio.to_thread(self._execute, shell, command)

    def execute_now(self, shell: Shell, command: str) -> Ran:
        """The same, waiting for it; a command that was seen on the same files is not run again."""
        if not shell.isolated:
            return self._execute(shell, command)
        files = [f"{name}\0{_digest(source)}" for name, source in self._sources()]
        key = "\n".join((command, self.results, f"{shell.time_limit_s}", *files))
        known = _memory.get(key)
        if known is None:
            known = self._execute(shell, command)
            _memory.put(key, known)
        return known

    def keep(self, changes: Changes) -> None:
        """Carry the changes of a command over into the run's results."""
        for path, data in changes.kept.items():
            if data is None:
                (self.workspace.folder / path).unlink(missing_ok=True)
            else:
                self.workspace.put(path, data)

    def _execute(self, shell: Shell, command: str) -> Ran:
        with self._view() as folder:
            before = _digests(folder)
            reply = shell.run_now(command, folder)
            return Ran(reply, self._changes(folder, before))

    def _changes(self, folder: Path, before: Mapping[str, str]) -> Changes:
        """What differs from before. Raises WorkspaceFailed for too many files."""
        after = _digests(folder)
        kept: dict[str, bytes | None] = {}
        dropped = []
        for path in sorted({*before, *after}):
            if before.get(path) == after.get(path):
                continue
            data = (folder / path).read_bytes() if path in after else None
            if self.may_write(path) and len(data or b"") <= WRITE_BYTES:
                kept[path] = data
            else:
                dropped.append(path)
        return Changes(kept, tuple(dropped), tuple(sorted(before.keys() - after.keys())))

    @contextlib.contextmanager
    def _view(self) -> Iterator[Path]:
        """A fresh copy of what this scope shows, gone again afterwards."""
        try:
            top = Path(tempfile.mkdtemp(prefix="jarvis-bench-")).resolve()
        except OSError as error:
            raise WorkspaceFailed(f"No view of the workspace can be made: {error}.") from error
        try:
            folder = top / "workspace"
            self.copy_to(folder)
            yield folder
        finally:
            shutil.rmtree(top, ignore_errors=True)

    def _sources(self) -> Iterator[tuple[str, Path]]:
        """All files that this scope shows, by their path in the workspace."""
        for root, prefix in ((self.workspace.public, ""), (self.workspace.folder, "results")):
            for source in sorted((root / prefix).rglob("*")):
                name = source.relative_to(root).as_posix()
                if source.is_file() and not source.is_symlink() and self.may_see(name):
                    yield name, source

    def copy_to(self, folder: Path) -> None:
        """Make the folder a copy of what this scope shows, its results included."""
        for name, source in self._sources():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            os.utime(target, (_MADE_AT_S, _MADE_AT_S))
        (folder / self.results).mkdir(parents=True, exist_ok=True)

    def _roots(self, plain: str) -> Iterator[Path]:
        is_result = plain == "results" or plain.startswith("results/")
        yield (self.workspace.folder if is_result else self.workspace.public) / plain

    def _is(self, plain: str) -> bool:
        return self.may_see(plain) and any(path.exists() for path in self._roots(plain))

    def _file(self, plain: str) -> Path | None:
        for path in self._roots(plain):
            if path.is_file() and not path.is_symlink():
                return path
        return None

    def _names(self, plain: str) -> list[str] | None:
        folders = [path for path in self._roots(plain) if path.is_dir()]
        if not folders:
            return None
        names = [
            f"{path.name}/" if path.is_dir() else path.name
            for folder in folders
            for path in sorted(folder.iterdir())
            if self.may_see(path.name if plain == "." else f"{plain}/{path.name}")
        ]
        if plain == ".":
            names.append("results/")
        return sorted(names)
