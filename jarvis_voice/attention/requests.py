"""What the lifecycle wants done, in the imperative. Pure data; ``desk`` performs them."""

from __future__ import annotations

from dataclasses import dataclass

from jarvis_voice.attention.state import Refusal, SettledDecision
from jarvis_voice.boundary import AttentionRequest, Ruling


@dataclass(frozen=True, slots=True)
class AnswerRuntime:
    """Give the runtime the ruling on this very call."""

    run_id: str
    action_id: str
    fingerprint: str
    ruling: Ruling
    receipt: str  # of the decision; empty when no user decided
    delivery: str = ""  # what ``RulingDelivered`` names once the runtime has this very answer


@dataclass(frozen=True, slots=True)
class AskUser:
    """Put this question in the queue, or take it in place of the one with the same id."""

    request: AttentionRequest


@dataclass(frozen=True, slots=True)
class Withdraw:
    """The question needs no answer any more."""

    request_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class RefuseAnswer:
    """This answer changed nothing."""

    request_id: str
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class TellUser:
    """Say this when there is time; nothing is asked."""

    run_id: str
    text: str


@dataclass(frozen=True, slots=True)
class MarkDegraded:
    """The run went on without the question that it should have had."""

    run_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Remember:
    """The user decided this for the project."""

    decision: SettledDecision


@dataclass(frozen=True, slots=True)
class NoteApplied:
    """What the user decided has reached the run's own record."""

    run_id: str
    receipt: str


Request = (
    AnswerRuntime
    | AskUser
    | Withdraw
    | RefuseAnswer
    | TellUser
    | MarkDegraded
    | Remember
    | NoteApplied
)
