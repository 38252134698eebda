"""The published controller: it knows only silence, of which 544 ms end every turn."""

from __future__ import annotations

from collections.abc import Sequence

from audio.controllers.base import ControllerCaps, HeardSound, Judgement, Pause
from audio.turn.events import TurnState

NAME = "acoustic"


class AcousticController:
    """Never has an opinion, so that the ordinary silence decides."""

    @property
    def caps(self) -> ControllerCaps:
        return ControllerCaps(NAME, frozenset({TurnState.UNKNOWN}))

    def push(self, sound: HeardSound) -> Sequence[Judgement]:
        """Nothing comes of it."""
        return ()

    def judge(self, pause: Pause) -> Judgement:
        """That it cannot tell."""
        return Judgement(TurnState.UNKNOWN, pause.at_sample, reason="silence alone decides")

    def reset(self, why: str) -> None:
        """It has no memory."""

    def close(self) -> None:
        """There is nothing to release."""
