"""Replies that are prepared while the silence runs, on exact virtual time.

The user's speech ends at a frame's edge; a pause is noticed after three frames, 96 ms.
"""

from __future__ import annotations

import asyncio

import pytest

from audio.asr.scripted import Reply
from audio.tts.cached import CachedSynthesizer
from audio.turn.settings import TurnSettings
from bench.simulator import Says, Simulated, Simulation, Stage, simulate
from bench.timed_engines import TimedBrain, TimedRecognizer, TimedSynthesizer
from jarvis_voice import events
from jarvis_voice.conversation import ConversationSettings
from jarvis_voice.conversation.answering import same_words
from jarvis_voice.telemetry.latency import TurnLatency, turn_latencies

ASKS = Says("How is it going?", 1.024, at_s=1.0)
ANSWERS = {"How is it going?": "It is working.", "What failed?": "Nothing has failed."}
PAUSE_S, RECOGNIZER_S, FRAME_S, BEAT_S = 0.096, 0.15, 0.032, 0.03
ENDPOINT_S = 0.544


def stage(
    brain: TimedBrain | None = None,
    synthesizer_s: float = 0.2,
    replies: tuple[Reply | str, ...] = ("How is it going?",),
    end_s: float = ENDPOINT_S,
) -> Stage:
    return Stage(
        brain=brain or TimedBrain(ANSWERS),
        synthesizer=CachedSynthesizer(TimedSynthesizer(synthesizer_s), "voice"),
        recognizer=TimedRecognizer(replies, RECOGNIZER_S),
        settings=ConversationSettings(TurnSettings(end_s=end_s)),
    )


def only_turn(result: Simulated) -> TurnLatency:
    (row,) = turn_latencies(result.seen)
    return row


def after_speech(result: Simulated, kind: type[events.ConversationEvent]) -> list[float]:
    """When events happened, in seconds after the end of the newest committed speech."""
    ended_s = result.of(events.TurnCommitted)[-1].speech_ended_s
    return [event.at_s - ended_s for event in result.of(kind)]


def approx(seconds: float) -> object:
    """To within the beat of the room and of the look at playback."""
    return pytest.approx(seconds, abs=BEAT_S)


def test_recognizer_brain_and_synthesizer_are_hidden_in_the_silence():
    result = simulate([ASKS], stage())
    row = only_turn(result)
    assert row.endpoint_s == approx(ENDPOINT_S)
    assert (row.recognizer_s, row.brain_s, row.synthesizer_s) == (0.0, 0.0, 0.0)
    assert row.response_s == approx(ENDPOINT_S)
    ready_s = PAUSE_S + RECOGNIZER_S
    assert after_speech(result, events.ReplyStarted) == [approx(ready_s)]
    assert after_speech(result, events.PhraseReady) == [approx(ready_s + 0.2)]


def test_each_stage_begins_with_the_one_before_and_not_with_the_final():
    result = simulate([ASKS], stage(TimedBrain(ANSWERS, first_s=0.3), synthesizer_s=0.25))
    ready_s = PAUSE_S + RECOGNIZER_S + 0.3 + 0.25
    assert only_turn(result).response_s == approx(ready_s)
    assert ready_s < 0.9


def test_an_early_end_of_turn_is_answered_early():
    result = simulate([ASKS], stage(synthesizer_s=0.02, end_s=0.288))
    assert only_turn(result).response_s == approx(0.288)


def test_a_cough_in_the_pause_keeps_what_was_prepared():
    says = Says("", 1.44, at_s=1.0, pauses=((1.024, 1.312),))  # the words, a pause, a cough
    brain = TimedBrain(ANSWERS)
    used = stage(brain, replies=(Reply("How is it going?", continued=("how is it going?",)),))
    result = simulate([says], used)
    assert len(result.of(events.TurnReopened)) == 1
    assert [question.text for question in brain.asked] == ["How is it going?"]
    assert [x.heard for x in result.history] == ["It is working."]


def test_what_was_prepared_for_other_words_is_thrown_away_and_never_heard():
    says = Says("", 2.0, at_s=1.0, pauses=((1.024, 1.4),))
    brain = TimedBrain(ANSWERS)
    used = stage(brain, replies=(Reply("How is it going?", continued=("What failed?",)),))
    result = simulate([says], used)
    assert brain.asked[0].text == "How is it going?"
    assert [question.text for question in brain.settled] == ["What failed?"]
    assert [(x.user_text, x.heard) for x in result.history] == [
        ("What failed?", "Nothing has failed.")
    ]


def test_a_model_that_words_for_nobody_is_stopped_at_once():
    says = Says("", 2.0, at_s=1.0, pauses=((1.024, 1.4),))
    brain = TimedBrain(ANSWERS, first_s=30.0)
    used = stage(brain, replies=(Reply("How", continued=("What failed?",)),))

    async def wait_for_it(simulation: Simulation) -> None:
        await asyncio.sleep(6.0)
        assert [text for text, _ in brain.ended] == ["How"]
        assert brain.ended[0][1] < 4.0

    simulate([says], used, during=wait_for_it)


def test_the_second_phrase_is_ready_when_a_short_first_one_ends():
    answers = {"How is it going?": "It is working. Three of the four tests have passed so far."}
    result = simulate([ASKS], stage(TimedBrain(answers), synthesizer_s=0.1))
    first, second = result.of(events.PhraseReady)
    (committed,) = result.of(events.TurnCommitted)
    assert first.at_s < second.at_s < committed.at_s


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("What failed?", "what failed?", True),
        ("Well, what failed?", "Well what failed?", True),
        ("Delete it.", "Delete it?", False),
        ("Use 3.5", "Use 35", False),
        ("What failed?", "What's failed?", False),
        ("\u201cYes\u201d", "yes.", False),
        ("(Yes)", "yes.", True),
    ],
)
def test_only_the_same_words_are_answered_by_what_was_prepared(one: str, other: str, same: bool):
    assert same_words(one, other) is same
