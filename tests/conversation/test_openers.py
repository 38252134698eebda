"""A few words while a slow model is awaited: heard, no content, and never when words are there."""

from __future__ import annotations

import pytest

from audio.tts.cached import CachedSynthesizer
from bench.simulator import Says, Simulated, Stage, simulate
from bench.timed_engines import TimedBrain, TimedRecognizer, TimedSynthesizer
from jarvis_voice import events
from jarvis_voice.conversation import AnsweringSettings, ConversationSettings
from jarvis_voice.telemetry.latency import turn_latencies

OPENERS = ("Let me see.", "One moment.")
ANSWER = "Three of the four tests have passed."


def hold(first_s: float, turns: int = 1, openers: tuple[str, ...] = OPENERS) -> Simulated:
    says = [Says("How is it going?", 1.024, at_s=2.0)]
    says += [Says("How is it going?", 1.024, after_agent_stopped_s=1.0) for _ in range(turns - 1)]
    used = Stage(
        brain=TimedBrain({"How is it going?": ANSWER}, first_s),
        synthesizer=CachedSynthesizer(TimedSynthesizer(0.3), "voice"),
        recognizer=TimedRecognizer(["How is it going?"] * turns, 0.15),
        settings=ConversationSettings(
            answering=AnsweringSettings(openers=openers, opener_after_s=0.6)
        ),
    )
    return simulate(says, used)


def test_a_slow_model_is_bridged_and_content_is_counted_from_its_own_words():
    result = hold(first_s=3.0)
    (opener,) = result.of(events.OpenerSaid)
    (row,) = turn_latencies(result.seen)
    assert (opener.text, opener.reply) == ("Let me see.", row.reply)
    assert row.response_s == pytest.approx(0.544 + 0.6, abs=0.05)
    assert row.content_s == pytest.approx(0.096 + 0.15 + 3.0 + 0.3, abs=0.05)


def test_what_was_heard_is_the_answer_without_the_opener():
    (exchange,) = hold(first_s=3.0).history
    assert (exchange.said, exchange.heard, exchange.cut) == (ANSWER, ANSWER, False)


@pytest.mark.parametrize("first_s", [0.0, 0.3, 0.7])
def test_a_model_that_is_in_time_needs_none(first_s: float):
    result = hold(first_s)
    assert result.of(events.OpenerSaid) == []
    (row,) = turn_latencies(result.seen)
    assert row.content_s == row.response_s


def test_words_that_come_during_the_opener_follow_it_at_once():
    result = hold(first_s=1.0)
    (opener,) = result.of(events.OpenerSaid)
    (row,) = turn_latencies(result.seen)
    assert row.content_s == pytest.approx(row.response_s + opener.duration_s, abs=0.05)


def test_openers_take_turns():
    result = hold(first_s=3.0, turns=3)
    assert [event.text for event in result.of(events.OpenerSaid)] == [*OPENERS, OPENERS[0]]


def test_without_openers_the_user_waits_in_silence():
    result = hold(first_s=3.0, openers=())
    assert result.of(events.OpenerSaid) == []
    (row,) = turn_latencies(result.seen)
    assert row.response_s == row.content_s == pytest.approx(3.546, abs=0.05)
