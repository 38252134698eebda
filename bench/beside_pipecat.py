"""Jarvis beside a pipecat pipeline of the same models: ``python -m bench.beside_pipecat``.

    python -m bench.beside_pipecat --install DIR [--repeats N] [--json FILE]
    python -m bench.beside_pipecat --python DIR/bin/python [--repeats N] [--json FILE]

Both are servers of the plain PCM websocket, ``jarvis serve`` and ``foreign/pipecat_server.py``, and
the same client talks with both by turns, in real time. In each repeat either side gets the five
shared prompts, of which the fourth interrupts the third one's answer, and a conversation in which
the user says "mm-hm" into that same answer. Every conversation has a fresh server, so nothing is
left of an earlier one, and Jarvis keeps no phrase on disk. What pipecat's scripted model answers is
what Jarvis's narrator answers about the recorded run; the prompts begin when that run is over, so
that both say the same.

Which sounds are of the answer that was spoken into is told by their likeness to its sentences, and
so is "answered": another sound than those. The first sentence may end by itself before a slow stop;
then that end is what is measured.

Only the pipelines differ, but for one thing that belongs to ours: Jarvis has likely answers ready.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from audio.errors import AudioError
from audio.tts.voices import JARVIS_VOICE
from bench import beside_report
from bench.answerers import Answered, exchanged
from bench.beside_report import Conversation, Nod
from bench.errors import ForeignFailed
from bench.foreign import environment
from bench.foreign.scripted_answers import NOT_HEARD
from bench.foreign.servers import started
from bench.probes.corpus import shared_prompts
from bench.probes.latency import Timing, shared_items, shared_scene
from bench.probes.play import Cue, Scene, Take, When
from bench.probes.recipe import DEFAULT_SEED, Line, texts
from bench.probes.record import Record, check_writable, load_now, write_json
from bench.probes.sounds import Sound
from bench.probes.speaker import Clip, Studio
from bench.probes.websocket import visit
from bench.report.progress import Progress
from jarvis_voice.brain.brain import NarratorBrain
from jarvis_voice.cli.io import Io
from jarvis_voice.clock import unix_now
from jarvis_voice.errors import JarvisError, UsageError
from jarvis_voice.events import Exchange, Question
from jarvis_voice.resources import asset
from jarvis_voice.runs.sources import open_recording
from jarvis_voice.runs.watcher import RunWatcher

OURS, THEIRS = "jarvis", "pipecat"
SIDES = (OURS, THEIRS)
SERVER = Path(__file__).with_name("foreign") / "pipecat_server.py"
LEAD_S = 6.0  # the recorded run lasts 4.7 s
PAUSE_S = 2.5  # after an answer: the next sentence of one that is not over may be late
INTO_S = 0.5  # of unbroken speech; the first sentence of the answer spoken into lasts 1.5 s
SPOKEN_INTO = 2  # the place of the shared prompt that gets this answer
PATIENCE_S = 20.0  # for the agent to begin to speak
LINGER_S = 4.0  # after "mm-hm": an answer that goes on is told from one that stops
NODDING = ("af_heart", "am_puck", "bm_george")  # say "mm-hm" by turns, in 0.5 to 0.8 s
TIMING = Timing(LEAD_S, PAUSE_S, (When.FLUENT, INTO_S))
SETTINGS = "[synthesizer]\nkeep_mb = 0\n"


class Commands(NamedTuple):
    """How either server is started."""

    jarvis: Sequence[str]
    pipecat: Sequence[str]

    def of(self, side: str) -> Sequence[str]:
        """The command of a side."""
        return self.jarvis if side == OURS else self.pipecat


@dataclass(frozen=True, slots=True)
class Plan:
    """What is said."""

    answers: dict[str, str]
    nods: Sequence[Clip]  # "mm-hm", in several voices
    sounds: tuple[Sound, Sound]  # of the answer spoken into, and of all other sentences


@dataclass(slots=True)
class Results:
    """What was found so far."""

    talks: list[Conversation] = field(default_factory=list)
    nods: list[Nod] = field(default_factory=list)


async def scripted(prompts: Sequence[str], also: Sequence[str]) -> dict[str, str]:
    """What the narrator answers when the recorded run is over.

    ``prompts`` are asked in one conversation, each of ``also`` by itself behind it.
    """
    watcher = RunWatcher(lambda _event: None)
    await watcher.replay(open_recording(_run()), math.inf)
    brain = NarratorBrain(watcher)
    answers: dict[str, str] = {}
    history: tuple[Exchange, ...] = ()
    for text in [*prompts, *also]:
        turn = len(history) + 1
        question = Question(turn, text, 0.0, unix_now(), history)
        answers[text] = "".join([piece async for piece in brain.reply(question)])
        if text in prompts:
            history += (exchanged(turn, text, Answered(answers[text], brain.versions())),)
    return answers


def _run() -> Path:
    return Path(str(asset("runs") / "demo.jsonl"))


@contextlib.contextmanager
def _commands(python: Path, answers: dict[str, str]) -> Iterator[Commands]:
    with tempfile.TemporaryDirectory() as name:
        table, settings = Path(name) / "answers.json", Path(name) / "jarvis.toml"
        table.write_text(json.dumps(answers), encoding="utf-8")
        settings.write_text(SETTINGS, encoding="utf-8")
        serve = ["serve", "--run", str(_run()), "--no-token", "--protocol", "pcm", "--port", "0"]
        yield Commands(
            [sys.executable, "-m", "jarvis_voice", "--config", str(settings), *serve],
            [str(python), str(SERVER), "--answers", str(table)],
        )


def order(repeat: int) -> tuple[str, ...]:
    """Who goes first alternates, so that a machine that gets slower harms both alike."""
    return SIDES if repeat % 2 == 0 else SIDES[::-1]


async def hold(commands: Commands, plan: Plan, repeats: int) -> Results:
    """All conversations. Raises ForeignFailed when a server does not start."""
    found = Results()
    progress = Progress(sys.stderr, "talking", 2 * len(SIDES) * repeats)
    for repeat in range(repeats):
        clip = plan.nods[repeat % len(plan.nods)]
        for side in order(repeat):
            take = await _talk(commands.of(side), _prompting())
            items, said = shared_items(take, side), list(plan.answers.values())
            found.talks.append(beside_report.conversation(side, items, take.told, said))
            progress.step(side)
            take = await _talk(commands.of(side), _nodding(clip))
            found.nods.append(beside_report.nod(side, take, clip, plan.sounds))
            progress.step(side)
    progress.end()
    return found


async def _talk(command: Sequence[str], scene: Scene) -> Take:
    with started(command) as address:
        try:
            return await visit(address, scene)
        except OSError as error:
            raise ForeignFailed(
                f"The server at {address} does not answer ({error}); nothing was kept.",
                f"It was started with: {' '.join(command)}",
            ) from error


def _prompting() -> Scene:
    return replace(shared_scene(TIMING), patience_s=PATIENCE_S)


def _nodding(clip: Clip) -> Scene:
    asked = shared_prompts()[SPOKEN_INTO].clip.samples
    cues = [Cue(asked, When.START, LEAD_S), Cue(clip.samples, When.FLUENT, INTO_S)]
    return Scene(cues, linger_s=LINGER_S, patience_s=PATIENCE_S)


def planned() -> Plan:
    """Have everything ready that is said. Raises what the engines raise, and UnwritableOutput."""
    entry = texts("duplex")["backchannels"][0]
    prompts = [prompt.clip.text for prompt in shared_prompts()]
    answers = asyncio.run(scripted(prompts, [entry["text"], NOT_HEARD]))
    old = sentences(answers[prompts[SPOKEN_INTO]])
    others = [one for answer in answers.values() for one in sentences(answer) if one not in old]
    studio = Studio()
    try:
        lines = [Line(entry["text"], voice, phonemes=entry["phonemes"]) for voice in NODDING]
        nods = [studio.clip(line) for line in lines]
        return Plan(answers, nods, (_said(studio, old), _said(studio, others)))
    finally:
        studio.close()


def _said(studio: Studio, said: Sequence[str]) -> Sound:
    lines = [Line(one, JARVIS_VOICE, speed=1.0) for one in said]  # both sides' pace
    return np.concatenate([studio.clip(line).samples for line in lines])


def sentences(text: str) -> list[str]:
    """The sentences of an answer, each of which is synthesized by itself."""
    return [sentence for sentence in re.split(r"(?<=[.!?])\s+", text.strip()) if sentence]


def measure(args: argparse.Namespace, io: Io) -> None:
    """Measure and report. Raises JarvisError, and what the engines raise."""
    if args.repeats < 1:
        raise UsageError("--repeats needs a number of 1 or more.", "Leave it out for five.")
    if args.json is not None:
        check_writable(args.json)
    if args.install is not None:
        io.note(f"Installing pipecat into {args.install} ...")
    python = environment.install(args.install) if args.install is not None else args.python
    record = Record("beside_pipecat", args.seed, _options(args), load=(load_now(), 0.0))
    record.engines = environment.check(python)
    plan = planned()
    with _commands(python, plan.answers) as commands:
        found = asyncio.run(hold(commands, plan, args.repeats))
    record.metrics = beside_report.metrics(found.talks, found.nods, SIDES, args.seed)
    record.items = beside_report.records(found.talks, found.nods)
    record.load = (record.load[0] if record.load else 0.0, load_now())
    if args.json is not None:
        write_json(args.json, record)
    io.line(beside_report.as_text(record.metrics, SIDES))


def _options(args: argparse.Namespace) -> dict[str, Any]:
    return {name: str(value) for name, value in sorted(vars(args).items()) if value is not None}


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="python -m bench.beside_pipecat",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    where = made.add_mutually_exclusive_group(required=True)
    where.add_argument("--python", metavar="PATH", type=Path, help="an interpreter that has it")
    where.add_argument(
        "--install", metavar="DIR", type=Path, help="make an environment there first (850 MB)"
    )
    made.add_argument("--repeats", metavar="N", type=int, default=5, help="(default: 5)")
    made.add_argument("--json", metavar="FILE", type=Path, help="write the record to FILE")
    made.add_argument("--seed", type=int, default=DEFAULT_SEED, help="of the intervals")
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Measure; exit status 0 for done, 1 for failed, 2 for wrongly called."""
    args = parser().parse_args(argv)
    io = Io.standard()
    try:
        measure(args, io)
    except (JarvisError, AudioError) as error:
        io.note(f"beside_pipecat: {error}")
        return error.exit_code if isinstance(error, JarvisError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
