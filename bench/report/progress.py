"""A progress bar with the time left, on a stream of its own so that results stay clean."""

from __future__ import annotations

from typing import TextIO

from jarvis_voice import clock

WIDTH = 24


def bar(done: int, total: int, width: int = WIDTH) -> str:
    """A bar of ``width`` characters."""
    filled = width * done // total if total else width
    return "█" * filled + "░" * (width - filled)


def time_left(done: int, total: int, passed_s: float) -> str:
    """Such as "2 min 05 s left", from the pace so far; empty before the first item is done."""
    if not done:
        return ""
    left_s = round(passed_s / done * (total - done))
    minutes, seconds = divmod(left_s, 60)
    return f"{minutes} min {seconds:02d} s left" if minutes else f"{seconds} s left"


class Progress:
    """Counts items. On a terminal one line is rewritten; elsewhere every tenth part is a line."""

    def __init__(self, stream: TextIO, what: str, total: int) -> None:
        self._stream = stream
        self._what = what
        self._total = total
        self._done = 0
        self._began_s = clock.stopwatch()
        self._terminal = stream.isatty()
        self._told = 0  # tenths

    def step(self, note: str = "") -> None:
        """One more item is done."""
        self._done += 1
        passed_s = clock.stopwatch() - self._began_s
        left = time_left(self._done, self._total, passed_s)
        line = (
            f"{self._what} {bar(self._done, self._total)} {self._done}/{self._total} {left} {note}"
        )
        if self._terminal:
            self._stream.write(f"\r\x1b[K{line.rstrip()[:110]}")
        elif self._tenths() > self._told:
            self._told = self._tenths()
            self._stream.write(f"{line.rstrip()}\n")
        self._stream.flush()

    def end(self) -> None:
        """Leave the line; the next output starts on a fresh one."""
        if self._terminal:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _tenths(self) -> int:
        return 10 * self._done // self._total if self._total else 10
