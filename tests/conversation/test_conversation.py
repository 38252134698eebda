"""Whole conversations, scripted, in virtual time: what the user hears, and what is remembered."""

import asyncio

import numpy as np
import pytest

from audio.asr.scripted import Reply
from audio.errors import EngineFailed
from audio.tts.scripted import Script, ScriptedSynthesizer
from bench.echo_hour import listen_to_itself, measure
from bench.simulator import Says, ScriptedBrain, Simulated, Simulation, Stage, simulate
from jarvis_voice import events
from jarvis_voice.conversation import Heard, Notice
from jarvis_voice.conversation.conductor import NOT_HEARD
from jarvis_voice.telemetry.recorded import audible_spans

LONG = (
    "It is working. The tests are running now, and three of them have passed so far, "
    "which took about two minutes in all."
)
ANSWERS = {"How is it going?": LONG, "What failed?": "Nothing failed so far."}


def stage(**changes: object) -> Stage:
    return Stage(brain=ScriptedBrain(ANSWERS), **changes)


def brain_of(used: Stage) -> ScriptedBrain:
    assert isinstance(used.brain, ScriptedBrain)
    return used.brain


def heard_seconds(result: Simulated) -> float:
    return sum(span.end_s - span.start_s for span in audible_spans(result.sound[:, 1], 24_000))


def test_a_question_is_answered_once_and_remembered_as_heard():
    used = stage()
    result = simulate([Says("How is it going?", 1.0, at_s=1.0)], used)
    assert [e.text for e in result.of(events.TurnCommitted)] == ["How is it going?"]
    (exchange,) = result.history
    assert (exchange.said, exchange.heard, exchange.cut) == (LONG, LONG, False)
    assert [q.text for q in brain_of(used).settled] == ["How is it going?"]
    assert heard_seconds(result) > 5.0


def test_the_reply_is_ready_when_the_silence_is_over():
    result = simulate([Says("How is it going?", 1.0, at_s=1.0)], stage())
    (started,) = result.of(events.AgentSpeechStarted)
    (committed,) = result.of(events.TurnCommitted)
    assert started.at_s - committed.at_s < 0.05
    assert result.of(events.ReplyStarted)[0].preemptive


def test_a_pause_for_thought_is_one_turn_and_no_reply_to_half_a_sentence_is_heard():
    says = Says("", 2.0, at_s=1.0, pauses=((0.8, 1.2),))
    used = stage(replies=[Reply("What", continued=("What failed?",))])
    result = simulate([says], used)
    assert [e.text for e in result.of(events.TurnCommitted)] == ["What failed?"]
    assert len(result.of(events.TurnReopened)) == 1
    assert [x.user_text for x in result.history] == ["What failed?"]
    assert [q.text for q in brain_of(used).settled] == ["What failed?"]


def test_an_interruption_cuts_the_sound_and_history_keeps_what_was_heard():
    result = simulate(
        [
            Says("How is it going?", 1.0, at_s=1.0),
            Says("What failed?", 1.6, after_agent_started_s=1.5),
        ],
        stage(),
    )
    first, second = result.history
    assert first.cut
    assert LONG.startswith(first.heard)
    assert 0 < len(first.heard) < len(LONG)
    assert second.user_text == "What failed?"
    (barge_in,) = result.of(events.BargedIn)
    assert barge_in.at_s - barge_in.onset_s < 1.0


def test_no_sound_of_a_cut_reply_is_heard_after_the_cut():
    result = simulate(
        [
            Says("How is it going?", 1.0, at_s=1.0),
            Says("What failed?", 2.5, after_agent_started_s=1.5),
        ],
        stage(),
    )
    cut = next(e for e in result.of(events.AgentSpeechStopped) if e.cut)
    started = result.of(events.AgentSpeechStarted)[1]
    silent = [
        span
        for span in audible_spans(result.sound[:, 1], 24_000)
        if span.end_s > cut.at_s + 0.1 and span.start_s < started.at_s - 0.1
    ]
    assert silent == []


