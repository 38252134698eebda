"""A turn controller in a conversation: sooner after a whole question, later after half of one."""

import pytest

from audio.asr.scripted import Reply
from audio.controllers.base import Judgement
from audio.controllers.scripted import ScriptedController
from audio.controllers.semantic import SemanticController
from audio.errors import EngineFailed
from audio.turn.events import TurnState
from audio.turn.semantic import JudgedEndpointing, SemanticEndpointing, Waits
from bench.simulator import Says, ScriptedBrain, Simulated, Stage, simulate
from jarvis_voice import events
from jarvis_voice.conversation import ConversationSettings

SEMANTIC = ConversationSettings(endpointing=SemanticEndpointing(Waits()))
JUDGED = ConversationSettings(endpointing=JudgedEndpointing(Waits(usual_s=0.544)))
ANSWERS = {"How is it going?": "It is working.", "So the thing is": "What is it?"}


def talk(text: str, **changes: object) -> Simulated:
    stage = Stage(brain=ScriptedBrain(ANSWERS), **{"settings": SEMANTIC, **changes})
    return simulate([Says(text, 1.0, at_s=1.0)], stage)


def silence_s(result: Simulated) -> float:
    (committed,) = result.of(events.TurnCommitted)
    assert committed.due_s is not None
    return committed.due_s - committed.speech_ended_s


def test_a_whole_question_is_answered_soon_and_half_a_sentence_is_waited_for():
    asked, half = talk("How is it going?"), talk("So the thing is")
    assert silence_s(asked) < 0.35
    assert silence_s(half) > 1.5
    assert "a whole question" in asked.of(events.TurnCommitted)[0].reason
    assert 'ends with the auxiliary "is"' in half.of(events.TurnCommitted)[0].reason
    assert [x.user_text for x in half.history] == ["So the thing is"]


def test_hold_on_is_acknowledged_late():
    assert silence_s(talk("Hold on.")) == pytest.approx(Waits().hold_s, abs=0.05)


def test_a_pause_in_a_sentence_is_explained_in_the_timeline():
    says = Says("", 2.0, at_s=1.0, pauses=((0.8, 1.2),))
    used = Stage(replies=[Reply("So the thing is", continued=("How is it going?",))])
    used.settings = SEMANTIC
    result = simulate([says], used)
    (reopened,) = result.of(events.TurnReopened)
    assert 'ends with the auxiliary "is"' in reopened.reason
    assert [e.text for e in result.of(events.TurnCommitted)] == ["How is it going?"]


def test_judgements_reach_the_machine_and_the_timeline():
    controller = ScriptedController([Judgement(TurnState.INCOMPLETE, 0, 0.95, "it stays up")])
    result = talk("How is it going?", controller=controller)
    (judged,) = result.of(events.TurnJudged)
    assert (judged.turn, judged.state, judged.probability) == (1, "incomplete", 0.95)
    assert (judged.source, judged.reason) == ("scripted", "it stays up")
    assert silence_s(result) > 0.4
    assert "scripted: incomplete 0.95 (it stays up)" in result.of(events.TurnCommitted)[0].reason
    (pause,) = controller.pauses
    assert 0 <= pause.began_sample < pause.ended_sample < pause.at_sample
    assert controller.heard_samples >= pause.at_sample - pause.began_sample
    assert controller.closed


def test_the_real_controller_judges_each_pause():
    result = talk("How is it going?", controller=SemanticController())
    (judged,) = result.of(events.TurnJudged)
    assert judged.source == "semantic"
    assert "level" in judged.reason
    assert len(result.of(events.TurnCommitted)) == 1


def test_a_streaming_controller_ends_a_turn_when_it_hears_the_end():
    def heard(sound):
        ended = 32_000 <= sound.at_sample < 40_000
        return [Judgement(TurnState.COMPLETE, sound.end_sample)] if ended else []

    pause = Judgement(TurnState.INCOMPLETE, 0, reason="no end seen yet")
    controller = ScriptedController([pause], streaming=True, on_push=heard)
    result = talk("So the thing is", controller=controller, settings=JUDGED)
    assert controller.heard_samples > 48_000
    assert silence_s(result) < 1.0
    assert "scripted: complete" in result.of(events.TurnCommitted)[0].reason


def test_a_controller_that_fails_is_told_once_and_costs_no_turn():
    broken = [EngineFailed("It broke.", "Mend it.")] * 2
    says = [Says("How is it going?", 1.0, at_s=1.0), Says("What now?", 1.0, at_s=8.0)]
    stage = Stage(brain=ScriptedBrain(ANSWERS), settings=SEMANTIC)
    stage.controller = ScriptedController(broken)
    result = simulate(says, stage)
    assert len(result.of(events.TurnCommitted)) == 2
    (fault,) = result.of(events.Faulted)
    assert fault.where == "turn controller"
    assert "It broke." in fault.problem


def test_a_stalled_server_is_passed_over_and_told_once():
    stalled = Judgement(TurnState.UNKNOWN, 0, reason="stalled", fault="It does not answer.")
    told = iter([[stalled]])
    controller = ScriptedController(streaming=True, on_push=lambda sound: next(told, []))
    result = talk("How is it going?", controller=controller, settings=JUDGED)
    assert silence_s(result) == pytest.approx(0.544)
    (fault,) = result.of(events.Faulted)
    assert fault.problem == "It does not answer."
