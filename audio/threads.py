"""Worker threads that step back for others: one budget of cores for all that Jarvis computes.

Playback, the echo canceller and the voice detector have deadlines of some milliseconds and need
little; models have none and take all that there is. So a thread is *nicer* the later its work is
needed: when the cores do not suffice, the system's scheduler takes time from that one first. What
the user waits for is not nicer than other programs: an agent that compiles would slow the answer
down, as niceness 2 already leaves less than two thirds of an equal share.

Linux lets each thread have its own niceness (``setpriority`` on the thread's native id). Elsewhere
a call would lower the whole process, so nothing is done there: macOS and Windows hand short bursts
to a thread that has slept for long anyway. A thread can become nicer, never less nice again: work
of another urgency belongs to another thread.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

NEEDED = 0  # somebody waits for it
AHEAD = 6  # will be needed in a moment, or never: about a quarter of the share
LEAST = 12  # nobody will notice when it comes later


def step_back(niceness: int) -> bool:
    """Make the calling thread at least so nice; whether the system did it."""
    if sys.platform != "linux" or niceness <= current():
        return False
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)
        return True
    return False


def current() -> int:
    """Niceness of the calling thread; 0 where threads have none of their own."""
    if sys.platform != "linux":
        return 0
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def worker(name: str, niceness: int = NEEDED) -> ThreadPoolExecutor:
    """One thread that works through what it is given, in order."""
    return ThreadPoolExecutor(1, name, step_back, (niceness,))
