"""Does Jarvis keep its manners when both speak? Interruptions, backchannels, coughs, side talk.

Jarvis gives long answers in a simulated room, and into each of them somebody says something: a real
interruption, a sign of listening, a cough or a door, a word to somebody else. Real are voice
detector, canceller, recognizer, synthesizer and everything between. Counted from the recorded sound
of both sides alone: whether Jarvis fell silent (for more than a quarter of a second, within two
seconds), how long after the first audible sample of the user, and whether anything of the old
answer sounded after that. Run with:

    python -m bench.overlap [--half tune|test|both] [--echo-db -12] [--real-time] [--json FILE]

In fast simulation thinking takes no time, so THINKING_S is added where words and not the sound
made Jarvis fall silent: a hypothesis of half a second of sound costs 0.1 s on the machine at hand
(``python -m bench.asr_latency``). With ``--real-time`` it takes what it takes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import Recognizer
from audio.asr.registry import open_recognizer
from audio.devices.file_io import EchoPath
from audio.echo.bypass import Bypass
from audio.echo.webrtc import WebRtcEchoCanceller
from audio.overlap_claim import ClaimJudge, load_claim_network
from audio.pcm import RATE
from audio.tts.base import Synthesizer
from audio.tts.registry import open_synthesizer
from audio.vad.silero import SileroVad
from bench.echo_hour import RememberingSynthesizer
from bench.overlap_cases import SEED, Case, all_cases, transcript_of
from bench.room_interruptions import LongAnswers
from bench.simulator import Simulation, Stage
from bench.wer import normalized
from bench.word_errors import errors_between
from jarvis_voice import events
from jarvis_voice.cli.spoken_user import shared_prompts
from jarvis_voice.telemetry.recorded import Span, audible_spans
from jarvis_voice.virtual_time import run_virtual

ANSWER = (
    "The agent has finished the first two steps and is working on the third one, which is the "
    "longest of them, and it has changed three files so far, all of them in the folder of the "
    "server, while the checks that it ran in between have passed without a single warning, so "
    "that only the image is left to be built, and after this it will write the release notes, "
    "send them to the reviewers, and wait for what they have to say about the new interface"
)
OUTPUT_RATE = 24_000
GAP_S = 0.25  # a longer silence is a stop for whoever listens
WITHIN_S = 2.0  # after its onset an interruption must have been yielded to
INTO_S = (1.0, 2.2)  # how long Jarvis has been speaking
AFTER_S = 2.4  # before the next case
THINKING_S = 0.1
BREATH_S = 0.15  # between what is asked of playback and the silence that comes of it
TOGETHER = 20  # cases in a conversation
KINDS = ("interruption", "backchannel", "noise", "side talk")


@dataclass(slots=True)
class Outcome:
    """What became of a case."""

    case: Case
    onset_s: float  # first audible sample of the user
    stopped_s: float | None  # Jarvis's silence, from the onset on; None when it spoke on
    heard: list[str] = field(default_factory=list)  # turns that were committed
    stale_s: float = 0.0  # sound of the old answer after it had fallen silent
    reasons: list[str] = field(default_factory=list)
    by_sound: bool = False  # the sound made Jarvis fall silent, before any word


class Models(NamedTuple):
    """The engines, loaded once; Jarvis's sentences are synthesized once."""

    recognizer: Recognizer
    synthesizer: Synthesizer

    @classmethod
    def load(cls) -> Models:
        """Those that ship. Raises EngineMissing and EngineCorrupt."""
        voice = RememberingSynthesizer(open_synthesizer("kokoro"))
        return cls(open_recognizer("whisper-tiny.en"), voice)

    def close(self) -> None:
        """Release them."""
        self.recognizer.close()
        self.synthesizer.close()


class _Lent:
    """A recognizer that a conversation may close and another one goes on with."""

    def __init__(self, recognizer: Recognizer) -> None:
        self.info = recognizer.info
        self.stream = recognizer.stream

    def close(self) -> None:
        """It is closed by who lent it."""


