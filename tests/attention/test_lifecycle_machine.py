"""The lifecycle under arbitrary interleavings: several runs, stale answers, crashes at any step.

The machine plays the world: runtimes that wait on connections, a user who answers late, twice and
to the wrong question, and a program that dies between (or within) any two steps.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from jarvis_voice.attention.facts import (
    ActionOffered,
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
from jarvis_voice.attention.guidance import receipts_in
from jarvis_voice.attention.lifecycle import fold, step
from jarvis_voice.attention.receipts import steering_delivery
from jarvis_voice.attention.requests import (
    AnswerRuntime,
    AskUser,
    NoteApplied,
    RefuseAnswer,
    Remember,
    Request,
    TellUser,
)
from jarvis_voice.attention.state import AttentionState, Guidance, Session
from jarvis_voice.boundary import AnswerKind, ProposedAction, UserAnswer, Verdict

RUNS = ("run-1", "run-2", "run-3")
HOLD_S = 60.0
Call = tuple[str, str, str]  # run, call, fingerprint

runs = st.sampled_from(RUNS)
picks = st.integers(0, 50)
verdicts = st.sampled_from(Verdict)


@dataclass
class Runtimes:
    """What the runtimes have seen."""

    waiting: set[Call] = field(default_factory=set)
    rulings: dict[Call, list[Verdict]] = field(default_factory=dict)
    unconfirmed: list[AnswerRuntime] = field(default_factory=list)
    offered: list[Call] = field(default_factory=list)


class Lifecycle(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.now_s = 1000.0
        self.state = AttentionState()
        self.written: list[str] = []
        self.world = Runtimes()
        self.numbers = itertools.count()
        self.crash_within = False
        self.accepted: dict[str, str] = {}  # request -> the user's words that must get through
        self.opened_s: dict[str, float] = {}  # request -> when there was something to answer
        self.remembered: set[str] = set()
        self.owed: set[tuple[str, str]] = set()  # run, words
        self.confirmed: set[tuple[str, str]] = set()
        self.carriers: dict[tuple[str, str], set[str]] = {}  # run, words -> calls that carried them
        self.applied: list[tuple[str, str]] = []
        self.telling: list[tuple[str, Guidance]] = []  # over a line, with the outcome not known

    # --- the program

    def happen(self, fact: Fact) -> list[Request]:
        """Write the fact down and step; a crash may come before anything is done about it."""
        self.written.append(json.dumps(encode(fact)))
        before = self.state
        self.state, wanted = step(before, fact)
        if any(isinstance(item, RefuseAnswer) for item in wanted):
            assert self.state == before
        crashed, self.crash_within = self.crash_within, False
        for item in wanted:
            self.note(item, reached=not crashed)
        if crashed:
            self.die()
        return wanted

    def note(self, item: Request, *, reached: bool) -> None:
        match item:
            case AskUser(request):
                offered_s = [
                    held.action.at_s
                    for held in self.state.held()
                    if held.request_id == request.request_id
                ]
                earlier_s = self.opened_s.get(request.request_id, self.now_s)
                self.opened_s[request.request_id] = min([*offered_s, earlier_s])
            case Remember(decision):
                self.remembered.add(decision.words)
                self.owed |= {(run_id, decision.words) for run_id in decision.run_ids}
            case NoteApplied(run_id, receipt):
                self.applied.append((run_id, receipt))
            case AnswerRuntime():
                self.check_news(item)
                if reached:
                    self.answered(item)
            case _:
                pass

    def answered(self, item: AnswerRuntime) -> None:
        call = (item.run_id, item.action_id, item.fingerprint)
        if call not in self.world.waiting:
            return  # its connection is gone; nobody hears it
        self.world.waiting.discard(call)
        self.world.unconfirmed.append(item)
        if "another call with the same id" not in item.ruling.reason:  # that is not decided yet
            self.world.rulings.setdefault(call, []).append(item.ruling.verdict)

    def check_news(self, item: AnswerRuntime) -> None:
        """What has surely arrived is told again only to the very call that was told before."""
        for words in self.words_in(item):
            told = self.carriers.setdefault((item.run_id, words), set())
            assert item.action_id in told or (item.run_id, words) not in self.confirmed
            told.add(item.action_id)

    def words_in(self, item: AnswerRuntime) -> list[str]:
        return [f"W{n}." for n in range(next_number(self)) if f"W{n}." in item.ruling.reason]

    def die(self) -> None:
        """The program ends and begins anew: connections are gone, facts are not."""
        self.world.waiting.clear()
        self.world.unconfirmed.clear()
        self.telling.clear()
        rebuilt = fold(decode(json.loads(line)) for line in self.written)
        assert rebuilt == self.state
        self.happen(Restarted(self.now_s, ""))

    def words(self) -> str:
        return f"W{next(self.numbers)}."

    def request(self, pick: int) -> str:
        known = [*self.state.requests, *self.state.closed, "q-never"]
        return known[pick % len(known)]

    # --- runtimes

    @rule(
        run_id=runs,
        batch=st.sampled_from([None, None, "t1"]),
        topic=st.sampled_from(["", "t"]),
        judged=st.sampled_from(["ask", "ask", "ask", "", "release", "refuse", "degrade"]),
    )
    def offer(self, run_id: str, batch: str | None, topic: str, judged: str) -> None:
        self.offer_one(run_id, batch, topic, judged)

    def offer_one(self, run_id: str, batch: str | None, topic: str, judged: str) -> None:
        number = next(self.numbers)
        # each run numbers its calls by itself, so that different runs use the same ids
        mine = len({call for call in self.world.offered if call[0] == run_id})
        action = self.action(run_id, f"call-{mine}", f"print-{number % 3}", batch)
        self.put(action)
        held = self.state.find_held(run_id, action.action_id)
        if judged and held is not None:
            self.judge(action, topic, judged)

    @rule(run_id=runs, verdicts_given=st.lists(verdicts, min_size=2, max_size=3))
    def ask_at_once(self, run_id: str, verdicts_given: list[Verdict]) -> None:
        """Several calls of one turn, each with a question of its own, some of them answered."""
        for verdict in verdicts_given:
            self.offer_one(run_id, None, f"topic {next(self.numbers)}", "ask")
            if self.state.requests and verdict is Verdict.DENY:
                self.say(list(self.state.requests)[-1], verdict, correcting=False)

    @precondition(lambda self: self.world.offered)
    @rule(pick=picks, changed=st.sampled_from([False, False, True]))
    def offer_again(self, pick: int, changed: bool) -> None:
        run_id, action_id, fingerprint = self.world.offered[-1 - pick % len(self.world.offered)]
        self.put(self.action(run_id, action_id, "changed" if changed else fingerprint))

    def action(
        self, run_id: str, action_id: str, fingerprint: str, batch: str | None = None
    ) -> ProposedAction:
        project = "p1" if run_id != "run-3" else "p2"
        return ProposedAction(
            "rt", project, run_id, action_id, "Bash", "x", fingerprint, self.now_s, batch_id=batch
        )

    def put(self, action: ProposedAction) -> None:
        call = (action.run_id, action.action_id, action.fingerprint)
        self.world.waiting.add(call)
        self.world.offered.append(call)
        nonce = f"n{next(self.numbers)}"
        deadline_s = self.now_s + HOLD_S
        closed = action.run_id == "run-2"
        announces = action.run_id == "run-1"
        self.happen(
            ActionOffered(self.now_s, action.run_id, action, nonce, deadline_s, closed, announces)
        )
        held = self.state.find_held(action.run_id, action.action_id)
        if held is None or held.action.fingerprint != action.fingerprint:
            assert call not in self.world.waiting, "neither held nor ruled on"

    @precondition(lambda self: self.world.offered)
    @rule(pick=picks, whole=st.booleans())
    def hang_up(self, pick: int, whole: bool) -> None:
        run_id, called, _ = self.world.offered[-1 - pick % len(self.world.offered)]
        action_id = None if whole else called
        self.world.waiting = {
            call
            for call in self.world.waiting
            if call[0] != run_id or action_id not in (None, call[1])
        }
        self.world.unconfirmed = [
            item
            for item in self.world.unconfirmed
            if item.run_id != run_id or action_id not in (None, item.action_id)
        ]
        self.happen(RuntimeGone(self.now_s, run_id, action_id))

    @precondition(lambda self: self.world.unconfirmed)
    @rule(pick=picks)
    def deliver(self, pick: int) -> None:
        self.confirm(self.world.unconfirmed[pick % len(self.world.unconfirmed)])

    def confirm(self, item: AnswerRuntime) -> None:
        self.world.unconfirmed.remove(item)
        self.happen(RulingDelivered(self.now_s, item.run_id, item.action_id, item.delivery))
        self.confirmed |= {(item.run_id, words) for words in self.words_in(item)}

    @precondition(lambda self: any(s.guidance for s in self.state.sessions.values()))
    @rule(pick=picks, run_id=runs, right=st.booleans())
    def see(self, pick: int, run_id: str, right: bool) -> None:
        known = [(s.run_id, g) for s in self.state.sessions.values() for g in s.guidance]
        owner, guidance = known[pick % len(known)]
        run_id = owner if right else run_id
        session = self.state.sessions.get(run_id, Session(run_id, ""))
        carried = guidance in session.guidance and bool(guidance.deliveries)
        self.happen(GuidanceSeen(self.now_s, run_id, guidance.receipt))
        if carried:
            self.confirmed |= {
                (run_id, words)
                for words in (f"W{n}." for n in range(next_number(self)))
                if words in guidance.text
            }

    @precondition(lambda self: any(True for _ in self.steerable()))
    @rule(pick=picks)
    def begin_to_tell(self, pick: int) -> None:
        due = list(self.steerable())
        run_id, guidance = due[pick % len(due)]
        self.happen(SteeringBegan(self.now_s, run_id, guidance.receipt))
        self.telling.append((run_id, guidance))

    @precondition(lambda self: self.telling)
    @rule(pick=picks, taken=st.booleans())
    def end_telling(self, pick: int, taken: bool) -> None:
        run_id, guidance = self.telling.pop(pick % len(self.telling))
        if not taken:
            self.happen(SteeringFailed(self.now_s, run_id, guidance.receipt))
            return
        delivery = steering_delivery(run_id, guidance.receipt)
        self.happen(RulingDelivered(self.now_s, run_id, "", delivery))
        self.confirmed |= {
            (run_id, words)
            for words in (f"W{n}." for n in range(next_number(self)))
            if words in guidance.text
        }

    def steerable(self) -> Iterator[tuple[str, Guidance]]:
        for session in self.state.sessions.values():
            for item in session.guidance:
                if item.steerable:
                    yield session.run_id, item

    # --- the policy, the user, the clock

    @precondition(lambda self: any(True for _ in self.state.held()))
    @rule(pick=picks, judged=st.sampled_from(["ask", "ask", "release", "refuse", "degrade"]))
    def decide(self, pick: int, judged: str) -> None:
        held = list(self.state.held())
        self.judge(held[pick % len(held)].action, "t", judged)

    def judge(self, action: ProposedAction, topic: str, judged: str) -> None:
        self.happen(
            PolicyDecided(
                self.now_s,
                action.run_id,
                action.action_id,
                ask=judged == "ask",
                question="May it?",
                topic=topic,
                refusal="no" if judged == "refuse" else "",
                degraded="out" if judged == "degrade" else "",
            )
        )

    @precondition(lambda self: self.state.requests)
    @rule(pick=picks, what=st.sampled_from([QuestionAsked, QuestionAsked, QuestionIgnored, None]))
    def ask(self, pick: int, what: type[QuestionAsked | QuestionIgnored] | None) -> None:
        request_id = list(self.state.requests)[pick % len(self.state.requests)]
        if what is None:
            self.happen(QuestionSnoozed(self.now_s, "", request_id, self.now_s + 30))
        else:
            self.happen(what(self.now_s, "", request_id))

    @precondition(lambda self: self.state.requests)
    @rule(pick=picks, verdict=verdicts, correcting=st.sampled_from([False, False, True]))
    def answer(self, pick: int, verdict: Verdict, correcting: bool) -> None:
        self.say(list(self.state.requests)[pick % len(self.state.requests)], verdict, correcting)

    @rule(
        pick=picks,
        verdict=verdicts,
        kind=st.sampled_from(AnswerKind),
        age_s=st.sampled_from([0.0, 90.0]),
        correcting=st.booleans(),
    )
    def answer_wrongly(
        self, pick: int, verdict: Verdict, kind: AnswerKind, age_s: float, correcting: bool
    ) -> None:
        self.say(self.request(pick), verdict, correcting, kind, age_s)

    def say(
        self,
        request_id: str,
        verdict: Verdict,
        correcting: bool,
        kind: AnswerKind = AnswerKind.WORDS,
        age_s: float = 0.0,
    ) -> None:
        words = self.words()
        answer = UserAnswer(request_id, kind, verdict, words, self.now_s - age_s)
        is_open = request_id in self.state.requests
        crossed = is_open and answer.at_s < self.opened_s[request_id] <= self.now_s
        fits = (
            is_open
            and not crossed
            and kind is not AnswerKind.EXPIRED
            and correcting is (request_id in self.accepted)
        )
        if fits:
            self.accepted[request_id] = words
        fact = AnswerCorrected if correcting else UserAnswered
        wanted = self.happen(fact(self.now_s, "", answer))
        assert fits is not any(isinstance(item, RefuseAnswer) for item in wanted)

    @precondition(lambda self: self.state.requests)
    @rule(pick=picks)
    def release(self, pick: int) -> None:
        before = self.state
        request = list(before.requests.values())[pick % len(before.requests)]
        wanted = self.happen(AnswerReleased(self.now_s, "", request.request.request_id))
        answered = [item for item in before.requests.values() if item.answer is not None]
        touched = {ref.run_id for item in answered for ref in item.holds}
        verdicts_of = {
            (ref.run_id, ref.action_id): item.answer.verdict
            for item in answered
            if item.answer is not None
            for ref in item.holds
        }
        if not any(isinstance(item, AnswerRuntime) for item in wanted):
            return
        for run_id, session in before.sessions.items():
            if run_id not in touched:
                assert self.state.sessions[run_id].epoch == session.epoch
        assert request.answer is not None
        if request.answer.verdict is Verdict.DENY:
            for run_id in {ref.run_id for ref in request.holds}:
                assert self.state.sessions[run_id].epoch > before.sessions[run_id].epoch
        for item in wanted:
            if isinstance(item, AnswerRuntime):
                assert item.run_id in touched, "an answer reached a run that it was not about"
                call = (item.run_id, item.action_id)
                if item.ruling.verdict is Verdict.ALLOW or call in verdicts_of:
                    assert item.ruling.verdict is verdicts_of[call]

    @rule(run_id=runs, stop=st.sampled_from([None, None, False, True]))
    def guide_or_end_the_turn(self, run_id: str, stop: bool | None) -> None:
        if stop is None:
            self.happen(BatchEnded(self.now_s, run_id, None))
            return
        words = self.words()
        wanted = self.happen(UserGuided(self.now_s, run_id, words, words, stop))
        if not any(isinstance(item, TellUser) and "taken in" in item.text for item in wanted):
            self.owed.add((run_id, words))

    @rule(seconds=st.sampled_from([0.1, 1.0, 20.0, 70.0]))
    def pass_time(self, seconds: float) -> None:
        self.now_s += seconds
        for held in tuple(self.state.held()):
            if held.deadline_s <= self.now_s:
                self.happen(HoldExpired(self.now_s, held.action.run_id, held.action.action_id))

    @rule(kind=st.sampled_from(["crash", "crash in the next step", "the clock is set back"]))
    def trouble(self, kind: str) -> None:
        if kind == "crash":
            self.die()
        elif kind == "crash in the next step":
            self.crash_within = True
        else:
            self.now_s -= 5.0

    # --- what must hold at any time

    @invariant()
    def no_call_runs_after_it_was_cancelled(self) -> None:
        for call, given in self.world.rulings.items():
            if Verdict.DENY in given:
                after = given[given.index(Verdict.DENY) :]
                assert Verdict.ALLOW not in after, f"{call} ran after it was cancelled"

    @invariant()
    def guidance_is_applied_once(self) -> None:
        assert len(self.applied) == len(set(self.applied))

    @invariant()
    def who_waits_is_held(self) -> None:
        held = {(h.action.run_id, h.action.action_id) for h in self.state.held()}
        assert {(run_id, action_id) for run_id, action_id, _ in self.world.waiting} <= held

    @invariant()
    def every_hold_belongs_to_its_epoch_and_its_request(self) -> None:
        for session in self.state.sessions.values():
            for held in session.held:
                assert held.epoch == session.epoch
                if held.request_id:
                    assert held.ref in self.state.requests[held.request_id].holds
        refs = {held.ref for held in self.state.held()}
        for request in self.state.requests.values():
            assert request.holds
            assert set(request.holds) <= refs

    @invariant()
    def at_most_one_decision_per_receipt(self) -> None:
        for session in self.state.sessions.values():
            receipts = [item.receipt for item in session.guidance]
            assert len(receipts) == len(set(receipts))
            for item in session.guidance:
                assert receipts_in(item.text) == (item.receipt,)

    def teardown(self) -> None:
        """In the end nobody waits, and every run has heard all that the user told it."""
        self.crash_within = False
        while self.telling:
            self.end_telling(0, False)
        self.pass_time(2 * HOLD_S + 10)
        self.pass_time(0.0)
        assert not list(self.state.held())
        assert not self.world.waiting
        for request_id in tuple(self.state.requests):
            self.happen(AnswerReleased(self.now_s, "", request_id))
        assert not self.state.requests
        assert set(self.accepted.values()) <= self.remembered
        for item in tuple(self.world.unconfirmed):
            self.confirm(item)
        for run_id in RUNS:
            self.put(self.action(run_id, f"last-{run_id}", "last"))
            self.happen(PolicyDecided(self.now_s, run_id, f"last-{run_id}", ask=False))
            for item in tuple(self.world.unconfirmed):
                self.confirm(item)
        assert self.owed <= self.confirmed, "the user's words were lost"


def next_number(machine: Lifecycle) -> int:
    """How many words were ever used, without using one."""
    return int(repr(machine.numbers)[6:-1])


Lifecycle.TestCase.settings = settings(
    Lifecycle.TestCase.settings, max_examples=250, stateful_step_count=40, deadline=None
)
TestLifecycle = Lifecycle.TestCase
