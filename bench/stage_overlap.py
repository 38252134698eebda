"""What the user waits for when all that can be hidden in the silence is: exact, on virtual time.

The demo's five questions about the demo's run, to the app's own conversation. Recognizer and
synthesizer are scripted and take the time that the real ones take alone on two quiet cores, so
nothing here depends on the machine, and contention for the cores is left out: ``jarvis demo``
measures that. Three brains are compared:

    anticipated   the narrator, whose likely answers are made ready as the run changes
    prepared      the narrator, whose answer is only prepared in the pause that ends the turn
    chat model    one that takes 300 ms to its first word and streams 30 pieces a second

Run with: python -m bench.stage_overlap
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from audio.engine import CancelToken
from audio.tts.base import SpeechChunk, SpokenPhrase
from audio.tts.cached import CachedSynthesizer
from audio.tts.scripted import Script, ScriptedSynthesizer
from audio.turn.settings import TurnSettings
from bench.simulator import Says, Simulation, Stage, simulate
from bench.timed_engines import TimedRecognizer
from jarvis_voice import events
from jarvis_voice.brain.brain import NarratorBrain
from jarvis_voice.conversation import Brain, ConversationSettings
from jarvis_voice.resources import asset
from jarvis_voice.runs.sources import open_recording
from jarvis_voice.runs.watcher import RunWatcher
from jarvis_voice.telemetry.latency import STAGES, TurnLatency, summary, turn_latencies
from jarvis_voice.virtual_time import take_time

RECOGNIZER_S = 0.13  # a settled transcript of 2 to 4 s of speech (bench.asr_latency)
PHRASE_S, WORD_S = 0.24, 0.117  # 3, 5 and 12 words in 0.59, 0.78 and 1.65 s (bench.tts_latency)
FIRST_WORD_S, PIECE_S = 0.3, 1 / 30
REPLAY_PACE = 0.5
QUESTIONS = (
    "How is it going?",
    "What is it doing right now?",
    "What did it find so far?",
    "What failed?",
    "What changed since I last asked?",
)


class PacedSynthesizer(ScriptedSynthesizer):
    """Takes as long for a phrase as whole-sentence Kokoro on two quiet cores, times ``factor``."""

    def __init__(self, factor: float) -> None:
        super().__init__(Script(word_s=0.25))
        self._factor = factor

    def synthesize(self, phrase: SpokenPhrase, cancel: CancelToken) -> Iterator[SpeechChunk]:
        """See Synthesizer.synthesize."""
        if phrase.words:
            seconds = PHRASE_S + WORD_S * len(phrase.words)
            take_time(self._factor * seconds, cancel)
        yield from super().synthesize(phrase, cancel)


class Unforeseeing:
    """A brain that does not tell what it would say next, and may take its time to say it."""

    def __init__(self, inner: Brain, first_s: float = 0.0, piece_s: float = 0.0) -> None:
        self._inner = inner
        self._first_s = first_s
        self._piece_s = piece_s
        self.name = inner.name

    async def reply(self, question: events.Question) -> AsyncIterator[str]:
        """The inner brain's words, one by one."""
        wait_s = self._first_s
        async for text in self._inner.reply(question):
            for word in text.split(" "):
                await asyncio.sleep(wait_s)
                wait_s = self._piece_s
                yield f"{word} " if word else ""

    def versions(self) -> dict[str, int]:
        """See Brain.versions."""
        return self._inner.versions()

    def committed(self, question: events.Question) -> bool:
        """See Brain.committed."""
        return self._inner.committed(question)


MakeBrain = Callable[[NarratorBrain], Brain]
BRAINS: dict[str, MakeBrain] = {
    "anticipated": lambda narrator: narrator,
    "prepared": Unforeseeing,
    "chat model": lambda narrator: Unforeseeing(narrator, FIRST_WORD_S, PIECE_S),
}


def hold(make: MakeBrain, factor: float = 1.0) -> list[TurnLatency]:
    """The whole conversation with one brain; a row per question."""
    recording = open_recording(asset("runs", "demo.jsonl"))
    talks: list[Simulation] = []

    def changed(event: events.RunChanged) -> None:
        for talk in talks:
            talk.conversation.runs_changed()

    async def replay(simulation: Simulation) -> None:
        talks.append(simulation)
        await watcher.replay(recording, REPLAY_PACE)

    watcher = RunWatcher(changed)

    says = [Says(QUESTIONS[0], 1.216, at_s=1.0)]
    says += [Says(text, 1.504, after_agent_stopped_s=0.9) for text in QUESTIONS[1:]]
    voice = CachedSynthesizer(PacedSynthesizer(factor), "paced")
    stage = Stage(
        brain=make(NarratorBrain(watcher)),
        synthesizer=voice,
        recognizer=TimedRecognizer(QUESTIONS, RECOGNIZER_S),
        settings=ConversationSettings(TurnSettings()),
    )
    return turn_latencies(simulate(says, stage, during=replay).seen)


def measure(factor: float = 1.0) -> dict[str, Any]:
    """For each brain the rows and the median and 95th percentile of the response, in seconds."""
    return {name: _record(hold(make, factor)) for name, make in BRAINS.items()}


def _record(rows: Sequence[TurnLatency]) -> dict[str, Any]:
    total = summary([row.response_s for row in rows], warmup=0)
    columns = [*STAGES, "response"]
    return {
        "turns": [{name: getattr(row, f"{name}_s") for name in columns} for row in rows],
        "median_s": total.median,
        "p95_s": total.p95,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Compute and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.stage_overlap",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--factor",
        type=float,
        default=1.0,
        help="of the synthesizer's time to its first audio: 0.33 for a decoder that streams "
        "(default: 1, whole sentences)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the record to FILE")
    args = parser.parse_args(argv)
    record = measure(args.factor)
    if args.json:
        args.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    lines = []
    for name, found in record.items():
        shown = [f"{1000 * turn['response']:.0f}" for turn in found["turns"]]
        lines.append(
            f"{name:12} median {1000 * found['median_s']:4.0f} ms, p95 "
            f"{1000 * found['p95_s']:4.0f} ms, turns {' '.join(shown)}"
        )
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
