"""Named timers of one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

Key = tuple[str, ...]


class Timers:
    """At most one timer per key."""

    def __init__(self) -> None:
        self._handles: dict[Key, asyncio.TimerHandle] = {}

    def after(self, key: Key, delay_s: float, act: Callable[[], object]) -> None:
        """Do it once after this time; takes the place of a timer with the same key."""
        self.cancel(key)

        def due() -> None:
            self._handles.pop(key, None)
            act()

        self._handles[key] = asyncio.get_running_loop().call_later(max(0.0, delay_s), due)

    def cancel(self, key: Key) -> None:
        """Forget the timer; fine when there is none."""
        handle = self._handles.pop(key, None)
        if handle is not None:
            handle.cancel()

    def close(self) -> None:
        """Forget all of them."""
        for key in tuple(self._handles):
            self.cancel(key)