def converse(
    cases: Sequence[Case],
    models: Models,
    *,
    echo_db: float | None,
    real_time: bool = False,
    seed: int = 1,
) -> list[Outcome]:
    """Hold one conversation with all cases in it and say what became of each."""
    draw = np.random.default_rng(seed)
    begun: list[tuple[Case, float]] = []

    async def talk(simulation: Simulation) -> None:
        prompt = shared_prompts()[0].samples
        for case in cases:
            if not _speaks(simulation):
                simulation.room.say(prompt)
            await _until(simulation)
            await asyncio.sleep(float(draw.uniform(*INTO_S)))
            while not _speaks(simulation):  # the answer has ended: let the next one begin
                simulation.room.say(prompt)
                await _until(simulation)
                await asyncio.sleep(float(draw.uniform(*INTO_S)))
            start = simulation.room.say(case.sound)
            begun.append((case, start / RATE))
            await asyncio.sleep(len(case.sound) / RATE + AFTER_S)

    stage = Stage(
        brain=LongAnswers(ANSWER),
        synthesizer=models.synthesizer,
        vad=SileroVad(),
        canceller=Bypass() if echo_db is None else WebRtcEchoCanceller(),
        echo=None if echo_db is None else EchoPath(gain_db=echo_db, delay_s=0.08, reverb_s=0.3),
        noise_dbfs=-62.0,
        recognizer=_Lent(models.recognizer),
        claims=ClaimJudge(load_claim_network()),
        limit_s=60.0 + 40.0 * len(cases),
    )
    seen, sound = _hold(stage, talk, real_time)
    return outcomes(begun, seen, sound)


def _hold(
    stage: Stage, talk: Callable[[Simulation], Coroutine[Any, Any, None]], real_time: bool
) -> tuple[list[events.ConversationEvent], NDArray[np.float32]]:
    async def hold() -> Simulation:
        simulation = Simulation([], stage)
        await simulation.run(talk)
        return simulation

    simulation = asyncio.run(hold()) if real_time else run_virtual(hold())
    return simulation.seen, simulation.room.recording()


def _speaks(simulation: Simulation) -> bool:
    started = sum(isinstance(event, events.AgentSpeechStarted) for event in simulation.seen)
    stopped = sum(isinstance(event, events.AgentSpeechStopped) for event in simulation.seen)
    return started > stopped


async def _until(simulation: Simulation) -> None:
    """Wait until Jarvis speaks."""
    async with asyncio.timeout(40.0):
        while not _speaks(simulation):  # noqa: ASYNC110 - the room has no event for it
            await asyncio.sleep(0.02)


# --- what became of it, from the sound ---------------------------------------------------------


def outcomes(
    begun: Sequence[tuple[Case, float]],
    seen: Sequence[events.ConversationEvent],
    sound: NDArray[np.float32],
) -> list[Outcome]:
    """Read the recording, shape (n, 2) at 24 kHz, user left; the events only tell reasons."""
    agent = audible_spans(sound[:, 1], OUTPUT_RATE)
    found = []
    offset_s = _offset_s(seen)
    asked_s = [at_s - offset_s for at_s in _asked_s(seen)]
    for case, start_s in begun:
        end_s = start_s + len(case.sound) / RATE + AFTER_S
        onset_s = start_s + _onset_s(case.sound)
        outcome = Outcome(case, onset_s, _stopped_s(agent, onset_s, asked_s))
        for event in seen:
            at_s = event.at_s - offset_s
            if start_s <= at_s < end_s:
                _note(outcome, event, offset_s)
        outcome.stale_s = _stale_s(outcome, agent, seen, offset_s, end_s)
        found.append(outcome)
    return found


def _asked_s(seen: Sequence[events.ConversationEvent]) -> list[float]:
    """When playback was asked to fall silent, and not asked to go on within GAP_S."""
    asked: list[float] = []
    for event in seen:
        if isinstance(event, events.BargedIn) or (
            isinstance(event, events.PlaybackPaused) and event.paused
        ):
            asked.append(event.at_s)
        elif isinstance(event, events.PlaybackPaused) and event.at_s - asked[-1] <= GAP_S:
            asked.pop()
    return asked


