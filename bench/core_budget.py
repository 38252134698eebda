"""Do the models leave the sound its time? Everything at work at once, on the real engines.

A device thread asks for sound and hands over sound every 10 ms, as a sound card's driver does. The
user talks without end, over an answer without end, while likely answers are made ready: recognizer,
synthesizer and anticipation have work all the time. What is measured:

    beat     how late the device's thread comes, asked for or not: what the system alone does
    render   how long playback takes to give a block, waiting for the interpreter included
    near end how late a frame of the microphone has passed canceller and voice detector
    late     beats and blocks that a device with 100 ms of sound in hand would not have survived

Stretches with the threads' priorities and without them (``flat``) take turns, as other load on the
machine falls on both alike. Run with: python -m bench.core_budget
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import statistics
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio import threads
from audio.devices.base import Deliver, DeviceInfo, Lost, Render
from audio.vad.base import FRAME_SAMPLES, SAMPLE_RATE, Vad
from bench.simulator import ScriptedBrain
from jarvis_voice import clock, events
from jarvis_voice.cli import build
from jarvis_voice.cli.spoken_user import shared_prompts
from jarvis_voice.config import DeviceSettings, Settings
from jarvis_voice.conversation import Conversation, Notice

BEAT_S = 0.01
PLAYBACK_RATE = 24_000
IN_HAND_S = 0.1  # of sound in the device: the default of devices.output_latency_s
PAUSE_S = 2.5  # between two of the user's sentences: on a busy machine a transcript takes long
HISS_DBFS = -50.0
ANSWER = "This is sentence number {} of an answer that goes on for as long as it is measured. "
NOTICE = Notice("n", "".join(map(ANSWER.format, range(5))), lambda how, heard: None, cue=False)


class EndlessBrain(ScriptedBrain):
    """Talks on and on, and always knows something new that it might be asked."""

    def __init__(self) -> None:
        super().__init__({})
        self._looked = 0

    async def reply(self, question: events.Question) -> AsyncIterator[str]:
        """Sentences without end, a little faster than they can be said."""
        for number in range(1, 1000):
            yield ANSWER.format(number)
            await asyncio.sleep(1.0)

    def anticipated(self, history: tuple[events.Exchange, ...]) -> tuple[str, ...]:
        """Other answers each time."""
        self._looked += 1
        return tuple(f"Likely answer {self._looked} {n}." for n in range(3))


@dataclass(slots=True)
class Samples:
    """What was measured, in seconds."""

    beat: list[float] = field(default_factory=list)
    render: list[float] = field(default_factory=list)
    near_end: list[float] = field(default_factory=list)


class Card:
    """A sound card: one thread that beats every 10 ms, with the user's voice at the microphone."""

    def __init__(self, voice: NDArray[np.float32], samples: Samples) -> None:
        self._voice = voice
        self._samples = samples
        self._deliver: Deliver | None = None
        self._render: Render | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="card")
        self.delivered_s: list[float] = []  # when the end of each VAD frame was handed over
        self.capture = _Side(self, DeviceInfo("card", SAMPLE_RATE, 1, BEAT_S))
        self.playback = _Side(self, DeviceInfo("card", PLAYBACK_RATE, 1, IN_HAND_S))

    def start(self, side: _Side, call: Deliver | Render) -> None:
        """Begin with one side; the thread runs from the first on."""
        if side is self.capture:
            self._deliver = call
        else:
            self._render = call
        if not self._thread.is_alive() and not self._stop.is_set():
            self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _beat(self) -> None:
        began_s, beats, sent = clock.stopwatch(), 0, 0
        size = round(BEAT_S * SAMPLE_RATE)
        block = np.zeros(round(BEAT_S * PLAYBACK_RATE), np.float32)
        while not self._stop.wait(max(0.0, began_s + (beats + 1) * BEAT_S - clock.stopwatch())):
            beats += 1
            now_s = clock.stopwatch()
            self._samples.beat.append(now_s - began_s - beats * BEAT_S)
            if self._render is not None:
                self._render(block)
                self._samples.render.append(clock.stopwatch() - now_s)
            if self._deliver is not None:
                places = np.arange(sent, sent + size) % self._voice.size
                sent += size
                while len(self.delivered_s) < sent // FRAME_SAMPLES:
                    self.delivered_s.append(clock.stopwatch())
                self._deliver(self._voice[places])


class _Side:
    """The card as one port."""

    def __init__(self, card: Card, info: DeviceInfo) -> None:
        self._card = card
        self.info = info

    def start(self, call: Deliver | Render, lost: Lost) -> None:
        self._card.start(self, call)

    def stop(self) -> None:
        self._card.stop()


