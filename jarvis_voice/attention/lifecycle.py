"""What becomes of held actions: a pure, total fold over facts. ``state`` has the table of phases.

What must always hold:

- A call that was cancelled never gets another ruling than "denied", however often it is offered.
- An answer reaches exactly the holds of its own request: each hold is named by run, call, nonce and
  epoch. Late, repeated, stale and crossed answers are refused with the reason and change nothing.
- Cancelling begins a new epoch of that run: its other held calls are cancelled with it, and what
  else belongs to the same model turn is denied until that turn is over. Other runs are untouched.
- What the user decided is told to the run with exactly one call: with the ruling that was waiting,
  or, when that could not be delivered, with the ruling of the next call that the run offers.
- Nothing is held beyond its deadline: then the rule chosen for the runtime decides.

Facts are appended before ``step`` is called with them; folding all of them again gives the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jarvis_voice.attention.answering import (
    correct,
    expire,
    guide,
    release,
    runtime_gone,
    take_answer,
)
from jarvis_voice.attention.change import Change
from jarvis_voice.attention.facts import (
    ActionOffered,
    ActionReleased,
    AnswerCorrected,
    AnswerReleased,
    BatchEnded,
    Fact,
    GuidanceSeen,
    HoldExpired,
    PolicyDecided,
    QuestionAsked,
    QuestionIgnored,
    QuestionSnoozed,
    Restarted,
    RulingDelivered,
    RuntimeGone,
    SteeringBegan,
    SteeringFailed,
    UserAnswered,
    UserGuided,
    decode,
    encode,
)
from jarvis_voice.attention.offering import (
    ask_snoozed,
    asked,
    batch_ended,
    decide,
    ignored,
    is_untouched,
    offer,
)
from jarvis_voice.attention.receipts import (
    delivered,
    restarted,
    seen,
    steering_began,
    steering_failed,
)
from jarvis_voice.attention.requests import Request
from jarvis_voice.attention.state import AttentionState

__all__ = ["AttentionState", "decode", "encode", "fold", "is_untouched", "step"]


def _released_at_once(change: Change, fact: ActionReleased) -> None:
    """Only the ledger wants to know."""


# Any: each handler takes the class of fact that it stands beside
_HANDLERS: dict[type[Fact], Callable[[Change, Any], None]] = {
    ActionOffered: offer,
    ActionReleased: _released_at_once,
    PolicyDecided: decide,
    QuestionAsked: asked,
    QuestionSnoozed: ask_snoozed,
    QuestionIgnored: ignored,
    UserAnswered: take_answer,
    AnswerCorrected: correct,
    AnswerReleased: release,
    UserGuided: guide,
    SteeringBegan: steering_began,
    SteeringFailed: steering_failed,
    RulingDelivered: delivered,
    GuidanceSeen: seen,
    BatchEnded: batch_ended,
    RuntimeGone: runtime_gone,
    HoldExpired: expire,
    Restarted: restarted,
}


def step(state: AttentionState, fact: Fact) -> tuple[AttentionState, list[Request]]:
    """The state after the fact, and what is to be done. Never raises for a fact of ours."""
    change = Change(state)
    handler = _HANDLERS.get(type(fact))
    if handler is not None:
        handler(change, fact)
    return change.result()


def fold(facts: Iterable[Fact], state: AttentionState | None = None) -> AttentionState:
    """The state after all of these facts; what they once asked for has been done."""
    state = state or AttentionState()
    for fact in facts:
        state, _ = step(state, fact)
    return state
