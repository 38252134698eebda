"""What does listening cost while nobody speaks? The whole app, real engines loaded, in real time.

A quiet room (hiss at -65 dBFS) is heard for a while by the conversation that the app runs, and the
CPU time of the process is compared with the time that passed. The pacing of the file devices, which
stands for the sound card's driver, is part of the figure. Run with: python -m bench.idle_cost
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from audio.devices.file_io import FileRoom
from bench.simulator import ScriptedBrain
from jarvis_voice import clock
from jarvis_voice.cli import build
from jarvis_voice.config import DeviceSettings, Settings
from jarvis_voice.conversation import Conversation
from jarvis_voice.events import ConversationEvent

STRETCHES = 6
TARGET = 0.03  # of a core


async def _listen(echo: Literal["headphones", "speaker"], stretch_s: float) -> list[float]:
    settings = Settings(devices=DeviceSettings(echo=echo))
    engines = build.load_engines(settings)
    room = FileRoom(noise_dbfs=-65.0, keep_s=0.0)
    seen: list[ConversationEvent] = []
    parts = build.parts(engines, build.Ports(room.capture, room.playback), ScriptedBrain({}))
    conversation = Conversation(parts, build.conversation_settings(settings), seen.append)
    shares = []
    async with asyncio.TaskGroup() as group:
        group.create_task(conversation.run())
        group.create_task(room.run())
        await asyncio.sleep(2.0)
        for _ in range(STRETCHES):
            wall_s, cpu_s = clock.stopwatch(), clock.cpu_seconds()
            await asyncio.sleep(stretch_s)
            shares.append((clock.cpu_seconds() - cpu_s) / (clock.stopwatch() - wall_s))
        conversation.stop("measured")
        room.close()
    engines.close()
    return shares


def measure(stretch_s: float) -> dict[str, Any]:
    """Share of a core, median and range over several stretches, with and without canceller."""
    record: dict[str, Any] = {"stretches": STRETCHES, "stretch_s": stretch_s}
    modes: tuple[Literal["headphones", "speaker"], ...] = ("headphones", "speaker")
    for echo in modes:
        shares = asyncio.run(_listen(echo, stretch_s))
        record[echo] = {
            "median": round(statistics.median(shares), 4),
            "least": round(min(shares), 4),
            "most": round(max(shares), 4),
        }
    return record


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; exit status 1 when listening costs 3 % of a core or more."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.idle_cost",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=5.0, help="of each stretch (default: 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the record to FILE")
    args = parser.parse_args(argv)
    record = measure(args.seconds)
    text = json.dumps(record, indent=2)
    if args.json:
        args.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")
    return 0 if record["speaker"]["median"] < TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
