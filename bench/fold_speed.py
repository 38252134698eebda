"""How fast the run reducer folds, on one core: ``python -m bench.fold_speed``.

A busy agent makes a few events a second; what matters is that a long transcript opens at once.
"""

from __future__ import annotations

import sys
from typing import TextIO

from jarvis_voice.clock import stopwatch
from jarvis_voice.runs.model import AgentSaid, PromptGiven, RunEvent, ToolFinished, ToolRequested
from jarvis_voice.runs.reducer import fold, initial

EVENTS = 60_000


def story(count: int) -> list[RunEvent]:
    """A run of ``count`` events: calls with outputs of about 900 characters, and some words."""
    output = "collected 12 items\n" + "tests/test_io.py ............ [100%]\n" * 24
    events: list[RunEvent] = [PromptGiven("p", 0.0, "Make the tests pass")]
    while len(events) < count:
        number = len(events)
        at_s = number / 10
        call = f"toolu_{number}"
        events += [
            AgentSaid(f"said:{number}", at_s, f"Next I look at part {number}."),
            ToolRequested(
                f"use:{call}", at_s, call, "Bash", "Run the tests", "pytest -q", ("a.txt",)
            ),
            ToolFinished(f"done:{call}", at_s, call, number % 7 != 0, output),
        ]
    return events[:count]


def measure(out: TextIO) -> float:
    """Folds the story once and writes events per second."""
    events = story(EVENTS)
    state = initial("run", "claude-code")
    before_s = stopwatch()
    for event in events:
        state = fold(state, event)
    rate = len(events) / (stopwatch() - before_s)
    out.write(f"{len(events)} events, {rate:,.0f} events/s on one core\n")
    return rate


if __name__ == "__main__":
    measure(sys.stdout)
