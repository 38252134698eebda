"""The lifecycle from the answer on: cancel or allow, what a deadline or a lost line does. Pure."""

from __future__ import annotations

from dataclasses import replace

from jarvis_voice.attention.change import Change, unique
from jarvis_voice.attention.facts import (
    AnswerCorrected,
    AnswerReleased,
    HoldExpired,
    RuntimeGone,
    UserAnswered,
    UserGuided,
)
from jarvis_voice.attention.guidance import (
    decision_text,
    guidance_text,
    receipt_of,
    sibling_text,
    with_call,
)
from jarvis_voice.attention.requests import RefuseAnswer, Remember, TellUser
from jarvis_voice.attention.state import (
    DeniedBatch,
    Ending,
    Guidance,
    GuidancePhase,
    Held,
    OpenRequest,
    SettledDecision,
)
from jarvis_voice.boundary import ProposedAction, Ruling, UserAnswer, Verdict

UNHEARD = 64
"""Most that is kept for a run that takes nothing in; a user who says more is told."""

NOBODY_ANSWERED = "nobody answered before the runtime's deadline"
NOT_HEARD_YET = "It was gone before it heard your decision. It will be told at its next step."


def take_answer(change: Change, fact: UserAnswered) -> None:
    """The user decided."""
    _take(change, fact, correcting=False)


def correct(change: Change, fact: AnswerCorrected) -> None:
    """The user meant something else; possible until the runtime is told."""
    _take(change, fact, correcting=True)


def _take(change: Change, fact: UserAnswered | AnswerCorrected, *, correcting: bool) -> None:
    answer = fact.answer
    refusal = change.state.refusal_of(answer, fact.at_s, correcting=correcting)
    if refusal is not None:
        change.want(RefuseAnswer(answer.request_id, refusal))
        return
    request = change.state.requests[answer.request_id]
    change.update(replace(request, answer=answer, in_the_air=False))


def release(change: Change, fact: AnswerReleased) -> None:
    """The time for corrections is over."""
    request = change.state.requests.get(fact.request_id)
    if request is not None and request.answer is not None:
        carry_out(change, request, request.answer, fact.at_s)


def carry_out(change: Change, request: OpenRequest, answer: UserAnswer, at_s: float) -> None:
    """Rule on every call that the answer decides, run by run."""
    shown = request.request
    waiting = [held for held in change.state.held() if held.ref in request.holds]
    change.close(shown.request_id, Ending.ANSWERED)
    receipts = []
    for run_id in unique(held.action.run_id for held in waiting):
        mine = [held for held in waiting if held.action.run_id == run_id]
        receipt = receipt_of(shown.request_id, run_id, mine[0].nonce, mine[0].epoch)
        receipts.append(receipt)
        text = decision_text(shown.question, answer, receipt)
        _rule_run(change, mine, Ruling(answer.verdict, text, by_user=True), receipt, at_s)
    decision = SettledDecision(
        project_id=shown.project_id,
        run_ids=shown.run_ids,
        topic=request.topic,
        fingerprints=request.fingerprints,
        verdict=answer.verdict,
        kind=answer.kind,
        words=answer.words,
        question=shown.question,
        at_s=at_s,
        receipt=receipts[0] if receipts else "",
    )
    change.remember(decision)
    change.want(Remember(decision))


def _rule_run(change: Change, mine: list[Held], decided: Ruling, receipt: str, at_s: float) -> None:
    """Tell one run: the first of its calls carries the user's words, the others point to it."""
    carrier = next((held for held in mine if not change.unreachable(held.action)), None)
    guidance = Guidance(
        receipt=receipt,
        verdict=decided.verdict,
        text=decided.reason,
        phase=GuidancePhase.SENT if carrier else GuidancePhase.PENDING,
        at_s=at_s,
        fingerprint=mine[0].action.fingerprint,
    )
    change.add_guidance(mine[0].action.run_id, guidance)
    denied = decided.verdict is Verdict.DENY
    for held in mine:
        _let_go(change, held)
        if held is (carrier or mine[0]):
            told = with_call(decided.reason, decided.verdict)
        else:
            told = sibling_text(receipt) if denied else ""
        ruling = replace(decided, reason=told)
        change.rule(held.action, ruling, receipt, at_s)
    if denied:
        _new_epoch(change, mine[0], receipt, at_s)


