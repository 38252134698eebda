"""What the turn machine is told and what it asks for. Facts in the past tense, requests imperative.

All times are session seconds. A *turn* is what the user says before the floor passes; turns are
numbered from 1 and never reused.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Floor(Enum):
    """Who holds the floor."""

    IDLE = "idle"
    USER = "user"
    AGENT = "agent"
    OVERLAP = "overlap"


class TurnState(Enum):
    """What a turn controller makes of what it hears."""

    IDLE = "idle"  # nobody speaks to us
    SPEECH = "speech"  # the user speaks
    INCOMPLETE = "incomplete"  # a pause within a turn: more is to come
    COMPLETE = "complete"  # the turn is over
    BACKCHANNEL = "backchannel"  # "mm-hm": heard, and no wish for the floor
    WAIT = "wait"  # the user asks for time or for silence
    UNKNOWN = "unknown"  # it cannot tell


# --- facts -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FrameHeard:
    """One VAD frame ended at ``at_s``."""

    at_s: float
    probability: float
    duration_s: float = 0.032
    claim: float | None = None  # how surely the newest sound asks for the floor; see overlap.py
    below_db: float = 0.0  # how much weaker it is than this user speaks to us; see distance.py


@dataclass(frozen=True, slots=True)
class HypothesisHeard:
    """The recognizer has a new idea of what the open turn says."""

    at_s: float
    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class FinalHeard:
    """The recognizer has settled what the open turn says; empty means nothing was said.

    ``revision`` is that of the SettleTurn it answers; an answer to an older one does not count.
    """

    at_s: float
    turn: int
    text: str
    revision: int = 0


@dataclass(frozen=True, slots=True)
class AgentStarted:
    """The first sample of the agent's speech left the loudspeaker."""

    at_s: float


@dataclass(frozen=True, slots=True)
class AgentStopped:
    """The loudspeaker is silent again: the reply ended, or was cut."""

    at_s: float


@dataclass(frozen=True, slots=True)
class TurnJudged:
    """A turn controller has an opinion of the open turn as it was at SettleTurn ``revision``."""

    at_s: float
    turn: int
    revision: int
    state: TurnState
    probability: float | None  # of ``state``, 0 to 1; None when the controller gives none
    source: str  # the controller's name
    reason: str = ""


Fact = FrameHeard | HypothesisHeard | FinalHeard | TurnJudged | AgentStarted | AgentStopped


# --- requests ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """Begin to recognize, from ``from_s`` on: the onset of the speech less the pre-roll."""

    at_s: float
    turn: int
    from_s: float
    reason: str
    onset_s: float = 0.0  # when the speech began, later than ``from_s`` by the pre-roll at most


@dataclass(frozen=True, slots=True)
class SettleTurn:
    """The user paused: settle the transcript and prepare a reply to it, silently.

    Answer with a FinalHeard of the same ``revision``, which grows with each reopening of the turn.
    """

    at_s: float
    turn: int
    speech_ended_s: float
    reason: str
    revision: int = 0


@dataclass(frozen=True, slots=True)
class ReopenTurn:
    """The user went on before the turn was over: what was prepared may be wrong."""

    at_s: float
    turn: int
    reason: str


@dataclass(frozen=True, slots=True)
class CommitTurn:
    """The turn is over: answer it. Sent once a turn.

    ``text`` is what the turn says: its final, or the last hypothesis when no final came in time.
    ``due_s`` is when the silence was long enough; the rest was spent waiting for the final.
    """

    at_s: float
    turn: int
    speech_ended_s: float
    reason: str
    text: str = ""
    due_s: float | None = None


@dataclass(frozen=True, slots=True)
class DiscardTurn:
    """It was no turn (a cough, a backchannel, nothing said): forget it, answer nothing."""

    at_s: float
    turn: int
    reason: str


@dataclass(frozen=True, slots=True)
class Duck:
    """Lower playback: somebody may be interrupting."""

    at_s: float
    reason: str


@dataclass(frozen=True, slots=True)
class Unduck:
    """It was no interruption: carry on at full level."""

    at_s: float
    reason: str


@dataclass(frozen=True, slots=True)
class PausePlayback:
    """Fall silent and keep the place: it may be an interruption, whose onset is ``onset_s``."""

    at_s: float
    onset_s: float
    reason: str


@dataclass(frozen=True, slots=True)
class ResumePlayback:
    """It was none: go on, from the start of the word that the pause has cut."""

    at_s: float
    reason: str


@dataclass(frozen=True, slots=True)
class StopPlayback:
    """Barge-in confirmed: cut playback at once. ``onset_s`` is when the user began to speak."""

    at_s: float
    onset_s: float
    reason: str


@dataclass(frozen=True, slots=True)
class HoldPlayback:
    """No reply may begin to sound; one that sounds already goes on."""

    at_s: float
    reason: str


@dataclass(frozen=True, slots=True)
class ReleasePlayback:
    """The turn is over, or the user has been silent for long enough: playback may begin."""

    at_s: float
    reason: str


Request = (
    OpenTurn
    | SettleTurn
    | ReopenTurn
    | CommitTurn
    | DiscardTurn
    | Duck
    | Unduck
    | PausePlayback
    | ResumePlayback
    | StopPlayback
    | HoldPlayback
    | ReleasePlayback
)
