"""Recorded projects, played back: into a watcher in this process, or as a file that grows.

All runs of a recording keep their common time: what came between two events of different runs then
comes between them now.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from jarvis_voice.clock import session_now
from jarvis_voice.errors import OutputError, RunSourceError
from jarvis_voice.runs.model import RunEvent
from jarvis_voice.runs.sources import Recording, new_sorter
from jarvis_voice.runs.sources.lines import Line
from jarvis_voice.runs.watcher import RunWatcher


async def play(recordings: Iterable[Recording], watcher: RunWatcher, speed: float = 1.0) -> None:
    """Replays all runs together; ``speed`` is recorded seconds per second, ``inf`` never waits."""
    found = list(recordings)
    starts = [_first(recording.events) for recording in found]
    origin = min((at_s for at_s in starts if at_s is not None), default=0.0)
    async with asyncio.TaskGroup() as group:
        for recording, start in zip(found, starts, strict=True):
            delay_s = 0.0 if start is None or math.isinf(speed) else (start - origin) / speed
            group.create_task(_later(watcher, recording, delay_s, speed))


async def _later(watcher: RunWatcher, recording: Recording, delay_s: float, speed: float) -> None:
    await asyncio.sleep(delay_s)
    await watcher.replay(recording, speed)


def _first(events: Iterable[RunEvent]) -> float | None:
    return next((event.at_s for event in events if event.at_s is not None), None)


async def copy_at_pace(source: Path, folder: Path, speed: float) -> Path:
    """Writes the lines of ``source`` to a new file in ``folder``, each when it was recorded.

    Raises RunSourceError or OutputError. What was written stays when it is cancelled.
    """
    lines = await asyncio.to_thread(_lines, source)
    target = folder / f"{source.stem}.jsonl"
    out = await asyncio.to_thread(_opened, target, source)
    with out:
        try:
            await _written(lines, out, speed, source.stem)
        except OSError as error:
            raise _unwritable(target, error) from error
    return target


def _lines(source: Path) -> list[bytes]:
    try:
        return source.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise RunSourceError(
            f"{source} cannot be read: {(error.strerror or 'unknown').lower()}.", "Check the path."
        ) from error


def _opened(target: Path, source: Path) -> BinaryIO:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and target.samefile(source):
            raise OutputError(f"{target} is the recording itself.", "Name another folder.")
        return target.open("wb")
    except OSError as error:
        raise _unwritable(target, error) from error


def _unwritable(target: Path, error: OSError) -> OutputError:
    return OutputError(
        f"{target} cannot be written ({error.strerror}).", "Name another folder with --to."
    )


async def _written(lines: list[bytes], out: BinaryIO, speed: float, name: str) -> None:
    sorter = new_sorter(name)
    started_s, origin = session_now(), None
    for number, raw in enumerate(lines, start=1):
        line = Line(raw.decode("utf-8", "replace"), whole=True, size=len(raw))
        told = [event.at_s for news in sorter.line(line, number) for event in news.events]
        times = [at_s for at_s in told if at_s is not None]
        if times and origin is None:
            origin = min(times)
        if times and origin is not None and not math.isinf(speed):
            wait_s = started_s + (max(times) - origin) / speed - session_now()
            if wait_s > 0:
                out.flush()
                await asyncio.sleep(wait_s)
        out.write(raw)
    out.flush()
