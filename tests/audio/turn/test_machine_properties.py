"""What holds for every conversation, found by searching for one in which it does not."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from audio.turn.endpointing import EndpointContext, Wait
from audio.turn.events import (
    AgentStarted,
    AgentStopped,
    CommitTurn,
    DiscardTurn,
    Duck,
    Fact,
    FinalHeard,
    Floor,
    FrameHeard,
    HoldPlayback,
    HypothesisHeard,
    OpenTurn,
    PausePlayback,
    ReleasePlayback,
    ReopenTurn,
    Request,
    ResumePlayback,
    SettleTurn,
    StopPlayback,
    TurnJudged,
    TurnState,
    Unduck,
)
from audio.turn.machine import TurnMachine
from audio.turn.overlap import DOUBT_CLAIM
from audio.turn.settings import TurnSettings

FRAME_S = 0.032
TEXTS = (
    *("", "mm-hm", "yeah", "stop", "no wait", "what about the tests", "[laughs]", "...", "what"),
    *("honey, the door", "yeah but why"),
)
CLAIMS = st.sampled_from([None, 0.0, 0.1, 0.5, 0.95])
texts = st.sampled_from(TEXTS)
all_settings = st.sampled_from(
    [
        TurnSettings(),
        TurnSettings(max_turn_s=3.0, final_timeout_s=1.0),
        TurnSettings(end_s=0.2, resume_silence_s=0.9),  # commits before playback may begin
        TurnSettings(settle_s=0.4, barge_in_gap_s=0.1, start_s=0.032),
        TurnSettings(end_s=0.0, settle_s=0.0, start_s=0.0, barge_in_s=0.0, final_timeout_s=0.0),
    ]
)


class Fickle:
    """A controller whose answers depend on all that it is told."""

    def wait_s(self, context: EndpointContext) -> Wait:
        seconds = (len(context.text) % 4) * 0.3 + context.pauses * 0.05
        return Wait(math.nan if context.over_agent else seconds, "fickle")


class Referee:
    """Knows the rules and watches every request."""

    def __init__(self, config: TurnSettings) -> None:
        self.config = config
        self.now_s = -math.inf
        self.opened = 0
        self.open: int | None = None
        self.settled = False
        self.closing = False
        self.revision = 0
        self.ducked = self.held = self.playing = self.paused = False
        self.awaited: SettleTurn | None = None

    def started(self) -> None:
        self.playing = True

    def stopped(self) -> None:
        self.playing = False

    def watch(self, requests: list[Request]) -> None:
        for request in requests:
            assert request.at_s >= self.now_s
            assert request.reason
            self.now_s = request.at_s
            getattr(self, f"_{type(request).__name__}")(request)

    def _OpenTurn(self, request: OpenTurn) -> None:
        assert self.open is None
        assert self.held
        assert request.turn == self.opened + 1
        assert request.from_s <= request.onset_s <= request.at_s
        assert request.onset_s - request.from_s <= self.config.pre_roll_s + 1e-6
        self.opened = self.open = request.turn
        self.settled = self.closing = False
        self.revision = 0
        self.awaited = None

    def _SettleTurn(self, request: SettleTurn) -> None:
        assert request.turn == self.open
        assert not self.settled
        assert request.revision == self.revision
        assert request.speech_ended_s <= request.at_s
        self.settled = True
        self.closing = request.reason.startswith("closed")
        self.awaited = request

    def _ReopenTurn(self, request: ReopenTurn) -> None:
        assert request.turn == self.open
        assert self.settled
        assert not self.closing
        self.settled = False
        self.revision += 1
        self.awaited = None

    def _CommitTurn(self, request: CommitTurn) -> None:
        self._end(request)
        assert request.text.strip()
        assert request.speech_ended_s <= request.due_s + 1e-6 <= request.at_s + 2e-6

    def _DiscardTurn(self, request: DiscardTurn) -> None:
        self._end(request)

    def _end(self, request: CommitTurn | DiscardTurn) -> None:
        assert request.turn == self.open
        assert self.settled
        self.open = self.awaited = None

    def _Duck(self, request: Duck) -> None:
        assert self.playing
        assert not self.ducked
        self.ducked = True

    def _Unduck(self, request: Unduck) -> None:
        assert self.ducked
        self.ducked = False

    def _StopPlayback(self, request: StopPlayback) -> None:
        assert self.playing
        assert request.onset_s <= request.at_s
        self.playing = self.ducked = self.paused = False

    def _PausePlayback(self, request: PausePlayback) -> None:
        assert self.playing
        assert self.open is not None
        assert not self.paused
        assert request.onset_s <= request.at_s
        self.paused = True

    def _ResumePlayback(self, request: ResumePlayback) -> None:
        assert self.paused
        self.paused = False

    def _HoldPlayback(self, request: HoldPlayback) -> None:
        assert not self.held
        self.held = True

    def _ReleasePlayback(self, request: ReleasePlayback) -> None:
        assert self.held
        assert self.open is None
        self.held = False


class AnyConversation(RuleBasedStateMachine):
    """Microphone, recognizer and loudspeaker that do as they please."""

    @initialize(config=all_settings, fickle=st.booleans())
    def begin(self, config, fickle):
        self.machine = TurnMachine(config, Fickle() if fickle else None)
        self.config = config
        self.referee = Referee(config)
        self.now_s = 100.0
        self.machine.advance(self.now_s)
        self.voiced_until_s = -math.inf
        self.voiced_s = 0.0  # in a row, up to now
        self.excused = False  # a hypothesis has spoken against an interruption
        self.claim: float | None = None  # the newest; it stands until there is another

    def give(self, fact: Fact) -> None:
        self.now_s = max(self.now_s, fact.at_s)
        self.referee.watch(self.machine.feed(fact))

    def frame(self, probability: float, claim: float | None = None, below_db: float = 0.0) -> None:
        self.now_s += FRAME_S
        if probability >= 0.5:
            self.voiced_until_s = self.now_s
            self.voiced_s += FRAME_S
        else:
            self.voiced_s = 0.0
        self.claim = self.claim if claim is None else claim
        self.give(FrameHeard(self.now_s, probability, FRAME_S, claim, below_db))

    @rule(count=st.integers(1, 60), claim=CLAIMS, below_db=st.sampled_from([0.0, 12.0, 20.0]))
    def speak(self, count, claim, below_db):
        """Whoever speaks on gets the floor, unless sound, distance or words speak against it."""
        for _ in range(count):
            self.frame(0.9, claim, below_db)
            doubted = self.claim is not None and self.claim < DOUBT_CLAIM
            if below_db or self.excused or doubted:
                continue
            needed_s = max(self.config.barge_in_s, self.config.start_s) + FRAME_S + 1e-6
            if self.voiced_s >= needed_s and not self.referee.closing:
                assert not self.referee.playing

    @rule(count=st.integers(1, 40))
    def be_silent(self, count):
        for _ in range(count):
            self.frame(0.01)

    @rule(probabilities=st.lists(st.floats(0, 1), max_size=30))
    def make_noise(self, probabilities):
        for probability in probabilities:
            self.frame(probability)

    @rule(seconds=st.floats(0, 8))
    def let_time_pass_without_frames(self, seconds):
        self.now_s += seconds
        if seconds > 0.01:
            self.voiced_s = 0.0
        self.referee.watch(self.machine.advance(self.now_s))

    @rule()
    def wake_at_the_deadline(self):
        deadline_s = self.machine.next_deadline_s
        if deadline_s is not None:
            if deadline_s > self.now_s:
                self.voiced_s = 0.0
            self.now_s = max(self.now_s, deadline_s)
            self.referee.watch(self.machine.advance(deadline_s))

    @rule(late_s=st.floats(0, 5), probability=st.floats(0, 1))
    def give_a_late_frame(self, late_s, probability):
        self.voiced_s = 0.0
        self.give(FrameHeard(self.now_s - late_s, probability, FRAME_S))

    @rule()
    def start_agent(self):
        self.voiced_s = 0.0  # the user spoke before: what is sustained *over* the agent starts here
        self.referee.started()
        self.give(AgentStarted(self.now_s))

    @rule()
    def stop_agent(self):
        self.referee.stopped()
        self.give(AgentStopped(self.now_s))
        assert not self.referee.ducked

    @rule(text=texts)
    def hear_hypothesis(self, text):
        self.excused = text in ("mm-hm", "yeah", "honey, the door") or (self.excused and not text)
        self.give(HypothesisHeard(self.now_s, self.referee.opened, text))

    @precondition(lambda self: self.referee.awaited)
    @rule(text=texts)
    def hear_final(self, text):
        awaited = self.referee.awaited
        self.referee.awaited = None
        self.give(FinalHeard(self.now_s, awaited.turn, text, awaited.revision))

    @rule(state=st.sampled_from(list(TurnState)), revision=st.integers(0, 3))
    def judge(self, state, revision):
        self.excused = True
        self.give(TurnJudged(self.now_s, self.referee.opened, revision, state, 0.9, "any"))

    @rule(turn=st.integers(-1, 9), revision=st.integers(-1, 3), text=texts)
    def hear_any_final(self, turn, revision, text):
        self.give(FinalHeard(self.now_s, turn, text, revision))

    @invariant()
    def deadline_is_ahead(self):
        deadline_s = self.machine.next_deadline_s
        assert deadline_s is None or deadline_s > self.now_s

    @invariant()
    def floor_fits(self):
        assert self.machine.open_turn == self.referee.open
        if self.referee.open is None:
            assert self.machine.floor in (Floor.IDLE, Floor.AGENT)
        assert (self.machine.floor in (Floor.AGENT, Floor.OVERLAP)) == self.referee.playing

    def teardown(self):
        """Silence and finals end every turn, and playback is free again."""
        if not hasattr(self, "machine"):
            return
        for _ in range(2 + round((self.config.max_turn_s + 10) / FRAME_S)):
            self.frame(0.01)
            if self.referee.awaited and self.referee.settled:
                self.hear_final("well")
            if self.referee.open is None and not (self.referee.held or self.referee.ducked):
                break
        assert self.referee.open is None
        assert not self.referee.held
        assert not self.referee.ducked
        assert not self.referee.paused


TestAnyConversation = AnyConversation.TestCase
TestAnyConversation.settings = settings(
    stateful_step_count=30, max_examples=max(settings().max_examples * 2, 100)
)


# --- whole conversations -----------------------------------------------------------------------

steps = st.lists(
    st.one_of(
        st.tuples(st.just("speech"), st.integers(1, 40)),
        st.tuples(st.just("claim"), st.integers(1, 40)),
        st.tuples(st.just("silence"), st.integers(1, 30)),
        st.tuples(st.just("nothing"), st.integers(1, 60)),
        st.tuples(st.just("agent"), st.booleans()),
        st.tuples(st.just("hypothesis"), texts),
        st.tuples(st.just("final"), texts),
    ),
    max_size=25,
)


def facts_of(script) -> list[Fact]:
    facts: list[Fact] = []
    now_s = 5.0
    for kind, value in script:
        match kind:
            case "speech" | "silence" | "claim":
                probability = 0.1 if kind == "silence" else 0.9
                claim = 0.95 if kind == "claim" else None
                for _ in range(value):
                    now_s += FRAME_S
                    facts.append(FrameHeard(now_s, probability, FRAME_S, claim))
            case "nothing":
                now_s += value * 0.1
            case "agent":
                facts.append(AgentStarted(now_s) if value else AgentStopped(now_s))
            case "hypothesis":
                facts += [HypothesisHeard(now_s, turn, value) for turn in (1, 2, 3)]
            case "final":
                facts += [
                    FinalHeard(now_s, turn, value, revision)
                    for turn in (1, 2, 3)
                    for revision in (0, 1, 2)
                ]
    return facts


@given(steps, all_settings, st.lists(st.floats(0, 1), max_size=5))
def test_looking_at_the_clock_more_often_changes_nothing(script, config, shares):
    rare, often = TurnMachine(config), TurnMachine(config)
    asked_rarely: list[Request] = []
    asked_often: list[Request] = []
    last_s = 5.0
    for fact in facts_of(script):
        for share in sorted(shares):
            asked_often += often.advance(last_s + share * (fact.at_s - last_s))
        while (deadline_s := often.next_deadline_s) is not None and deadline_s <= fact.at_s:
            asked_often += often.advance(deadline_s)
        last_s = fact.at_s
        asked_rarely += rare.feed(fact)
        asked_often += often.feed(fact)
    assert asked_often + often.advance(last_s + 200) == asked_rarely + rare.advance(last_s + 200)


@given(steps, all_settings)
def test_the_same_facts_give_the_same_requests(script, config):
    def run() -> list[Request]:
        machine = TurnMachine(config)
        return [request for fact in facts_of(script) for request in machine.feed(fact)]

    assert run() == run()


any_time = st.one_of(st.floats(), st.floats(0, 20), st.sampled_from([0.0, 1.0, -1e9, 1e12]))
any_fact = st.one_of(
    st.builds(FrameHeard, any_time, st.floats(), st.floats(), st.none() | st.floats()),
    st.builds(HypothesisHeard, any_time, st.integers(-2, 5), st.one_of(texts, st.text())),
    st.builds(
        FinalHeard, any_time, st.integers(-2, 5), st.one_of(texts, st.text()), st.integers(-2, 3)
    ),
    st.builds(AgentStarted, any_time),
    st.builds(AgentStopped, any_time),
    any_time,
)


@given(st.lists(any_fact, max_size=40), all_settings)
def test_no_order_of_facts_raises_or_hangs(facts, config):
    machine = TurnMachine(config)
    requests: list[Request] = []
    for fact in facts:
        requests += machine.advance(fact) if isinstance(fact, float) else machine.feed(fact)
    for _ in range(1000):
        deadline_s = machine.next_deadline_s
        if deadline_s is None:
            break
        requests += machine.advance(deadline_s)
        again_s = machine.next_deadline_s
        assert again_s is None or again_s > deadline_s
    else:
        raise AssertionError("deadlines do not come to an end")
    assert machine.open_turn is None
    times = [request.at_s for request in requests]
    assert times == sorted(times)
