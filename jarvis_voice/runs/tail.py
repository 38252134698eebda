"""What is new in a growing JSONL file: it may not exist yet, shrink, rotate or vanish.

Reads at most ``READ_BYTES`` at once and keeps at most one unfinished line, so that neither a huge
file nor an endless line takes the memory.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from jarvis_voice.errors import RunSourceError
from jarvis_voice.runs.sources import new_sorter
from jarvis_voice.runs.sources.lines import LineSplitter
from jarvis_voice.runs.sources.sorting import Sorted

READ_BYTES = 1024 * 1024
"""Taken from a file at once: about 20 ms of reading."""
_KNOWN_BYTES = 64  # by which a file is known to be the one that was read


class Tail:
    """What is new in a growing file. All calls come from one follower, one at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs: set[str] = set()  # that it told of
        self.more = False  # the file has more than was taken
        self._sorter = new_sorter(path.stem)
        self._splitter = LineSplitter()
        self._identity: tuple[int, int] | None = None
        self._offset = 0
        self._number = 0
        self._before = b""  # the bytes that came right before ``_offset``

    def poll(self) -> tuple[list[Sorted], str | None]:
        """New events, and what is wrong with the file if something is."""
        self.more = False
        try:
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                self._noticed((status.st_dev, status.st_ino), status.st_size, file)
                file.seek(self._offset)
                chunk = file.read(READ_BYTES)
        except IsADirectoryError as error:
            raise RunSourceError(
                f"{self.path} is a folder.", "Give the JSONL file of one run."
            ) from error
        except FileNotFoundError:
            return [], f"The file {self.path.name} is gone." if self._identity else None
        except OSError as error:
            return [], f"The file {self.path.name} cannot be read: {error.strerror}."
        self._offset += len(chunk)
        self._before = (self._before + chunk[-_KNOWN_BYTES:])[-_KNOWN_BYTES:]
        self.more = len(chunk) == READ_BYTES
        return self._sorted(chunk), None

    def _noticed(self, identity: tuple[int, int], size: int, file: BinaryIO) -> None:
        """Starts over when the file was replaced, cut or written anew.

        What was read before counts only once, because the same line has the same name.
        """
        same = identity == self._identity and size >= self._offset
        if same and self._before:
            file.seek(self._offset - len(self._before))
            same = file.read(len(self._before)) == self._before
        if not same:
            self._identity = identity
            self._offset = self._number = 0
            self._before = b""
            self._splitter = LineSplitter()

    def _sorted(self, chunk: bytes) -> list[Sorted]:
        """One piece of news per run, its events in order, so that a chunk is published once."""
        found: dict[str, Sorted] = {}
        for line in self._splitter.feed(chunk):
            self._number += 1
            for told in self._sorter.line(line, self._number):
                before = found.get(told.run_id)
                if before is None:
                    found[told.run_id] = told
                else:
                    before.events.extend(told.events)
        self.runs.update(found)
        return list(found.values())
