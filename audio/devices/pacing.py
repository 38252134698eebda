"""The beat of a device that has no clock of its own."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable


async def pace(block_s: float, tick: Callable[[], bool]) -> None:
    """Call ``tick`` once per ``block_s`` of the running loop's time until it returns False.

    The beat is counted from the start, so it does not drift. When the loop was late, the missed
    beats follow at once, each after a turn of the loop, and none is left out. A loop with virtual
    time therefore runs it as fast as the rest of the program allows.
    """
    loop = asyncio.get_running_loop()
    started_s = loop.time()
    for beat in itertools.count(1):
        due_s = started_s + beat * block_s
        await asyncio.sleep(max(0.0, due_s - loop.time()))
        if not tick():
            return
