"""Waits that follow from what was said and how: short after a whole question, long after "to".

Three witnesses are heard. The *words*, as ``completeness.py`` reads them. The *controller*, which
listened to the sound. And the *speaker*, by the pauses made so far. The first two each give a
probability that the turn is over; their odds are multiplied, and a curve turns the outcome into the
silence that is waited for. Every wait ends, also the one after "hold on".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from audio.turn.completeness import read
from audio.turn.endpointing import EndpointContext, Endpointing, FixedEndpointing, Wait
from audio.turn.events import TurnJudged, TurnState
from audio.turn.reading import Reading
from audio.turn.settings import TurnSettings

_BOUND = 2.5  # of a controller's log odds: 0.92 or 0.08; no witness alone outweighs all others
_AGAINST_WORDS = 0.2  # of the same, for an end where the words say that more is to come
_USUAL = 0.5  # the probability at which the ordinary silence is waited for


@dataclass(frozen=True, slots=True)
class Waits:
    """How long to wait. Seconds of silence."""

    usual_s: float = 0.9  # when nobody can tell: of pauses within a turn, few are longer
    over_s: float = 0.22  # when it is surely over
    patience_s: float = 2.2  # when it surely is not: longer than nine of ten pauses for thought
    hold_s: float = 5.0  # after "hold on"; then it is acknowledged, and the floor is free again
    scale: float = 1.0  # of all but the last, for trade-off curves

    def at(self, probability: float, stretch: float = 1.0) -> float:
        """The silence for a turn that is over with this probability.

        Straight between the three waits. ``stretch`` is the speaker's; it
        moves only what lies within ``patience_s``.
        """
        if probability >= _USUAL:
            sure = (probability - _USUAL) / (1 - _USUAL)
            wait_s = self.usual_s + (self.over_s - self.usual_s) * sure
        else:
            doubt = (_USUAL - probability) / _USUAL
            wait_s = self.usual_s + (self.patience_s - self.usual_s) * doubt
        return min(wait_s * stretch, self.patience_s) * self.scale


def endpointing_for(settings: TurnSettings) -> Endpointing:
    """The waits of the controller that the settings choose.

    Who raises ``end_s`` wants more time after every turn: the other waits grow in proportion.
    """
    if settings.controller == "acoustic":
        return FixedEndpointing(settings.end_s)
    usual, wanted = Waits(), settings.end_s / TurnSettings().end_s
    waits = Waits(
        usual_s=usual.usual_s * wanted,
        over_s=usual.over_s * wanted,
        patience_s=max(settings.patience_s, usual.usual_s * wanted),
        hold_s=settings.hold_s,
    )
    if settings.controller == "semantic":
        return SemanticEndpointing(waits)
    return JudgedEndpointing(replace(waits, usual_s=settings.end_s))  # silence alone, untold


class SemanticEndpointing:
    """Waits by the words, the controller's judgement and the speaker's habits."""

    def __init__(self, waits: Waits) -> None:
        self._waits = waits

    def wait_s(self, context: EndpointContext) -> Wait:
        """The wait with everything that spoke for it; equal contexts, equal answers."""
        words = read(context.text)
        if words.state is TurnState.WAIT:
            return Wait(self._waits.hold_s, words.reason)
        probability = over(words, context.judged)
        seconds = self._waits.at(probability, context.stretch)
        return Wait(seconds, _reason(words, context, probability))


class JudgedEndpointing:
    """Waits by the controller's judgement alone, for controllers that want no help."""

    def __init__(self, waits: Waits) -> None:
        self._waits = waits

    def wait_s(self, context: EndpointContext) -> Wait:
        """The ordinary wait until the controller has said something."""
        judged = context.judged
        if judged is None:
            return Wait(self._waits.at(_USUAL), "no judgement yet")
        if judged.state is TurnState.WAIT:
            return Wait(self._waits.hold_s, _told(judged))
        return Wait(self._waits.at(probability_of(judged)), _told(judged))


def over(words: Reading, judged: TurnJudged | None) -> float:
    """Probability that the turn is over, by the words and the controller together."""
    odds = _log_odds(words.probability)
    if judged is not None:
        most = _AGAINST_WORDS if words.state is TurnState.INCOMPLETE else _BOUND
        odds += min(max(_log_odds(probability_of(judged)), -_BOUND), most)
    return 1 / (1 + math.exp(-odds))


def probability_of(judged: TurnJudged) -> float:
    """What a judgement says about the end of the turn, 0.5 when nothing."""
    given = judged.probability
    match judged.state:
        case TurnState.COMPLETE | TurnState.BACKCHANNEL:
            return 0.95 if given is None else given
        case TurnState.INCOMPLETE | TurnState.SPEECH:
            return 0.05 if given is None else 1 - given
        case _:
            return _USUAL


def _log_odds(probability: float) -> float:
    kept = min(max(probability, 0.001), 0.999)
    return math.log(kept / (1 - kept))


def _reason(words: Reading, context: EndpointContext, probability: float) -> str:
    parts = [words.reason]
    if context.judged is not None:
        parts.append(_told(context.judged))
    if abs(context.stretch - 1) >= 0.05:
        parts.append(f"this speaker's pauses are {context.stretch:.2f} times the usual")
    parts.append(f"over with probability {probability:.2f}")
    return ", ".join(parts)


def _told(judged: TurnJudged) -> str:
    given = "" if judged.probability is None else f" {judged.probability:.2f}"
    detail = f" ({judged.reason})" if judged.reason else ""
    return f"{judged.source}: {judged.state.value}{given}{detail}"
