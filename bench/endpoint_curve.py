"""The trade-off of endpointing: turns cut off falsely against the silence before an answer.

    python -m bench.endpoint_curve FOLDER [--part held_out] [--smart-turn FILE] [--json FILE]

``FOLDER`` is what ``bench.endpoint_corpus`` wrote. Each recording is heard once, by the real voice
detector and the real recognizer: that gives, for each pause, the final and the controllers'
judgements, all for the sound up to that moment. Then the turn machine itself is run over each pause
with the policy in question, and either it commits the turn before the user goes on (a false
cut-off), or not. Delay is from the last audible sound of the turn to its commit.

A curve is walked by scaling a policy's waits. Recognizer and controllers are taken to need the
times given here, whatever this machine does meanwhile.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import Recognizer
from audio.asr.registry import open_recognizer
from audio.controllers.base import HeardSound, Judgement, Pause, TurnController
from audio.controllers.semantic import SemanticController
from audio.controllers.smart_turn import SmartTurnController, SmartTurnModel
from audio.engine import CancelToken
from audio.errors import EngineMissing
from audio.pcm import RATE
from audio.turn.endpointing import EndpointContext, Endpointing, FixedEndpointing, Wait
from audio.turn.events import (
    CommitTurn,
    DiscardTurn,
    FinalHeard,
    FrameHeard,
    OpenTurn,
    ReopenTurn,
    Request,
    SettleTurn,
    TurnJudged,
)
from audio.turn.machine import TurnMachine
from audio.turn.semantic import JudgedEndpointing, SemanticEndpointing, Waits
from audio.turn.settings import TurnSettings
from audio.vad.base import FRAME_SAMPLES
from audio.vad.silero import SileroVad
from bench.endpoint_corpus import Turn, load, sound_of

FRAME_S = FRAME_SAMPLES / RATE
RECOGNIZER_S = 0.12  # from the pause to its final: what whisper-tiny.en needs for 2 s of speech
CONTROLLER_S = {"semantic": 0.01, "semantic+smart-turn": 0.1, "smart-turn": 0.09}
SCALES = tuple(float(value) for value in np.geomspace(0.3, 5.0, 48))
_RUN_UP_S = 1.0  # of speech before a pause that the machine is shown
_AFTER_S = 6.5  # of silence after the end, longer than any wait


class _Forever:
    """Never ends a turn: for hearing a recording to its end."""

    def wait_s(self, context: EndpointContext) -> Wait:
        return Wait(1000.0, "")


@dataclass(frozen=True, slots=True)
class HeardPause:
    """A pause, and all that was known in it."""

    kind: str  # of the turn
    style: str  # how the corpus made the pause; "end" of a turn, "natural" when nobody put it in
    ended_s: float  # of the speech before it, as the voice detector had it
    resumes_s: float | None  # None at the end of the turn
    truly_ended_s: float
    frames: tuple[float, ...]  # probabilities of speech around it
    from_s: float  # where the first of them begins
    text: str
    judged: dict[str, Judgement] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Point:
    """A policy at one scale of its waits."""

    scale: float
    cut_off: float  # share of the pauses within turns
    delay_p50_s: float
    delay_mean_s: float
    delay_p95_s: float


@dataclass(frozen=True, slots=True)
class Curve:
    """A policy at all scales. The figures are None where the curve does not get there."""

    policy: str
    points: tuple[Point, ...]
    pauses: int
    ends: int
    as_set: Point  # with its waits as they are

    def cut_off_at(self, delay_s: float) -> float | None:
        """The least share of false cut-offs at this median delay or less."""
        return min((p.cut_off for p in self.points if p.delay_p50_s <= delay_s), default=None)

    def delay_at(self, share: float) -> Point | None:
        """The quickest point with no more false cut-offs than this share."""
        fitting = [p for p in self.points if p.cut_off <= share]
        return min(fitting, key=lambda p: (p.delay_p50_s, p.delay_mean_s), default=None)


# --- hearing a recording -----------------------------------------------------------------------


class Hearer:
    """Hears recordings with the real detector, recognizer and controllers."""

    def __init__(self, recognizer: Recognizer, controllers: dict[str, TurnController]) -> None:
        self._recognizer = recognizer
        self._controllers = controllers

    def hear(self, sound: NDArray[np.float32], turn: Turn) -> list[HeardPause]:
        """The pauses of a recording, the last of which is its end."""
        vad = SileroVad()
        count = len(sound) // FRAME_SAMPLES
        frames = sound[: count * FRAME_SAMPLES].reshape(count, FRAME_SAMPLES)
        chances = [vad.probability(frame) for frame in frames]
        machine = TurnMachine(TurnSettings(), _Forever())
        found: list[tuple[float, str, dict[str, Judgement]]] = []
        onsets: list[float] = []
        began_s = 0.0
        for index, chance in enumerate(chances):
            at_s = (index + 1) * FRAME_S
            for request in machine.feed(FrameHeard(at_s, chance, FRAME_S)):
                if isinstance(request, OpenTurn):
                    began_s = request.from_s
                elif isinstance(request, ReopenTurn):
                    onsets.append(at_s)
                elif isinstance(request, SettleTurn):
                    text = self._text(frames[: index + 1], chances, began_s)
                    pause = Pause(
                        max(0, round(began_s * RATE)),
                        round(request.speech_ended_s * RATE),
                        (index + 1) * FRAME_SAMPLES,
                    )
                    judged = self._judged(frames[: index + 1], pause)
                    found.append((request.speech_ended_s, text, judged))
        return _pauses(turn, found, onsets, chances)

    def _text(self, frames: NDArray[np.float32], chances: Sequence[float], began_s: float) -> str:
        stream = self._recognizer.stream()
        first = max(0, int(began_s / FRAME_S))
        for frame, chance in zip(frames[first:], chances[first:], strict=False):
            stream.push(frame, chance)
        final = stream.final(CancelToken())
        stream.close()
        return final.text

    def _judged(self, frames: NDArray[np.float32], pause: Pause) -> dict[str, Judgement]:
        judged = {}
        for name, controller in self._controllers.items():
            controller.reset("another pause")
            controller.push(HeardSound(frames.reshape(-1), 0))
            judged[name] = controller.judge(pause)
        return judged


def _pauses(
    turn: Turn,
    found: Sequence[tuple[float, str, dict[str, Judgement]]],
    onsets: Sequence[float],
    chances: Sequence[float],
) -> list[HeardPause]:
    heard = []
    for index, (ended_s, text, judged) in enumerate(found):
        resumes_s = onsets[index] if index < len(onsets) else None
        gap = next((g for g in turn.gaps if g.start_s - 0.2 <= ended_s <= g.end_s), None)
        style = "end" if resumes_s is None else (gap.style if gap else "natural")
        first = max(0, int((ended_s - _RUN_UP_S) / FRAME_S))
        until_s = ended_s + _AFTER_S if resumes_s is None else resumes_s + FRAME_S
        last = int(until_s / FRAME_S) + 1
        seen = tuple(chances[first:last])
        if resumes_s is None:
            seen += (0.0,) * (last - first - len(seen))
        truly_s = turn.end_s if resumes_s is None or gap is None else gap.start_s
        pause = HeardPause(
            turn.kind, style, ended_s, resumes_s, truly_s, seen, first * FRAME_S, text, judged
        )
        heard.append(pause)
    return heard


# --- deciding ----------------------------------------------------------------------------------


def decide(pause: HeardPause, policy: Endpointing, controller: str = "") -> float | None:
    """When the turn machine ends the turn in this pause; None when the user goes on before.

    ``controller`` names whose judgement it is told.
    """
    machine = TurnMachine(TurnSettings(), policy)
    facts: list[FinalHeard | TurnJudged] = []
    for index, chance in enumerate(pause.frames):
        at_s = pause.from_s + (index + 1) * FRAME_S
        while facts and facts[0].at_s <= at_s:
            fact = facts.pop(0)
            if (ended_s := _ended(machine.feed(fact), facts, pause, controller)) is not None:
                return ended_s
        requests = machine.feed(FrameHeard(at_s, chance, FRAME_S))
        if (ended_s := _ended(requests, facts, pause, controller)) is not None:
            return ended_s
    return None


def _ended(
    requests: Iterable[Request],
    facts: list[FinalHeard | TurnJudged],
    pause: HeardPause,
    controller: str,
) -> float | None:
    for request in requests:
        if isinstance(request, CommitTurn | DiscardTurn):
            return request.at_s
        if isinstance(request, ReopenTurn):
            facts.clear()
        elif isinstance(request, SettleTurn):
            facts.extend(_known(request, pause, controller))
            facts.sort(key=lambda fact: fact.at_s)
    return None


def _known(
    request: SettleTurn, pause: HeardPause, controller: str
) -> list[FinalHeard | TurnJudged]:
    turn, revision = request.turn, request.revision
    if abs(request.speech_ended_s - pause.ended_s) > FRAME_S / 2:
        return []  # a shorter pause in the run-up: nothing ends it without a final
    known: list[FinalHeard | TurnJudged] = [
        FinalHeard(request.at_s + RECOGNIZER_S, turn, pause.text, revision)
    ]
    judged = pause.judged.get(controller)
    if judged is not None:
        at_s = request.at_s + CONTROLLER_S[controller]
        state, chance = judged.state, judged.probability
        known.append(TurnJudged(at_s, turn, revision, state, chance, controller, judged.reason))
    return known


def curve(
    name: str,
    pauses: Sequence[HeardPause],
    policy: Callable[[float], Endpointing],
    controller: str = "",
) -> Curve:
    """A policy over all scales of its waits. Pauses after which nothing was recognized count not:
    without words no turn is ever committed."""
    told = [pause for pause in pauses if pause.text and pause.kind != "wait"]
    within = [pause for pause in told if pause.resumes_s is not None]
    ends = [pause for pause in told if pause.resumes_s is None and pause.kind == "finished"]

    def point(scale: float) -> Point:
        chosen = policy(scale)
        cuts = [decide(pause, chosen, controller) for pause in within]
        ended = [(decide(pause, chosen, controller), pause) for pause in ends]
        delays = sorted(at_s - pause.truly_ended_s for at_s, pause in ended if at_s is not None)
        return Point(
            scale=round(scale, 3),
            cut_off=sum(at_s is not None for at_s in cuts) / max(1, len(within)),
            delay_p50_s=statistics.median(delays),
            delay_mean_s=statistics.fmean(delays),
            delay_p95_s=delays[int(0.95 * (len(delays) - 1))],
        )

    points = tuple(point(scale) for scale in SCALES)
    return Curve(name, points, len(within), len(ends), point(1.0))


def curves(pauses: Sequence[HeardPause]) -> list[Curve]:
    """All policies that the recordings were heard for."""
    usual_s = TurnSettings().end_s
    found = [curve("acoustic", pauses, lambda scale: FixedEndpointing(usual_s * scale))]
    known = pauses[0].judged if pauses else {}
    found.append(curve("words", pauses, lambda scale: SemanticEndpointing(Waits(scale=scale))))
    found += [
        curve(name, pauses, lambda scale: SemanticEndpointing(Waits(scale=scale)), name)
        for name in ("semantic", "semantic+smart-turn")
        if name in known
    ]
    if "smart-turn" in known:
        found.append(
            curve(
                "smart-turn",
                pauses,
                lambda scale: JudgedEndpointing(Waits(usual_s=usual_s, scale=scale)),
                "smart-turn",
            )
        )
    return found


def table(found: Sequence[Curve]) -> str:
    """The curves in markdown."""
    lines = [
        "| policy | as set: cut off, delay p50 / mean / p95 | cut off at 300 ms | at 600 ms "
        "| delay at 5 % (p50 / mean) | at 10 % |",
        "|---|---|---|---|---|---|",
    ]
    for item in found:
        at = item.as_set
        cells = [
            item.policy,
            f"{100 * at.cut_off:.1f} %, {_ms(at.delay_p50_s)} / {_ms(at.delay_mean_s)} / "
            f"{_ms(at.delay_p95_s)} ms",
            _percent(item.cut_off_at(0.3)),
            _percent(item.cut_off_at(0.6)),
            _delays(item.delay_at(0.05)),
            _delays(item.delay_at(0.1)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    counts = f"{found[0].pauses} pauses within turns, {found[0].ends} ends of finished turns."
    return "\n".join(lines) + f"\n\n{counts}\n"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.0f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _delays(point: Point | None) -> str:
    return "-" if point is None else f"{_ms(point.delay_p50_s)} / {_ms(point.delay_mean_s)} ms"


def hear_all(folder: Path, turns: Iterable[Turn], hearer: Hearer) -> list[HeardPause]:
    """All pauses of a corpus."""
    return [pause for turn in turns for pause in hearer.hear(sound_of(folder, turn), turn)]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.endpoint_curve", description="Weigh false cut-offs against delay."
    )
    parser.add_argument("folder", type=Path, help="what bench.endpoint_corpus wrote")
    parser.add_argument("--part", default="held_out", choices=("tune", "seen", "held_out"))
    parser.add_argument("--smart-turn", metavar="FILE", default="", help="its weights")
    parser.add_argument("--json", type=Path, help="write the curves to this file")
    chosen = parser.parse_args(arguments)
    controllers: dict[str, TurnController] = {"semantic": SemanticController()}
    try:
        model = SmartTurnModel(chosen.smart_turn)
        controllers["smart-turn"] = SmartTurnController(model)
        controllers["semantic+smart-turn"] = SemanticController(SmartTurnController(model))
    except EngineMissing as error:
        sys.stderr.write(f"Without Smart Turn: {error}\n")
    recognizer = open_recognizer("whisper-tiny.en")
    hearer = Hearer(recognizer, controllers)
    pauses = hear_all(chosen.folder, load(chosen.folder, chosen.part), hearer)
    recognizer.close()
    found = curves(pauses)
    sys.stdout.write(table(found))
    if chosen.json:
        document = json.dumps([asdict(item) for item in found], indent=1)
        chosen.json.write_text(document + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
