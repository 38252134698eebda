"""The one service of attention: holds actions, puts questions in order, carries answers out.

Everything runs on one event loop, and the state changes in one place (``_record``): the fact is
written down, folded in, and only then what the lifecycle wants is done. Timers end what may not
last for ever: holds, the time for corrections, silence, and waiting for the agenda.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from jarvis_voice.attention.agenda import (
    Moment,
    next_change_s,
    next_question,
    ordered,
)
from jarvis_voice.attention.candidate import Boundary, Consequence, classify
from jarvis_voice.attention.desk_settings import DeskSettings, Outside
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
)
from jarvis_voice.attention.guidance import receipts_in
from jarvis_voice.attention.journal import Journal
from jarvis_voice.attention.lifecycle import fold, is_untouched, step
from jarvis_voice.attention.outcome import (
    Outcome,
    guided,
    put_off,
    read_back,
    refused,
    unwritten,
)
from jarvis_voice.attention.policy import Candidate, Decision, Policy, ThinkingPolicy
from jarvis_voice.attention.receipts import steering_delivery
from jarvis_voice.attention.requests import AnswerRuntime, MarkDegraded, Request
from jarvis_voice.attention.state import AttentionState, Guidance, GuidancePhase, Refusal
from jarvis_voice.attention.timers import Key, Timers
from jarvis_voice.boundary import AttentionRequest, ProposedAction, Ruling, UserAnswer, Verdict
from jarvis_voice.errors import JarvisError

NOT_WRITTEN = "the decision on it could not be written down"
NOT_JUDGED = "it could not be judged in time"
_LAST_CHANCE_S = 45.0  # before a deadline: enough to put a question and hear its answer


class Desk:
    """Reviews actions and conducts the questions about them. Use it from one event loop.

    ``on_ask`` is called with the question that is due, once; call ``asked`` when it was put.
    ``on_guided`` is called with a run that the user told something.
    ``on_request`` hears what else the lifecycle wants (see ``requests``), ``on_fault`` what failed.
    """

    def __init__(
        self,
        policy: Policy | ThinkingPolicy,
        journal: Journal,
        settings: DeskSettings,
        outside: Outside,
    ) -> None:
        self.on_ask: Callable[[AttentionRequest], None] = lambda request: None
        self.on_guided: Callable[[str], None] = lambda run_id: None
        self.on_request: Callable[[Request], None] = lambda request: None
        self.on_fault: Callable[[JarvisError], None] = lambda error: None
        self._policy = policy
        self._journal = journal
        self._settings = settings
        self._outside = outside
        self._state = AttentionState()
        self._waiters: dict[Key, list[asyncio.Future[Ruling]]] = {}
        self._timers = Timers()
        self._due = ""  # the request that ``on_ask`` was last called with
        self._closed = False

    # --- life

    def start(self) -> None:
        """Rebuild the state from the journal and resolve what was in flight when it ended.

        Raises the JarvisError of a journal that cannot be read or written.
        """
        self._state = fold(self._journal.facts())
        if self._state.sessions:
            self._record(Restarted(self._now(), ""))

    def close(self) -> None:
        """Resolve all that waits: answers go out, the rest by the rule chosen for its runtime."""
        self._closed = True
        for item in ordered(self._state):
            if item.answer is not None:
                self._insist(AnswerReleased(self._now(), "", item.request.request_id))
        for held in tuple(self._state.held()):
            self._expire(held.action.run_id, held.action.action_id)
        self._timers.close()

    @property
    def state(self) -> AttentionState:
        """The whole state, frozen."""
        return self._state

    # --- the runtimes' side

    async def review(self, action: ProposedAction) -> Ruling:
        """The ruling on the action, as soon as there is one: at once, or when the user decided.

        Cancel it when the runtime hangs up.
        """
        outside = self._outside
        boundary = classify(action, self._settings.final_paths, lambda: outside.made(action))
        key: Key = (action.run_id, action.action_id, action.fingerprint)
        if key in self._waiters:
            return await self._wait(key)
        early = None
        if is_untouched(self._state, action):
            early = self._quick(action, boundary)
            if early is not None and not early.ask and not early.refusal:
                return self._release(action, boundary, early)
        try:
            return await self._hold(key, action, boundary, early)
        except JarvisError as error:
            self._waiters.pop(key, None)
            return self._outage(action, error)

    def note_delivered(self, run_id: str, action_id: str) -> None:
        """The runtime has the ruling on this call. Presumed after a while when it is not told."""
        session = self._state.sessions.get(run_id)
        sent = () if session is None else session.guidance
        newest = [item.deliveries[-1] for item in sent if _is_sent_with(item, action_id)]
        if newest:
            self._insist(RulingDelivered(self._now(), run_id, action_id, newest[0]))

    def note_guidance_seen(self, run_id: str, text: str) -> None:
        """A text of the run's own record, in which receipts of decisions may stand."""
        if "[decision " not in text or run_id not in self._state.sessions:
            return
        for receipt in receipts_in(text):
            guidance = self._state.sessions[run_id].guidance
            if any(g.receipt == receipt and g.phase is not GuidancePhase.APPLIED for g in guidance):
                self._insist(GuidanceSeen(self._now(), run_id, receipt))

    def runtime_gone(self, run_id: str, reason: str = "") -> None:
        """The runtime of this run hung up; nobody hears its rulings any more."""
        if run_id in self._state.sessions:
            self._insist(RuntimeGone(self._now(), run_id, None, reason))
        for key in [key for key in self._waiters if key[0] == run_id]:
            self._resolve(key, Ruling(Verdict.DENY, "This call was given up by its runtime."))

    def batch_ended(self, run_id: str, batch_id: str | None = None) -> None:
        """All calls of one model turn have ended."""
        session = self._state.sessions.get(run_id)
        if session is not None and session.denied is not None:
            self._insist(BatchEnded(self._now(), run_id, batch_id))

    # --- the user's side

    def open_requests(self) -> tuple[AttentionRequest, ...]:
        """All questions that wait for an answer, the one that matters most first."""
        return tuple(item.request for item in ordered(self._state) if item.answer is None)

    def due(self) -> AttentionRequest | None:
        """The question that should be put now; None while one is in the air."""
        item = next_question(self._state, self._moment(), self._settings.agenda)
        return item.request if item is not None else None

    def asked(self, request_id: str) -> None:
        """The question was put, or put again: from now on it is in the air."""
        if self._is_open(request_id):
            self._insist(QuestionAsked(self._now(), "", request_id))
            self._timers.after(
                ("silence", request_id),
                self._settings.agenda.silence_s,
                lambda: self.ignored(request_id),
            )

    def ignored(self, request_id: str) -> None:
        """Nobody said anything to the question that is in the air."""
        self._timers.cancel(("silence", request_id))
        item = self._state.requests.get(request_id)
        if item is not None and item.in_the_air:
            self._insist(QuestionIgnored(self._now(), "", request_id))

    def answer(self, answer: UserAnswer) -> Outcome:
        """The user decided. It goes out after a short time in which ``correct`` can change it."""
        return self._take(answer, correcting=False)

    def correct(self, answer: UserAnswer) -> Outcome:
        """The user meant something else than was read back."""
        return self._take(answer, correcting=True)

    def reading_back(self, request_id: str) -> None:
        """The answer is being read back, or the user speaks: let them finish."""
        item = self._state.requests.get(request_id)
        if item is not None and item.answer is not None:
            self._release_after(request_id, self._settings.read_back_s)

    def read_back_ended(self, request_id: str) -> None:
        """The user has heard what was understood; the time for corrections ends soon after."""
        item = self._state.requests.get(request_id)
        if item is not None and item.answer is not None:
            self._release_after(request_id, self._settings.after_read_back_s)

    def snooze(self, request_id: str, for_s: float | None = None) -> Outcome:
        """Put the question later, but while its agent can still wait."""
        if not self._is_open(request_id):
            return refused(Refusal.UNKNOWN)
        holds = [held for held in self._state.held() if held.request_id == request_id]
        wished_s = self._settings.agenda.snooze_s if for_s is None else max(0.0, for_s)
        latest_s = min(held.deadline_s for held in holds) - _LAST_CHANCE_S - self._now()
        wait_s = max(0.0, min(wished_s, latest_s))
        self._timers.cancel(("silence", request_id))
        self._insist(QuestionSnoozed(self._now(), "", request_id, self._now() + wait_s))
        closed = all(held.fail_closed for held in holds)
        return put_off(wait_s, capped=wait_s < wished_s, fail_closed=closed)

    def guide(self, run_id: str, words: str, *, stop: bool = False) -> Outcome:
        """Tell a run something at its next action; with ``stop`` that action does not run."""
        try:
            fact = UserGuided(self._now(), run_id, self._outside.nonce(), words, stop)
            self._record(fact)
        except JarvisError as error:
            self.on_fault(error)
            return unwritten()
        asyncio.get_running_loop().call_soon(self.on_guided, run_id)
        return guided(words, stop=stop)

    # --- telling a run over a connection of its own

    def to_tell(self, run_id: str) -> tuple[Guidance, ...]:
        """What the user said to this run unasked, and it has not been told."""
        session = self._state.sessions.get(run_id)
        return () if session is None else tuple(g for g in session.guidance if g.steerable)

    def telling(self, run_id: str, receipt: str) -> None:
        """It is about to be told. Raises a JarvisError when that cannot be written down."""
        self._record(SteeringBegan(self._now(), run_id, receipt))

    def told(self, run_id: str, receipt: str, *, taken: bool) -> None:
        """The connection took it, or did not."""
        if taken:
            delivery = steering_delivery(run_id, receipt)
            self._insist(RulingDelivered(self._now(), run_id, "", delivery))
        else:
            self._insist(SteeringFailed(self._now(), run_id, receipt))

    # --- holding

    def _quick(self, action: ProposedAction, boundary: Boundary) -> Decision | None:
        candidate = self._candidate(action, boundary)
        if isinstance(self._policy, ThinkingPolicy):
            return self._policy.quick(candidate)
        return self._policy.decide(candidate)

    def _candidate(self, action: ProposedAction, boundary: Boundary) -> Candidate:
        around = self._outside.look(action)
        settled = self._state.settled_for(action.project_id)
        return Candidate(action, boundary, around.snapshot, around.siblings, settled, self._now())

    def _release(self, action: ProposedAction, boundary: Boundary, decision: Decision) -> Ruling:
        """Let it go on at once; what has no lasting effect leaves no trace."""
        if boundary.consequence is Consequence.CONSEQUENTIAL:
            fact = ActionReleased(
                self._now(), action.run_id, action, boundary.effect, decision.note
            )
            try:
                self._record(fact)
            except JarvisError as error:
                return self._outage(action, error)
        return Ruling(Verdict.ALLOW)

    async def _hold(
        self, key: Key, action: ProposedAction, boundary: Boundary, early: Decision | None
    ) -> Ruling:
        """Offer it to the lifecycle and wait for what becomes of it."""
        settings = self._settings
        hold_s = settings.hold_s_by_runtime.get(action.runtime, settings.hold_s)
        if action.waits_for_user:
            hold_s = settings.approval_s
        offered = ActionOffered(
            self._now(),
            action.run_id,
            action,
            self._outside.nonce(),
            self._now() + hold_s,
            action.runtime in settings.fail_closed,
            action.runtime in settings.announce_batches,
            boundary.effect,
        )
        ruling: asyncio.Future[Ruling] = asyncio.get_running_loop().create_future()
        self._waiters[key] = [ruling]
        self._record(offered)
        if not ruling.done():
            expire = ("hold", *key)
            self._timers.after(
                expire, hold_s, lambda: self._expire(action.run_id, action.action_id)
            )
        try:
            if not ruling.done():
                decision = early or await self._think(action, boundary)
                self._insist(self._decided(action, decision))
            return await ruling
        except asyncio.CancelledError:
            self._hung_up(key, ruling)
            raise

    async def _think(self, action: ProposedAction, boundary: Boundary) -> Decision | str:
        """The policy's decision, or why there is none."""
        quick = self._quick(action, boundary)
        if quick is not None or not isinstance(self._policy, ThinkingPolicy):
            return quick or NOT_JUDGED
        try:
            async with asyncio.timeout(self._settings.policy_s):
                return await self._policy.decide(self._candidate(action, boundary))
        except TimeoutError:
            return NOT_JUDGED
        except JarvisError as error:
            self.on_fault(error)
            return NOT_JUDGED

    def _decided(self, action: ProposedAction, decision: Decision | str) -> PolicyDecided:
        if isinstance(decision, str):
            return PolicyDecided(
                self._now(), action.run_id, action.action_id, ask=False, degraded=decision
            )
        return PolicyDecided(
            self._now(),
            action.run_id,
            action.action_id,
            decision.ask,
            decision.question,
            decision.options,
            decision.about,
            decision.why,
            decision.quote,
            decision.reason_code,
            decision.urgency,
            decision.topic,
            decision.refusal,
        )

    async def _wait(self, key: Key) -> Ruling:
        """Wait with others for the ruling on the very same call."""
        ruling: asyncio.Future[Ruling] = asyncio.get_running_loop().create_future()
        self._waiters[key].append(ruling)
        try:
            return await ruling
        except asyncio.CancelledError:
            self._hung_up(key, ruling)
            raise

    def _hung_up(self, key: Key, ruling: asyncio.Future[Ruling]) -> None:
        """One who waited went away, maybe with a ruling that was on its way to it."""
        others = [item for item in self._waiters.get(key, ()) if item is not ruling]
        if others:
            self._waiters[key] = others
            return
        self._waiters.pop(key, None)
        self._timers.cancel(("hold", *key))
        self._timers.cancel(("delivered", *key[:2]))
        if not self._closed and key[0] in self._state.sessions:
            self._insist(RuntimeGone(self._now(), key[0], key[1], "it hung up"))

    def _expire(self, run_id: str, action_id: str) -> None:
        held = self._state.find_held(run_id, action_id)
        if held is not None:
            at_s = max(self._now(), held.deadline_s)  # also when the clock was set back
            self._insist(HoldExpired(at_s, run_id, action_id))

    def _outage(self, action: ProposedAction, error: JarvisError) -> Ruling:
        """Nothing can be written down, so nobody can be asked: the rule decides."""
        self.on_fault(error)
        self.on_request(MarkDegraded(action.run_id, NOT_WRITTEN))
        if action.runtime in self._settings.fail_closed:
            return Ruling(Verdict.DENY, f"This call was not run: {NOT_WRITTEN}.")
        return Ruling(Verdict.ALLOW, degraded=NOT_WRITTEN)

    # --- answering

    def _take(self, answer: UserAnswer, *, correcting: bool) -> Outcome:
        fact = (AnswerCorrected if correcting else UserAnswered)(self._now(), "", answer)
        refusal = self._state.refusal_of(answer, fact.at_s, correcting=correcting)
        if refusal is not None:
            self._insist(fact)  # changes nothing; the record shows that it was said
            return refused(refusal)
        try:
            self._record(fact)
        except JarvisError as error:
            self.on_fault(error)
            return unwritten()
        self._timers.cancel(("silence", answer.request_id))
        self._release_after(answer.request_id, self._settings.correct_s)
        return read_back(answer, corrected=correcting)

    def _release_after(self, request_id: str, delay_s: float) -> None:
        def release() -> None:
            self._insist(AnswerReleased(self._now(), "", request_id))

        self._timers.after(("release", request_id), delay_s, release)

    def _is_open(self, request_id: str) -> bool:
        item = self._state.requests.get(request_id)
        return item is not None and item.answer is None

    # --- the one place where anything changes

    def _record(self, fact: Fact) -> None:
        """Write down, fold in, act. Raises the journal's JarvisError, and then nothing changed."""
        self._journal.append(fact)
        self._apply(fact)

    def _insist(self, fact: Fact) -> None:
        """As ``_record``, for what happened whether it can be written down or not."""
        try:
            self._journal.append(fact)
        except JarvisError as error:
            self.on_fault(error)
        self._apply(fact)

    def _apply(self, fact: Fact) -> None:
        self._state, wanted = step(self._state, fact)
        loop = asyncio.get_running_loop()
        for request in wanted:
            if isinstance(request, AnswerRuntime):
                self._answer_runtime(request)
            else:
                loop.call_soon(self.on_request, request)
        if not self._closed:
            self._attend()

    def _answer_runtime(self, request: AnswerRuntime) -> None:
        call = (request.run_id, request.action_id)
        woken = self._resolve((*call, request.fingerprint), request.ruling)
        if not woken or not request.delivery or self._closed:
            return
        presumed = RulingDelivered(self._now(), *call, request.delivery)
        self._timers.after(
            ("delivered", *call), self._settings.delivered_s, lambda: self._presume(presumed)
        )

    def _presume(self, fact: RulingDelivered) -> None:
        session = self._state.sessions.get(fact.run_id)
        sent = () if session is None else session.guidance
        if any(g.phase is GuidancePhase.SENT and fact.receipt in g.deliveries for g in sent):
            self._insist(replace(fact, at_s=self._now()))

    def _resolve(self, key: Key, ruling: Ruling) -> bool:
        """Wake all who wait for this ruling; tells whether there was anyone."""
        self._timers.cancel(("hold", *key))
        woken = [item for item in self._waiters.pop(key, ()) if not item.done()]
        for waiter in woken:
            waiter.set_result(ruling)
        return bool(woken)

    def _attend(self) -> None:
        """Offer the question that is due, and look again when that may change."""
        moment, agenda = self._moment(), self._settings.agenda
        item = next_question(self._state, moment, agenda)
        if item is None:
            self._due = ""
        elif item.request.request_id != self._due:
            self._due = item.request.request_id
            asyncio.get_running_loop().call_soon(self.on_ask, item.request)
        again_s = next_change_s(self._state, moment, agenda)
        if again_s is None:
            self._timers.cancel(("agenda",))
        else:
            self._timers.after(("agenda",), again_s - moment.now_s, self._attend)

    def _moment(self) -> Moment:
        return Moment(self._now(), self._outside.minute_of_day())

    def _now(self) -> float:
        return self._outside.unix_now()


def _is_sent_with(item: Guidance, action_id: str) -> bool:
    return item.phase is GuidancePhase.SENT and item.action_id == action_id
