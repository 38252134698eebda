"""What was decided, when, by whom, and what became of it: a view over the stored facts. Pure.

It folds the same facts through the same lifecycle as the running desk does, so a row can say no
more than what was written down before it was acted upon.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Any

from jarvis_voice.attention.facts import (
    ActionOffered,
    ActionReleased,
    AnswerCorrected,
    Fact,
    QuestionAsked,
    QuestionIgnored,
    QuestionSnoozed,
    Restarted,
    UserAnswered,
    UserGuided,
)
from jarvis_voice.attention.guidance import receipt_of
from jarvis_voice.attention.lifecycle import step
from jarvis_voice.attention.requests import (
    AnswerRuntime,
    AskUser,
    MarkDegraded,
    RefuseAnswer,
    Request,
)
from jarvis_voice.attention.state import AttentionState, GuidancePhase
from jarvis_voice.boundary import AttentionRequest, UserAnswer, Verdict


class Kind(Enum):
    """What a row is about."""

    QUESTION = "question"  # put, or to be put, to the user
    GUIDANCE = "guidance"  # the user told a run something unasked
    RELEASED = "released"  # a consequential action that was allowed without a question
    DEGRADED = "degraded"  # an action that went on because nobody could be asked
    RESTARTED = "restarted"  # this program began anew


class Outcome(Enum):
    """How far a row has come."""

    WAITING = "waiting"  # for the user
    ANSWERED = "answered"  # and still open to correction, or to be told
    DELIVERED = "delivered"  # the runtime has it
    APPLIED = "applied"  # it was seen in the run's own record
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    RELEASED = "released"
    NOTED = "noted"


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One decision. Times are Unix seconds, None for what has not happened."""

    number: int  # the sequence number of the fact that began it
    at_s: float
    kind: Kind
    outcome: Outcome
    project_id: str = ""
    run_ids: tuple[str, ...] = ()
    action: str = ""  # what was about to happen
    question: str = ""
    options: tuple[str, ...] = ()
    why: str = ""
    quote: str = ""
    asked_at_s: float | None = None
    snoozed_until_s: float | None = None
    silences: int = 0
    answer: str = ""
    answer_kind: str = ""
    verdict: str = ""
    corrected: bool = False
    answered_at_s: float | None = None
    delivered_at_s: float | None = None
    applied_at_s: float | None = None
    receipts: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()  # why further answers were not taken

    def as_json(self) -> dict[str, Any]:
        """Plain data, as ``jarvis log --json`` prints it."""
        data = asdict(self)
        return {
            name: value.value if isinstance(value, Enum) else value for name, value in data.items()
        }


