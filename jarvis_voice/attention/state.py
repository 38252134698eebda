"""What is kept of held actions, questions and guidance: frozen, bounded, rebuilt from facts. Pure.

An action goes through these phases; it never goes back:

    HELD        nobody has been asked yet
    ASKED       the question was put to the user
    ANSWERED    the user decided; it can still be corrected
    ALLOWED     the runtime is being told to run it
    CANCELLED   the runtime is being told not to run it, and why
    DELIVERED   the runtime has the ruling
    APPLIED     what the user decided was seen in the run's own record

A mapping in here is never changed in place: a step makes a new one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from jarvis_voice.boundary import (
    AnswerKind,
    AttentionRequest,
    ProposedAction,
    Ruling,
    UserAnswer,
    Verdict,
)

SESSIONS = 2048  # twice the runs that are watched at once
HELD_PER_SESSION = 64  # far more calls than a model makes in one turn
RULED_PER_SESSION = 64
GUIDANCE_PER_SESSION = 32  # settled ones; what is still to be delivered is never dropped
DELIVERIES = 8
OPEN_REQUESTS = 256
CLOSED_REQUESTS = 512  # remembered to tell a late answer why it is one
SETTLED = 256
ASKED_PER_PROJECT = 128  # more than any budget per hour


class Phase(Enum):
    """How far an action has come; see the table above."""

    HELD = "held"
    ASKED = "asked"
    ANSWERED = "answered"
    ALLOWED = "allowed"
    CANCELLED = "cancelled"
    DELIVERED = "delivered"
    APPLIED = "applied"


class GuidancePhase(Enum):
    """How far the user's words to one run have come."""

    PENDING = "pending"  # to be told with the next ruling for that run
    SENT = "sent"  # part of a ruling that the runtime has not confirmed
    DELIVERED = "delivered"
    APPLIED = "applied"


class Ending(Enum):
    """How a request came to its end."""

    ANSWERED = "answered"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class Refusal(Enum):
    """Why an answer was not taken; nothing changed."""

    UNKNOWN = "unknown"  # there was never such a question, or it is long forgotten
    CROSSED = "crossed"  # given before the question was there: it was meant for something else
    ALREADY_ANSWERED = "already-answered"
    NOT_ANSWERED = "not-answered"  # there is nothing to correct
    RELEASED = "released"  # the runtime was already told
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    NOT_THE_USER = "not-the-user"


@dataclass(frozen=True, slots=True)
class Held:
    """A call that waits for its ruling."""

    action: ProposedAction
    nonce: str
    epoch: int
    deadline_s: float
    fail_closed: bool
    announces_batches: bool
    effect: str
    request_id: str = ""  # empty until the policy said that it is worth a question

    @property
    def ref(self) -> HoldRef:
        """What an answer is bound to."""
        return HoldRef(self.action.run_id, self.action.action_id, self.nonce, self.epoch)


@dataclass(frozen=True, slots=True)
class HoldRef:
    """Exactly one hold: the same call offered again is another one."""

    run_id: str
    action_id: str
    nonce: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Ruled:
    """A call that has its ruling; offered again it gets the same."""

    action_id: str
    fingerprint: str
    ruling: Ruling
    receipt: str  # of the decision; empty when no user decided


@dataclass(frozen=True, slots=True)
class Guidance:
    """What the user decided, on its way to one run. ``receipt`` stands in its text."""

    receipt: str
    verdict: Verdict  # DENY: the next action does not run, so that it is surely read
    text: str
    phase: GuidancePhase
    at_s: float
    action_id: str = ""  # whose ruling carries it
    fingerprint: str = ""  # of the call that the user decided on; empty for unasked guidance
    deliveries: tuple[str, ...] = ()  # the newest answers that carried it

    @property
    def steerable(self) -> bool:
        """It waits, and belongs to no call: it may be told before the run offers one."""
        return self.phase is GuidancePhase.PENDING and not self.fingerprint


@dataclass(frozen=True, slots=True)
class DeniedBatch:
    """A model turn of which one call was denied; its other calls were planned with it."""

    batch_id: str | None
    at_s: float
    announced: bool  # the runtime will tell when it is over
    receipt: str


