"""The seam of turn controllers: sound and words go in, judgements of the turn's state come out.

A controller only gives its opinion. How long is waited then, and who gets the floor, is decided by
the turn machine (``audio.turn``). All calls are blocking and are made from one worker thread per
controller; times are samples at 16 kHz of the near end's stream, which never go back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audio.turn.events import TurnState

SAMPLE_RATE = 16_000  # Hz


@dataclass(frozen=True, slots=True)
class ControllerCaps:
    """What a controller is and what it wants."""

    name: str  # the word used in settings
    states: frozenset[TurnState]  # that it may judge
    streaming: bool = False  # it wants all sound as it comes, not only that before a pause
    looks_back_s: float = 0.0  # sound before a pause that it looks at; 0 when it needs none
    algorithmic_s: float = 0.0  # sound after an end that it needs to hear before it can tell


@dataclass(frozen=True, slots=True)
class HeardSound:
    """The next stretch of the user's side."""

    samples: NDArray[np.float32]  # mono at 16 kHz, shape (n,), full scale 1.0
    at_sample: int  # of the first one
    text: str = ""  # the newest hypothesis of the open turn, empty when none is known
    agent_speaks: bool = False

    @property
    def end_sample(self) -> int:
        """One past the last sample."""
        return self.at_sample + len(self.samples)


@dataclass(frozen=True, slots=True)
class Pause:
    """The user has paused, and a judgement is wanted."""

    began_sample: int  # of the turn
    ended_sample: int  # of its last speech
    at_sample: int  # now: the newest sample that was heard
    text: str = ""  # the newest words, empty when none are known yet
    agent_speaks: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a controller makes of the turn."""

    state: TurnState
    at_sample: int  # up to which sound was heard
    probability: float | None = None  # of ``state``, 0 to 1; None when the controller gives none
    reason: str = ""  # for people
    fault: str = ""  # why it cannot judge for now, said once; then the silence alone decides


class TurnController(Protocol):
    """An opinion on the state of the turn."""

    @property
    def caps(self) -> ControllerCaps: ...

    def push(self, sound: HeardSound) -> Sequence[Judgement]:
        """Hear sound, in order, and give what it makes anyone think; mostly nothing.

        Cheap: it never waits for a model or a network. Without ``streaming`` only the sound of the
        last ``looks_back_s`` before a pause comes, just before ``judge``. A gap is no error.
        Raises EngineFailed.
        """
        ...

    def judge(self, pause: Pause) -> Judgement:
        """The state of the turn at a pause, from what was pushed. Raises EngineFailed."""
        ...

    def reset(self, why: str) -> None:
        """Forget what was heard: another turn, a gap in capture, an interruption."""
        ...

    def close(self) -> None:
        """Release model, thread and connection; calling it twice is fine."""
        ...
