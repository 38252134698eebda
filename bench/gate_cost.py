"""What the gate adds to a tool call that is allowed at once: ``python -m bench.gate_cost``.

Two figures, each the whole round trip as a runtime sees it, over loopback: an HTTP hook on a kept
connection (Claude Code), and one process of ``jarvis hook`` per call (runtimes with command hooks).
The ruling itself takes no time here; a desk's own time comes on top.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.clock import stopwatch
from jarvis_voice.runtimes import RUNTIMES
from jarvis_voice.wire.gate_server import Ears, GateServer
from jarvis_voice.wire.rendezvous import Gate, Rendezvous
from jarvis_voice.wire.settings import GateSettings

MOST_S = 0.005  # at the median, over HTTP
_CALL = {
    "session_id": "bench",
    "cwd": "/home/dev/project",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "mkdir -p out && echo hi > out/a.txt"},
}


class Cost(NamedTuple):
    """Round trips in seconds."""

    median_s: float
    p99_s: float
    calls: int


def measured(call: Callable[[int], None], calls: int, warm: int = 5) -> Cost:
    """The round trips of ``calls`` calls, after a few that are not counted."""
    took = []
    for number in range(warm + calls):
        began = stopwatch()
        call(number)
        took.append(stopwatch() - began)
    ordered = sorted(took[warm:])
    return Cost(ordered[calls // 2], ordered[min(calls * 99 // 100, calls - 1)], calls)


def over_http(gate: Gate, calls: int) -> Cost:
    """An HTTP hook on one kept connection."""
    link = http.client.HTTPConnection("127.0.0.1", gate.port)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {gate.token}"}

    def call(number: int) -> None:
        body = json.dumps(_CALL | {"tool_use_id": f"call_{number}"})
        link.request("POST", "/gate/claude-code", body, headers)
        answer = link.getresponse().read()
        if answer != b"{}":
            raise RuntimeError(f"the gate answered {answer!r}")

    try:
        return measured(call, calls)
    finally:
        link.close()


def by_bridge(gate_file: Path, calls: int) -> Cost:
    """One process of ``jarvis hook`` per call."""
    words = [sys.executable, "-m", "jarvis_voice", "hook", "codex", "--gate-file", str(gate_file)]

    def call(number: int) -> None:
        body = json.dumps(_CALL | {"tool_use_id": f"call_{number}", "turn_id": "t"}).encode()
        done = subprocess.run(words, input=body, capture_output=True, check=True)
        if done.stdout.strip() != b"{}":
            raise RuntimeError(f"the bridge answered {done.stdout!r}")

    return measured(call, calls, warm=2)


async def _both(http_calls: int, bridge_calls: int) -> tuple[Cost, Cost]:
    async def allow(_action: ProposedAction) -> Ruling:
        return Ruling(Verdict.ALLOW)

    with tempfile.TemporaryDirectory() as folder:
        rendezvous = Rendezvous(Path(folder))
        ears = Ears(lambda _name, _record: None)
        settings = GateSettings(port=0)
        async with GateServer(allow, ears, settings, RUNTIMES, rendezvous.token()) as server:
            gate = rendezvous.announce(server.port)
            web = await asyncio.to_thread(over_http, gate, http_calls)
            bridge = await asyncio.to_thread(by_bridge, rendezvous.gate_file, bridge_calls)
    return web, bridge


def main(argv: list[str] | None = None) -> int:
    """Print both costs; fails when an HTTP hook costs more than ``MOST_S`` at the median."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2000, help="HTTP hooks to time")
    parser.add_argument(
        "--bridged", type=int, default=40, help="processes of 'jarvis hook' to time"
    )
    args = parser.parse_args(argv)
    web, bridge = asyncio.run(_both(args.calls, args.bridged))
    for name, cost in (("HTTP hook", web), ("jarvis hook", bridge)):
        sys.stdout.write(
            f"{name:<12} median {cost.median_s * 1000:7.2f} ms   "
            f"p99 {cost.p99_s * 1000:7.2f} ms   ({cost.calls} calls)\n"
        )
    return 0 if web.median_s < MOST_S else 1


if __name__ == "__main__":
    sys.exit(main())
