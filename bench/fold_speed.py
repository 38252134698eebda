"""How fast the runs are kept up to date, on one core: ``python -m bench.fold_speed``.

Two measurements. The reducer alone, on one long run; and a thousand live runs that bring 20,000
lines of ``jarvis.event/v1`` a second through the whole way from a line to the published picture,
with the time from a line's arrival to its state, and the memory before and after.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import sys
import time
from array import array
from collections.abc import Sequence
from typing import NamedTuple, TextIO

from jarvis_voice.cli.rehearsal import peak_memory_mb
from jarvis_voice.clock import stopwatch
from jarvis_voice.events import RunChanged
from jarvis_voice.runs.model import AgentSaid, PromptGiven, RunEvent, ToolFinished, ToolRequested
from jarvis_voice.runs.reducer import fold, initial
from jarvis_voice.runs.sources import new_sorter
from jarvis_voice.runs.sources.lines import Line
from jarvis_voice.runs.watcher import RunWatcher

EVENTS = 60_000
RUNS = 1000
RATE = 20_000  # events a second
SECONDS = 10.0
BATCH_S = 0.005  # a reader wakes up about this often, and takes what has come


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


class Load(NamedTuple):
    """How many runs bring how many events a second, and for how long."""

    runs: int = RUNS
    rate: int = RATE
    seconds: float = SECONDS


class Measured(NamedTuple):
    """What came of a load. Milliseconds are from when a line is due to its published state."""

    events: int
    median_ms: float
    p99_ms: float
    worst_ms: float
    cpu_us: float  # of one core, for one event
    grown_mb: float  # the second half of the run, after the first had filled everything


def line(number: int, runs: int) -> str:
    """One event of one of the runs: in turn a call, its output and some words."""
    run, step = number % runs, number // runs
    event: dict[str, object] = {
        "schema": "jarvis.event/v1",
        "run": f"run-{run}",
        "at": number / RATE,
    }
    if step % 3 == 0:
        event |= {
            "type": "tool",
            "call": f"c{step}",
            "tool": "bash",
            "command": f"pytest -k t{step}",
        }
    elif step % 3 == 1:
        event |= {"type": "finished", "call": f"c{step - 1}", "ok": step % 7 != 0}
        event["output"] = f"collected {step} items\n" + "tests/test_io.py .... [100%]\n" * 12
    else:
        event |= {"type": "said", "text": f"Part {step} of run {run} is done."}
    return json.dumps(event)


async def live(load: Load) -> Measured:
    """Brings the load at its pace; lines that are due while one is worked on wait their turn."""
    published = 0

    def publish(change: RunChanged) -> None:
        nonlocal published
        published += 1

    watcher, sorter = RunWatcher(publish), new_sorter("bench")
    total = int(load.rate * load.seconds)
    texts = [line(number, load.runs) for number in range(total)]
    gc.collect()
    gc.freeze()  # what was there before does not belong to the measurement
    waits = array("d", bytes(8 * total))  # made before, so that it is not taken for growth
    done, half_mb = 0, 0.0
    cpu_s, started_s = used_s(), stopwatch()
    while done < total:
        due = min(int((stopwatch() - started_s) * load.rate), total)
        for number in range(done, due):
            text = texts[number]
            for told in sorter.line(Line(text, whole=True, size=len(text)), number):
                watcher.accept(told)
            waits[number] = stopwatch() - started_s - number / load.rate
        done = due
        if not half_mb and done > total / 2:
            gc.collect()
            half_mb = resident_mb()
        await asyncio.sleep(BATCH_S)
    cpu_s = used_s() - cpu_s
    gc.collect()
    grown_mb = resident_mb() - half_mb
    ranked = sorted(waits)
    return Measured(
        events=published,
        median_ms=1000 * ranked[total // 2],
        p99_ms=1000 * ranked[int(total * 0.99)],
        worst_ms=1000 * ranked[-1],
        cpu_us=1e6 * cpu_s / total,
        grown_mb=grown_mb,
    )


def used_s() -> float:
    """Processor seconds that this process has used; other programs do not count."""
    return time.process_time()


def resident_mb() -> float:
    """Memory of this process now; where the system does not tell, the most there has been."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096 / 2**20
    except OSError:
        return peak_memory_mb() or 0.0


def main(words: Sequence[str] | None = None, out: TextIO = sys.stdout) -> int:
    """Both measurements, a line each."""
    parser = argparse.ArgumentParser(prog="python -m bench.fold_speed", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--rate", type=int, default=RATE, help="events a second")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    args = parser.parse_args(words)
    measure(out)
    load = Load(args.runs, args.rate, args.seconds)
    found = asyncio.run(live(load))
    out.write(
        f"{load.runs} live runs, {found.events} events at {load.rate:,}/s: "
        f"from event to state {found.median_ms:.2f} ms at the median, {found.p99_ms:.2f} ms p99, "
        f"{found.worst_ms:.1f} ms at worst; {found.cpu_us:.0f} us of a core for each, "
        f"so it takes up to {1e6 / found.cpu_us:,.0f}/s; "
        f"memory {found.grown_mb:+.1f} MB in the second half\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
