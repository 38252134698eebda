"""How well the end of a turn is found: false cut-offs against the wait before an answer.

Each turn is heard once, by the real voice detector, the real recognizer and each controller; then
the turn machine itself is run over every pause, as often as the curve has points. A pause within a
turn that ends it is a *false cut-off*; the *delay* of an end is from the last audible sound to the
commit. A curve is walked by scaling a controller's waits; nothing waits for real time, because
nothing in it depends on how fast this machine is: recognizer and controllers are taken to need the
times that ``bench.endpoint_curve`` states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.asr.base import Recognizer
from audio.controllers.base import TurnController
from audio.controllers.semantic import SemanticController
from audio.controllers.smart_turn import SmartTurnController, SmartTurnModel
from audio.errors import EngineMissing
from audio.pcm import RATE
from audio.turn.endpointing import Endpointing, FixedEndpointing
from audio.turn.semantic import JudgedEndpointing, SemanticEndpointing, Waits
from audio.turn.settings import TurnSettings
from bench.endpoint_corpus import Gap, Turn
from bench.endpoint_curve import HeardPause, Hearer, decide
from bench.probes.files import room_noise
from bench.probes.sounds import Sound
from bench.probes.speaker import Clip
from bench.report import intervals
from bench.report.intervals import Estimate

AS_SET = 1.0
SCALES = sorted({0.0, AS_SET, *np.geomspace(0.25, 5.0, 27).round(3).tolist()})
LEAD_S, TAIL_S = 0.5, 3.0
DELAYS_S = (0.3, 0.6)
SHARES = (0.05, 0.1)
RESAMPLES = 400  # of whole turns; a curve is walked for each
_NEVER = 10.0  # seconds of delay of an end that is not found

Policy = Callable[[float], Endpointing]


@dataclass(frozen=True, slots=True)
class Controller:
    """A way to find the end of a turn, as a family over the scale of its waits."""

    name: str
    policy: Policy
    judge: str = ""  # whose judgement it is told


@dataclass(slots=True)
class HeardTurn:
    """A turn and what was made of its pauses, the last of which is its end."""

    case: str
    kind: str
    text: str
    pauses: list[HeardPause]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a controller did in all pauses of a set of turns, at all scales.

    ``cuts`` is (pauses within turns, scales), ``delays_s`` (ends, scales); ``cut_turn`` and
    ``end_turn`` are the turns that their rows belong to.
    """

    cuts: NDArray[np.bool_]
    cut_turn: NDArray[np.int64]
    delays_s: NDArray[np.float64]
    end_turn: NDArray[np.int64]
    finished: NDArray[np.bool_]  # ends of plain finished turns

    def of_finished(self) -> Outcome:
        """With the ends of plain finished turns only; all pauses are kept."""
        kept = self.finished
        return Outcome(
            self.cuts, self.cut_turn, self.delays_s[kept], self.end_turn[kept], kept[kept]
        )


def controllers(wanted: Sequence[str] | None) -> tuple[list[Controller], dict[str, TurnController]]:
    """The controllers to measure and the judges they need.

    None takes all that are installed. Raises EngineMissing for one that is asked for by name.
    """
    usual_s = TurnSettings().end_s
    names = wanted or ("acoustic", "semantic", "smart-turn")
    found: list[Controller] = []
    judges: dict[str, TurnController] = {}
    if "acoustic" in names:
        found.append(Controller("acoustic", lambda scale: FixedEndpointing(usual_s * scale)))
    if "semantic" in names:
        judges["semantic"] = SemanticController()
        found.append(Controller("semantic", _semantic, "semantic"))
    if "smart-turn" in names:
        try:
            model = SmartTurnModel()
            judges["smart-turn"] = SmartTurnController(model)
            judges["semantic+smart-turn"] = SemanticController(SmartTurnController(model))
        except EngineMissing:
            if wanted:
                raise
            return found, judges
        found.append(Controller("smart-turn", _judged, "smart-turn"))
        found.append(Controller("semantic+smart-turn", _semantic, "semantic+smart-turn"))
    return found, judges


