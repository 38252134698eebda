"""A controller that judges as it was told to: for tests and simulations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from audio.controllers.base import ControllerCaps, HeardSound, Judgement, Pause
from audio.errors import AudioError
from audio.turn.events import TurnState

NAME = "scripted"


class ScriptedController:
    """Gives the next judgement of a script at each pause; when they are used up, UNKNOWN.

    What it was given is kept for the test to look at.
    """

    def __init__(
        self,
        judgements: Iterable[Judgement | AudioError] = (),
        *,
        streaming: bool = False,
        on_push: Callable[[HeardSound], Sequence[Judgement]] = lambda sound: (),
    ) -> None:
        """An error in the script is raised by ``judge``; ``on_push`` answers each push."""
        self._script = iter(judgements)
        self._streaming = streaming
        self._on_push = on_push
        self.heard_samples = 0
        self.pauses: list[Pause] = []
        self.resets: list[str] = []
        self.closed = False

    @property
    def caps(self) -> ControllerCaps:
        return ControllerCaps(NAME, frozenset(TurnState), self._streaming, looks_back_s=2.0)

    def push(self, sound: HeardSound) -> Sequence[Judgement]:
        """Count the sound, and give what the script says to it."""
        self.heard_samples += len(sound.samples)
        return self._on_push(sound)

    def judge(self, pause: Pause) -> Judgement:
        """The script's next judgement, as of now; raises when that is an error."""
        self.pauses.append(pause)
        given = next(self._script, None)
        if isinstance(given, AudioError):
            raise given
        return given or Judgement(TurnState.UNKNOWN, pause.at_sample, reason="the script has ended")

    def reset(self, why: str) -> None:
        """Note why; the script goes on."""
        self.resets.append(why)

    def close(self) -> None:
        """Note it."""
        self.closed = True
