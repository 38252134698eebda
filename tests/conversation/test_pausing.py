"""A pause is heard, told and taken back; and a device that comes back meets no stale playback."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from audio.asr.scripted import Reply
from audio.devices.base import DeviceInfo, Lost, Render
from audio.overlap_claim import INPUTS, ClaimJudge, ClaimNetwork
from audio.playback import Playback
from audio.tts.scripted import ScriptedSynthesizer
from bench.simulator import Says, ScriptedBrain, Simulated, Stage, simulate
from jarvis_voice import events
from jarvis_voice.conversation.answer import Answer, Sound
from jarvis_voice.conversation.mouth import Mouth
from jarvis_voice.conversation.voice import Voice
from jarvis_voice.telemetry.latency import yield_latencies
from jarvis_voice.telemetry.recorded import audible_spans
from jarvis_voice.virtual_time import run_virtual

LONG = (
    "It is working. The tests are running now, and three of them have passed so far, "
    "which took about two minutes in all."
)
ASKS = Says("How is it going?", 1.0, at_s=1.0)


def always(claims: bool) -> ClaimJudge:
    """A judge that takes every sound for a claim, or none."""
    weights = {
        "w1": np.zeros((INPUTS, 1), np.float32),
        "b1": np.zeros(1, np.float32),
        "w2": np.zeros((1, 3), np.float32),
        "b2": np.array([6.0 if claims else -6.0, 0.0, 0.0], np.float32),
    }
    return ClaimJudge(ClaimNetwork(weights))


def talk(act: Says, *, claims: bool) -> Simulated:
    """The recognizer needs half a second of sound before it has words."""
    brain = ScriptedBrain({"How is it going?": LONG, "What failed?": "Nothing failed so far."})
    late = Reply(act.text, hypotheses=("", "", "", "", act.text))
    return simulate(
        [ASKS, act], Stage(brain=brain, claims=always(claims), replies=[Reply(ASKS.text), late])
    )


def agent_gaps(result: Simulated) -> list[float]:
    spans = audible_spans(result.sound[:, 1], 24_000)
    return [b.start_s - a.end_s for a, b in itertools.pairwise(spans)]


def test_an_interruption_is_silent_long_before_it_is_proved() -> None:
    result = talk(Says("What failed?", 1.6, after_agent_started_s=1.5), claims=True)
    (paused, *_) = result.of(events.PlaybackPaused)
    (cut,) = result.of(events.BargedIn)
    assert paused.at_s < cut.at_s
    assert paused.silent_s - cut.onset_s < 0.3
    (measured,) = yield_latencies(result.seen)
    assert measured.silent_s == pytest.approx(paused.silent_s - cut.onset_s)
    user, _ = audible_spans(result.sound[:, 0], 24_000)[1:2][0]
    stopped = next(s.end_s for s in audible_spans(result.sound[:, 1], 24_000) if s.end_s > user)
    assert stopped - user < 0.3
    assert [x.user_text for x in result.history] == ["How is it going?", "What failed?"]
    assert result.history[0].cut
    assert LONG.startswith(result.history[0].heard)


def test_a_pause_for_nothing_is_taken_back_and_every_word_is_heard() -> None:
    result = talk(Says("mm-hm", 0.35, after_agent_started_s=1.5), claims=True)
    paused, resumed = result.of(events.PlaybackPaused)
    assert (paused.paused, resumed.paused) == (True, False)
    assert resumed.silent_s is None
    (exchange,) = result.history
    assert (exchange.heard, exchange.cut) == (LONG, False)
    assert not result.of(events.BargedIn)
    whole = simulate([ASKS], Stage(brain=ScriptedBrain({"How is it going?": LONG})))
    said_again_s = np.count_nonzero(np.abs(result.sound[:, 1]) > 0.001) - np.count_nonzero(
        np.abs(whole.sound[:, 1]) > 0.001
    )
    assert -0.02 < said_again_s / 24_000 < 0.5  # the word that was cut, from its start


def test_a_sound_that_claims_nothing_is_only_spoken_over() -> None:
    result = talk(Says("mm-hm", 0.35, after_agent_started_s=1.5), claims=False)
    assert not result.of(events.PlaybackPaused)
    assert [event.ducked for event in result.of(events.PlaybackDucked)] == [True, False]
    assert max(agent_gaps(result), default=0.0) < 0.25


def test_the_answer_after_an_interruption_is_as_loud_as_the_first() -> None:
    result = talk(Says("What failed?", 1.6, after_agent_started_s=1.5), claims=True)
    first, second = result.of(events.AgentSpeechStarted)

    def level(at_s: float) -> float:
        begin = int((at_s + 0.1) * 24_000)
        return float(np.abs(result.sound[begin : begin + 24_000, 1]).max())

    assert level(second.at_s) == pytest.approx(level(first.at_s), rel=0.1)


class _Eager:
    """A loudspeaker that asks for sound before ``start`` has returned, as a new stream does."""

    def __init__(self) -> None:
        self.info = DeviceInfo("eager", 24_000, 1, 0.01)
        self.asked: list[NDArray[np.float32]] = []

    def start(self, render: Render, lost: Lost) -> None:
        block = np.full(480, np.nan, np.float32)
        render(block)
        self.asked.append(block)

    def stop(self) -> None:
        """Nothing is held."""


def test_a_new_device_gets_silence_until_playback_knows_of_it() -> None:
    async def lose_and_reopen() -> None:
        port, playback = _Eager(), Playback(24_000)
        mouth = Mouth(
            port,
            playback,
            Voice(ScriptedSynthesizer()),
            lambda answer, at_s: None,
            lambda answer, at_s, heard, cut: None,
        )
        mouth.open(lambda reason: None)
        answer = Answer(1, events.Question(1, "", 0.0, 0.0), preemptive=False, said="One two")
        mouth.begin(answer)
        mouth.enqueue(answer, Sound(np.arange(1, 24_001, dtype=np.float32), ()))
        before = np.zeros(4_800, np.float32)
        playback.render(before)
        mouth.lost()
        port.start(mouth._render, lambda reason: None)  # its first callback comes at once
        assert not port.asked[-1].any()
        mouth.reopened()
        port.start(mouth._render, lambda reason: None)
        heard = 4_800 - playback.latency_samples
        assert port.asked[-1][0] == heard + 1  # the first sample that the lost device did not play
        mouth.close()

    run_virtual(lose_and_reopen())
