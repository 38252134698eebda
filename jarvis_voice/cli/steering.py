"""Lets the user answer and steer by voice: a brain that plans first, and asks the other one if not.

A reply changes nothing, as it may be prepared for words that the user still goes on with. What was
planned is done once, when the turn is committed; and if the desk then does not take it, the user is
told. Only turns of the user come in here. What agents wrote is never taken for what the user said.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from jarvis_voice import clock, events
from jarvis_voice.attention.candidate import classify
from jarvis_voice.attention.decisions import Answered
from jarvis_voice.attention.dialogue import Given, Table
from jarvis_voice.attention.outcome import Outcome
from jarvis_voice.attention.state import AttentionState
from jarvis_voice.attention.steering import (
    Confirming,
    Effect,
    Expecting,
    GiveAnswer,
    Guide,
    Instead,
    Plan,
    PutOff,
    Scene,
    plan,
)
from jarvis_voice.boundary import AttentionRequest, UserAnswer
from jarvis_voice.brain.intents import Intent, understood
from jarvis_voice.conversation import Anticipates, Brain

LIKELY = ("Which ones are waiting for me?",)  # of what the desk answers
KEPT_PLANS = 8  # turns whose reply was prepared and may yet be committed
KEPT_TURNS = 64  # turns of which it is known what they were about
HEARD_SHARE = 0.6  # of a text: who heard this much knows what it was about


class DeskLike(Protocol):
    """What of ``attention.desk.Desk`` is needed here."""

    @property
    def state(self) -> AttentionState: ...
    def open_requests(self) -> tuple[AttentionRequest, ...]: ...
    def answer(self, answer: UserAnswer) -> Outcome: ...
    def correct(self, answer: UserAnswer) -> Outcome: ...
    def reading_back(self, request_id: str) -> None: ...
    def read_back_ended(self, request_id: str) -> None: ...
    def snooze(self, request_id: str, for_s: float | None = None) -> Outcome: ...
    def guide(self, run_id: str, words: str, *, stop: bool = False) -> Outcome: ...


class Runs(Protocol):
    """The watched runs."""

    def snapshots(self) -> tuple[events.RunSnapshot, ...]: ...


def enough_heard(said: str, heard: str) -> bool:
    """The user heard so much of it that an answer can be meant for it."""
    return bool(said) and len(heard.strip()) >= HEARD_SHARE * len(said.strip())


@dataclass(frozen=True, slots=True)
class _Expected:
    expects: Expecting
    turn: int  # whose reply asked for it


@dataclass(frozen=True, slots=True)
class _Understood:
    request: AttentionRequest
    answer: UserAnswer
    turn: int  # whose reply reads it back
    heard: bool = False  # the user has begun to hear that


class SteeringBrain:
    """A conversation's brain: plans what is for the desk, and leaves the rest to ``inner``.

    ``tell`` says a line unasked, for what the desk did not take.
    """

    def __init__(
        self,
        inner: Brain,
        desk: DeskLike,
        runs: Runs,
        tell: Callable[[str], None],
        now_s: Callable[[], float] = clock.unix_now,
    ) -> None:
        self._inner = inner
        self._desk = desk
        self._runs = runs
        self._tell = tell
        self._now_s = now_s
        self._plans: deque[tuple[events.Question, Plan | None]] = deque(maxlen=KEPT_PLANS)
        self._about: dict[int, str] = {}  # turn -> the question that its reply was about
        self._puttings: dict[str, str] = {}  # text in which a question is put -> its id
        self._expected: _Expected | None = None
        self._understood: _Understood | None = None
        self._last_run = ""
        self._planned_last = False

    # --- the conversation's Brain

    @property
    def name(self) -> str:
        """The inner brain's: it gives the answers that are no read-backs."""
        return self._inner.name

    def reply(self, question: events.Question) -> AsyncIterator[str]:
        """The read-back of what is planned, or the inner brain's answer. Changes nothing."""
        found = self._plan(question)
        self._planned_last = found is not None
        return self._inner.reply(question) if found is None else _once(found.say)

    def versions(self) -> dict[str, int]:
        """Of the inner brain's newest reply; a read-back tells nothing of a run's state."""
        return {} if self._planned_last else self._inner.versions()

    def committed(self, question: events.Question) -> bool:
        """Do what was planned for this turn, once."""
        found = next((p for known, p in self._plans if known is question), None)
        self._go_on(question)
        if found is None:
            self._expected = None
            return self._inner.committed(question)
        if found.about:
            self._note(question.turn, found.about)
        self._expected = None
        if found.expects is not None:
            self._expected = _Expected(found.expects, question.turn)
        self._last_run = found.run_id or self._last_run
        for effect in found.effects:
            self._perform(effect, question)
        self._keep_open()
        return bool(found.effects)

    def anticipated(self, history: tuple[events.Exchange, ...]) -> tuple[str, ...]:
        """What the inner brain would say next, if it tells, and what is waiting for the user."""
        inner = self._inner
        likely = tuple(inner.anticipated(history)) if isinstance(inner, Anticipates) else ()
        asked = (events.Question(0, text, 0.0, self._now_s(), history) for text in LIKELY)
        plans = (plan(question.text, self._scene(question)) for question in asked)
        return (*likely, *(found.say for found in plans if found and not found.effects))

    # --- what happens around it

    def putting(self, request_id: str, text: str) -> None:
        """This text will put this question; it counts once the user has heard it."""
        self._puttings[text] = request_id
        while len(self._puttings) > KEPT_TURNS:
            del self._puttings[next(iter(self._puttings))]

    def observe(self, event: events.ConversationEvent) -> None:
        """Follow the conversation: when a read-back was heard, the time for corrections runs out.

        It does not run while the user speaks.
        """
        known = self._understood
        if known is None:
            return
        match event:
            case events.AgentSpeechStarted(turn=turn) if turn == known.turn:
                self._understood = replace(known, heard=True)
            case events.SpeechStarted():
                self._desk.reading_back(known.request.request_id)
            case events.AgentSpeechStopped(turn=turn, cut=False) if turn == known.turn:
                self._desk.read_back_ended(known.request.request_id)
            case events.TurnDiscarded():
                self._desk.read_back_ended(known.request.request_id)
        self._keep_open()

    # --- planning

    def _plan(self, question: events.Question) -> Plan | None:
        found = plan(question.text, self._scene(question))
        self._plans.append((question, found))
        return found

    def _scene(self, question: events.Question) -> Scene:
        state = self._desk.state
        waiting = self._desk.open_requests()
        last = question.history[-1] if question.history else None
        put, fresh = self._put(waiting, question.history)
        asked = frozenset(key for key, item in state.requests.items() if item.asked_at_s)
        if put is not None:
            asked |= {put.request_id}
        return Scene(
            self._runs.snapshots(),
            Table(waiting, put, fresh, self._given(state), self._is_read_back(last)),
            self._expects(last),
            self._last_run or _talked_of(question.history),
            asked,
            frozenset(item.request_id for item in waiting if self._is_final(state, item)),
            understood(question.text).intent is Intent.STEER,
        )

    def _put(
        self, waiting: tuple[AttentionRequest, ...], history: tuple[events.Exchange, ...]
    ) -> tuple[AttentionRequest | None, bool]:
        """The open question that was put last, and whether it is what Jarvis said last."""
        by_id = {request.request_id: request for request in waiting}
        fresh = True
        for exchange in reversed(history):
            request_id = self._about.get(exchange.turn) or self._puttings.get(exchange.said, "")
            if request_id in by_id and enough_heard(exchange.said, exchange.heard):
                return by_id[request_id], fresh
            if exchange.heard:
                fresh = False
        return None, False

    def _expects(self, last: events.Exchange | None) -> Expecting | None:
        expected = self._expected
        if expected is None or last is None or last.turn != expected.turn:
            return None
        return expected.expects if enough_heard(last.said, last.heard) else None

    def _given(self, state: AttentionState) -> Given | None:
        known = self._understood
        if known is None:
            return None
        item = state.requests.get(known.request.request_id)
        is_open = item is not None and item.answer is not None
        answer = item.answer if item is not None and item.answer is not None else known.answer
        return Given(known.request, answer, is_open)

    def _is_read_back(self, last: events.Exchange | None) -> bool:
        known = self._understood
        return known is not None and last is not None and last.turn == known.turn

    def _is_final(self, state: AttentionState, request: AttentionRequest) -> bool:
        held = (item for item in state.held() if item.request_id == request.request_id)
        return any(classify(item.action).irreversible for item in held)

    # --- doing

    def _perform(self, effect: Effect, question: events.Question) -> None:
        match effect:
            case GiveAnswer(answer=answer, correcting=correcting):
                outcome = self._give(answer, question, correcting=correcting)
            case PutOff(request_id=request_id, seconds=seconds):
                outcome = self._desk.snooze(request_id, seconds)
                if outcome.applied and "cannot wait" in outcome.line:
                    self._tell(outcome.line)  # sooner than was said
            case Guide(run_id=run_id, words=words, stop=stop):
                outcome = self._desk.guide(run_id, words, stop=stop)
        if not outcome.applied:
            self._tell(outcome.line)

    def _give(self, answer: Answered, question: events.Question, *, correcting: bool) -> Outcome:
        request = answer.request
        given = UserAnswer(
            request.request_id, answer.kind, answer.verdict, answer.words, self._now_s()
        )
        outcome = self._desk.correct(given) if correcting else self._desk.answer(given)
        if outcome.applied:
            self._desk.reading_back(request.request_id)
            self._understood = _Understood(request, given, question.turn)
        return outcome

    def _keep_open(self) -> None:
        """While Jarvis waits to hear what an answer should be instead, it is not given out."""
        known, expected = self._understood, self._expected
        if known is not None and expected is not None and _changes_answer(expected.expects):
            self._desk.reading_back(known.request.request_id)

    def _note(self, turn: int, request_id: str) -> None:
        self._about[turn] = request_id
        while len(self._about) > KEPT_TURNS:
            del self._about[next(iter(self._about))]

    def _go_on(self, question: events.Question) -> None:
        """Another turn: what was understood stands, unless the user has not heard yet what it was.

        Then its read-back is said before the reply to this turn.
        """
        known = self._understood
        if known is None:
            return
        if known.heard:
            self._desk.read_back_ended(known.request.request_id)
        else:
            self._understood = replace(known, turn=question.turn)


def _changes_answer(expects: Expecting) -> bool:
    if isinstance(expects, Instead):
        return True
    effects = expects.effects if isinstance(expects, Confirming) else ()
    return any(isinstance(effect, GiveAnswer) and effect.correcting for effect in effects)


def _talked_of(history: tuple[events.Exchange, ...]) -> str:
    """The run that the newest answer about a single run was about."""
    for exchange in reversed(history):
        if len(exchange.run_versions) == 1:
            return next(iter(exchange.run_versions))
    return ""


async def _once(text: str) -> AsyncIterator[str]:
    yield text
