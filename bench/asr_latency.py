"""How long recognizers take for a hypothesis and a final, by the length of the speech.

    python -m bench.asr_latency FILE [--engine NAME ...] [--runs 15] [--json FILE]

Stretches of 2, 4 and 8 seconds are cut from the start of a recording, ending at its quietest place
near that length, so that no word is torn. The engines take turns within each run, so other load on
the machine falls on all alike; one run is not counted. "After hypothesis" is a final when only
silence was heard since a hypothesis, as at the end of most turns.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE, Recognizer, RecognizerStream
from audio.asr.registry import open_recognizer
from audio.engine import CancelToken
from audio.errors import AudioError, EngineMissing
from audio.vad.base import FRAME_SAMPLES
from audio.vad.silero import SileroVad
from audio.wav import read_audio
from jarvis_voice.clock import stopwatch

_LENGTHS_S = (2.0, 4.0, 8.0)
_SLACK_S = 0.7  # how far from the length the quietest place is looked for
_SILENCE_S = 0.4  # after the speech, so that the margin of it is there
_ENGINES = ("whisper-tiny.en", "whisper-base", "moonshine-tiny-en")
_STEPS = ("hypothesis", "final", "after hypothesis")

Frames = list[tuple[NDArray[np.float32], float]]


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds over the runs of one step."""

    engine: str
    length_s: float
    step: str
    runs: int
    median_ms: float
    least_ms: float
    most_ms: float


def measure(
    recognizers: Sequence[Recognizer], frames: Frames, length_s: float, runs: int
) -> list[Latency]:
    """Time every step of every recognizer on the same speech. Raises AudioError."""
    taken: dict[tuple[str, str], list[float]] = {}
    for run in range(runs + 1):
        for recognizer in recognizers:
            for step, ms in _timed(recognizer, frames):
                if run > 0:
                    taken.setdefault((recognizer.info.name, step), []).append(ms)
    return [
        Latency(name, length_s, step, runs, statistics.median(ms), min(ms), max(ms))
        for (name, step), ms in taken.items()
    ]


def cut(samples: NDArray[np.float32], length_s: float) -> NDArray[np.float32]:
    """The first ``length_s`` seconds or so, up to a quiet place, and a little silence."""
    window = SAMPLE_RATE // 20
    low = int((length_s - _SLACK_S) * SAMPLE_RATE)
    high = min(len(samples) - window, int((length_s + _SLACK_S) * SAMPLE_RATE))
    places = range(low, max(high, low + 1), window)
    end = min(places, key=lambda at: float(np.square(samples[at : at + window]).sum()))
    silence = np.zeros(int(_SILENCE_S * SAMPLE_RATE), dtype=np.float32)
    return np.concatenate([samples[: end + window // 2], silence])


def main(argv: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Run the command. 0 when done, 1 when nothing could be measured."""
    out = out or sys.stdout
    options = _arguments(argv)
    recognizers: list[Recognizer] = []
    try:
        samples, _ = read_audio(options.file, SAMPLE_RATE)
        for name in options.engine or _ENGINES:
            try:
                recognizers.append(open_recognizer(name))
            except EngineMissing as error:
                out.write(f"Left out: {name}. {error}\n\n")
        rows = [
            row
            for length_s in _LENGTHS_S
            for row in measure(recognizers, _heard(cut(samples, length_s)), length_s, options.runs)
        ]
    except AudioError as error:
        out.write(f"{error}\n")
        return 1
    finally:
        for recognizer in recognizers:
            recognizer.close()
    if not rows:
        return 1
    out.write(table(rows))
    if options.json:
        report = json.dumps([asdict(row) for row in rows], indent=2)
        Path(options.json).write_text(report + "\n", encoding="utf-8")
    return 0


def table(rows: Sequence[Latency]) -> str:
    """The latencies in markdown: median (least to most) in milliseconds."""
    lines = [f"| engine | speech | {' | '.join(_STEPS)} |", "|---|---|---|---|---|"]
    found = {(row.engine, row.length_s, row.step): row for row in rows}
    for engine, length_s in dict.fromkeys((row.engine, row.length_s) for row in rows):
        cells = [found[engine, length_s, step] for step in _STEPS]
        texts = [f"{c.median_ms:.0f} ({c.least_ms:.0f} to {c.most_ms:.0f})" for c in cells]
        lines.append(f"| {engine} | {length_s:g} s | {' | '.join(texts)} |")
    return "\n".join(lines) + f"\n\nMilliseconds, median (least to most) of {rows[0].runs} runs.\n"


def _timed(recognizer: Recognizer, frames: Frames) -> list[tuple[str, float]]:
    def stream() -> RecognizerStream:
        opened = recognizer.stream()
        for samples, probability in frames:
            opened.push(samples, probability)
        return opened

    times = []
    rolling, settling = stream(), stream()
    for step, answer in (
        (_STEPS[0], rolling.hypothesis),
        (_STEPS[1], settling.final),
        (_STEPS[2], rolling.final),
    ):
        began = stopwatch()
        answer(CancelToken())
        times.append((step, 1000 * (stopwatch() - began)))
    rolling.close()
    settling.close()
    return times


def _heard(samples: NDArray[np.float32]) -> Frames:
    vad = SileroVad()
    frames = []
    for start in range(0, len(samples) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
        frame = samples[start : start + FRAME_SAMPLES]
        frames.append((frame, vad.probability(frame)))
    return frames


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.asr_latency",
        description="Measure how long recognizers take on 2, 4 and 8 seconds of speech.",
    )
    parser.add_argument("file", help="a recording of at least 9 seconds of speech")
    parser.add_argument(
        "--engine", action="append", metavar="NAME", help="a recognizer; may be given many times"
    )
    parser.add_argument("--runs", type=int, default=15, help="counted runs (default 15)")
    parser.add_argument("--json", metavar="FILE", help="also write the figures to this file")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
