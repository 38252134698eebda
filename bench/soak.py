"""Does it grow slower or larger? An hour of conversation in fast simulation, its first ten minutes
against its last.

A turn about every ten seconds, every third answer interrupted, a backchannel now and then. With
``--engines real`` the default recognizer, voice detector and synthesizer do all the work of an hour
(the clock stands still while they work); with ``scripted`` only the conversation itself is at work.
Compared are the median CPU time of a turn, the response in simulated time, and memory.
Run with: python -m bench.soak --minutes 60 --engines real
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audio.asr.registry import open_recognizer
from audio.asr.scripted import Reply
from audio.tts.registry import open_synthesizer
from audio.vad.silero import SileroVad
from bench.simulator import Says, ScriptedBrain, Simulation, Stage, simulate, speech
from jarvis_voice import clock, events
from jarvis_voice.cli.spoken_user import Prompt, shared_prompts

EVERY_S = 12.0
ANSWER = (
    "The tests are running now. Forty two of them have passed so far, and none has failed. "
    "After this it will build the image."
)


class Meter:
    """Reads the CPU time and the memory of the process at every turn."""

    def __init__(self) -> None:
        self.work_s: list[float] = []  # CPU time from one turn to the next
        self.memory_mb: list[float] = []
        self._last_s = clock.cpu_seconds()

    def turn(self) -> None:
        """A turn is over."""
        now_s = clock.cpu_seconds()
        self.work_s.append(now_s - self._last_s)
        self.memory_mb.append(resident_mb())
        self._last_s = now_s


def resident_mb() -> float:
    """Memory in use by this process, in MB. Raises OSError where /proc is missing."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        pages = int(statm.read().split()[1])
    return pages * 4096 / 1e6


def soak(minutes: float, real: bool) -> dict[str, Any]:
    """Hold the conversation and compare its first sixth with its last."""
    meter = Meter()
    prompts = [prompt for prompt in shared_prompts() if not prompt.interrupts]

    async def talk(simulation: Simulation) -> None:
        loop = asyncio.get_running_loop()
        began_s, turn = loop.time(), 0
        while loop.time() - began_s < minutes * 60.0:
            _say(simulation, prompts, turn, real)
            if turn % 3 == 2:
                await asyncio.sleep(5.0)
                _say(simulation, prompts, turn + 1, real)  # into the answer
            await asyncio.sleep(EVERY_S)
            meter.turn()
            turn += 1

    stage = Stage(brain=ScriptedBrain({}, otherwise=ANSWER), limit_s=minutes * 60.0 + 120.0)
    stage.keep_s = 10.0
    if real:
        stage.vad = SileroVad()
        stage.recognizer = open_recognizer("whisper-tiny.en")
        stage.synthesizer = open_synthesizer("kokoro")
    else:
        stage.replies = (_reply(turn) for turn in range(1_000_000))
    result = simulate([], stage, during=talk)
    gc.collect()
    return _compare(meter, result.of(events.TurnCommitted), result.of(events.AgentSpeechStarted))


def _say(simulation: Simulation, prompts: Sequence[Prompt], turn: int, real: bool) -> None:
    prompt = prompts[turn % len(prompts)]
    if real:
        simulation.room.say(prompt.samples)
    else:
        simulation.room.say(speech(Says(prompt.text, 1.2)))


def _reply(turn: int) -> Reply:
    return Reply(f"How is it going with number {turn}?")


def _compare(meter: Meter, commits: Sequence[Any], starts: Sequence[Any]) -> dict[str, Any]:
    ended = {event.turn: event.speech_ended_s for event in commits}
    responses = [event.at_s - ended[event.turn] for event in starts if event.turn in ended]
    last = len(meter.memory_mb) - 1
    return {
        "turns": len(commits),
        "work_s": _sixths(meter.work_s),
        "response_s": _sixths(responses),
        "memory_mb": _sixths(meter.memory_mb),
        "memory_growth_mb": round(meter.memory_mb[-1] - meter.memory_mb[min(5, last)], 1),
    }


def _sixths(values: Sequence[float]) -> dict[str, float]:
    sixth = max(1, len(values) // 6)
    first, last = statistics.median(values[:sixth]), statistics.median(values[-sixth:])
    return {"first": round(first, 4), "last": round(last, 4), "ratio": round(last / first, 3)}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; exit status 1 when the last ten minutes worked 1.2 times as long."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--engines", choices=("real", "scripted"), default="scripted")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the record to FILE")
    args = parser.parse_args(argv)
    record = soak(args.minutes, args.engines == "real")
    record |= {"minutes": args.minutes, "engines": args.engines}
    text = json.dumps(record, indent=2)
    if args.json:
        args.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")
    return 1 if record["work_s"]["ratio"] > 1.2 or record["response_s"]["ratio"] > 1.2 else 0


if __name__ == "__main__":
    sys.exit(main())
