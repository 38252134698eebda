"""Every controller asks when it should by its own rule, and none beyond its budget."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pytest

from bench.controllers import (
    NAMES,
    PLACEBO_HOLD_S,
    Budget,
    Setting,
    Spending,
    build,
)
from bench.errors import ControllerFailed
from bench.guests import Guest, imported, taken
from jarvis_voice.attention.candidate import classify
from jarvis_voice.attention.policy import Candidate, Decision, EmbeddedPolicy, ThinkingPolicy
from jarvis_voice.boundary import ProposedAction
from jarvis_voice.brain.scripted import ScriptedModel
from jarvis_voice.errors import ModelUnreachable

OPEN = '{"decision": {"choice": "roof", "question_for_requester": "Is the roof fund right?"}}'
SETTLED = '{"decision": {"choice": "roof", "question_for_requester": ""}}'


def final(content: str = OPEN, number: int = 1) -> Candidate:
    action = ProposedAction(
        runtime="bench",
        project_id="gifts",
        run_id="gifts/main",
        action_id=f"call-{number}",
        tool="write_file",
        summary="write results/final.json",
        fingerprint=f"print-{number}",
        at_s=1000.0 + number,
        files=("results/final.json",),
        content=content,
    )
    return Candidate(action, classify(action))


def ordinary() -> Candidate:
    action = replace(final().action, files=("results/ledger.csv",), content="a,b")
    return Candidate(action, classify(action))


def push(number: int = 1) -> Candidate:
    action = replace(
        final(number=number).action, tool="bash", files=(), content="", command="git push"
    )
    return Candidate(action, classify(action))


class Window(NamedTuple):
    id: str
    question: str


@dataclass
class Told:
    """A run that is in the last moment of these windows."""

    closing: set[str]

    def is_last_chance(self, window_id: str, candidate: Candidate) -> bool:
        return window_id in self.closing


async def decided(name: str, candidate: Candidate, **setting: Any) -> Decision:
    policy = build(name, Setting(**setting))
    assert policy is not None
    return await Spending(policy, Budget(8)).decide(candidate)


async def test_each_asks_by_its_own_rule() -> None:
    asks = {
        name: [(await decided(name, item)).ask for item in (final(), final(SETTLED), ordinary())]
        for name in ("jarvis", "never", "always-at-final", "placebo")
    }
    assert asks == {
        "jarvis": [True, False, False],
        "never": [False, False, False],
        "always-at-final": [True, True, False],
        "placebo": [False, False, False],
    }
    assert build("none", Setting()) is None
    assert isinstance(build("jarvis", Setting()), EmbeddedPolicy)


async def test_a_blunt_question_shows_what_is_about_to_be_closed() -> None:
    decision = await decided("always-at-final", final(SETTLED))
    assert "roof" in decision.question
    assert decision.options == ("go ahead",)
    same = await decided("always-at-final", final())
    assert same.question == (await decided("jarvis", final())).question


async def test_only_the_placebo_costs_time_without_a_question() -> None:
    loop = asyncio.get_running_loop()
    policy = Spending(build("placebo", Setting()) or EmbeddedPolicy(), Budget())
    assert policy.quick(ordinary()) == Decision(False, note="ordinary work")
    assert policy.quick(final()) is None
    await policy.decide(final())
    assert loop.time() == pytest.approx(PLACEBO_HOLD_S)
    assert policy.quick(final()) is not None  # the same call again: decided already


async def test_chance_follows_the_seed_and_asks_about_half() -> None:
    asked = [(await decided("random", push(n), seed="s")).ask for n in range(200)]
    assert asked == [(await decided("random", push(n), seed="s")).ask for n in range(200)]
    assert asked != [(await decided("random", push(n), seed="t")).ask for n in range(200)]
    assert 70 < sum(asked) < 130


async def test_the_oracle_asks_the_sealed_question_once_in_the_last_moment() -> None:
    windows = (Window("fund", "Which fund do gifts without a name go to?"),)
    progress = Told(set())
    policy = build("oracle", Setting(windows=windows, progress=progress))
    assert policy is not None
    oracle = Spending(policy, Budget(8))
    assert not (await oracle.decide(final(number=1))).ask
    progress.closing.add("fund")
    asked = await oracle.decide(final(number=2))
    assert asked.ask
    assert asked.question == windows[0].question
    assert await oracle.decide(final(number=2)) == asked
    assert not (await oracle.decide(final(number=3))).ask


async def test_the_model_has_its_say_only_where_the_rules_leave_room() -> None:
    answer = (
        '{"request_attention": true, "confidence": 0.9, "reason_code": "preference", '
        '"question": "Is the roof fund right?", "quote_field": "content", "quote": "choice"}'
    )
    quoted = answer.replace('"quote": "choice"', '"quote": "\\"choice\\": \\"roof\\""')
    model = ScriptedModel((quoted,))
    assert (await decided("jarvis-model", final(SETTLED), model=model)).ask
    assert not (await decided("jarvis-model", ordinary(), model=model)).ask
    assert len(model.asked) == 1
    dead = ScriptedModel((ModelUnreachable("gone"),))
    assert not (await decided("jarvis-model", final(SETTLED), model=dead)).ask
    with pytest.raises(ControllerFailed, match="chat model"):
        build("jarvis-model", Setting())


def other(number: int) -> Candidate:
    action = replace(final(number=number).action, files=(".env",), content="KEY=1")
    return Candidate(action, classify(action))


async def test_the_last_request_is_kept_for_the_final_record() -> None:
    assert classify(other(1).action).effect == "credentials"
    spending = Spending(AsksTheSummary(), Budget(2, reserved=True))
    first = await spending.decide(_asked_as(other(1), "First?"))
    second = await spending.decide(_asked_as(other(2), "Second?"))
    last = await spending.decide(_asked_as(final(number=3), "Third?"))
    none_left = await spending.decide(_asked_as(final(number=4), "Fourth?"))
    assert [item.ask for item in (first, second, last, none_left)] == [True, False, True, False]
    assert (spending.candidates, spending.over_budget) == (4, 2)


async def test_the_same_question_is_not_put_twice() -> None:
    spending = Spending(AsksTheSummary(), Budget(5))
    assert (await spending.decide(_asked_as(push(1), "May it push?"))).ask
    assert not (await spending.decide(_asked_as(push(2), "may IT  push"))).ask
    assert (await spending.decide(_asked_as(push(1), "May it push?"))).ask  # the same call
    assert spending.duplicates == 1


class AsksTheSummary:
    """Asks what the action's summary says."""

    def decide(self, candidate: Candidate) -> Decision:
        return Decision(True, question=candidate.action.summary)


