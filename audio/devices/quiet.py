"""Keeps what C libraries write to standard error out of the terminal.

ALSA and PortAudio report every plugin that they cannot load on file descriptor 2, which would tear
a full-screen interface and hide the one line that matters.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

# Descriptor 2 belongs to the whole process: two threads that swapped it at the same time could
# leave it pointing at the null device for good.
_swapping = threading.RLock()


@contextlib.contextmanager
def quiet_stderr() -> Iterator[None]:
    """Send descriptor 2 to the null device while the block runs, from whichever thread.

    Python's own messages of that moment are lost too, so keep the block short. Without a usable
    descriptor 2 (a windowed program) the block simply runs.
    """
    with _swapping:
        try:
            kept = os.dup(2)
        except OSError:
            yield
            return
        try:
            _flush()
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 2)
            os.close(null)
            yield
        finally:
            _flush()
            os.dup2(kept, 2)
            os.close(kept)


@contextlib.contextmanager
def native_stderr_to(path: Path) -> Iterator[None]:
    """Send what C code writes to standard error to a file for as long as the block runs.

    PortAudio's own thread reports a lost device there at any time. Python's messages still reach
    the terminal: ``sys.stderr`` is moved to a descriptor of its own meanwhile. For one block at a
    time, around a whole conversation. When the file cannot be written, the words are dropped.
    """
    before = sys.stderr
    try:
        kept = os.dup(2)
    except OSError:
        yield
        return
    try:
        _flush()
        try:
            log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError:
            log = os.open(os.devnull, os.O_WRONLY)
        os.dup2(log, 2)
        os.close(log)
        with os.fdopen(os.dup(kept), "w", buffering=1, errors="backslashreplace") as terminal:
            sys.stderr = terminal
            try:
                yield
            finally:
                sys.stderr = before
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _flush() -> None:
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):  # closed, or its disk is full
            sys.stderr.flush()