class TimedVad:
    """A voice detector that notes how late each frame came through."""

    def __init__(self, inner: Vad, card: Card, samples: Samples) -> None:
        self.info = inner.info
        self._inner = inner
        self._card = card
        self._samples = samples
        self._frames = 0

    def probability(self, frame: NDArray[np.float32]) -> float:
        """See Vad.probability."""
        found = self._inner.probability(frame)
        if self._frames < len(self._card.delivered_s):
            handed_over_s = self._card.delivered_s[self._frames]
            self._samples.near_end.append(clock.stopwatch() - handed_over_s)
        self._frames += 1
        return found

    def reset(self) -> None:
        """See Vad.reset."""
        self._inner.reset()


async def _stretch(settings: Settings, seconds: float, samples: Samples) -> dict[str, float]:
    engines = build.load_engines(settings)
    prompts = [prompt.samples for prompt in shared_prompts()]
    gap = np.zeros(round(PAUSE_S * SAMPLE_RATE), np.float32)
    voice = np.concatenate([part for prompt in prompts for part in (prompt, gap)])
    # A frame of mere silence would not be shown to the voice detector, which counts them here.
    voice += np.random.default_rng(1).normal(0.0, 10 ** (HISS_DBFS / 20), voice.size)
    voice = voice.astype(np.float32)
    card = Card(voice, samples)
    timed = engines._replace(vad=TimedVad(engines.vad, card, samples))
    seen: list[events.ConversationEvent] = []
    parts = build.parts(timed, build.Ports(card.capture, card.playback), EndlessBrain())
    conversation = Conversation(parts, build.conversation_settings(settings), seen.append)
    cpu_s, wall_s = clock.cpu_seconds(), clock.stopwatch()
    async with asyncio.TaskGroup() as group:
        group.create_task(conversation.run())
        for _ in range(round(seconds)):
            await asyncio.sleep(1.0)
            conversation.runs_changed()
            conversation.speak_up(NOTICE)  # said in the user's pauses, if no answer is
        conversation.stop("measured")
    engines.close()
    return {
        "cores": (clock.cpu_seconds() - cpu_s) / (clock.stopwatch() - wall_s),
        "transcripts": sum(isinstance(event, events.TranscriptSettled) for event in seen),
        "phrases": sum(isinstance(event, events.PhraseReady) for event in seen),
    }


def measure(seconds: float, stretches: int) -> dict[str, Any]:
    """Milliseconds of each measure in both modes, and what was worked meanwhile."""
    settings = Settings(devices=DeviceSettings(echo="speaker"))
    found = {"priorities": Samples(), "flat": Samples()}
    work: dict[str, list[dict[str, float]]] = {mode: [] for mode in found}
    for _ in range(stretches):
        for mode, samples in found.items():
            with priorities(on=mode == "priorities"):
                work[mode].append(asyncio.run(_stretch(settings, seconds, samples)))
    return {
        "stretches": stretches,
        "stretch_s": seconds,
        **{mode: summed_up(samples, work[mode]) for mode, samples in found.items()},
    }


@contextlib.contextmanager
def priorities(*, on: bool) -> Iterator[None]:
    """Let threads step back, or not."""
    usual = threads.step_back
    threads.step_back = usual if on else lambda niceness: False
    try:
        yield
    finally:
        threads.step_back = usual


def summed_up(samples: Samples, work: Sequence[dict[str, float]]) -> dict[str, Any]:
    """Of one mode: milliseconds, the count of what came too late, and the work of a stretch."""
    late = sum(value > IN_HAND_S for value in samples.beat)
    late += sum(value > IN_HAND_S for value in samples.render)
    return {
        "beat_ms": _spread(samples.beat),
        "render_ms": _spread(samples.render),
        "near_end_ms": _spread(samples.near_end),
        "late": late,
        **{key: round(statistics.fmean(one[key] for one in work), 2) for key in work[0]},
    }


def _spread(values: Sequence[float]) -> dict[str, float]:
    percent = statistics.quantiles(values, n=100) if len(values) > 1 else [0.0] * 99
    shown = {"p50": percent[49], "p95": percent[94], "p99": percent[98], "most": max(values)}
    return {name: round(1000 * value, 2) for name, value in shown.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; exit status 1 when a device would have run dry."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.core_budget",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=20.0, help="a stretch (default: 20)")
    parser.add_argument("--stretches", type=int, default=2, help="of each mode (default: 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the record to FILE")
    args = parser.parse_args(argv)
    record = measure(args.seconds, args.stretches)
    text = json.dumps(record, indent=2)
    if args.json:
        args.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")
    return 1 if record["priorities"]["late"] else 0


if __name__ == "__main__":
    sys.exit(main())