def _asked_as(candidate: Candidate, question: str) -> Candidate:
    return replace(candidate, action=replace(candidate.action, summary=question))


# --- guests


class Kind:
    """A guest that answers with whatever it was given."""

    def __init__(self, answer: object = None) -> None:
        self.answer = answer

    def decide(self, candidate: Candidate) -> object:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Waits:
    """A guest that thinks on the loop."""

    async def decide(self, candidate: Candidate) -> dict[str, object]:
        await asyncio.sleep(1.0)
        return {"request_attention": True, "question": "Which fund?", "evidence_quote": "roof"}


def nothing() -> None:
    """No controller."""


async def test_a_guest_answers_in_the_apps_form_or_the_protocols() -> None:
    assert (await Guest(Kind(Decision(False))).decide(final())) == Decision(False)
    said = await Guest(Waits()).decide(final())
    assert (said.ask, said.question, said.quote) == (True, "Which fund?", "roof")
    assert isinstance(Guest(Waits()), ThinkingPolicy)
    assert Guest(Kind()).quick(ordinary()) == Decision(False, note="ordinary work")


MALFORMED: Sequence[tuple[object, str]] = [
    (None, "NoneType"),
    ("ask", "str"),
    (Decision(True), "0 characters"),
    (Decision(True, question="x" * 2001), "2001 characters"),
    (Decision(1, question="Which?"), "neither true nor false"),  # type: ignore[arg-type]
    (Decision(True, question="Which?", confidence=2.0), "confidence"),
    (Decision(True, question="Which?", options=["a"]), "options"),  # type: ignore[arg-type]
    ({"request_attention": "yes", "question": "Which?"}, "neither true nor false"),
    ({"request_attention": True, "question": 5}, "text"),
    ({"request_attention": True, "question": "Which?", "scope": ["x"]}, "text"),
    ({"request_attention": True, "question": "Which?", "gold": "x"}, "unknown field: gold"),
    (ValueError("broken"), "raised ValueError: broken"),
]


@pytest.mark.parametrize(("answer", "problem"), MALFORMED, ids=lambda item: str(item)[:24])
async def test_what_is_no_decision_lets_the_action_go_on_and_is_kept(
    answer: object, problem: str
) -> None:
    spending = Spending(Guest(Kind(answer)), Budget())
    assert not (await spending.decide(final())).ask
    (fault,) = spending.faults
    assert isinstance(fault, ControllerFailed)
    assert problem in str(fault)


def test_a_well_formed_answer_is_taken_as_it_is() -> None:
    decision = Decision(True, question="Which fund?", options=("roof", "school"))
    assert taken(decision) is decision


def test_what_is_no_controller_is_named() -> None:
    for name, problem in (
        ("no.such_module:x", "ModuleNotFoundError"),
        ("json:nothing_there", "AttributeError"),
        ("json:dumps", "TypeError"),
        ("collections:Counter", 'no method "decide"'),
        ("json", "There is no controller"),
        ("perfect", "There is no controller"),
    ):
        with pytest.raises(ControllerFailed, match=problem):
            build(name, Setting())
    assert isinstance(imported("bench.controllers:Never"), object)
    assert isinstance(build("bench.controllers:Never", Setting()), Guest)
    assert len(set(NAMES)) == len(NAMES)
