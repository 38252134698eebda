"""The one place that reads a clock; everywhere else time is an argument."""

from __future__ import annotations

import asyncio
import datetime
import time


def session_now() -> float:
    """Session time: seconds of the running event loop. Raises RuntimeError outside a loop."""
    return asyncio.get_running_loop().time()


def unix_now() -> float:
    """Unix time in seconds, for what comes from outside (an agent's timestamps)."""
    return time.time()  # noqa: TID251  # the one clock read


def wall_now() -> str:
    """Wall time as ISO 8601 with the local offset."""
    return datetime.datetime.now().astimezone().isoformat(timespec="milliseconds")


def stopwatch() -> float:
    """A monotonic reading in seconds for measuring work in a thread; only differences count."""
    return time.perf_counter()  # noqa: TID251  # the one clock read


def cpu_seconds() -> float:
    """CPU time of this process over all its threads: work, whatever else the machine is doing."""
    return time.process_time()


def minute_of_day() -> int:
    """Local time in minutes since midnight, for quiet hours."""
    now = datetime.datetime.now().astimezone()
    return now.hour * 60 + now.minute
