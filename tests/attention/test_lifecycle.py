"""The lifecycle's bounds and totality, and the words that agents get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jarvis_voice.attention.facts import (
    FACTS,
    ActionOffered,
    AnswerReleased,
    BatchEnded,
    Fact,
    PolicyDecided,
    Restarted,
    RulingDelivered,
    UserAnswered,
    UserGuided,
)
from jarvis_voice.attention.guidance import receipts_in
from jarvis_voice.attention.lifecycle import fold, step
from jarvis_voice.attention.requests import AnswerRuntime, MarkDegraded, Request, TellUser
from jarvis_voice.attention.state import (
    GUIDANCE_PER_SESSION,
    HELD_PER_SESSION,
    OPEN_REQUESTS,
    RULED_PER_SESSION,
    SESSIONS,
    AttentionState,
    Phase,
)
from jarvis_voice.boundary import AnswerKind, ProposedAction, UserAnswer, Verdict

Offer = Callable[..., ProposedAction]

ids = st.sampled_from(["", "a", "b"])
times = st.floats(-1e6, 1e12, allow_nan=False)
actions = st.builds(
    ProposedAction, st.just("x"), ids, ids, ids, ids, ids, ids, times, batch_id=st.none() | ids
)
answers = st.builds(
    UserAnswer, ids, st.sampled_from(AnswerKind), st.sampled_from(Verdict), st.text(), times
)


def any_fact(cls: type[Fact]) -> st.SearchStrategy[Fact]:
    given: dict[str, Any] = {"at_s": times, "run_id": ids}
    names = cls.__dataclass_fields__
    given |= {"action": actions} if "action" in names else {}
    given |= {"answer": answers} if "answer" in names else {}
    for name in ("action_id", "request_id", "receipt", "topic"):
        given |= {name: ids} if name in names else {}
    return st.builds(cls, **given)


@given(st.lists(st.sampled_from(FACTS).flatmap(any_fact), max_size=40))
def test_no_order_of_facts_is_too_odd(facts: list[Fact]) -> None:
    state = AttentionState()
    for fact in facts:
        state, wanted = step(state, fact)
        assert isinstance(wanted, list)
    assert fold(facts) == state


def offered(action: ProposedAction, at_s: float = 0.0, deadline_s: float = 60.0) -> ActionOffered:
    return ActionOffered(at_s, action.run_id, action, f"n-{action.action_id}", deadline_s)


def asked(action: ProposedAction, topic: str = "") -> PolicyDecided:
    return PolicyDecided(
        0.0, action.run_id, action.action_id, True, question="May it?", topic=topic
    )


def play(*facts: Fact) -> tuple[AttentionState, list[Request]]:
    state, everything = AttentionState(), []
    for fact in facts:
        state, wanted = step(state, fact)
        everything += wanted
    return state, everything


def test_a_runaway_agent_is_bounded(call: Offer) -> None:
    state = AttentionState()
    for number in range(HELD_PER_SESSION + 5):
        state, wanted = step(state, offered(call("Bash", action_id=f"{number}")))
    assert len(state.sessions["run-1"].held) == HELD_PER_SESSION
    assert isinstance(wanted[-1], MarkDegraded)
    for number in range(200):
        action = call("Bash", action_id=f"free-{number}", run_id="run-2")
        state, _ = step(state, offered(action))
        state, _ = step(state, PolicyDecided(0.0, "run-2", action.action_id, ask=False))
    assert len(state.sessions["run-2"].ruled) == RULED_PER_SESSION


def test_too_many_questions_are_not_put(call: Offer) -> None:
    state = AttentionState()
    for number in range(OPEN_REQUESTS + 3):
        action = call("Bash", run_id=f"r{number}")
        state, _ = step(state, offered(action))
        state, wanted = step(state, asked(action))
    assert len(state.requests) == OPEN_REQUESTS
    assert isinstance(wanted[-1], MarkDegraded)


def test_idle_runs_are_forgotten_before_those_that_still_must_be_told(call: Offer) -> None:
    state, _ = play(UserGuided(0.0, "told", "g", "Use UTC."))
    for number in range(SESSIONS + 50):
        action = call("Bash", run_id=f"r{number}")
        state, _ = step(state, offered(action, at_s=number + 1.0))
        fact = PolicyDecided(number + 1.0, action.run_id, action.action_id, ask=False)
        state, _ = step(state, fact)
    assert len(state.sessions) <= SESSIONS + 1
    assert state.sessions["told"].pending


def test_settled_guidance_is_bounded_and_a_deaf_run_is_noticed(call: Offer) -> None:
    state = AttentionState()
    for number in range(100):
        state, _ = step(state, UserGuided(0.0, "run-1", f"g{number}", "x"))
        action = call("Bash", action_id=f"{number}")
        state, _ = step(state, offered(action))
        state, wanted = step(state, PolicyDecided(0.0, "run-1", action.action_id, ask=False))
        ruling = next(item for item in wanted if isinstance(item, AnswerRuntime))
        state, _ = step(state, RulingDelivered(0.0, "run-1", action.action_id, ruling.delivery))
    assert len(state.sessions["run-1"].guidance) <= GUIDANCE_PER_SESSION + 1
    for number in range(100):
        state, wanted = step(state, UserGuided(0.0, "deaf", f"g{number}", "x"))
    assert isinstance(wanted[-1], TellUser)


def test_one_decision_for_what_shares_a_topic(call: Offer) -> None:
    one, two = call("Bash", run_id="one"), call("Bash", run_id="two")
    other = call("Bash", run_id="three", project_id="elsewhere")
    state, _ = play(
        *(offered(item) for item in (one, two, other)),
        *(asked(item, "push") for item in (one, two, other)),
    )
    assert [item.request.run_ids for item in state.requests.values()] == [
        ("one", "two"),
        ("three",),
    ]
    request = next(iter(state.requests.values())).request
    answer = UserAnswer(request.request_id, AnswerKind.WORDS, Verdict.DENY, "Use a branch.", 9e9)
    state, _ = step(state, UserAnswered(1.0, "", answer))
    state, wanted = step(state, AnswerReleased(2.0, "", request.request_id))
    told = {item.run_id: item for item in wanted if isinstance(item, AnswerRuntime)}
    assert set(told) == {"one", "two"}
    assert len({item.receipt for item in told.values()}) == 2
    for item in told.values():
        assert '"Use a branch."' in item.ruling.reason
        assert receipts_in(item.ruling.reason) == (item.receipt,)
    assert state.phase_of("one", one.action_id) is Phase.CANCELLED
    assert state.phase_of("three", other.action_id) is Phase.HELD


@pytest.mark.parametrize(
    ("announces", "batch", "after_s", "denied"),
    [
        (True, None, 20.0, True),  # the end of the turn was not announced yet
        (True, None, 31.0, False),  # it was lost
        (False, None, 0.1, True),
        (False, None, 0.5, False),  # a runtime that says nothing: the turn must be over
        (False, "turn", 20.0, True),
        (False, "turn", 31.0, False),
    ],
)
def test_how_long_a_denied_turn_denies(
    announces: bool, batch: str | None, after_s: float, denied: bool, call: Offer
) -> None:
    first = call("Bash", batch_id=batch)
    offer = ActionOffered(0.0, "run-1", first, "n", 60.0, announces_batches=announces)
    state, _ = play(offer, asked(first))
    (request_id,) = state.requests
    answer = UserAnswer(request_id, AnswerKind.CHOICE, Verdict.DENY, "no", 9e9)
    state, _ = step(state, UserAnswered(1.0, "", answer))
    state, _ = step(state, AnswerReleased(1.0, "", request_id))
    sibling = call("Read", action_id="sibling", batch_id=batch)
    _, wanted = step(state, offered(sibling, 1.0 + after_s, 90.0))
    assert bool(wanted) is denied
    ended, _ = step(state, BatchEnded(1.0, "run-1", batch))
    _, wanted = step(ended, offered(sibling, 1.0, 90.0))
    assert not wanted
    other_turn = call("Read", action_id="other", batch_id="next turn")
    _, wanted = step(state, offered(other_turn, 1.0, 90.0))
    assert not wanted


@settings(max_examples=50)
@given(st.text(), st.text(), st.sampled_from(AnswerKind), st.sampled_from(Verdict))
def test_what_an_agent_is_told_is_bounded_and_has_one_receipt(
    question: str, words: str, kind: AnswerKind, verdict: Verdict
) -> None:
    action = ProposedAction("x", "p", "r", "a", "Bash", "", "f", 0.0)
    decided = PolicyDecided(0.0, "r", "a", True, question=question * 50)
    state, _ = play(offered(action), decided)
    (request_id,) = state.requests
    answer = UserAnswer(request_id, kind, verdict, words * 500, 1.0)
    state, _ = step(state, UserAnswered(1.0, "", answer))
    state, wanted = step(state, AnswerReleased(2.0, "", request_id))
    if kind is AnswerKind.EXPIRED:
        assert wanted == []
        return
    told = next(item for item in wanted if isinstance(item, AnswerRuntime))
    assert told.ruling.verdict is verdict
    assert len(told.ruling.reason) <= 1600
    assert told.receipt in receipts_in(told.ruling.reason)


def denied_then_crashed(action: ProposedAction) -> AttentionState:
    """The user denied the call, and the program ended before the runtime was told."""
    state, _ = play(offered(action), asked(action))
    (request_id,) = state.requests
    answer = UserAnswer(request_id, AnswerKind.WORDS, Verdict.DENY, "Use a branch.", 9e9)
    return fold([UserAnswered(1.0, "", answer), Restarted(2.0, "")], state)


def rulings(wanted: list[Request]) -> list[AnswerRuntime]:
    return [item for item in wanted if isinstance(item, AnswerRuntime)]


def test_a_denied_call_that_comes_back_after_its_words_were_told_gets_no_second_telling(
    call: Offer,
) -> None:
    push = call("Bash")
    state = denied_then_crashed(push)
    state, wanted = step(state, offered(call("Bash", action_id="next"), 3.0, 90.0))
    (told,) = rulings(wanted)
    assert "Use a branch." in told.ruling.reason
    state, wanted = step(state, offered(push, 4.0, 90.0))
    (again,) = rulings(wanted)
    assert again.ruling.verdict is Verdict.DENY
    assert "Use a branch." not in again.ruling.reason
    assert receipts_in(again.ruling.reason) == (told.receipt,)


def test_a_denied_call_that_comes_back_first_is_told_itself(call: Offer) -> None:
    push = call("Bash")
    _, wanted = step(denied_then_crashed(push), offered(push, 3.0, 90.0))
    (told,) = rulings(wanted)
    assert told.ruling.verdict is Verdict.DENY
    assert told.ruling.reason.count("Use a branch.") == 1


def test_an_approved_call_that_comes_back_after_a_crash_runs_at_once(call: Offer) -> None:
    push = call("Bash")
    state, _ = play(offered(push), asked(push))
    (request_id,) = state.requests
    answer = UserAnswer(request_id, AnswerKind.CHOICE, Verdict.ALLOW, "go ahead", 9e9)
    state = fold([UserAnswered(1.0, "", answer), Restarted(2.0, "")], state)
    retried = call("Bash", action_id="a new id for the same call")
    _, wanted = step(state, offered(retried, 3.0, 90.0))
    assert [item.ruling.verdict for item in rulings(wanted)] == [Verdict.ALLOW]


def test_the_delivery_of_another_ruling_proves_nothing(call: Offer) -> None:
    push = call("Bash")
    state, wanted = step(denied_then_crashed(push), offered(push, 3.0, 90.0))
    (told,) = rulings(wanted)
    changed = call("Bash", content="something else")
    state, wanted = step(state, offered(changed, 3.0, 90.0))
    (crossed,) = rulings(wanted)
    assert crossed.ruling.verdict is Verdict.DENY
    for receipt, phase in ((crossed.delivery, Phase.CANCELLED), (told.delivery, Phase.DELIVERED)):
        state, _ = step(state, RulingDelivered(4.0, "run-1", push.action_id, receipt))
        assert state.phase_of("run-1", push.action_id) is phase
