"""Finds the runs that are going on, by the files that the runtimes write. Reads folders only.

    runtime        where                                                  moved by
    claude-code    <claude>/projects/*/*.jsonl, */*/subagents/*.jsonl     CLAUDE_CONFIG_DIR
    codex          <codex>/sessions/YYYY/MM/DD/rollout-*.jsonl            CODEX_HOME
    other          <events>/*.jsonl, ``jarvis.event/v1``                  -

A run counts as going on while its file was written to a short time ago. Codex keeps a thread in the
folder of the day on which it began, so the newest few weeks of folders are looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

RECENT_S = 30 * 60.0
"""A file that was written to this long ago still counts: a long test run writes nothing."""
MAX_FILES = 1024
"""Runs that are followed at once; the newest ones."""
_DAYS = 21
_FOLDERS = 2000  # projects that are looked into


@dataclass(frozen=True, slots=True)
class Homes:
    """Where the runtimes keep their files."""

    claude: Path
    codex: Path
    openclaw: Path
    events: Path  # jarvis.event/v1 files


class Found(NamedTuple):
    """A file that holds a run, and when it was last written to (Unix seconds)."""

    path: Path
    runtime: str
    modified_s: float


def recent_files(homes: Homes, now_s: float, recent_s: float = RECENT_S) -> list[Found]:
    """The files of runs that are going on, the newest first. What cannot be read is left out."""
    found = [
        *_in(_claude_folders(homes.claude / "projects"), "claude-code"),
        *_in(_codex_folders(homes.codex / "sessions"), "codex"),
        *_in([homes.events], "other"),
    ]
    recent = [item for item in found if now_s - item.modified_s <= recent_s]
    return sorted(recent, key=lambda item: -item.modified_s)[:MAX_FILES]


def codex_socket_path(homes: Homes) -> Path:
    """The control socket of the daemon that Codex's terminal program starts; it may not exist."""
    return homes.codex / "app-server-control" / "app-server-control.sock"


def _in(folders: list[Path], runtime: str) -> Iterator[Found]:
    for folder in folders:
        for entry in _entries(folder):
            if not entry.name.endswith(".jsonl"):
                continue
            try:
                if entry.is_file():
                    yield Found(Path(entry.path), runtime, entry.stat().st_mtime)
            except OSError:
                continue  # gone since the folder was read


def _claude_folders(projects: Path) -> list[Path]:
    """One per working folder; and those in which a session keeps its subagents."""
    found = []
    for project in _folders(projects):
        found.append(project)
        found += [
            session / "subagents"
            for session in _folders(project)
            if (session / "subagents").is_dir()
        ]
    return found[:_FOLDERS]


def _codex_folders(sessions: Path) -> list[Path]:
    days: list[Path] = []
    for year in reversed(_folders(sessions)):
        for month in reversed(_folders(year)):
            days += reversed(_folders(month))
            if len(days) >= _DAYS:
                return days[:_DAYS]
    return days


def _folders(folder: Path) -> list[Path]:
    """The folders in a folder, by name; none when it is not there."""
    found = []
    for entry in _entries(folder):
        try:
            if entry.is_dir():
                found.append(Path(entry.path))
        except OSError:
            continue  # gone since the folder was read
    return sorted(found)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
