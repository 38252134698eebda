"""Lines of a JSONL file, however long, half-written or badly encoded they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

LINE_BYTES = 4 * 1024 * 1024
"""Longest line that is read; transcripts carry whole files in a line, real ones stay under 1 MB."""


class Line(NamedTuple):
    """One line without its end. ``whole`` is False when it was too long or has no end yet."""

    text: str
    whole: bool
    size: int  # bytes, with the line end


class LineSplitter:
    """Bytes in, whole lines out; keeps an unfinished line, within ``LINE_BYTES``."""

    def __init__(self, limit: int = LINE_BYTES) -> None:
        self._limit = limit
        self._tail = bytearray()
        self._dropped = 0

    @property
    def pending(self) -> int:
        """Bytes of the line that has not ended yet."""
        return len(self._tail) + self._dropped

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """The lines that ``chunk`` completes. A line over the limit comes out cut, not whole."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._keep(piece)
            yield self._take(whole=self._dropped == 0)
        self._keep(rest)

    def flush(self) -> Line | None:
        """What is left without a line end, or None; the splitter is empty afterwards."""
        return self._take(whole=False) if self.pending else None

    def _keep(self, piece: bytes) -> None:
        room = max(self._limit - len(self._tail), 0)
        self._tail += piece[:room]
        self._dropped += len(piece) - len(piece[:room])

    def _take(self, *, whole: bool) -> Line:
        line = Line(self._tail.decode("utf-8", errors="replace"), whole, self.pending + 1)
        self._tail.clear()
        self._dropped = 0
        return line


def read_lines(file: BinaryIO, limit: int = LINE_BYTES) -> Iterator[Line]:
    """Every line of an open file; the last one is not whole when it lacks its line end."""
    splitter = LineSplitter(limit)
    while chunk := file.read(256 * 1024):
        yield from splitter.feed(chunk)
    last = splitter.flush()
    if last is not None:
        yield last
