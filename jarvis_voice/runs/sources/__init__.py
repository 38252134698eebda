"""Recorded and growing runs of agent runtimes, read as events.

``open_recording`` tells the runtime from the content. A new runtime is one more reader in
``_READERS``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from jarvis_voice.errors import RunSourceError
from jarvis_voice.runs.model import PromptGiven, RunEvent, RunTitled, UnknownSeen, cut
from jarvis_voice.runs.sources.claude_code import ClaudeCodeReader
from jarvis_voice.runs.sources.lines import LINE_BYTES, Line, read_lines

TITLE_BYTES = 60
RECORDING_BYTES = 512 * 1024 * 1024
"""Largest recording that is opened at once; a live file of any size can be followed instead."""


class Reader(Protocol):
    """Turns the lines of one run into events, in order. Never raises."""

    runtime: str
    recognized: int  # records that were understood
    session: str | None  # the runtime's own name of the run, once known

    def read(self, line: str, number: int) -> list[RunEvent]:
        """The events of one line; ``number`` counts from 1."""
        ...


_READERS: tuple[Callable[[], Reader], ...] = (ClaudeCodeReader,)


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole recorded run: its events in the order of the file."""

    run_id: str
    runtime: str
    title: str
    events: tuple[RunEvent, ...]


def new_reader() -> Reader:
    """A reader for a file that is still empty; Claude Code's is the only one so far."""
    return _READERS[0]()


def line_events(reader: Reader, line: Line, number: int) -> list[RunEvent]:
    """The events of a line that may be too long or half-written."""
    if line.whole:
        return reader.read(line.text, number)
    events = reader.read(line.text, number)
    if any(isinstance(event, UnknownSeen) for event in events):
        reason = "A half-written line was left out."
        if line.size > LINE_BYTES:
            reason = f"A line of {line.size // 2**20} megabytes was too long to read."
        return [UnknownSeen(f"cut:{number}", None, reason)]
    return events


def open_recording(path: str | os.PathLike[str]) -> Recording:
    """The run recorded in ``path``. Raises RunSourceError when there is no run in it."""
    file = Path(path)
    for make in _READERS:
        reader = make()
        events = _read_all(file, reader)
        if reader.recognized:
            run_id = reader.session or file.stem
            return Recording(run_id, reader.runtime, title_of(events, file.stem), tuple(events))
    raise RunSourceError(
        f"{file.name} is not a recording of an agent run.",
        "Give a Claude Code transcript, stream-json output or hook inputs, one JSON per line.",
    )


def _read_all(file: Path, reader: Reader) -> list[RunEvent]:
    events: list[RunEvent] = []
    try:
        with file.open("rb") as source:
            size = os.fstat(source.fileno()).st_size
            if size > RECORDING_BYTES:
                raise RunSourceError(
                    f"{file.name} is larger than {RECORDING_BYTES // 2**20} MB.",
                    "Follow it while it grows, or cut it to the part that matters.",
                )
            for number, line in enumerate(read_lines(source), start=1):
                events += line_events(reader, line, number)
    except OSError as error:
        reason = error.strerror or "it cannot be opened"
        raise RunSourceError(
            f"{file} cannot be read: {reason.lower()}.", "Check the path and its permissions."
        ) from error
    return events


def title_of(events: list[RunEvent], fallback: str) -> str:
    """What a person would call a run: the name it was given, else its first words."""
    for event in reversed(events):
        if isinstance(event, RunTitled) and event.title.strip():
            return cut(event.title, TITLE_BYTES).replace("\n", " ")
    for event in events:
        if isinstance(event, PromptGiven) and event.text.strip():
            return cut(event.text, TITLE_BYTES).replace("\n", " ")
    return fallback
