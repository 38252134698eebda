"""The default controller: how the voice stopped, and Smart Turn's opinion where it is installed.

What the words say needs no model and no thread; ``audio.turn.semantic`` reads them itself, at once,
and puts them together with this judgement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from audio.controllers.base import ControllerCaps, HeardSound, Judgement, Pause, TurnController
from audio.controllers.prosody import LOOKS_BACK_S, Prosody, measure
from audio.controllers.recent import RecentSound
from audio.errors import EngineFailed
from audio.turn.events import TurnState

NAME = "semantic"

# Natural log odds that the turn is over, per semitone and decibel; see ``bench.endpoint_curve``.
_PER_SEMITONE, _USUAL_SEMITONES = -0.15, -2.5
_PER_DB, _USUAL_DB = -0.15, -6.0
_BOUND = 1.0  # of the voice alone: odds of 1 to 3
# Another controller's odds count within these bounds: hearing that more is to come is worth much,
# hearing no sign of it little, since a sentence may go on after any word that sounds like its last.
_LISTENER_LEAST, _LISTENER_MOST = -2.0, 0.5


class SemanticController:
    """Judges pauses by the voice; ``listener`` is another controller whose opinion is added."""

    def __init__(self, listener: TurnController | None = None) -> None:
        self._listener = listener
        self._recent = RecentSound(LOOKS_BACK_S)

    @property
    def caps(self) -> ControllerCaps:
        states = frozenset({TurnState.COMPLETE, TurnState.INCOMPLETE, TurnState.UNKNOWN})
        back_s = LOOKS_BACK_S
        if self._listener is not None:
            back_s = max(back_s, self._listener.caps.looks_back_s)
        return ControllerCaps(NAME, states, looks_back_s=back_s)

    def push(self, sound: HeardSound) -> Sequence[Judgement]:
        """Keep the last seconds."""
        self._recent.push(sound.samples, sound.at_sample)
        if self._listener is not None:
            self._listener.push(sound)
        return ()

    def judge(self, pause: Pause) -> Judgement:
        """One state with its probability, and in the reason what spoke for it.

        When the other controller fails, the voice alone is judged and the fault is passed on.
        """
        speech = self._recent.between(pause.began_sample, pause.ended_sample)
        voice = measure(speech)
        odds = 0.0 if voice is None else odds_of(voice)
        parts = [] if voice is None else [_described(voice)]
        fault = ""
        if self._listener is not None:
            try:
                other = self._listener.judge(pause)
            except EngineFailed as error:
                fault = str(error)
            else:
                odds += listened(other)
                parts.append(f"{self._listener.caps.name} {_over(other):.2f}")
        probability = 1 / (1 + math.exp(-odds))
        reason = ", ".join(parts) or "too little was heard"
        if not parts:
            return Judgement(TurnState.UNKNOWN, pause.at_sample, reason=reason, fault=fault)
        if probability >= 0.5:
            return Judgement(TurnState.COMPLETE, pause.at_sample, probability, reason, fault)
        return Judgement(TurnState.INCOMPLETE, pause.at_sample, 1 - probability, reason, fault)

    def reset(self, why: str) -> None:
        self._recent.clear()
        if self._listener is not None:
            self._listener.reset(why)

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()


def odds_of(voice: Prosody) -> float:
    """Natural log odds that the turn is over, by the voice alone."""
    odds = _PER_DB * (voice.fall_db - _USUAL_DB)
    if voice.fall_semitones is not None:
        odds += _PER_SEMITONE * (voice.fall_semitones - _USUAL_SEMITONES)
    return min(max(odds, -_BOUND), _BOUND)


def _over(judgement: Judgement) -> float:
    """Probability that the turn is over, as another controller judged it."""
    given = judgement.probability
    if given is None:
        return 0.5
    return given if judgement.state is TurnState.COMPLETE else 1 - given


def listened(judgement: Judgement) -> float:
    """Natural log odds that another controller's judgement adds."""
    probability = min(max(_over(judgement), 0.01), 0.99)
    odds = math.log(probability / (1 - probability))
    return min(max(odds, _LISTENER_LEAST), _LISTENER_MOST)


def _described(voice: Prosody) -> str:
    if voice.fall_semitones is None:
        return f"level {voice.fall_db:+.0f} dB at the end"
    return (
        f"pitch {voice.fall_semitones:+.1f} semitones and level {voice.fall_db:+.0f} dB at the end"
    )
