"""What does listening cost while nobody speaks? The whole app, real engines loaded, in real time.

A quiet room (hiss at -65 dBFS) is heard by the conversation that the app runs, and the CPU time of
the process is compared with the time that passed. The room itself, whose pacing stands for the
sound card's driver, is measured alone in the same run and taken off. Stretches of both take turns,
so that a noisy machine disturbs both alike. Run with: python -m bench.idle_cost
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

STRETCHES = 5
SETTLE_S = 3.0  # after which the canceller rests
TARGET = 0.03  # of a core


async def _alone(stretch_s: float) -> float:
    """The room with nobody who listens: its devices deliver and ask, and that is all."""
    room = FileRoom(noise_dbfs=-65.0, keep_s=0.0)
    room.capture.start(lambda block: None, lambda reason: None)
    room.playback.start(lambda block: block.fill(0.0), lambda reason: None)
    async with asyncio.TaskGroup() as group:
        group.create_task(room.run())
        share = await _share(stretch_s)
        room.close()
    return share


async def _listening(engines: build.Engines, settings: Settings, stretch_s: float) -> float:
    room = FileRoom(noise_dbfs=-65.0, keep_s=0.0)
    seen: list[ConversationEvent] = []
    parts = build.parts(engines, build.Ports(room.capture, room.playback), ScriptedBrain({}))
    conversation = Conversation(parts, build.conversation_settings(settings), seen.append)
    async with asyncio.TaskGroup() as group:
        group.create_task(conversation.run())
        group.create_task(room.run())
        share = await _share(stretch_s)
        conversation.stop("measured")
        room.close()
    return share


async def _share(stretch_s: float) -> float:
    await asyncio.sleep(SETTLE_S)
    wall_s, cpu_s = clock.stopwatch(), clock.cpu_seconds()
    await asyncio.sleep(stretch_s)
    return (clock.cpu_seconds() - cpu_s) / (clock.stopwatch() - wall_s)


async def _take_turns(
    echo: Literal["headphones", "speaker"], stretch_s: float
) -> tuple[list[float], list[float]]:
    settings = Settings(devices=DeviceSettings(echo=echo))
    engines = build.load_engines(settings)
    alone, listening = [], []
    for _ in range(STRETCHES):
        alone.append(await _alone(stretch_s))
        listening.append(await _listening(engines, settings, stretch_s))
    engines.close()
    return alone, listening


def measure(stretch_s: float) -> dict[str, Any]:
    """Shares of a core, medians and ranges over the stretches, with and without canceller."""
    record: dict[str, Any] = {"stretches": STRETCHES, "stretch_s": stretch_s}
    modes: tuple[Literal["headphones", "speaker"], ...] = ("headphones", "speaker")
    for echo in modes:
        alone, listening = asyncio.run(_take_turns(echo, stretch_s))
        own = [after - before for before, after in zip(alone, listening, strict=True)]
        record[echo] = {"room": _spread(alone), "whole": _spread(listening), "own": _spread(own)}
    return record


def _spread(shares: Sequence[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(shares), 4),
        "least": round(min(shares), 4),
        "most": round(max(shares), 4),
    }


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
    return 0 if record["speaker"]["own"]["median"] < TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