def _let_go(change: Change, held: Held) -> None:
    session = change.session(held.action.run_id)
    change.put(replace(session, held=tuple(item for item in session.held if item != held)))


def _new_epoch(change: Change, cancelled: Held, receipt: str, at_s: float) -> None:
    """What this run still has on hold was planned with the cancelled call, and goes with it.

    A call that the user has decided on already gets what the user decided.
    """
    action = cancelled.action
    denied = DeniedBatch(action.batch_id, at_s, cancelled.announces_batches, receipt)
    session = change.session(action.run_id)
    change.put(replace(session, epoch=session.epoch + 1, denied=denied))
    carry_out_answered(change, session.held, at_s)
    for held in change.session(action.run_id).held:
        change.unhold(held, Ending.WITHDRAWN, "its agent has to plan anew")
        change.rule(held.action, Ruling(Verdict.DENY, sibling_text(receipt)), receipt, at_s)


def carry_out_answered(change: Change, holds: tuple[Held, ...], at_s: float) -> None:
    """Release the answers that some of these calls already have."""
    for held in holds:
        request = change.state.requests.get(held.request_id)
        if request is not None and request.answer is not None:
            carry_out(change, request, request.answer, at_s)


def guide(change: Change, fact: UserGuided) -> None:
    """The user told a run something; to stop it also cancels what it has on hold."""
    receipt = receipt_of(fact.guidance_id, fact.run_id)
    session = change.session(fact.run_id, at_s=fact.at_s)
    if not fact.run_id or any(item.receipt == receipt for item in session.guidance):
        return
    if len(session.pending) >= UNHEARD:
        change.want(TellUser(fact.run_id, "It has not taken in what you told it before."))
        return
    guidance = Guidance(
        receipt=receipt,
        verdict=Verdict.DENY if fact.stop else Verdict.ALLOW,
        text=guidance_text(fact.words, receipt, stop=fact.stop),
        phase=GuidancePhase.PENDING,
        at_s=fact.at_s,
    )
    change.add_guidance(fact.run_id, guidance)
    if not fact.stop:
        return
    carry_out_answered(change, session.held, fact.at_s)
    still = change.session(fact.run_id).held
    if still:
        change.unhold(still[0], Ending.WITHDRAWN, "you stopped it")
        change.rule(still[0].action, Ruling(Verdict.DENY), receipt, fact.at_s)
        _new_epoch(change, still[0], receipt, fact.at_s)


def expire(change: Change, fact: HoldExpired) -> None:
    """The runtime can wait no longer: an answer that is there goes out, else the rule decides."""
    held = change.state.find_held(fact.run_id, fact.action_id)
    if held is None or fact.at_s < held.deadline_s:
        return
    request = change.state.requests.get(held.request_id)
    if request is not None and request.answer is not None:
        carry_out(change, request, request.answer, fact.at_s)
        return
    change.unhold(held, Ending.EXPIRED, NOBODY_ANSWERED)
    change.outage(held.action, NOBODY_ANSWERED, fact.at_s, closed=held.fail_closed)


def runtime_gone(change: Change, fact: RuntimeGone) -> None:
    """Nobody waits any more: questions fall away, decisions wait for the run's return."""
    session = change.state.sessions.get(fact.run_id)
    if session is None:
        return

    def is_gone(action: ProposedAction) -> bool:
        return action.run_id == fact.run_id and fact.action_id in (None, action.action_id)

    change.unreachable = is_gone
    mine = tuple(held for held in session.held if is_gone(held.action))
    carry_out_answered(change, mine, fact.at_s)
    for held in mine:
        if held in change.session(fact.run_id).held:
            change.unhold(held, Ending.WITHDRAWN, "its agent is gone")

    def was_carried(item: Guidance) -> bool:  # by an answer to a call, not over a line of its own
        return bool(item.action_id) and fact.action_id in (None, item.action_id)

    change.hold_back(fact.run_id, was_carried, NOT_HEARD_YET)