def _stopped_s(agent: Sequence[Span], onset_s: float, asked_s: Sequence[float]) -> float | None:
    """From the onset to the silence that the user caused, None when there is none in time.

    Where nothing was asked of playback, Jarvis only drew breath between two phrases; where it was
    asked while Jarvis drew breath, the silence counts from then on.
    """
    for at_s in asked_s:
        if not onset_s < at_s <= onset_s + WITHIN_S:
            continue
        before = [span for span in agent if span.start_s <= at_s]
        silent_s = max(at_s, before[-1].end_s) if before else at_s
        goes_on_s = min((s.start_s for s in agent if s.start_s > at_s), default=math.inf)
        if silent_s - at_s < BREATH_S and goes_on_s - silent_s > GAP_S:
            return silent_s - onset_s
    return None


def _offset_s(seen: Sequence[events.ConversationEvent]) -> float:
    """Session time at which the recording begins, within a block."""
    return next(event.at_s for event in seen if isinstance(event, events.SessionStarted))


def _note(outcome: Outcome, event: events.ConversationEvent, offset_s: float) -> None:
    if isinstance(event, events.TurnCommitted):
        outcome.heard.append(event.text)
    elif isinstance(event, events.BargedIn | events.TurnDiscarded | events.PlaybackPaused):
        since_s = event.at_s - offset_s - outcome.onset_s
        if not outcome.reasons:
            outcome.by_sound = event.reason.startswith("the sound asks")
        outcome.reasons.append(f"{since_s:.2f} {type(event).__name__}: {event.reason}")


def _stale_s(
    outcome: Outcome,
    agent: Sequence[Span],
    seen: Sequence[events.ConversationEvent],
    offset_s: float,
    end_s: float,
) -> float:
    """How much sounded between the cut and the next answer's beginning."""
    if outcome.stopped_s is None:
        return 0.0
    silent_s = outcome.onset_s + outcome.stopped_s
    nexts = [
        event.at_s - offset_s
        for event in seen
        if isinstance(event, events.AgentSpeechStarted) and event.at_s - offset_s > silent_s - 0.05
    ]
    resumed = [
        event.at_s - offset_s
        for event in seen
        if isinstance(event, events.PlaybackPaused)
        and not event.paused
        and event.at_s - offset_s > silent_s - 0.05
    ]
    until_s = min([end_s, *nexts, *resumed]) - 0.05
    return sum(
        max(0.0, min(span.end_s, until_s) - max(span.start_s, silent_s + 0.01)) for span in agent
    )


def _onset_s(sound: NDArray[np.float32]) -> float:
    spans = audible_spans(sound, RATE)
    return spans[0].start_s if spans else 0.0


def summarize(found: Sequence[Outcome], thinking_s: float = THINKING_S) -> dict[str, Any]:
    """Counts and times by kind; ``thinking_s`` is added where words decided."""
    record: dict[str, Any] = {}
    for kind in KINDS:
        some = [outcome for outcome in found if outcome.case.kind == kind]
        if not some:
            continue
        stops = sorted(
            outcome.stopped_s + (0.0 if outcome.by_sound else thinking_s)
            for outcome in some
            if outcome.stopped_s is not None
        )
        entry: dict[str, Any] = {"cases": len(some), "stopped": len(stops)}
        if kind == "interruption":
            entry |= _of_interruptions(some, stops)
        else:
            entry["ignored"] = round(1 - len(stops) / len(some), 3)
        record[kind] = entry
    return record


