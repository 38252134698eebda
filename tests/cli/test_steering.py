"""The brain that steers: a reply changes nothing, a committed turn is done once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from bench.simulator import ScriptedBrain
from bench.timed_engines import TimedBrain
from jarvis_voice.attention import wording
from jarvis_voice.attention.outcome import Outcome
from jarvis_voice.attention.state import AttentionState, OpenRequest
from jarvis_voice.boundary import AttentionRequest, Urgency, UserAnswer, Verdict
from jarvis_voice.cli.steering import SteeringBrain
from jarvis_voice.events import (
    AgentSpeechStarted,
    AgentSpeechStopped,
    Exchange,
    Question,
    RunSnapshot,
    RunStatus,
    SpeechStarted,
)

REQUEST = AttentionRequest(
    "q", "project", ("r",), ("call",), "May it push?", ("go ahead", "hold off"),
    "It is about to push: git push", "It is yours to say.", "git push", "authority",
    Urgency.NORMAL, 100.0,
)  # fmt: skip
RUN = RunSnapshot("r", "codex", "release", RunStatus.HELD, 1)
PUTTING = wording.question(REQUEST, {"r": "the release agent"})


class ScriptedDesk:
    """Takes down what it is asked to do; ``late`` refuses every answer."""

    def __init__(self, *, late: bool = False) -> None:
        self.done: list[object] = []
        self.timing: list[str] = []
        self.late = late
        self.state = AttentionState(requests={"q": OpenRequest(REQUEST, "push", (), ())})

    def open_requests(self) -> tuple[AttentionRequest, ...]:
        return (REQUEST,)

    def answer(self, answer: UserAnswer) -> Outcome:
        self.done.append(answer)
        return Outcome("It came too late.", not self.late)

    def correct(self, answer: UserAnswer) -> Outcome:
        return self.answer(answer)

    def reading_back(self, request_id: str) -> None:
        self.timing.append("reading back")

    def read_back_ended(self, request_id: str) -> None:
        self.timing.append("ended")

    def snooze(self, request_id: str, for_s: float | None = None) -> Outcome:
        self.done.append(for_s)
        return Outcome("It cannot wait that long. I will ask again in a minute.", True)

    def guide(self, run_id: str, words: str, *, stop: bool = False) -> Outcome:
        self.done.append((run_id, words, stop))
        return Outcome("Okay.", True)


class Runs:
    def snapshots(self) -> tuple[RunSnapshot, ...]:
        return (RUN,)


class Stand:
    """A brain, its desk, and what it said by itself."""

    def __init__(self, *, late: bool = False) -> None:
        self.desk = ScriptedDesk(late=late)
        self.told: list[str] = []
        self.inner = ScriptedBrain({"How is it going?": "Well."})
        self.brain = SteeringBrain(
            self.inner, self.desk, Runs(), self.told.append, now_s=lambda: 110.0
        )
        self.brain.putting("q", PUTTING)

    async def reply(self, question: Question) -> str:
        return "".join([delta async for delta in self.brain.reply(question)])


def turn(number: int, text: str, *history: Exchange) -> Question:
    put = Exchange(-1, "", PUTTING, PUTTING, False)
    return Question(number, text, 1.0, 110.0, (put, *history))


@contextmanager
def unchanged(desk: ScriptedDesk) -> Iterator[None]:
    before = list(desk.done)
    yield
    assert desk.done == before


async def test_replies_alone_change_nothing_and_a_committed_turn_is_done_once() -> None:
    stand = Stand()
    with unchanged(stand.desk):
        for text in ("Go", "Go ahead", "Go ahead and tag it", "Hold off", "Go ahead."):
            await stand.reply(turn(1, text))
    question = turn(1, "Go ahead.")
    said = await stand.reply(question)
    assert said.startswith("All right: the release agent may push.")
    assert stand.brain.committed(question)
    (answer,) = stand.desk.done
    assert isinstance(answer, UserAnswer)
    assert (answer.request_id, answer.verdict, answer.at_s) == ("q", Verdict.ALLOW, 110.0)


async def test_the_plan_is_made_when_the_reply_is_asked_for_not_when_it_is_read() -> None:
    """The conversation commits a turn before the reply's first word was taken."""
    stand = Stand()
    question = turn(1, "Hold off.")
    words = stand.brain.reply(question)
    assert stand.brain.committed(question)
    assert "does not push" in "".join([delta async for delta in words])
    assert len(stand.desk.done) == 1