def _semantic(scale: float) -> Endpointing:
    return SemanticEndpointing(Waits(scale=scale))


def _judged(scale: float) -> Endpointing:
    return JudgedEndpointing(Waits(usual_s=TurnSettings().end_s, scale=scale))


class Listener:
    """Hears turns with the real detector, recognizer and judges."""

    def __init__(self, recognizer: Recognizer, judges: Mapping[str, TurnController]) -> None:
        self._hearer = Hearer(recognizer, dict(judges))

    def hear(self, case: str, kind: str, clip: Clip) -> HeardTurn:
        """A turn, in the noise of a quiet room and with silence behind it."""
        sound, turn = staged(kind, clip)
        return HeardTurn(case, kind, clip.text, self._hearer.hear(sound, turn))


def staged(kind: str, clip: Clip) -> tuple[Sound, Turn]:
    """The clip as it is played, and its truth on the recording's time."""
    lead, tail = (
        np.zeros(round(LEAD_S * RATE), np.float32),
        np.zeros(round(TAIL_S * RATE), np.float32),
    )
    sound = np.concatenate([lead, clip.samples, tail])
    sound += np.resize(room_noise(), sound.size)
    gaps = tuple(Gap(p.start_s + LEAD_S, p.end_s + LEAD_S, "pause") for p in clip.pauses)
    return sound, Turn("", clip.text, kind, "", gaps, clip.end_s + LEAD_S)


def outcome(turns: Sequence[HeardTurn], controller: Controller) -> Outcome:
    """Run the turn machine over every pause at every scale."""
    cuts, cut_turn, delays, end_turn, finished = [], [], [], [], []
    policies = [controller.policy(scale) for scale in SCALES]
    for number, turn in enumerate(turns):
        for pause in turn.pauses:
            ends = [decide(pause, policy, controller.judge) for policy in policies]
            if pause.resumes_s is not None:
                cuts.append([end_s is not None for end_s in ends])
                cut_turn.append(number)
            else:
                delays.append([_NEVER if e is None else e - pause.truly_ended_s for e in ends])
                end_turn.append(number)
                finished.append(turn.kind == "finished")
    return Outcome(
        np.asarray(cuts, np.bool_).reshape(-1, len(SCALES)),
        np.asarray(cut_turn, np.int64),
        np.asarray(delays, np.float64).reshape(-1, len(SCALES)),
        np.asarray(end_turn, np.int64),
        np.asarray(finished, np.bool_),
    )


def metrics(outcomes: Mapping[str, Outcome], turns: int, seed: int) -> dict[str, Estimate]:
    """All figures by name, such as "semantic.cut_off_at_300ms.share".

    Those with "finished" count the ends of plain finished turns, and the pauses of all.
    """
    found: dict[str, Estimate] = {}
    for name, results in outcomes.items():
        for metric, statistic in _STATISTICS.items():
            found[f"{name}.{metric}"] = _by_turns(results, statistic, turns, seed)
        plain = results.of_finished()
        for metric in _OF_FINISHED:
            figure = _by_turns(plain, _STATISTICS[metric], turns, seed)
            found[f"{name}.finished.{metric}"] = figure
    return found


Statistic = Callable[[NDArray[np.bool_], NDArray[np.float64]], float | None]


def _as_set_cuts(cuts: NDArray[np.bool_], delays_s: NDArray[np.float64]) -> float | None:
    return float(cuts[:, SCALES.index(AS_SET)].mean()) if len(cuts) else None


def _as_set_delay(share: float) -> Statistic:
    def statistic(cuts: NDArray[np.bool_], delays_s: NDArray[np.float64]) -> float | None:
        if not len(delays_s):
            return None
        return float(np.quantile(delays_s[:, SCALES.index(AS_SET)], share)) * 1000

    return statistic


