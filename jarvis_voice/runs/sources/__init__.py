"""Recorded and growing runs of agent runtimes, read as events.

The runtime is told from the content. A new runtime is one more ``Source`` in ``SOURCES``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from jarvis_voice.errors import RunSourceError
from jarvis_voice.runs.model import PromptGiven, RunEvent, RunTitled, cut
from jarvis_voice.runs.sources import (
    claude_code,
    codex,
    jarvis_event,
    openclaw,
    opencode,
    openhands,
)
from jarvis_voice.runs.sources.base import Reader, Source
from jarvis_voice.runs.sources.lines import read_lines
from jarvis_voice.runs.sources.sorting import RunSorter, Sorted

__all__ = [
    "SOURCES",
    "Reader",
    "Recording",
    "hook_sorter",
    "new_sorter",
    "open_recording",
    "open_recordings",
]

SOURCES = (
    Source(
        jarvis_event.RUNTIME,
        jarvis_event.JarvisEventReader,
        jarvis_event.claims,
        jarvis_event.run_of,
    ),
    Source(codex.RUNTIME, codex.CodexReader, codex.claims, codex.run_of),
    Source(openclaw.RUNTIME, openclaw.OpenClawReader, openclaw.claims, openclaw.run_of),
    Source(opencode.RUNTIME, opencode.OpenCodeReader, opencode.claims, opencode.run_of),
    Source(openhands.RUNTIME, openhands.OpenHandsReader, openhands.claims, openhands.run_of, False),
    Source(
        claude_code.RUNTIME, claude_code.ClaudeCodeReader, claude_code.claims, claude_code.run_of
    ),
)
TITLE_BYTES = 60
RECORDING_BYTES = 512 * 1024 * 1024
"""Largest recording that is opened at once; a live file of any size can be followed instead."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole recorded run: its events in the order of the file."""

    run_id: str
    runtime: str
    title: str
    events: tuple[RunEvent, ...]
    parent_run_id: str | None = None
    cwd: str | None = None


def new_sorter(fallback: str, runtime: str | None = None) -> RunSorter:
    """A reader of lines of the named runtime, or of any; ``fallback`` names a nameless run."""
    chosen = tuple(source for source in SOURCES if runtime in (None, source.runtime))
    return RunSorter(chosen, fallback)


def hook_sorter(runtime: str) -> RunSorter:
    """A reader of hook inputs in Claude Code's form, whichever runtime they were mapped from."""

    def new() -> Reader:
        reader = claude_code.ClaudeCodeReader()
        reader.runtime = runtime
        return reader

    return RunSorter((Source(runtime, new, claude_code.claims, claude_code.run_of),), runtime)


def open_recording(path: str | os.PathLike[str]) -> Recording:
    """The run recorded in ``path``; of several the first that is no other's child.

    Raises RunSourceError when there is no run in it.
    """
    found = open_recordings(path)
    names = {recording.run_id for recording in found}
    return next((item for item in found if item.parent_run_id not in names), found[0])


def open_recordings(path: str | os.PathLike[str]) -> tuple[Recording, ...]:
    """Every run in the file, in the order of their first events. Raises RunSourceError."""
    file = Path(path)
    drafts: dict[str, _Draft] = {}
    for told in _read_all(file):
        draft = drafts.setdefault(told.run_id, _Draft(told))
        draft.newest = told
        draft.events += told.events
    if not drafts:
        raise RunSourceError(
            f"{file.name} is not a recording of an agent run.",
            "Give a transcript or an event file of Claude Code, Codex, OpenClaw, OpenCode or "
            "OpenHands, or jarvis.event/v1: one JSON object per line.",
        )
    return tuple(draft.recording(file.stem) for draft in drafts.values())


@dataclass(slots=True)
class _Draft:
    newest: Sorted
    events: list[RunEvent] = field(default_factory=list)

    def recording(self, fallback: str) -> Recording:
        told = self.newest
        title = title_of(self.events, fallback)
        events = tuple(self.events)
        return Recording(told.run_id, told.runtime, title, events, told.parent_run_id, told.cwd)


def _read_all(file: Path) -> list[Sorted]:
    sorter = new_sorter(file.stem)
    found: list[Sorted] = []
    try:
        with file.open("rb") as source:
            size = os.fstat(source.fileno()).st_size
            if size > RECORDING_BYTES:
                raise RunSourceError(
                    f"{file.name} is larger than {RECORDING_BYTES // 2**20} MB.",
                    "Follow it while it grows, or cut it to the part that matters.",
                )
            for number, line in enumerate(read_lines(source), start=1):
                found += sorter.line(line, number)
    except OSError as error:
        reason = error.strerror or "it cannot be opened"
        raise RunSourceError(
            f"{file} cannot be read: {reason.lower()}.", "Check the path and its permissions."
        ) from error
    return found + sorter.finish()


def title_of(events: list[RunEvent], fallback: str) -> str:
    """What a person would call a run: the name it was given, else its first words."""
    for event in reversed(events):
        if isinstance(event, RunTitled) and event.title.strip():
            return cut(event.title, TITLE_BYTES).replace("\n", " ")
    for event in events:
        if isinstance(event, PromptGiven) and event.text.strip():
            return cut(event.text, TITLE_BYTES).replace("\n", " ")
    return fallback