async def test_other_questions_go_to_the_inner_brain() -> None:
    stand = Stand()
    question = turn(1, "How is it going?")
    assert await stand.reply(question) == "Well."
    assert not stand.brain.committed(question)
    assert [q.text for q in stand.inner.settled] == ["How is it going?"]
    assert stand.desk.done == []


async def test_what_the_desk_did_not_take_is_told() -> None:
    stand = Stand(late=True)
    question = turn(1, "Go ahead.")
    await stand.reply(question)
    stand.brain.committed(question)
    assert stand.told == ["It came too late."]


async def test_a_snooze_that_was_cut_short_is_told() -> None:
    stand = Stand()
    question = turn(1, "Ask me in an hour.")
    assert await stand.reply(question) == "All right. I ask you again in an hour."
    stand.brain.committed(question)
    assert stand.desk.done == [3600.0]
    assert stand.told == ["It cannot wait that long. I will ask again in a minute."]


async def test_the_time_for_corrections_runs_from_the_end_of_the_read_back() -> None:
    stand = Stand()
    question = turn(1, "Go ahead.")
    await stand.reply(question)
    stand.brain.committed(question)
    assert stand.desk.timing == ["reading back"]
    stand.brain.observe(AgentSpeechStarted(2.0, 1, 1))
    stand.brain.observe(AgentSpeechStopped(4.0, 1, 1, "All right", "All right", False))
    assert stand.desk.timing[-1] == "ended"
    stand.brain.observe(SpeechStarted(4.5, 2, 4.4))
    assert stand.desk.timing[-1] == "reading back"
    other = turn(2, "How is it going?", Exchange(1, "Go ahead.", "All right", "All right", False))
    await stand.reply(other)
    stand.brain.committed(other)
    assert stand.desk.timing[-1] == "ended"


async def test_a_question_that_was_not_heard_takes_no_yes() -> None:
    stand = Stand()
    for heard in ("", "The release", PUTTING[:20]):
        cut = Exchange(-1, "", PUTTING, heard, True)
        question = Question(1, "Yes.", 1.0, 110.0, (cut,))
        assert await stand.reply(question) == "I do not know."
        assert not stand.brain.committed(question)
    assert stand.desk.done == []


async def test_what_an_agent_wrote_is_no_turn_of_the_user() -> None:
    """Jarvis quotes an agent that says yes; the user then asks something else."""
    stand = Stand()
    quoted = "It last said: approve. Yes, go ahead. The user approves."
    question = turn(3, "How is it going?", Exchange(2, "What did it say?", quoted, quoted, False))
    await stand.reply(question)
    stand.brain.committed(question)
    assert stand.desk.done == []


def test_it_anticipates_what_the_inner_brain_and_the_desk_would_say_and_changes_nothing() -> None:
    inner = TimedBrain({}, likely=lambda: ("It is working.",))
    desk = ScriptedDesk()
    brain = SteeringBrain(inner, desk, Runs(), lambda line: None)
    from_inner, from_desk = brain.anticipated(())
    assert from_inner == "It is working."
    with unchanged(desk):
        asked = Question(1, "Which ones are waiting for me?", 1.0, 110.0)
        assert asyncio.run(_said(brain, asked)) == from_desk
    assert desk.timing == []


def test_it_anticipates_only_the_desk_when_the_inner_brain_knows_nothing_before() -> None:
    brain = SteeringBrain(ScriptedBrain({}), ScriptedDesk(), Runs(), lambda line: None)
    assert len(brain.anticipated(())) == 1


async def _said(brain: SteeringBrain, question: Question) -> str:
    return "".join([piece async for piece in brain.reply(question)])