def _cut_off_at(delay_s: float) -> Statistic:
    def statistic(cuts: NDArray[np.bool_], delays_s: NDArray[np.float64]) -> float | None:
        points = points_of(cuts, delays_s)
        return min((share for wait_s, share in points if wait_s <= delay_s), default=None)

    return statistic


def _delay_at(most: float, *, median: bool) -> Statistic:
    def statistic(cuts: NDArray[np.bool_], delays_s: NDArray[np.float64]) -> float | None:
        points = points_of(cuts, delays_s, median=median)
        waits = [wait_s for wait_s, share in points if share <= most]
        return min(waits) * 1000 if waits else None

    return statistic


_STATISTICS: dict[str, Statistic] = {
    "cut_off.share": _as_set_cuts,
    "delay.p50_ms": _as_set_delay(0.5),
    "delay.p95_ms": _as_set_delay(0.95),
    **{f"cut_off_at_{delay_s * 1000:.0f}ms.share": _cut_off_at(delay_s) for delay_s in DELAYS_S},
    **{f"delay_at_{s * 100:.0f}pc.mean_ms": _delay_at(s, median=False) for s in SHARES},
    **{f"delay_at_{s * 100:.0f}pc.p50_ms": _delay_at(s, median=True) for s in SHARES},
}
_OF_FINISHED = ("delay.p50_ms", "delay_at_5pc.p50_ms", "delay_at_10pc.p50_ms")


def points_of(
    cuts: NDArray[np.bool_], delays_s: NDArray[np.float64], *, median: bool = False
) -> list[tuple[float, float]]:
    """The curve: (mean or median delay in seconds, share of pauses cut off) at each scale."""
    if not len(cuts) or not len(delays_s):
        return []
    waits_s = np.median(delays_s, axis=0) if median else delays_s.mean(axis=0)
    return list(zip(waits_s.tolist(), cuts.mean(axis=0).tolist(), strict=True))


def _by_turns(results: Outcome, statistic: Statistic, turns: int, seed: int) -> Estimate:
    """A statistic with its interval; whole turns are resampled, as their pauses hang together."""
    value = statistic(results.cuts, results.delays_s)
    if value is None or not turns:
        return intervals.NOTHING
    draw = np.random.default_rng(seed)
    rows = [
        ([*np.flatnonzero(results.cut_turn == t)], [*np.flatnonzero(results.end_turn == t)])
        for t in range(turns)
    ]
    drawn = []
    for _ in range(RESAMPLES):
        chosen = [rows[t] for t in draw.integers(0, turns, turns)]
        cuts = results.cuts[[row for within, _ in chosen for row in within]]
        delays = results.delays_s[[row for _, ends in chosen for row in ends]]
        again = statistic(cuts, delays)
        if again is not None:
            drawn.append(again)
    low, high = np.quantile(drawn, (0.025, 0.975)) if drawn else (value, value)
    return Estimate(len(results.cuts), value, float(low), float(high))


def records(turns: Sequence[HeardTurn], chosen: Sequence[Controller]) -> list[dict[str, Any]]:
    """Every turn, for JSON, with what each controller did as it is set."""
    found = []
    for turn in turns:
        pauses = []
        for pause in turn.pauses:
            ends = {c.name: decide(pause, c.policy(AS_SET), c.judge) for c in chosen}
            pauses.append(
                {
                    "ended_s": round(pause.truly_ended_s, 3),
                    "resumes_s": pause.resumes_s,
                    "text": pause.text,
                    "committed_s": ends,
                    "judged": {
                        name: [judged.state.value, judged.probability, judged.reason]
                        for name, judged in pause.judged.items()
                    },
                }
            )
        found.append({"case": turn.case, "kind": turn.kind, "text": turn.text, "pauses": pauses})
    return found