class Ledger:
    """Takes facts in order and keeps the rows."""

    def __init__(self) -> None:
        self._state = AttentionState()
        self._rows: dict[str, LedgerRow] = {}
        self._requests: dict[str, AttentionRequest] = {}  # still open
        self._actions: dict[tuple[str, str], str] = {}  # run and call -> what it is
        self._by_receipt: dict[str, str] = {}
        self._changed: dict[str, None] = {}  # keys of rows, in order, by the newest fact

    def rows(self) -> tuple[LedgerRow, ...]:
        """All rows, in the order in which they began."""
        return tuple(self._rows.values())

    def take(self, number: int, fact: Fact) -> tuple[LedgerRow, ...]:
        """Fold the fact in; returns the rows that are new or have changed."""
        self._changed = {}
        self._state, wanted = step(self._state, fact)
        self._note_fact(number, fact, wanted)
        for request in wanted:
            self._note_request(number, fact, request)
        self._note_endings()
        self._note_guidance(fact)
        return tuple(self._rows[key] for key in self._changed)

    # --- what the fact itself says

    def _note_fact(self, number: int, fact: Fact, wanted: list[Request]) -> None:
        match fact:
            case ActionOffered():
                self._actions[fact.run_id, fact.action.action_id] = fact.action.summary
            case ActionReleased():
                self._note_release(number, fact)
            case UserAnswered(answer=answer) | AnswerCorrected(answer=answer):
                if not any(isinstance(request, RefuseAnswer) for request in wanted):
                    self._note_answer(answer, corrected=isinstance(fact, AnswerCorrected))
            case UserGuided():
                self._note_unasked(number, fact)
            case Restarted():
                key = f"restart-{number}"
                self._put(key, LedgerRow(number, fact.at_s, Kind.RESTARTED, Outcome.NOTED))
            case QuestionAsked() | QuestionSnoozed() | QuestionIgnored():
                self._note_putting(fact)

    def _note_putting(self, fact: QuestionAsked | QuestionSnoozed | QuestionIgnored) -> None:
        row = self._rows.get(fact.request_id)
        if row is None:
            return
        match fact:
            case QuestionAsked():
                first = fact.at_s if row.asked_at_s is None else row.asked_at_s
                self._change(fact.request_id, asked_at_s=first, snoozed_until_s=None)
            case QuestionSnoozed():
                self._change(fact.request_id, snoozed_until_s=fact.until_s)
            case QuestionIgnored():
                self._change(fact.request_id, silences=row.silences + 1)

    def _note_release(self, number: int, fact: ActionReleased) -> None:
        self._put(
            f"release-{number}",
            LedgerRow(
                number,
                fact.at_s,
                Kind.RELEASED,
                Outcome.RELEASED,
                fact.action.project_id,
                (fact.run_id,),
                fact.action.summary,
                why=fact.reason,
                verdict=Verdict.ALLOW.value,
            ),
        )

    def _note_answer(self, answer: UserAnswer, *, corrected: bool) -> None:
        self._change(
            answer.request_id,
            outcome=Outcome.ANSWERED,
            answer=answer.words,
            answer_kind=answer.kind.value,
            verdict=answer.verdict.value,
            answered_at_s=answer.at_s,
            corrected=corrected,
        )

    def _note_unasked(self, number: int, fact: UserGuided) -> None:
        session = self._state.sessions.get(fact.run_id)
        receipt = receipt_of(fact.guidance_id, fact.run_id)
        if session is None or receipt in self._by_receipt:
            return
        if not any(item.receipt == receipt for item in session.guidance):
            return  # it was not taken
        self._by_receipt[receipt] = receipt
        self._put(
            receipt,
            LedgerRow(
                number,
                fact.at_s,
                Kind.GUIDANCE,
                Outcome.ANSWERED,
                session.project_id,
                (fact.run_id,),
                answer=fact.words,
                answer_kind="words",
                verdict=Verdict.DENY.value if fact.stop else Verdict.ALLOW.value,
                answered_at_s=fact.at_s,
                receipts=(receipt,),
            ),
        )

    # --- what the lifecycle made of it

    def _note_request(self, number: int, fact: Fact, request: Request) -> None:
        match request:
            case AskUser(request=shown):
                self._note_question(number, fact, shown)
            case RefuseAnswer():
                row = self._rows.get(request.request_id)
                if row is not None:
                    refused = (*row.refused, request.refusal.value)[-8:]
                    self._change(request.request_id, refused=refused)
            case AnswerRuntime():
                self._note_receipt(request)
            case MarkDegraded():
                session = self._state.sessions.get(request.run_id)
                self._put(
                    f"degraded-{number}-{request.run_id}",
                    LedgerRow(
                        number,
                        fact.at_s,
                        Kind.DEGRADED,
                        Outcome.NOTED,
                        session.project_id if session else "",
                        (request.run_id,),
                        why=request.reason,
                    ),
                )

    def _note_question(self, number: int, fact: Fact, shown: AttentionRequest) -> None:
        self._requests[shown.request_id] = shown
        known = self._rows.get(shown.request_id)
        row = known or LedgerRow(number, fact.at_s, Kind.QUESTION, Outcome.WAITING)
        self._put(
            shown.request_id,
            replace(
                row,
                project_id=shown.project_id,
                run_ids=shown.run_ids,
                action=shown.about or "; ".join(self._summaries(shown)),
                question=shown.question,
                options=shown.options,
                why=shown.why,
                quote=shown.quote,
            ),
        )

    def _summaries(self, shown: AttentionRequest) -> Iterator[str]:
        for run_id in shown.run_ids:
            for action_id in shown.action_ids:
                if (run_id, action_id) in self._actions:
                    yield self._actions[run_id, action_id]

    def _note_receipt(self, ruled: AnswerRuntime) -> None:
        """The ruling on a call of an open request carries the receipt by which it is proven."""
        if not ruled.receipt or ruled.receipt in self._by_receipt:
            return
        for request_id, shown in self._requests.items():
            if ruled.run_id in shown.run_ids and ruled.action_id in shown.action_ids:
                self._by_receipt[ruled.receipt] = request_id
                receipts = (*self._rows[request_id].receipts, ruled.receipt)
                self._change(request_id, receipts=receipts)
                return

    def _note_endings(self) -> None:
        for request_id in [key for key in self._requests if key in self._state.closed]:
            del self._requests[request_id]
            ending = self._state.closed[request_id]
            self._change(request_id, outcome=Outcome(ending.value))

    def _note_guidance(self, fact: Fact) -> None:
        session = self._state.sessions.get(fact.run_id)
        for item in session.guidance if session else ():
            key = self._by_receipt.get(item.receipt, "")
            row = self._rows.get(key)
            if row is None:
                continue
            arrived = item.phase in (GuidancePhase.DELIVERED, GuidancePhase.APPLIED)
            if arrived and row.delivered_at_s is None:
                self._change(key, delivered_at_s=fact.at_s, outcome=Outcome.DELIVERED)
            if item.phase is GuidancePhase.APPLIED and row.applied_at_s is None:
                self._change(key, applied_at_s=fact.at_s, outcome=Outcome.APPLIED)

    def _change(self, key: str, **changes: Any) -> None:  # Any: the fields of a row
        row = self._rows.get(key)
        if row is not None:
            self._put(key, replace(row, **changes))

    def _put(self, key: str, row: LedgerRow) -> None:
        self._rows[key] = row
        self._changed[key] = None


def ledger(facts: Iterable[tuple[int, Fact]]) -> tuple[LedgerRow, ...]:
    """The rows of these numbered facts."""
    kept = Ledger()
    for number, fact in facts:
        kept.take(number, fact)
    return kept.rows()
