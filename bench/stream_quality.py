"""What speaking in windows gains and costs, against whole sentences of the same network.

    python -m bench.stream_quality [--quick | --time-only] [--voice NAME ...] [--runs N]
                                   [--threads N] [--json FILE]

Quality, over the held-out sentences of ``bench.stream_statistics``: each is said as a whole with
float weights (the reference), in windows with foretold norms, in windows with the reference's own
norms (what the joins alone do), and by the shipped int8 network (the yardstick: what nobody
complains of). Distances are in dB, pitch in cents over what is voiced in both; a level jump is the
change of level across a join against the reference's own change there, 20 ms to either side.

Time, in the same run and by turns: first audio of 3 to 25 words, whole (int8) and in windows, and
the ratio of the medians; the same ratio of processor time, which other programs spoil least; and
the least sound that was left when a later window came. Here windows are used whatever that is;
Jarvis says whole phrases where it falls below a quarter of a second.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken
from audio.tts.base import Synthesizer, WordMark
from audio.tts.kokoro import describe
from audio.tts.kokoro_model import KokoroModel
from audio.tts.kokoro_stream import StreamedKokoro, sounding
from audio.tts.phoneme_speech import RATE, PhonemeSynthesizer
from audio.tts.streaming.generator import SAMPLES, Affine
from audio.tts.streaming.likeness import mel_distance, spectral_distance
from audio.tts.streaming.network import Plan, TwoHalves
from audio.tts.streaming.pacing import FIRST, FRAME_S, LEAD_S, Pace, first_window, next_window
from audio.tts.streaming.statistics import load_forecast
from audio.tts.voices import JARVIS_VOICE, voices
from bench.pitch import pitch_difference
from bench.stream_statistics import Sentence, sentences, spoken
from bench.tts_latency import PHRASES, phrase_of
from jarvis_voice.clock import cpu_seconds, stopwatch

_QUICK = 3  # sentences
_PACE_S = 0.003  # for a frame of work, so that windows are as large as in use
_SIDE = int(0.02 * RATE)
_SOFT_DB = -50.0  # levels below are silence, where a jump is not heard

Sound = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Likeness:
    """One rendering of one sentence against the reference."""

    voice: str
    sentence: str
    speed: float
    way: str  # "windows", "windows, own norms" or "int8"
    mel_db: float
    spectral_db: float
    level_db: float  # louder than the reference
    pitch_cents: float
    off_pitch: float  # share of voiced frames more than 50 cents away
    jumps_db: tuple[float, ...]  # one for each join


@dataclass(frozen=True, slots=True)
class Timing:
    """First audio of one phrase, both ways; medians in seconds."""

    words: int
    whole_s: float
    windows_s: float
    work_ratio: float  # of processor time until then
    slack_s: float | None  # the least of all runs; None when there was one window only
    marks_ms: float  # the largest difference between the word marks of both

    @property
    def ratio(self) -> float:
        return self.windows_s / self.whole_s


def compare(
    halves: TwoHalves, int8: KokoroModel, voice: str, chosen: Sequence[Sentence]
) -> Iterator[Likeness]:
    """Say each sentence in all ways."""
    forecast = load_forecast(voice)
    cancel = CancelToken()
    for sentence in chosen:
        tokens, style = spoken(voice, sentence.text)
        plan = halves.plan(tokens, style, sentence.speed, cancel)
        reference, own = halves.whole(plan, cancel)
        span = sounding(plan, tokens)
        first, last = (SAMPLES * frame for frame in span)
        reference = reference[first:last]
        foretold, joins = _in_windows(halves, plan, forecast.norms(plan), span)
        measured, _ = _in_windows(halves, plan, own, span)
        shipped = int8.infer(tokens, style, sentence.speed, cancel).audio[first:last]
        ways = {"windows": foretold, "windows, own norms": measured, "int8": shipped}
        for way, sound in ways.items():
            yield _likeness(reference, sound, joins, (voice, sentence.text, sentence.speed, way))


def _in_windows(
    halves: TwoHalves, plan: Plan, norms: Affine, span: tuple[int, int]
) -> tuple[Sound, list[int]]:
    """The sound of the frames of ``span``, and the samples where windows meet."""
    start, end = span
    parts: list[Sound] = []
    joins: list[int] = []
    ahead_s = -LEAD_S
    while start < end:
        left = end - start
        frames = next_window(ahead_s, _PACE_S, left) if parts else min(FIRST, left)
        parts.append(halves.window(plan, norms, start, start + frames, CancelToken()))
        start += frames
        ahead_s += frames * (FRAME_S - _PACE_S)
        joins.append(SAMPLES * (start - span[0]))
    return np.concatenate(parts), joins[:-1]


def _likeness(
    reference: Sound, sound: Sound, joins: Sequence[int], about: tuple[str, str, float, str]
) -> Likeness:
    voice, sentence, speed, way = about
    cents, off = pitch_difference(reference, sound, RATE)
    jumps = [_change(sound, j) - _change(reference, j) for j in joins if _loud(reference, j)]
    return Likeness(
        voice,
        sentence,
        speed,
        way,
        mel_distance(reference, sound, RATE),
        spectral_distance(reference, sound),
        _level(sound) - _level(reference),
        cents,
        off,
        tuple(abs(jump) for jump in jumps),
    )


def _level(sound: Sound) -> float:
    return float(10 * np.log10(np.square(sound, dtype=np.float64).mean() + 1e-12))


def _change(sound: Sound, join: int) -> float:
    return _level(sound[join : join + _SIDE]) - _level(sound[join - _SIDE : join])


def _loud(sound: Sound, join: int) -> bool:
    sides = sound[join : join + _SIDE], sound[join - _SIDE : join]
    return all(_level(side) > _SOFT_DB for side in sides)


class _WatchedPace(Pace):
    """Always windows, as on a machine with nothing else to do; keeps the slack of each phrase."""

    def __init__(self) -> None:
        super().__init__(_PACE_S)
        self.slacks: list[float] = []

    def first(self, frames: int) -> int | None:
        return first_window(_PACE_S, frames)

    def slack(self, seconds: float) -> None:
        self.slacks.append(seconds)


def timed(halves: TwoHalves, int8: KokoroModel, voice: str, runs: int) -> Iterator[Timing]:
    """Each phrase in turn both ways; the first time does not count."""
    pace = _WatchedPace()
    network = StreamedKokoro(halves, load_forecast(voice), pace, stopwatch)
    ways: dict[str, Synthesizer] = {
        "whole": PhonemeSynthesizer(int8, describe(voice), voice),
        "windows": PhonemeSynthesizer(network, describe(voice), voice),
    }
    for words, text in PHRASES.items():
        firsts: dict[str, list[float]] = {name: [] for name in ways}
        works: dict[str, list[float]] = {name: [] for name in ways}
        marks: dict[str, list[WordMark]] = {}
        for run in range(runs + 1):
            if run == 1:
                pace.slacks.clear()
            for name, synthesizer in ways.items():
                first_s, work_s, marks[name] = _say(synthesizer, text)
                firsts[name].append(first_s)
                works[name].append(work_s)
        whole_s, windows_s = (statistics.median(firsts[name][1:]) for name in ways)
        whole_work_s, windows_work_s = (statistics.median(works[name][1:]) for name in ways)
        slack_s = min(pace.slacks)
        yield Timing(
            words,
            whole_s,
            windows_s,
            windows_work_s / whole_work_s,
            None if slack_s == float("inf") else slack_s,
            1000 * _furthest(marks["whole"], marks["windows"]) / RATE,
        )


def _say(synthesizer: Synthesizer, text: str) -> tuple[float, float, list[WordMark]]:
    """Seconds and processor seconds to the first audio, and all marks."""
    began_s, work_began_s = stopwatch(), cpu_seconds()
    first_s = work_s = 0.0
    marks: list[WordMark] = []
    for chunk in synthesizer.synthesize(phrase_of(text), CancelToken()):
        if not first_s:
            first_s, work_s = stopwatch() - began_s, cpu_seconds() - work_began_s
        marks += chunk.marks
    return first_s, work_s, marks


def _furthest(one: Sequence[WordMark], other: Sequence[WordMark]) -> int:
    pairs = zip(one, other, strict=True)
    return max(
        max(abs(a.start_sample - b.start_sample), abs(a.end_sample - b.end_sample))
        for a, b in pairs
    )


def likeness_table(found: Sequence[Likeness]) -> str:
    """Means over sentences, by voice and way."""
    lines = [
        "| voice | way | n | mel dB | spectral dB | level dB | pitch cents | off pitch | "
        "jump dB mean / max | joins |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for voice, way in dict.fromkeys((each.voice, each.way) for each in found):
        mine = [each for each in found if (each.voice, each.way) == (voice, way)]
        jumps = [jump for each in mine for jump in each.jumps_db]
        heard = f"{statistics.mean(jumps):.2f} / {max(jumps):.1f}" if jumps else "-"
        means = [
            statistics.mean(getattr(each, name) for each in mine)
            for name in ("mel_db", "spectral_db", "level_db", "pitch_cents", "off_pitch")
        ]
        mel, spectral, level, cents, off = means
        lines.append(
            f"| {voice} | {way} | {len(mine)} | {mel:.2f} | {spectral:.2f} | {level:+.2f} | "
            f"{cents:.1f} | {off:.1%} | {heard} | {len(jumps)} |"
        )
    return "\n".join(lines)


def timing_table(found: Sequence[Timing]) -> str:
    """First audio, both ways."""
    lines = [
        "| words | whole | windows | ratio | ratio of work | least slack | marks differ by |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in found:
        slack = "-" if each.slack_s is None else f"{each.slack_s:.2f} s"
        lines.append(
            f"| {each.words} | {each.whole_s:.2f} s | {each.windows_s:.2f} s | {each.ratio:.2f} | "
            f"{each.work_ratio:.2f} | {slack} | {each.marks_ms:.0f} ms |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="stream_quality", description="Windows against wholes.")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--quick", action="store_true", help=f"{_QUICK} sentences, no timing")
    kind.add_argument("--time-only", action="store_true", help="no sentences, timing only")
    parser.add_argument("--voice", action="append", choices=[voice.name for voice in voices()])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args(arguments)
    halves, int8 = TwoHalves(chosen.threads), KokoroModel(chosen.threads)
    held_out = [sentence for sentence in sentences() if sentence.held_out]
    names = chosen.voice or [voice.name for voice in voices()]
    if chosen.quick:
        held_out, names = held_out[:_QUICK], chosen.voice or [JARVIS_VOICE]
    if chosen.time_only:
        held_out = []
    likenesses = [each for name in names for each in compare(halves, int8, name, held_out)]
    if likenesses:
        sys.stdout.write(likeness_table(likenesses) + "\n")
    timings = [] if chosen.quick else list(timed(halves, int8, names[0], chosen.runs))
    if timings:
        sys.stdout.write("\n" + timing_table(timings) + "\n")
    if chosen.json:
        record = {
            "likeness": [asdict(each) for each in likenesses],
            "timing": [asdict(each) | {"ratio": each.ratio} for each in timings],
        }
        chosen.json.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    halves.close()
    int8.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