@pytest.mark.parametrize("text", ["mm-hm", "Yeah.", ""])
def test_a_backchannel_or_a_cough_does_not_stop_it(text: str):
    result = simulate(
        [Says("How is it going?", 1.0, at_s=1.0), Says(text, 0.35, after_agent_started_s=1.5)],
        stage(),
    )
    (exchange,) = result.history
    assert exchange.heard == LONG
    assert not result.of(events.BargedIn)
    assert len(result.of(events.TurnDiscarded)) == 1


def test_stop_stops_at_once():
    result = simulate(
        [Says("How is it going?", 1.0, at_s=1.0), Says("Stop.", 0.5, after_agent_started_s=1.5)],
        stage(),
    )
    (barge_in,) = result.of(events.BargedIn)
    assert barge_in.at_s - barge_in.onset_s < 0.75
    assert result.history[0].cut


def test_noise_alone_is_not_answered():
    used = stage()
    result = simulate([Says("", 1.0, at_s=1.0)], used)
    assert result.history == ()
    assert brain_of(used).settled == []
    assert heard_seconds(result) == 0.0


def test_going_on_before_the_answer_begins_asks_both_as_one():
    used = stage()
    acts = [
        Says("How is it going?", 1.0, at_s=1.0),
        Says("What failed?", 1.0, at_s=2.62),  # the first turn is over, its answer is not heard yet
    ]
    used.brain = _SlowBrain(ANSWERS, delay_s=1.0)
    result = simulate(acts, used)
    assert [x.user_text for x in result.history] == ["How is it going? What failed?"]


class _SlowBrain(ScriptedBrain):
    def __init__(self, answers: dict[str, str], delay_s: float) -> None:
        super().__init__(answers)
        self._delay_s = delay_s

    async def reply(self, question: events.Question):
        await asyncio.sleep(self._delay_s)
        async for delta in super().reply(question):
            yield delta


class _Doer(_SlowBrain):
    """Each committed question does something, which must be told and must not happen twice."""

    def committed(self, question: events.Question) -> bool:
        super().committed(question)
        return True

    async def reply(self, question: events.Question):
        yield f"I did {question.text} "
        await asyncio.sleep(self._delay_s)
        yield "And that is all."


def test_what_was_done_is_told_although_the_user_went_on():
    doer = _Doer({}, delay_s=3.0)
    used = Stage(brain=doer, settings=Stage().settings)
    acts = [Says("approve", 1.0, at_s=1.0), Says("pause", 1.0, at_s=2.62)]
    result = simulate(acts, used)
    done = [q.text for q in doer.settled]
    assert done == ["approve", "pause"]
    said = " ".join(x.said for x in result.history)
    assert said.count("I did pause") == 1
    assert "I did approve" in said


def test_a_failing_recognizer_is_told_and_the_conversation_goes_on():
    failure = EngineFailed("The recognizer stopped.", "It is tried again.")
    result = simulate(
        [
            Says("How is it going?", 1.0, at_s=1.0),
            Says("What failed?", 1.0, after_agent_stopped_s=0.8),
        ],
        stage(replies=[Reply("How is it going?", failure=failure), Reply("What failed?")]),
    )
    assert [e.where for e in result.of(events.Faulted)] == ["recognizer"]
    assert result.of(events.AgentSpeechStopped)[0].heard == NOT_HEARD
    assert [x.user_text for x in result.history] == ["", "What failed?"]


def test_a_failing_synthesizer_keeps_the_conversation_alive():
    voice = ScriptedSynthesizer(Script(failures={"tests": "The voice broke."}))
    result = simulate(
        [
            Says("How is it going?", 1.0, at_s=1.0),
            Says("What failed?", 1.0, after_agent_stopped_s=0.8),
        ],
        stage(synthesizer=voice),
    )
    assert [e.where for e in result.of(events.Faulted)] == ["synthesizer"]
    assert [x.user_text for x in result.history][-1] == "What failed?"


def test_a_lost_device_ends_the_conversation_when_nothing_can_reopen_it():
    async def unplug(simulation: Simulation) -> None:
        await asyncio.sleep(3.0)
        simulation.room.unplug("The headset was unplugged.")

    result = simulate([Says("How is it going?", 1.0, at_s=1.0)], stage(), during=unplug)
    (fault, *_) = result.of(events.Faulted)
    assert fault.problem == "The headset was unplugged."
    assert fault.remedy
    assert result.of(events.SessionEnded)[0].reason == "The headset was unplugged."


