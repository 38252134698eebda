"""How long the default synthesizer takes to its first audio, and what memory it needs.

    python -m bench.tts_latency [--threads N] [--runs N] [--calm SHARE] [--whole]

It speaks in windows where this machine's self-test allows, as Jarvis does; ``--whole`` makes each
phrase whole before it sounds. ``bench.stream_quality`` compares both in one run.

Other programs spoil such figures. A run counts only when all others together used less than
``--calm`` of one core while it lasted (Linux; elsewhere every run counts).
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from audio.clocks import Clocks
from audio.engine import CancelToken
from audio.tts.base import SpokenPhrase, SpokenWord, Synthesizer
from jarvis_voice.clock import cpu_seconds, stopwatch

PHRASES = {
    3: "It is done.",
    5: "It is running the tests.",
    12: "It changed the config file and then it started the tests again.",
    25: "It changed the config file and then it started the tests again, and now three of them "
    "fail because the server did not answer in time.",
}
_MOST_TRIES = 8  # for each run that is to count


def _busy_s() -> tuple[float, float]:
    """Processor seconds so far: of the whole machine, and of this process."""
    own = sum(os.times()[:2])
    stat = Path("/proc/stat")
    if not stat.is_file():
        return own, own
    fields = [int(field) for field in stat.read_text().split("\n", 1)[0].split()[1:]]
    idle = fields[3] + fields[4]
    return (sum(fields[:8]) - idle) / os.sysconf("SC_CLK_TCK"), own


def phrase_of(text: str) -> SpokenPhrase:
    return SpokenPhrase(text, tuple(SpokenWord(word, 0, 0) for word in text.split()))


def measure(threads: int, runs: int, calm: float, *, whole: bool) -> None:
    began = stopwatch()
    from audio.tts.kokoro import KokoroSynthesizer

    imported = stopwatch()
    synthesizer = KokoroSynthesizer(
        threads=threads, clocks=None if whole else Clocks(stopwatch, cpu_seconds)
    )
    opened = stopwatch()
    synthesizer.warm()
    warmed = stopwatch()
    write = sys.stdout.write
    write(
        f"import {imported - began:.2f} s, open {opened - imported:.2f} s, "
        f"warm-up {warmed - opened:.2f} s, {threads} threads\n"
    )
    for count, text in PHRASES.items():
        phrase, audio_s, tries = phrase_of(text), 0.0, 0
        firsts_s: list[float] = []
        wholes_s: list[float] = []
        while len(firsts_s) < runs and tries < runs * _MOST_TRIES:
            tries += 1
            before = _busy_s()
            first_s, took_s, samples = _say(synthesizer, phrase)
            after, audio_s = _busy_s(), samples / synthesizer.rate
            others = (after[0] - before[0]) - (after[1] - before[1])
            if others / took_s <= calm:
                firsts_s.append(first_s)
                wholes_s.append(took_s)
        if not firsts_s:
            write(f"{count:2} words: no calm moment in {tries} tries\n")
            continue
        middle_s, all_s = statistics.median(firsts_s), statistics.median(wholes_s)
        write(
            f"{count:2} words: first audio {middle_s * 1e3:.0f} ms "
            f"({min(firsts_s) * 1e3:.0f} to {max(firsts_s) * 1e3:.0f}, {len(firsts_s)} of {tries} "
            f"runs), {audio_s:.2f} s of audio in {all_s:.2f} s, RTF {all_s / audio_s:.2f}, "
            f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB\n"
        )
    synthesizer.close()


def _say(synthesizer: Synthesizer, phrase: SpokenPhrase) -> tuple[float, float, int]:
    """Seconds to the first audio and to the last, and the samples of all."""
    start, first_s, samples = stopwatch(), 0.0, 0
    for chunk in synthesizer.synthesize(phrase, CancelToken()):
        first_s = first_s or stopwatch() - start
        samples += len(chunk.samples)
    return first_s, stopwatch() - start, samples


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tts_latency", description="Time the first audio.")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--calm", type=float, default=0.35)
    parser.add_argument("--whole", action="store_true", help="no windows")
    chosen = parser.parse_args(arguments)
    measure(chosen.threads, chosen.runs, chosen.calm, whole=chosen.whole)
    return 0


if __name__ == "__main__":
    sys.exit(main())
