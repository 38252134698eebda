"""What a hold that policy answers with "allow" adds to an agent's action.

Reviews a mix of calls with the embedded policy and the store on disk, one after the other, and
prints the median and the 99th percentile for those that leave no trace and for those that are
written down first (one durable write each). Run: ``python -m bench.desk_cost``.
"""

from __future__ import annotations

import asyncio
import hashlib
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TextIO

from jarvis_voice.attention.desk import Desk
from jarvis_voice.attention.desk_settings import DeskSettings, Outside, Surroundings
from jarvis_voice.attention.policy import EmbeddedPolicy
from jarvis_voice.attention.store import AttentionStore
from jarvis_voice.boundary import ProposedAction, Verdict
from jarvis_voice.clock import stopwatch, unix_now
from jarvis_voice.events import RunSnapshot, RunStatus

LIMIT_MS = 5.0
"""What the median may add."""

ROUNDS = 200
GOAL = "Fix the tests and push to origin main."
ORDINARY = (
    "ls -la",
    "git status",
    "pytest -q tests | tail -20",
    "cd app && npm run build 2>&1 | tee build.txt",
    "for f in *.py; do python -m py_compile $f; done",
    "cat <<EOF > notes.md\n" + "a line of notes\n" * 400 + "EOF",
)
RECORDED = ("git push origin main", "git add -A && git commit -m x && git push origin main")


def action(command: str, number: int) -> ProposedAction:
    """A shell call; each is a new one."""
    return ProposedAction(
        runtime="claude-code",
        project_id="/home/ann/shop",
        run_id=f"run-{number % 50}",
        action_id=f"call-{number}",
        tool="Bash",
        summary=f"run: {command[:80]}",
        fingerprint=hashlib.sha256(f"{command}{number}".encode()).hexdigest(),
        at_s=unix_now(),
        command=command,
    )


async def measure(path: Path, commands: tuple[str, ...]) -> list[float]:
    """Milliseconds that each review took; all of them must be allowed."""
    snapshot = RunSnapshot("run", "claude-code", "shop", RunStatus.WORKING, 1, goal=GOAL)
    outside = Outside(unix_now, lambda: 720, lambda: "nonce", lambda _: Surroundings(snapshot))
    taken = []
    with AttentionStore(path) as store:
        desk = Desk(EmbeddedPolicy(), store, DeskSettings(), outside)
        desk.start()
        for number in range(ROUNDS * len(commands)):
            proposed = action(commands[number % len(commands)], number)
            started = stopwatch()
            ruling = await desk.review(proposed)
            taken.append(1000 * (stopwatch() - started))
            if ruling.verdict is not Verdict.ALLOW:
                raise AssertionError(f"not allowed: {proposed.command}")
        desk.close()
    return taken


def main(out: TextIO) -> int:
    """Print the figures; 1 when a median is over its limit."""
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, commands in (("no trace", ORDINARY), ("written down", RECORDED)):
            taken = asyncio.run(measure(Path(folder) / f"{name[:2]}.sqlite", commands))
            median, last = statistics.median(taken), statistics.quantiles(taken, n=100)[98]
            worst = max(worst, median)
            out.write(
                f"allowed, {name}: n={len(taken)} median {median:.3f} ms, p99 {last:.3f} ms\n"
            )
    out.write(f"limit for the median: {LIMIT_MS} ms\n")
    return int(worst > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main(sys.stdout))
