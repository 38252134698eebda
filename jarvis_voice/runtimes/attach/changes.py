"""Applies edits to other programs' settings with a backup each, and undoes them exactly.

``attached.json`` in the state folder remembers for each file what it was like before and what we
made of it. A file that nobody has changed since gets its old bytes back (or goes, when there was
none); from any other only our own entries are taken.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import json
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from jarvis_voice.errors import AttachError
from jarvis_voice.runtimes.attach.base import Edit, read

_PRIVATE = stat.S_IRUSR | stat.S_IWUSR


@dataclass(frozen=True, slots=True)
class Kept:
    """What is remembered of a file that we changed."""

    runtime: str
    path: str
    backup: str | None  # None when there was no file
    made_sha256: str  # of what we wrote
    mode: int | None  # of the file as it was
    folders: tuple[str, ...] = ()  # that we made for it, the innermost first


class Changes:
    """The edits made so far, with their backups, in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "attached.json"

    def apply(
        self, runtime: str, edits: Sequence[Edit], removal: Iterable[Edit], stamp: str
    ) -> Callable[[], None]:
        """Write all edits or none, and return how to take exactly this back. Raises AttachError.

        ``removal`` is the same files without anything of ours, which is what is backed up: most
        often the files as they are. ``stamp`` names the backups.
        """
        before = self._read()
        kept = dict(before)
        clean = {edit.path: edit.after for edit in removal}
        written: list[tuple[Edit, Kept]] = []

        def take_back() -> None:
            for edit, known in reversed(written):
                _write(edit.path, edit.before, known.mode)
            _remove_folders(known.folders for edit, known in written if edit.before is None)
            self._save(before)

        try:
            for edit in edits:
                known = kept.get(str(edit.path))
                if known is None or not _is_as_made(edit, known):
                    known = self._backed_up(runtime, edit.path, clean.get(edit.path), stamp)
                kept[str(edit.path)] = replace(known, made_sha256=_sha(edit.after or b""))
                _write(edit.path, edit.after, _PRIVATE if edit.private else None)
                written.append((edit, known))
            self._save(kept)
        except OSError as error:
            take_back()
            raise AttachError(
                f"The settings could not be written ({error}); they are as they were.",
                "Check the permissions of that folder.",
            ) from error
        return take_back

    def undone(self, runtime: str, edits: Iterable[Edit]) -> list[Edit]:
        """What detaching does: the exact old bytes where nobody changed the file since."""
        kept = self._read()
        result = []
        for edit in edits:
            known = kept.get(str(edit.path))
            if known is not None and known.runtime == runtime and _is_as_made(edit, known):
                edit = Edit(edit.path, edit.before, self._backup(known))
            result.append(edit)
        return result

    def undo(self, edits: Iterable[Edit]) -> None:
        """Write what ``undone`` gave and forget these files. Raises AttachError."""
        kept = self._read()
        emptied = []
        try:
            for edit in edits:
                known = kept.pop(str(edit.path), None)
                if edit.changes:
                    _write(edit.path, edit.after, known.mode if known is not None else None)
                if known is not None and edit.after is None:
                    emptied.append(known.folders)
            _remove_folders(emptied)
            self._save(kept)
        except OSError as error:
            raise AttachError(f"The settings could not be written: {error}.") from error

    def _backed_up(self, runtime: str, path: Path, content: bytes | None, stamp: str) -> Kept:
        backup = None
        if content is not None:
            folder = self._folder / "backups"
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            backup = str(folder / f"{runtime}-{path.name}-{stamp}-{secrets.token_hex(2)}")
            _write(Path(backup), content, _PRIVATE)
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
        return Kept(runtime, str(path), backup, "", mode, _missing_folders(path))

    def _backup(self, known: Kept) -> bytes | None:
        if known.backup is None:
            return None
        content = read(Path(known.backup))
        if content is None:
            raise AttachError(
                f"The backup {known.backup} is gone.", "Take Jarvis' hooks out by hand."
            )
        return content

    def _read(self) -> dict[str, Kept]:
        raw = read(self._file)
        if raw is None:
            return {}
        try:
            found = [Kept(**item | {"folders": tuple(item["folders"])}) for item in json.loads(raw)]
        except (ValueError, TypeError, KeyError) as error:
            raise AttachError(
                f"{self._file} is damaged.", "Remove it; backups are in the folder beside it."
            ) from error
        return {item.path: item for item in found}

    def _save(self, kept: dict[str, Kept]) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = json.dumps([asdict(item) for item in kept.values()], indent=2)
        _write(self._file, content.encode(), _PRIVATE)


def diff(edits: Iterable[Edit], secret: str) -> str:
    """The edits as a unified diff, the secret masked."""
    lines: list[str] = []
    for edit in edits:
        old = (edit.before or b"").decode("utf-8", "replace").splitlines()
        new = (edit.after or b"").decode("utf-8", "replace").splitlines()
        before = str(edit.path) if edit.before is not None else "(no file)"
        after = str(edit.path) if edit.after is not None else "(no file)"
        lines += difflib.unified_diff(old, new, before, after, lineterm="")
    text = "\n".join(lines)
    return text.replace(secret, "<token>") if secret else text


def _is_as_made(edit: Edit, known: Kept) -> bool:
    """Has nobody changed the file since we wrote it?"""
    return edit.before is not None and _sha(edit.before) == known.made_sha256


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _missing_folders(path: Path) -> tuple[str, ...]:
    return tuple(str(folder) for folder in path.parents if not folder.exists())


def _remove_folders(made: Iterable[tuple[str, ...]]) -> None:
    """Remove the folders that were made for files which are gone, unless others are in them."""
    folders = {folder for each in made for folder in each}
    for folder in sorted(folders, key=len, reverse=True):
        with contextlib.suppress(OSError):
            Path(folder).rmdir()


def _write(path: Path, content: bytes | None, mode: int | None) -> None:
    """Write a file whole or not at all, through a link; None removes it. Raises OSError."""
    target = path.resolve()
    if content is None:
        target.unlink(missing_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode is None:
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o644
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(mode)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