def _of_interruptions(some: Sequence[Outcome], stops: Sequence[float]) -> dict[str, Any]:
    lost = [
        outcome.case.text
        for outcome in some
        if not _first_word_kept(outcome.case.transcript, " ".join(outcome.heard))
    ]
    heard = [" ".join(outcome.heard) for outcome in some]
    words = [normalized(outcome.case.text) for outcome in some]
    errors = [
        errors_between(said, normalized(text)) for said, text in zip(words, heard, strict=True)
    ]
    alone = [
        errors_between(said, normalized(outcome.case.transcript))
        for said, outcome in zip(words, some, strict=True)
    ]
    return {
        "by_sound": sum(o.by_sound and o.stopped_s is not None for o in some),
        "yield_rate": round(len(stops) / len(some), 3),
        "yield_p50_s": round(float(np.median(stops)), 3) if stops else None,
        "yield_p95_s": round(float(np.quantile(stops, 0.95)), 3) if stops else None,
        "first_word_lost": lost,
        "word_errors": f"{sum(errors)}/{sum(map(len, words))}",
        "word_errors_alone": f"{sum(alone)}/{sum(map(len, words))}",
        "stale_s": round(sum(outcome.stale_s for outcome in some), 3),
    }


def _first_word_kept(alone: str, heard: str) -> bool:
    """Whether the first word that is understood of a sentence on its own was heard here as well."""
    first = normalized(alone)[:1]
    return not first or first[0] in normalized(heard)


def measure(
    half: str,
    *,
    echo_db: float | None = None,
    real_time: bool = False,
    cache: Path | None = None,
    most: int | None = None,
) -> list[Outcome]:
    """All cases of a half, or of both, in a seeded order, in conversations of twenty."""
    cases = [case for case in all_cases(cache) if half in ("both", case.half)]
    order = np.random.default_rng(SEED).permutation(len(cases))[:most]
    models, vad = Models.load(), SileroVad()
    cases = [cases[place] for place in order]
    cases = [
        replace(case, transcript=transcript_of(case, models.recognizer, vad))
        if case.kind == "interruption"
        else case
        for case in cases
    ]
    found = []
    for number, some in enumerate(_batches(cases)):
        found += converse(some, models, echo_db=echo_db, real_time=real_time, seed=number)
    models.close()
    return found


def _batches(cases: Sequence[Case]) -> list[Sequence[Case]]:
    return [cases[start : start + TOGETHER] for start in range(0, len(cases), TOGETHER)]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; exit status 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.overlap",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--half", choices=("tune", "test", "both"), default="test")
    parser.add_argument("--echo-db", type=float, help="of a loudspeaker (default: headphones)")
    parser.add_argument("--real-time", action="store_true", help="let thinking take its time")
    parser.add_argument("--most", type=int, help="cases (default: all)")
    parser.add_argument("--cache", type=Path, metavar="FILE", help="of the voices, a .npz file")
    parser.add_argument("--cases", action="store_true", help="print every case to standard error")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the record to FILE")
    args = parser.parse_args(argv)
    found = measure(
        args.half,
        echo_db=args.echo_db,
        real_time=args.real_time,
        cache=args.cache,
        most=args.most,
    )
    if args.cases:
        for outcome in found:
            stopped = "spoke on" if outcome.stopped_s is None else f"{outcome.stopped_s:.2f} s"
            sys.stderr.write(
                f"{outcome.case.kind:13} {outcome.case.text!r} {stopped} {outcome.heard} "
                f"{outcome.reasons}\n"
            )
    record = summarize(found, 0.0 if args.real_time else THINKING_S) | {
        "half": args.half,
        "echo_db": args.echo_db,
    }
    text = json.dumps(record, indent=2)
    if args.json:
        args.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")
    return 0 if passes(record) else 1


def passes(record: dict[str, Any]) -> bool:
    """Whether the targets are met: 95 % yielded in 0.35 s (median), 90 % of the rest ignored."""
    real = record.get("interruption")
    yields = real is None or (
        real["yield_rate"] >= 0.95
        and real["yield_p50_s"] is not None
        and real["yield_p50_s"] <= 0.35
        and real["stale_s"] == 0
    )
    return yields and all(
        record[kind]["ignored"] >= 0.9 for kind in ("backchannel", "noise") if kind in record
    )


if __name__ == "__main__":
    sys.exit(main())
