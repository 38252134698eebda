"""A view of the workspace that lasts as long as its run: for a worker whose tools are its own.

An agent runtime writes files itself, so it works in a copy of what its scope shows. The results in
the workspace are those that were agreed to; what the copy holds beyond them is a *change* that
somebody has to look at: it is agreed to and carried over, or refused and taken back. Public files
are put back as they were. What else lies in the copy (notes, scripts) is the worker's own affair
and goes with the view.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from bench.errors import WorkspaceFailed
from bench.workers.workspace import RESULT_FILES, WRITE_BYTES, Changes, Scope

RESULTS = "results"
_NOTED = 8  # of the worker's own files


class View:
    """The copy, in ``folder``. Two calls may change it at once: each change is looked at once."""

    def __init__(self, scope: Scope, folder: Path) -> None:
        self.folder = folder
        self._scope = scope
        self._claimed: dict[str, bytes | None] = {}  # what is being looked at
        try:
            scope.copy_to(folder)
        except OSError as error:
            raise WorkspaceFailed(f"No copy of the workspace can be made: {error}.") from error

    def claim(self) -> Changes:
        """What differs from the agreed results and nobody looks at yet; whoever asks does now.

        Raises WorkspaceFailed when there are too many files.
        """
        agreed, _ = _files(self._scope.workspace.folder)
        there, too_large = _files(self.folder)
        kept = {
            path: there.get(path)
            for path in sorted({*agreed, *there})
            if agreed.get(path) != there.get(path) and path not in too_large
        }
        missing = object()
        fresh = {
            path: data for path, data in kept.items() if self._claimed.get(path, missing) != data
        }
        self._claimed |= fresh
        return Changes(fresh, too_large)

    def agree(self, changes: Changes) -> None:
        """Carry the changes over into the run's results."""
        self._scope.keep(changes)
        self.release(changes)

    def refuse(self, changes: Changes) -> None:
        """Take the changes back, but for a file that something else has changed meanwhile."""
        there, _ = _files(self.folder)
        agreed, _ = _files(self._scope.workspace.folder)
        for path, data in changes.kept.items():
            if there.get(path) == data:
                _put(self.folder, path, agreed.get(path))
        self.release(changes)

    def release(self, changes: Changes) -> None:
        """Nobody looks at these any more; what is still there will be claimed again."""
        for path, data in changes.kept.items():
            if path in self._claimed and self._claimed[path] == data:
                del self._claimed[path]

    def restore(self) -> tuple[str, ...]:
        """Put every public file back as it was; returns those that were not."""
        public = self._scope.workspace.public
        spoiled = []
        for source in sorted(public.rglob("*")):
            name = source.relative_to(public).as_posix()
            if source.is_file() and not _same(source, self.folder, name):
                spoiled.append(name)
                _put(self.folder, name, source.read_bytes())
        return tuple(spoiled)

    def elsewhere(self) -> tuple[str, ...]:
        """Some of the worker's own files that are neither public nor results, by name."""
        public = self._scope.workspace.public
        names = (
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.is_file() and path.relative_to(self.folder).parts[0] != RESULTS
        )
        return tuple(sorted(islice((n for n in names if not (public / n).is_file()), _NOTED)))


def only(changes: Mapping[str, bytes | None], paths: set[str]) -> Changes:
    """Those of the changes that are about these paths."""
    return Changes({path: data for path, data in changes.items() if path in paths}, ())


def _files(root: Path) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The results below a folder, and the names of those that are too large to be any."""
    found: dict[str, bytes] = {}
    too_large = []
    top = root / RESULTS
    for path in [] if top.is_symlink() else sorted(top.rglob("*")):
        name = path.relative_to(root).as_posix()
        with contextlib.suppress(OSError):  # it was there a moment ago
            if path.is_symlink() or not path.is_file():
                continue
            if path.stat().st_size > WRITE_BYTES:
                too_large.append(name)
                continue
            found[name] = path.read_bytes()
        if len(found) > RESULT_FILES:
            raise WorkspaceFailed(f"A worker left more than {RESULT_FILES} results behind.")
    return found, tuple(too_large)


def _same(source: Path, folder: Path, name: str) -> bool:
    """It is a plain file with the same content, and no link on the way leads elsewhere."""
    path = folder / name
    try:
        return path.resolve() == path and path.read_bytes() == source.read_bytes()
    except OSError:
        return False


def _put(folder: Path, name: str, data: bytes | None) -> None:
    """The file as it should be; whatever stands in its way goes. Raises WorkspaceFailed."""
    path = folder / name
    try:
        for step in reversed([path, *path.relative_to(folder).parents][:-1]):
            inner = folder / step
            is_end = inner == path
            if inner.is_symlink() or (inner.is_file() and not is_end):
                inner.unlink()
            elif is_end and inner.is_dir():
                shutil.rmtree(inner)
        if data is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise WorkspaceFailed(f"{name} cannot be put back: {error}.") from error
