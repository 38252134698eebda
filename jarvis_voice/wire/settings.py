"""What of the gate a user may set. Times in seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FailRule = Literal["open", "closed"]
"""When nobody can decide: "open" lets the agent's call run, "closed" refuses it."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """The gate for agent runtimes."""

    port: int = 8767  # on 127.0.0.1; 0 takes any free one
    fail: FailRule = "open"  # for runtimes whose own settings do not say
    hold_s: float = 540.0  # longest that an action is held; runtimes themselves wait 600 s