def test_what_was_being_said_goes_on_when_a_lost_device_is_back():
    async def unplug(simulation: Simulation) -> None:
        await asyncio.sleep(5.0)
        simulation.room.unplug("The headset was unplugged.")
        await asyncio.sleep(4.0)
        simulation.room.plug_in()

    result = simulate(
        [Says("How is it going?", 1.0, at_s=1.0), Says("What failed?", 1.0, at_s=20.0)],
        stage(reopens=True),
        during=unplug,
    )
    assert [x.heard for x in result.history] == [LONG, ANSWERS["What failed?"]]
    (back,) = result.of(events.DevicesReopened)
    assert back.same
    assert result.of(events.Faulted)[0].problem == "The headset was unplugged."
    whole = simulate([Says("How is it going?", 1.0, at_s=1.0)], stage())
    lost_s = heard_seconds(whole) - (heard_seconds(result) - 1.4)
    assert abs(lost_s) < 0.3  # every word of the answer sounded, before or after the gap


@pytest.mark.model
def test_its_own_voice_never_interrupts_it():
    measured = measure(listen_to_itself(minutes=0.4, gain_db=-6.0, delay_s=0.08))
    assert measured["spoken_s"] > 15.0
    assert measured["self_interruptions"] == 0
    assert measured["false_turns"] == 0


def notice(text: str, told: list[tuple[Heard, str]], **changes: bool) -> Notice:
    return Notice(text, text, lambda how, words: told.append((how, words)), **changes)


def test_what_jarvis_says_unasked_waits_until_the_floor_is_free():
    told: list[tuple[Heard, str]] = []

    async def speak_up(simulation: Simulation) -> None:
        await asyncio.sleep(1.5)  # the user is speaking
        simulation.conversation.speak_up(notice("The release waits for you.", told))

    result = simulate([Says("What failed?", 1.0, at_s=1.0)], stage(), during=speak_up)
    said = [e.said for e in result.of(events.AgentSpeechStopped)]
    assert said == [ANSWERS["What failed?"], "The release waits for you."]
    assert told == [(Heard.ALL, "The release waits for you.")]
    assert result.history[-1].said == "The release waits for you."


def test_an_urgent_notice_goes_first_and_a_withdrawn_one_is_not_said():
    told: list[tuple[Heard, str]] = []

    async def speak_up(simulation: Simulation) -> None:
        await asyncio.sleep(1.5)
        for text, urgent in (("First.", False), ("Gone.", False), ("Urgent.", True)):
            simulation.conversation.speak_up(notice(text, told, urgent=urgent))
        simulation.conversation.withdraw("Gone.")
        await asyncio.sleep(20.0)

    result = simulate([Says("What failed?", 1.0, at_s=1.0)], stage(), during=speak_up)
    said = [e.said for e in result.of(events.AgentSpeechStopped)]
    assert said == [ANSWERS["What failed?"], "Urgent.", "First."]
    assert told == [(Heard.NOTHING, ""), (Heard.ALL, "Urgent."), (Heard.ALL, "First.")]


def test_an_interrupted_notice_tells_how_much_was_heard():
    told: list[tuple[Heard, str]] = []

    async def speak_up(simulation: Simulation) -> None:
        await asyncio.sleep(0.5)
        simulation.conversation.speak_up(notice(LONG, told))
        await asyncio.sleep(12.0)

    result = simulate([Says("Stop.", 0.6, after_agent_started_s=2.0)], stage(), during=speak_up)
    ((how, words),) = told
    assert how is Heard.PART
    assert LONG.startswith(words)
    assert 0 < len(words) < len(LONG)
    assert result.of(events.BargedIn)


def test_the_same_script_gives_the_same_conversation():
    acts = [
        Says("How is it going?", 1.0, at_s=1.0),
        Says("What failed?", 1.6, after_agent_started_s=1.5),
    ]
    once, again = simulate(acts, stage()), simulate(acts, stage())
    assert [type(e) for e in once.seen] == [type(e) for e in again.seen]
    assert [e.at_s for e in once.seen] == [e.at_s for e in again.seen]
    assert np.array_equal(once.sound, again.sound)
