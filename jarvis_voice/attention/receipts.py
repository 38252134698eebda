"""The lifecycle's proofs: what has arrived, what was seen, and what a restart leaves open. Pure."""

from __future__ import annotations

from dataclasses import replace

from jarvis_voice.attention.answering import carry_out_answered
from jarvis_voice.attention.change import Change, advance, sent_with
from jarvis_voice.attention.facts import (
    GuidanceSeen,
    Restarted,
    RulingDelivered,
    SteeringBegan,
    SteeringFailed,
)
from jarvis_voice.attention.guidance import receipt_of
from jarvis_voice.attention.requests import MarkDegraded, NoteApplied
from jarvis_voice.attention.state import Ending, Guidance, GuidancePhase

RESTARTED = "I was restarted while a decision was open"
NOT_REACHED = "It could not be told at once. It hears you at its next step."
RESTARTED_UNHEARD = (
    "I was restarted before it heard your decision. It will be told at its next step."
)


def delivered(change: Change, fact: RulingDelivered) -> None:
    """The runtime has this very answer, and all that it carried."""
    session = change.state.sessions.get(fact.run_id)
    if session is None:
        return

    def is_carried(item: Guidance) -> bool:
        named = fact.receipt in item.deliveries
        newest = (item.receipt, item.action_id) == (fact.receipt, fact.action_id)
        return item.phase is GuidancePhase.SENT and (named or newest)

    if any(is_carried(item) for item in session.guidance):
        done = GuidancePhase.DELIVERED
        change.put(advance(session, is_carried, lambda item: replace(item, phase=done)))


def steering_began(change: Change, fact: SteeringBegan) -> None:
    """On its way over the run's own connection: no ruling brings it as well."""
    session = change.state.sessions.get(fact.run_id)
    if session is None:
        return
    delivery = steering_delivery(fact.run_id, fact.receipt)

    def is_due(item: Guidance) -> bool:
        return item.receipt == fact.receipt and item.steerable

    if any(is_due(item) for item in session.guidance):
        change.put(advance(session, is_due, lambda item: sent_with(item, "", delivery)))


def steering_failed(change: Change, fact: SteeringFailed) -> None:
    """It did not get through: the next ruling brings it."""
    change.hold_back(
        fact.run_id,
        lambda item: item.receipt == fact.receipt and not item.action_id,
        NOT_REACHED,
    )


def steering_delivery(run_id: str, receipt: str) -> str:
    """What ``RulingDelivered`` names once the run's connection has taken this guidance."""
    return receipt_of("steering", run_id, receipt)


def seen(change: Change, fact: GuidanceSeen) -> None:
    """The run's own record shows what was sent; counted once, and never sent again after that."""
    session = change.state.sessions.get(fact.run_id)
    if session is None:
        return

    def is_news(item: Guidance) -> bool:
        sent = bool(item.deliveries) and item.phase is not GuidancePhase.APPLIED
        return sent and item.receipt == fact.receipt

    if any(is_news(item) for item in session.guidance):
        done = GuidancePhase.APPLIED
        change.put(advance(session, is_news, lambda item: replace(item, phase=done)))
        change.want(NoteApplied(fact.run_id, fact.receipt))


def restarted(change: Change, fact: Restarted) -> None:
    """All connections are gone: open questions fall away, open decisions wait for the next call."""
    change.unreachable = lambda action: True
    carry_out_answered(change, tuple(change.state.held()), fact.at_s)
    for held in tuple(change.state.held()):
        change.unhold(held, Ending.EXPIRED, RESTARTED)
        change.want(MarkDegraded(held.action.run_id, RESTARTED))
    for run_id in tuple(change.state.sessions):
        change.hold_back(run_id, lambda item: True, RESTARTED_UNHEARD)
