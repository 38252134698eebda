"""Servers of the plain PCM websocket in processes of their own."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from bench.errors import ForeignFailed

CLOSE_S = 20.0
SHOWN = 5  # last lines of what a server said before it failed


@contextmanager
def started(command: Sequence[str]) -> Iterator[str]:
    """Run a server while the block does; gives its address, which is the first line it writes.

    Raises ForeignFailed when it ends without one.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        try:
            server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True)
        except OSError as error:
            raise ForeignFailed(f"{command[0]} cannot be started ({error.strerror}).") from error
        with server:
            try:
                address = server.stdout.readline().strip() if server.stdout else ""
                if not address:
                    raise ForeignFailed(
                        f"A server did not start: {' '.join(command)}.", f"It said: {_end(said)}"
                    )
                yield address
            finally:
                _stop(server)


def _stop(server: subprocess.Popen[str]) -> None:
    server.terminate()
    try:
        server.wait(CLOSE_S)
    except subprocess.TimeoutExpired:
        server.kill()


def _end(said: IO[str]) -> str:
    said.seek(0)
    lines = said.read().splitlines()
    return " | ".join(lines[-SHOWN:]) or "nothing"
