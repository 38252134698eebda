"""The ledger says of each decision what was asked, answered, delivered and applied, and when."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.attention.facts import (
    FACTS,
    ActionReleased,
    AnswerCorrected,
    AnswerReleased,
    Fact,
    GuidanceSeen,
    HoldExpired,
    QuestionAsked,
    QuestionSnoozed,
    Restarted,
    RulingDelivered,
    UserAnswered,
    UserGuided,
)
from jarvis_voice.attention.ledger import Kind, Ledger, LedgerRow, Outcome, ledger
from jarvis_voice.boundary import AnswerKind, AttentionRequest, UserAnswer, Verdict

Asked = Callable[..., list[Fact]]
Requested = Callable[[list[Fact]], AttentionRequest]


def rows_of(facts: list[Fact], kind: Kind = Kind.QUESTION) -> list[LedgerRow]:
    return [row for row in ledger(enumerate(facts, start=1)) if row.kind is kind]


def answer(request: AttentionRequest, words: str, verdict: Verdict, at_s: float) -> UserAnswer:
    return UserAnswer(request.request_id, AnswerKind.WORDS, verdict, words, at_s)


def test_a_question_is_followed_from_the_hold_to_the_run_s_own_record(
    asked: Asked, requested: Requested
) -> None:
    facts = asked()
    request = requested(facts)
    facts += [
        QuestionAsked(101.0, "run-1", request.request_id),
        UserAnswered(105.0, "run-1", answer(request, "use a branch", Verdict.DENY, 105.0)),
        AnswerReleased(109.0, "run-1", request.request_id),
    ]
    (answered,) = rows_of(facts)
    assert answered.outcome is Outcome.ANSWERED
    (receipt,) = answered.receipts
    facts += [
        RulingDelivered(109.2, "run-1", "call-1", receipt),
        GuidanceSeen(112.0, "run-1", receipt),
    ]
    (row,) = rows_of(facts)
    assert (row.project_id, row.run_ids) == ("project", ("run-1",))
    assert row.action == "It is about to push to main."
    assert (row.question, row.options) == ("May it push to main?", ("yes", "no"))
    assert (row.asked_at_s, row.answered_at_s) == (101.0, 105.0)
    assert (row.answer, row.verdict) == ("use a branch", "deny")
    assert (row.delivered_at_s, row.applied_at_s) == (109.2, 112.0)
    assert row.outcome is Outcome.APPLIED


def test_a_correction_takes_the_answer_s_place(asked: Asked, requested: Requested) -> None:
    facts = asked()
    request = requested(facts)
    facts += [
        UserAnswered(105.0, "run-1", answer(request, "v2", Verdict.DENY, 105.0)),
        AnswerCorrected(107.0, "run-1", answer(request, "v3", Verdict.DENY, 107.0)),
    ]
    (row,) = rows_of(facts)
    assert (row.answer, row.corrected) == ("v3", True)


def test_an_answer_that_was_not_taken_changes_no_row(asked: Asked, requested: Requested) -> None:
    facts = asked()
    request = requested(facts)
    facts += [
        HoldExpired(701.0, "run-1", "call-1"),
        UserAnswered(702.0, "run-1", answer(request, "yes", Verdict.ALLOW, 702.0)),
    ]
    (row,) = rows_of(facts)
    assert row.outcome is Outcome.EXPIRED
    assert row.answer == ""
    assert row.refused == ("expired",)
    (degraded,) = rows_of(facts, Kind.DEGRADED)
    assert "nobody answered" in degraded.why


def test_later_is_seen_until_it_is_asked_again(asked: Asked, requested: Requested) -> None:
    facts = asked()
    request = requested(facts)
    facts.append(QuestionSnoozed(105.0, "run-1", request.request_id, 705.0))
    assert rows_of(facts)[0].snoozed_until_s == 705.0
    facts.append(QuestionAsked(706.0, "run-1", request.request_id))
    assert rows_of(facts)[0].snoozed_until_s is None


def test_guidance_that_was_not_asked_for_is_a_row_too(asked: Asked) -> None:
    facts = [*asked(), UserGuided(106.0, "run-1", "g1", "use UTC")]
    (row,) = rows_of(facts, Kind.GUIDANCE)
    assert (row.answer, row.run_ids, row.outcome) == ("use UTC", ("run-1",), Outcome.ANSWERED)


def test_what_was_released_without_a_question_is_told_with_its_reason(asked: Asked) -> None:
    offered = asked()[0]
    released = ActionReleased(100.0, "run-1", offered.action, "git_push", "it was settled before")  # type: ignore[attr-defined]  # an offer
    (row,) = rows_of([released], Kind.RELEASED)
    assert (row.action, row.why) == ("run: git push origin main", "it was settled before")


def test_each_fact_returns_the_rows_that_it_changed(asked: Asked, requested: Requested) -> None:
    facts = asked()
    kept = Ledger()
    assert kept.take(1, facts[0]) == ()
    (begun,) = kept.take(2, facts[1])
    assert begun.outcome is Outcome.WAITING
    (answered,) = kept.take(
        3,
        UserAnswered(105.0, "run-1", answer(requested(facts), "yes", Verdict.ALLOW, 105.0)),
    )
    assert answered == replace(kept.rows()[0])
    assert kept.take(4, Restarted(106.0, ""))


st.register_type_strategy(float, st.floats(0, 1e9))
_IDS = st.sampled_from(["run-1", "run-2", ""])


@given(st.lists(st.one_of([st.builds(cls, run_id=_IDS) for cls in FACTS]), max_size=12))
def test_any_facts_make_rows_that_can_be_printed(facts: list[Fact]) -> None:
    rows = ledger(enumerate(facts, start=1))
    assert json.dumps([row.as_json() for row in rows])
    assert len({(row.number, row.kind, row.run_ids, row.receipts) for row in rows}) == len(rows)
