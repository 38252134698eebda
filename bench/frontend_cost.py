"""What it costs to listen: Silero, the echo canceller and the whole near-end path, per frame.

Run ``python -m bench.frontend_cost`` (with ``--json`` for a program). A frame is 32 ms. Times per
frame are wall time, so other load on the machine shows in them, most of all in the 99th
percentile; the share of a core is processor time of this process, which it hardly touches.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from audio.echo.base import FRAME_SAMPLES as ECHO_FRAME
from audio.echo.bypass import Bypass
from audio.echo.webrtc import WebRtcEchoCanceller
from audio.errors import AudioError
from audio.near_end import NearEnd
from audio.pcm import RATE
from audio.vad.base import FRAME_SAMPLES
from audio.vad.silero import SileroVad
from jarvis_voice.clock import stopwatch

_FRAME_S = FRAME_SAMPLES / RATE
_DEVICE_RATE = 48_000  # Hz, what most devices run at: both sides are resampled
_WARM_UP = 50  # frames that are not counted

Step = Callable[[int], object]  # does the work of one frame, given its number


@dataclass(frozen=True, slots=True)
class Cost:
    """One row of the table."""

    part: str
    frames: int
    median_ms: float  # per 32 ms frame
    p99_ms: float
    core_percent: float  # processor time over the sound's duration
    target: str = ""


def measure(part: str, step: Step, frames: int, target: str = "") -> Cost:
    """Time ``step`` over so many frames."""
    for index in range(_WARM_UP):
        step(index)
    taken_s = np.empty(frames)
    cpu_before_s = _cpu_s()
    for index in range(frames):
        start_s = stopwatch()
        step(index)
        taken_s[index] = stopwatch() - start_s
    cpu_s = _cpu_s() - cpu_before_s
    return Cost(
        part=part,
        frames=frames,
        median_ms=round(float(np.median(taken_s)) * 1000, 4),
        p99_ms=round(float(np.percentile(taken_s, 99)) * 1000, 4),
        core_percent=round(100 * cpu_s / (frames * _FRAME_S), 2),
        target=target,
    )


def measure_all(frames: int) -> list[Cost]:
    """All rows. Raises AudioError when an engine is not installed."""
    room_tone = _noise(10.0, RATE, level=1e-4)  # -80 dBFS, what a quiet microphone gives
    voice = _noise(10.0, RATE, level=0.1)
    silence = np.zeros_like(voice)
    return [
        measure("silero", _vad_step(voice), frames, "median < 0.2 ms"),
        measure("echo canceller, idle", _echo_step(room_tone, silence), frames),
        measure("echo canceller, agent speaks", _echo_step(voice, voice), frames),
        measure("near end, idle", _path_step(speaking=False, headphones=False), frames, "< 3 %"),
        measure("near end, agent speaks", _path_step(speaking=True, headphones=False), frames),
        measure("near end, headphones", _path_step(speaking=False, headphones=True), frames),
    ]


def main(argv: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Print the table; 0 when done, 1 when an engine is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.frontend_cost", description="What listening costs, per 32 ms frame."
    )
    parser.add_argument("--frames", type=int, default=1500, help="frames per row (default 1500)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(argv)
    stream = out if out is not None else sys.stdout
    try:
        costs = measure_all(max(1, options.frames))
    except AudioError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if options.json:
        stream.write(json.dumps([asdict(cost) for cost in costs], indent=2) + "\n")
    else:
        stream.write(table(costs))
    return 0


def table(costs: Sequence[Cost]) -> str:
    """The rows as aligned text."""
    lines = [f"{'part':<30}{'median ms':>10}{'p99 ms':>10}{'core %':>8}  target"]
    lines += [
        f"{cost.part:<30}{cost.median_ms:>10.3f}{cost.p99_ms:>10.3f}{cost.core_percent:>8.2f}"
        f"  {cost.target}".rstrip()
        for cost in costs
    ]
    return "\n".join(lines) + "\n"


def _vad_step(sound: NDArray[np.float32]) -> Step:
    vad = SileroVad()
    count = len(sound) // FRAME_SAMPLES

    def step(index: int) -> object:
        at = index % count * FRAME_SAMPLES
        return vad.probability(sound[at : at + FRAME_SAMPLES])

    return step


def _echo_step(near: NDArray[np.float32], far: NDArray[np.float32]) -> Step:
    """A VAD frame is 3.2 echo frames: sixteen echo frames for five VAD frames."""
    canceller = WebRtcEchoCanceller()
    count = len(near) // ECHO_FRAME
    calls = 0

    def step(index: int) -> object:
        nonlocal calls
        until = (index + 1) * FRAME_SAMPLES // ECHO_FRAME - index * FRAME_SAMPLES // ECHO_FRAME
        for _ in range(until):
            at = calls % count * ECHO_FRAME
            canceller.process(near[at : at + ECHO_FRAME], far[at : at + ECHO_FRAME])
            calls += 1
        return None

    return step


def _path_step(*, speaking: bool, headphones: bool) -> Step:
    canceller = Bypass() if headphones else WebRtcEchoCanceller()
    path = NearEnd(_DEVICE_RATE, _DEVICE_RATE, canceller, SileroVad())
    near = _noise(9.6, _DEVICE_RATE, level=1e-4)
    far = _noise(9.6, _DEVICE_RATE, level=0.1) if speaking else np.zeros_like(near)
    block = round(_DEVICE_RATE * _FRAME_S)
    count = len(near) // block

    def step(index: int) -> object:
        at = index % count * block
        return path.process(near[at : at + block], far[at : at + block])

    return step


def _noise(seconds: float, rate: int, level: float) -> NDArray[np.float32]:
    samples = np.random.default_rng(1).standard_normal(round(seconds * rate)) * level
    return samples.astype(np.float32)


def _cpu_s() -> float:
    used = os.times()
    return used.user + used.system


if __name__ == "__main__":
    sys.exit(main())
