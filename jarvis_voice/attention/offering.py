"""The lifecycle up to the answer: a call is offered, judged, and put to the user. Pure."""

from __future__ import annotations

from dataclasses import replace

from jarvis_voice.attention.change import Change, newest_per_key, unique
from jarvis_voice.attention.facts import (
    ActionOffered,
    BatchEnded,
    PolicyDecided,
    QuestionAsked,
    QuestionIgnored,
    QuestionSnoozed,
)
from jarvis_voice.attention.guidance import receipt_of, repeated_text, sibling_text
from jarvis_voice.attention.requests import AnswerRuntime
from jarvis_voice.attention.state import (
    ASKED_PER_PROJECT,
    HELD_PER_SESSION,
    OPEN_REQUESTS,
    SESSIONS,
    AttentionState,
    DeniedBatch,
    Ending,
    Held,
    OpenRequest,
    Ruled,
    Session,
)
from jarvis_voice.boundary import AttentionRequest, ProposedAction, Ruling, Verdict

ANNOUNCED_BATCH_S = 30.0
"""Longest that a denied turn denies further calls when its announced end does not come. The other
calls of a turn follow a denial within milliseconds; this much is for a machine under load."""

SILENT_BATCH_S = 0.25
"""The same for a runtime that tells neither batches nor their ends: below the quickest answer of a
model, above the gap between two calls of one turn (10 ms were measured)."""

BACKWARD_S = 1.0  # a clock that was set back by more than this says nothing about a batch

_CROSSED = (
    "This call was not run: another call with the same id is being decided. Offer it once more."
)


def is_untouched(state: AttentionState, action: ProposedAction) -> bool:
    """Nothing that is known of the run bears on this call: the policy alone decides."""
    session = state.sessions.get(action.run_id)
    if session is None:
        return True
    return (
        session.denied is None
        and not session.pending
        and all(item.action_id != action.action_id for item in session.ruled)
        and all(item.action.action_id != action.action_id for item in session.held)
    )


def offer(change: Change, fact: ActionOffered) -> None:
    """Hold the call, unless what is known already decides it."""
    action, at_s = fact.action, fact.at_s
    session = change.session(action.run_id, action.project_id, at_s)
    session = replace(session, project_id=action.project_id, touched_s=at_s)
    change.put(session)
    waiting = next((h for h in session.held if h.action.action_id == action.action_id), None)
    if waiting is not None:
        if waiting.action.fingerprint != action.fingerprint:
            _deny_beside(change, action, _CROSSED)
        return
    if _known_ruling(change, session, fact):
        return
    full = len(session.held) >= HELD_PER_SESSION or len(change.state.sessions) > SESSIONS
    if full:
        reason = "too many calls wait for a decision already"
        change.outage(action, reason, at_s, closed=fact.fail_closed)
        return
    held = Held(
        action,
        fact.nonce,
        session.epoch,
        fact.deadline_s,
        fact.fail_closed,
        fact.announces_batches,
        fact.effect,
    )
    change.put(replace(change.session(action.run_id), held=(*session.held, held)))


def _known_ruling(change: Change, session: Session, fact: ActionOffered) -> bool:
    """Rule on a call that needs no decision: told before, part of a denied turn, and so on."""
    action, at_s = fact.action, fact.at_s
    before = next((item for item in session.ruled if item.action_id == action.action_id), None)
    if before is not None and before.fingerprint != action.fingerprint:
        _deny_beside(change, action, _CROSSED)
        return True
    if before is not None:
        change.rule(action, _repeated(session, before), before.receipt, at_s)
        return True
    if _is_sibling(session.denied, action, at_s):
        receipt = session.denied.receipt if session.denied else ""
        change.rule(action, Ruling(Verdict.DENY, sibling_text(receipt)), receipt, at_s)
        return True
    if session.denied is not None:
        change.put(replace(session, denied=None))
    return _told_first(change, session, fact)


def _repeated(session: Session, before: Ruled) -> Ruling:
    """The same ruling; its words only when no other call has brought them to the run since."""
    guidance = next((item for item in session.guidance if item.receipt == before.receipt), None)
    if guidance is None or not guidance.deliveries or guidance.action_id == before.action_id:
        return before.ruling
    return replace(before.ruling, reason=repeated_text(before.receipt))


def _told_first(change: Change, session: Session, fact: ActionOffered) -> bool:
    """A run that has not heard what the user decided hears it before it does anything else."""
    action, pending = fact.action, session.pending
    refusals = [item for item in pending if item.verdict is Verdict.DENY]
    if refusals:
        receipt = refusals[0].receipt
        change.rule(action, Ruling(Verdict.DENY), receipt, fact.at_s)
        denied = DeniedBatch(action.batch_id, fact.at_s, fact.announces_batches, receipt)
        change.put(replace(change.session(action.run_id), denied=denied))
        return True
    approved = next((item for item in pending if item.fingerprint == action.fingerprint), None)
    if approved is None:
        return False
    change.rule(action, Ruling(Verdict.ALLOW), approved.receipt, fact.at_s)
    return True


def _deny_beside(change: Change, action: ProposedAction, reason: str) -> None:
    """Deny this call and leave what is known of the other one with its id."""
    ruling = Ruling(Verdict.DENY, reason)
    change.want(AnswerRuntime(action.run_id, action.action_id, action.fingerprint, ruling, ""))


