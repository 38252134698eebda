"""One step of the lifecycle in the making: edits on copies, and what is to be done. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from jarvis_voice.attention.guidance import receipt_of, told_with
from jarvis_voice.attention.requests import (
    AnswerRuntime,
    AskUser,
    MarkDegraded,
    Request,
    TellUser,
    Withdraw,
)
from jarvis_voice.attention.state import (
    CLOSED_REQUESTS,
    DELIVERIES,
    GUIDANCE_PER_SESSION,
    RULED_PER_SESSION,
    SESSIONS,
    SETTLED,
    AttentionState,
    Ending,
    Guidance,
    GuidancePhase,
    Held,
    OpenRequest,
    Ruled,
    Session,
    SettledDecision,
)
from jarvis_voice.boundary import ProposedAction, Ruling, Verdict

K = TypeVar("K")
V = TypeVar("V")


class Change:
    """Copies what it changes, and nothing else."""

    def __init__(self, state: AttentionState) -> None:
        self.state = state
        self.requests: list[Request] = []
        self.unreachable: Callable[[ProposedAction], bool] = lambda action: False
        """Calls whose runtime hung up: they get their ruling for the record, nobody hears it."""

    def result(self) -> tuple[AttentionState, list[Request]]:
        """The new state and what is to be done."""
        return self.state, self.requests

    def want(self, request: Request) -> None:
        """Have this done."""
        self.requests.append(request)

    # --- sessions

    def session(self, run_id: str, project_id: str = "", at_s: float = 0.0) -> Session:
        """The session of the run, a new one when it has none (which ``put`` then keeps)."""
        found = self.state.sessions.get(run_id)
        return found or Session(run_id, project_id, touched_s=at_s)

    def put(self, session: Session) -> None:
        """Keep the session; forgets idle ones beyond the bound, the longest untouched first."""
        sessions = {**self.state.sessions, session.run_id: session}
        if len(sessions) > SESSIONS:
            by_age = sorted(sessions.values(), key=lambda item: item.touched_s)
            others = [item for item in by_age if item.run_id != session.run_id]
            victim = next((item for item in others if item.idle), None)
            if victim is not None:
                del sessions[victim.run_id]
        self.state = replace(self.state, sessions=sessions)

    # --- requests

    def open(self, request: OpenRequest) -> None:
        """Keep the request and have the question queued."""
        self.update(request)
        self.want(AskUser(request.request))

    def update(self, request: OpenRequest) -> None:
        """Keep the request; nobody is told."""
        requests = {**self.state.requests, request.request.request_id: request}
        self.state = replace(self.state, requests=requests)

    def close(self, request_id: str, ending: Ending) -> None:
        """The request takes no answer any more; how it ended is remembered for late ones."""
        requests = _without(self.state.requests, request_id)
        closed = _newest({**self.state.closed, request_id: ending}, CLOSED_REQUESTS)
        self.state = replace(self.state, requests=requests, closed=closed)

    def remember(self, decision: SettledDecision) -> None:
        """Keep what was decided; a newer decision on the same topic takes the older one's place."""
        topic = (decision.project_id, decision.topic)
        kept = [item for item in self.state.settled if (item.project_id, item.topic) != topic]
        self.state = replace(self.state, settled=(*kept, decision)[-SETTLED:])

    # --- holds

    def unhold(self, held: Held, ending: Ending, reason: str) -> None:
        """The call waits no longer; a request without any hold left is closed as ``ending``."""
        session = self.session(held.action.run_id)
        self.put(replace(session, held=tuple(item for item in session.held if item != held)))
        request = self.state.requests.get(held.request_id)
        if request is None:
            return
        holds = tuple(ref for ref in request.holds if ref != held.ref)
        if not holds:
            self.close(held.request_id, ending)
            self.want(Withdraw(held.request_id, reason))
            return
        shown = replace(
            request.request,
            run_ids=unique(ref.run_id for ref in holds),
            action_ids=tuple(ref.action_id for ref in holds),
        )
        changed = replace(request, holds=holds, request=shown)
        if request.answer is None:
            self.open(changed)
        else:
            self.update(changed)

    def rule(self, action: ProposedAction, ruling: Ruling, receipt: str, at_s: float) -> None:
        """Answer the runtime, once and for good, and with it what the run must still be told."""
        session = self.session(action.run_id, action.project_id, at_s)
        heard = not self.unreachable(action)
        told = session.pending if heard else ()
        if told:
            texts = tuple(item.text for item in told)
            ruling = replace(ruling, reason=told_with(texts, ruling))
            receipt = receipt or told[0].receipt
        delivery = receipt_of(action.run_id, action.action_id, ruling.reason) if receipt else ""
        if heard:
            session = advance(
                session,
                lambda item: item.phase in _UNDELIVERED and item.text in ruling.reason,
                lambda item: sent_with(item, action.action_id, delivery),
            )
            call = (action.run_id, action.action_id, action.fingerprint)
            self.want(AnswerRuntime(*call, ruling, receipt, delivery))
        ruled = Ruled(action.action_id, action.fingerprint, ruling, receipt)
        others = tuple(item for item in session.ruled if item.action_id != action.action_id)
        self.put(replace(session, ruled=(*others, ruled)[-RULED_PER_SESSION:], touched_s=at_s))

    def outage(self, action: ProposedAction, reason: str, at_s: float, *, closed: bool) -> None:
        """Nobody could be asked: the rule decides, and the run is marked."""
        if closed:
            told = (
                f"This call was not run: {reason}, and without the user's decision it may not. "
                "Other work can go on."
            )
            self.rule(action, Ruling(Verdict.DENY, told), "", at_s)
        else:
            self.rule(action, Ruling(Verdict.ALLOW, degraded=reason), "", at_s)
        self.want(MarkDegraded(action.run_id, reason))

    def add_guidance(self, run_id: str, guidance: Guidance) -> None:
        """Keep what the run is (to be) told; settled ones beyond the bound are forgotten."""
        session = self.session(run_id, at_s=guidance.at_s)
        if any(item.receipt == guidance.receipt for item in session.guidance):
            return
        items = [*session.guidance, guidance]
        settled = [item for item in items if item.phase in _SETTLED]
        spare = set(settled[: max(0, len(settled) - GUIDANCE_PER_SESSION)])
        kept = tuple(item for item in items if item not in spare)
        self.put(replace(session, guidance=kept))

    def hold_back(self, run_id: str, lost: Callable[[Guidance], bool], reason: str) -> None:
        """What was sent and did not surely arrive is told again with the run's next call."""
        session = self.state.sessions.get(run_id)
        if session is None:
            return
        changed = advance(
            session,
            lambda item: item.phase is GuidancePhase.SENT and lost(item),
            lambda item: replace(item, phase=GuidancePhase.PENDING),
        )
        if changed.guidance != session.guidance:
            self.put(changed)
            self.want(TellUser(run_id, reason))


