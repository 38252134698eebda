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


def _flush() -> None:
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):  # closed, or its disk is full
            sys.stderr.flush()
