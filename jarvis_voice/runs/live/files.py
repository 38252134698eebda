"""Follows every file of a going-on run at once, with one look at the disk per tick.

A thousand files cost a thousand ``stat`` calls a tick, in one thread, and are read only when they
grew. A file that was quiet for long is let go; it is found again when it is written to.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from jarvis_voice.clock import unix_now
from jarvis_voice.runs.discovery import Found
from jarvis_voice.runs.live.base import Sink
from jarvis_voice.runs.sources.sorting import Sorted
from jarvis_voice.runs.tail import Tail

TICK_S = 0.25
SCAN_S = 2.0
TICK_FILES = 16  # that are read per tick while a backlog is taken in; each up to 1 MB

Find = Callable[[float], list[Found]]


class FileWatch:
    """Takes in the runs that ``find`` names. ``find`` gets the Unix time and reads folders only."""

    def __init__(self, sink: Sink, find: Find) -> None:
        self._sink = sink
        self._find = find
        self._tails: dict[Path, Tail] = {}
        self._seen: dict[Path, tuple[int, int, int] | None] = {}
        self._told: dict[Path, str | None] = {}

    async def run(self) -> None:
        """Follows until cancelled."""
        scanned_s = -SCAN_S
        loop = asyncio.get_running_loop()
        while True:
            if loop.time() - scanned_s >= SCAN_S:
                scanned_s = loop.time()
                self._adopt(await asyncio.to_thread(self._find, unix_now()))
            behind = await self.tick()
            await asyncio.sleep(0 if behind else TICK_S)

    async def catch_up(self) -> None:
        """Takes in all that there is now, once."""
        self._adopt(await asyncio.to_thread(self._find, unix_now()))
        while await self.tick():
            pass

    async def tick(self) -> bool:
        """Takes in what is new; True when there is more."""
        found, more = await asyncio.to_thread(self._poll)
        for tail, news, trouble in found:
            for told in news:
                self._sink.accept(told)
            if trouble and trouble != self._told.get(tail.path):
                for run_id in tail.runs:
                    self._sink.note_trouble(run_id, trouble)
            self._told[tail.path] = trouble
        return more

    def _adopt(self, found: list[Found]) -> None:
        wanted = {item.path for item in found}
        for path in [path for path in self._tails if path not in wanted]:
            if path.exists():  # a file that is gone has its fault still to be told
                self._forget(path)
        for item in found:
            self._tails.setdefault(item.path, Tail(item.path))

    def _forget(self, path: Path) -> None:
        for table in (self._tails, self._seen, self._told):
            table.pop(path, None)

    def _poll(self) -> tuple[list[tuple[Tail, list[Sorted], str | None]], bool]:
        found: list[tuple[Tail, list[Sorted], str | None]] = []
        for path, tail in list(self._tails.items()):
            mark = _mark(path)
            if mark == self._seen.get(path, ()) and not tail.more:
                continue
            if len(found) >= TICK_FILES:
                return found, True
            self._seen[path] = mark
            news, trouble = tail.poll()
            found.append((tail, news, trouble))
        return found, any(tail.more for tail, _, _ in found)


def _mark(path: Path) -> tuple[int, int, int] | None:
    """Changes whenever the file does; None when it is not there."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