def _is_sibling(denied: DeniedBatch | None, action: ProposedAction, at_s: float) -> bool:
    if denied is None or denied.batch_id != action.batch_id:
        return False
    patient = denied.announced or denied.batch_id is not None
    limit_s = ANNOUNCED_BATCH_S if patient else SILENT_BATCH_S
    return -BACKWARD_S <= at_s - denied.at_s <= limit_s


def decide(change: Change, fact: PolicyDecided) -> None:
    """Act on what the policy said about a call that still waits."""
    held = change.state.find_held(fact.run_id, fact.action_id)
    if held is None:
        return
    request = change.state.requests.get(held.request_id)
    if request is not None and (fact.ask or request.answer is not None):
        return
    if fact.degraded:
        change.unhold(held, Ending.WITHDRAWN, fact.degraded)
        change.outage(held.action, fact.degraded, fact.at_s, closed=False)
    elif fact.refusal:
        change.unhold(held, Ending.WITHDRAWN, "it was already decided")
        change.rule(held.action, Ruling(Verdict.DENY, fact.refusal), "", fact.at_s)
    elif not fact.ask:
        change.unhold(held, Ending.WITHDRAWN, "it needs no decision any more")
        change.rule(held.action, Ruling(Verdict.ALLOW), "", fact.at_s)
    elif len(change.state.requests) >= OPEN_REQUESTS:
        change.unhold(held, Ending.WITHDRAWN, "")
        reason = "too many questions wait for the user already"
        change.outage(held.action, reason, fact.at_s, closed=held.fail_closed)
    else:
        _ask(change, fact, held)


def _ask(change: Change, fact: PolicyDecided, held: Held) -> None:
    mergeable = next(
        (
            item
            for item in change.state.requests.values()
            if item.answer is None
            and not item.asked_at_s
            and item.topic
            and (item.request.project_id, item.topic) == (held.action.project_id, fact.topic)
        ),
        None,
    )
    request = _joined(mergeable, fact, held) if mergeable else _new_request(fact, held)
    session = change.session(held.action.run_id)
    waiting = tuple(
        replace(item, request_id=request.request.request_id) if item == held else item
        for item in session.held
    )
    change.put(replace(session, held=waiting))
    change.open(request)


def _new_request(fact: PolicyDecided, held: Held) -> OpenRequest:
    action = held.action
    request = AttentionRequest(
        request_id="q" + receipt_of(action.run_id, action.action_id, held.nonce, held.epoch)[1:],
        project_id=action.project_id,
        run_ids=(action.run_id,),
        action_ids=(action.action_id,),
        question=fact.question,
        options=fact.options,
        about=fact.about,
        why=fact.why,
        quote=fact.quote,
        reason_code=fact.reason_code,
        urgency=fact.urgency,
        at_s=action.at_s if action.at_s <= fact.at_s else fact.at_s,
    )
    return OpenRequest(request, fact.topic, (held.ref,), (action.fingerprint,))


def _joined(other: OpenRequest, fact: PolicyDecided, held: Held) -> OpenRequest:
    holds = (*other.holds, held.ref)
    request = other.request
    urgency = max(request.urgency, fact.urgency, key=lambda item: item.value)
    shown = replace(
        request,
        run_ids=unique(ref.run_id for ref in holds),
        action_ids=tuple(ref.action_id for ref in holds),
        urgency=urgency,
        at_s=min(request.at_s, held.action.at_s),
    )
    fingerprints = unique((*other.fingerprints, held.action.fingerprint))
    return replace(other, request=shown, holds=holds, fingerprints=fingerprints)


def asked(change: Change, fact: QuestionAsked) -> None:
    """The question was put: it counts against the project's budget the first time."""
    request = change.state.requests.get(fact.request_id)
    if request is None or request.answer is not None:
        return
    first = not request.asked_at_s
    times = (*request.asked_at_s, fact.at_s)[-8:]
    change.update(replace(request, asked_at_s=times, snoozed_until_s=0.0, in_the_air=True))
    if first:
        project_id = request.request.project_id
        spent = dict(change.state.asked_at_s)
        spent[project_id] = (*spent.pop(project_id, ()), fact.at_s)[-ASKED_PER_PROJECT:]
        change.state = replace(change.state, asked_at_s=newest_per_key(spent, SESSIONS))


def ask_snoozed(change: Change, fact: QuestionSnoozed) -> None:
    """The user wants the question later."""
    request = change.state.requests.get(fact.request_id)
    if request is not None and request.answer is None:
        change.update(replace(request, snoozed_until_s=fact.until_s, in_the_air=False))


def ignored(change: Change, fact: QuestionIgnored) -> None:
    """Nobody said anything to the question."""
    request = change.state.requests.get(fact.request_id)
    if request is not None and request.in_the_air:
        change.update(replace(request, silences=request.silences + 1, in_the_air=False))


def batch_ended(change: Change, fact: BatchEnded) -> None:
    """The model turn is over; what comes next was planned with the denial in sight."""
    session = change.state.sessions.get(fact.run_id)
    if session is None or session.denied is None:
        return
    if fact.batch_id in (None, session.denied.batch_id) or session.denied.batch_id is None:
        change.put(replace(session, denied=None))