@dataclass(frozen=True, slots=True)
class Session:
    """One run, as far as attention goes. A new epoch begins when the user cancels an action."""

    run_id: str
    project_id: str
    epoch: int = 1
    held: tuple[Held, ...] = ()
    ruled: tuple[Ruled, ...] = ()
    guidance: tuple[Guidance, ...] = ()
    denied: DeniedBatch | None = None
    touched_s: float = 0.0

    @property
    def pending(self) -> tuple[Guidance, ...]:
        """What this run must still be told."""
        return tuple(item for item in self.guidance if item.phase is GuidancePhase.PENDING)

    @property
    def idle(self) -> bool:
        """Nothing would be lost with it."""
        undelivered = (GuidancePhase.PENDING, GuidancePhase.SENT)
        return not self.held and all(item.phase not in undelivered for item in self.guidance)


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A question that is still to be answered, or whose answer can still be corrected."""

    request: AttentionRequest
    topic: str
    holds: tuple[HoldRef, ...]
    fingerprints: tuple[str, ...]  # of the held calls
    asked_at_s: tuple[float, ...] = ()
    snoozed_until_s: float = 0.0
    silences: int = 0
    in_the_air: bool = False  # put, and nothing came of it yet
    answer: UserAnswer | None = None


@dataclass(frozen=True, slots=True)
class SettledDecision:
    """What the user already decided in a project, so that it is not asked again."""

    project_id: str
    run_ids: tuple[str, ...]
    topic: str
    fingerprints: tuple[str, ...]
    verdict: Verdict
    kind: AnswerKind
    words: str
    question: str
    at_s: float
    receipt: str = ""


@dataclass(frozen=True, slots=True)
class AttentionState:
    """All of it. Oldest first in every mapping."""

    sessions: Mapping[str, Session] = field(default_factory=dict)
    requests: Mapping[str, OpenRequest] = field(default_factory=dict)
    closed: Mapping[str, Ending] = field(default_factory=dict)
    settled: tuple[SettledDecision, ...] = ()
    asked_at_s: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # by project

    def held(self) -> Iterator[Held]:
        """Every call that waits."""
        for session in self.sessions.values():
            yield from session.held

    def find_held(self, run_id: str, action_id: str) -> Held | None:
        """The hold of this call, when it waits."""
        session = self.sessions.get(run_id)
        if session is None:
            return None
        return next((item for item in session.held if item.action.action_id == action_id), None)

    def settled_for(self, project_id: str) -> tuple[SettledDecision, ...]:
        """What was decided in this project."""
        return tuple(item for item in self.settled if item.project_id == project_id)

    def phase_of(self, run_id: str, action_id: str) -> Phase | None:
        """How far the call has come; None when nothing (more) is known of it."""
        held = self.find_held(run_id, action_id)
        if held is not None:
            request = self.requests.get(held.request_id)
            if request is None or not (request.asked_at_s or request.answer):
                return Phase.HELD
            return Phase.ANSWERED if request.answer else Phase.ASKED
        session = self.sessions.get(run_id)
        ruled = session and next((r for r in session.ruled if r.action_id == action_id), None)
        if session is None or not ruled:
            return None
        guidance = next((g for g in session.guidance if g.receipt == ruled.receipt), None)
        if guidance is not None and guidance.phase is GuidancePhase.APPLIED:
            return Phase.APPLIED
        if guidance is not None and guidance.phase is GuidancePhase.DELIVERED:
            return Phase.DELIVERED
        return Phase.ALLOWED if ruled.ruling.verdict is Verdict.ALLOW else Phase.CANCELLED

    def refusal_of(
        self, answer: UserAnswer, now_s: float, *, correcting: bool = False
    ) -> Refusal | None:
        """Why this answer would not be taken at Unix time ``now_s``; None when it would be."""
        if answer.kind is AnswerKind.EXPIRED:
            return Refusal.NOT_THE_USER
        request = self.requests.get(answer.request_id)
        if request is None:
            ended = self.closed.get(answer.request_id)
            return _AFTER[ended] if ended is not None else Refusal.UNKNOWN
        if answer.at_s < request.request.at_s <= now_s:  # a clock that was set back proves nothing
            return Refusal.CROSSED
        if correcting:
            return None if request.answer is not None else Refusal.NOT_ANSWERED
        return None if request.answer is None else Refusal.ALREADY_ANSWERED


_AFTER = {
    Ending.ANSWERED: Refusal.RELEASED,
    Ending.EXPIRED: Refusal.EXPIRED,
    Ending.WITHDRAWN: Refusal.WITHDRAWN,
}