_UNDELIVERED = (GuidancePhase.PENDING, GuidancePhase.SENT)
_SETTLED = (GuidancePhase.DELIVERED, GuidancePhase.APPLIED)


def sent_with(item: Guidance, action_id: str, delivery: str) -> Guidance:
    """The guidance as part of one more answer to this call."""
    return replace(
        item,
        phase=GuidancePhase.SENT,
        action_id=action_id,
        deliveries=unique((*item.deliveries, delivery))[-DELIVERIES:],
    )


def advance(
    session: Session, which: Callable[[Guidance], bool], how: Callable[[Guidance], Guidance]
) -> Session:
    """The session with some of its guidance changed."""
    return replace(
        session, guidance=tuple(how(item) if which(item) else item for item in session.guidance)
    )


def unique(items: Iterable[str]) -> tuple[str, ...]:
    """Each once, in order."""
    return tuple(dict.fromkeys(items))


def newest_per_key(asked: dict[str, tuple[float, ...]], most: int) -> dict[str, tuple[float, ...]]:
    """The mapping without its oldest keys beyond ``most``."""
    return _newest(asked, most)


def _without(items: object, key: str) -> dict[str, OpenRequest]:
    assert isinstance(items, dict)  # every mapping of the state is one
    return {name: value for name, value in items.items() if name != key}


def _newest(items: dict[K, V], most: int) -> dict[K, V]:
    spare = len(items) - most
    return items if spare <= 0 else dict(list(items.items())[spare:])
