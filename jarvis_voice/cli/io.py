"""Where a command writes: its result to one stream, everything else to the other."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True)
class Io:
    """The two streams of a command. ``out`` holds only the result, so that it can be piped."""

    out: TextIO
    err: TextIO

    @classmethod
    def standard(cls) -> Io:
        """The process's own streams; a character that a terminal cannot show is escaped."""
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")
        return cls(sys.stdout, sys.stderr)

    def line(self, text: str = "") -> None:
        """Write a line of the result, at once: someone may be watching."""
        self.out.write(f"{text}\n")
        self.out.flush()

    def json(self, value: object) -> None:
        """Write the result as one JSON document."""
        self.line(json.dumps(value, indent=2, ensure_ascii=False))

    def note(self, text: str) -> None:
        """Tell the person at the terminal something that is not the result."""
        self.err.write(f"{text}\n")
        self.err.flush()
