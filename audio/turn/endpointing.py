"""How much silence ends a turn.

The machine asks anew whenever it knows more: at each pause, and when the words of the turn change.
A controller that understands the words may answer early ("what's the time?") or wait ("so I was
thinking that ..."); it must be pure: equal contexts, equal answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from audio.turn.events import TurnJudged


@dataclass(frozen=True, slots=True)
class EndpointContext:
    """What is known of a turn whose speaker has paused."""

    text: str  # the newest words, empty when none are known
    settled: bool  # ``text`` is a final, not a hypothesis
    speech_s: float  # from the turn's onset to the end of its last speech
    pauses: int  # times that the user paused in this turn and went on
    over_agent: bool  # the turn began while the agent spoke
    judged: TurnJudged | None = None  # what a turn controller makes of this pause, once it has said
    stretch: float = 1.0  # how long this speaker's pauses are against the usual ones


class Wait(NamedTuple):
    """How long the silence must be in all, counted from the end of speech, and why."""

    seconds: float
    reason: str  # empty when it is the ordinary wait


class Endpointing(Protocol):
    """Decides how long to wait."""

    def wait_s(self, context: EndpointContext) -> Wait:
        """The silence that ends this turn. The machine keeps it between 0 and ``max_turn_s``."""
        ...


class FixedEndpointing:
    """The same silence ends every turn."""

    def __init__(self, end_s: float) -> None:
        self._wait = Wait(end_s, "")

    def wait_s(self, context: EndpointContext) -> Wait:
        """Always the silence it was made with."""
        return self._wait
