"""Where a command writes: its result to one stream, everything else to the other."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import TextIO

from jarvis_voice.errors import OutputError


@dataclass(frozen=True, slots=True)
class Io:
    """The two streams of a command. ``out`` holds only the result, so that it can be piped."""

    out: TextIO
    err: TextIO

    @classmethod
    def standard(cls) -> Io:
        """The process's own streams; a character that a terminal cannot show is escaped.

        What is written to a stream that was closed before the start (``>&-``) goes nowhere.
        """
        sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - open as long as we run
        sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115 - open as long as we run
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")
        return cls(sys.stdout, sys.stderr)

    def line(self, text: str = "") -> None:
        """Write a line of the result, at once: someone may be watching. Raises OutputError."""
        try:
            self.out.write(f"{text}\n")
            self.out.flush()
        except BrokenPipeError:
            raise  # the reader has seen enough
        except OSError as error:
            raise OutputError(
                f"The result cannot be written: {error.strerror}.",
                "Send it somewhere with space left.",
            ) from error

    def json(self, value: object) -> None:
        """Write the result as one JSON document."""
        self.line(json.dumps(value, indent=2, ensure_ascii=False))

    def note(self, text: str) -> None:
        """Tell the person at the terminal something that is not the result."""
        self.err.write(f"{text}\n")
        self.err.flush()
