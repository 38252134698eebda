"""The clocks that an engine may be handed: nothing in this package reads one by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

Clock = Callable[[], float]
"""A monotonic reading in seconds; only differences count."""


class Clocks(NamedTuple):
    """Time as it passes, and work as it is done."""

    wall: Clock
    cpu: Clock  # processor time of this process, over all its threads
