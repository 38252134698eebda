"""The plain PCM protocol: what a harness measures, and what a bad client cannot do."""

from __future__ import annotations

import json

import numpy as np
import pytest

from audio.tts.scripted import Script, ScriptedSynthesizer
from jarvis_voice import events


def reply_s(text: str) -> float:
    """How long the scripted voice takes to say it: 0.35 s a word."""
    return 0.35 * len(text.split())


async def test_a_question_is_answered_once_and_nothing_else_sounds(pcm, engines):
    engines.replies = ["How is it going?"]
    async with pcm(engines) as caller:
        await caller.say(1.0, 12.0)
    assert caller.documents[0] == {
        "type": "transcript",
        "role": "user",
        "text": "How is it going?",
        "final": True,
    }
    (spoken,) = [m for m in caller.documents[1:] if m["role"] == "agent"]
    assert spoken["text"] == engines.talks[0].history[0].said
    said_s = reply_s(spoken["text"])
    assert caller.sound_s == pytest.approx(said_s, abs=0.8)
    assert caller.closed == (1000, "")


async def test_a_player_without_a_limit_plays_a_reply_with_its_own_pauses(pcm, engines):
    engines.replies = ["How is it going?"]
    engines.synthesizer = ScriptedSynthesizer(Script(word_s=0.2, gap_s=0.3))
    async with pcm(engines) as caller:
        await caller.say(1.0, 14.0)
    ends_s, late_s = 0.0, 0.0
    for at_s, message in caller.got:
        if isinstance(message, bytes):
            begins_s = max(at_s, ends_s)  # as voicebench places it
            late_s = max(late_s, begins_s - at_s)
            ends_s = begins_s + len(message) / 2 / caller.rate
    assert late_s < 0.03  # a pause is not sent again before what comes after it
    words = len(engines.talks[0].history[0].said.split())
    assert caller.sound_s == pytest.approx(0.5 * words, abs=1.0)


async def test_an_interruption_clears_and_nothing_stale_follows(pcm, engines):
    engines.replies = ["How is it going?", "What failed?"]
    async with pcm(engines) as caller:
        await caller.say(1.0)
        await caller.until(lambda: caller.sound_s > 1.0)
        await caller.say(1.5, 6.0)
    kinds = [
        "sound" if isinstance(message, bytes) else json.loads(message)["type"]
        for _, message in caller.got
    ]
    assert kinds.count("clear") == 1
    cleared_s = caller.got[kinds.index("clear")][0]
    cut = next(e for e in engines.seen if isinstance(e, events.AgentSpeechStopped) and e.cut)
    started = [e for e in engines.seen if isinstance(e, events.AgentSpeechStarted)][1]
    stale = [
        at
        for at, message in caller.got
        if isinstance(message, bytes) and cleared_s < at < started.at_s - 0.05
    ]
    assert cut.at_s <= cleared_s
    assert stale == []
    users = [m["text"] for m in caller.of("transcript") if m["role"] == "user"]
    assert users == ["How is it going?", "What failed?"]


async def test_a_client_that_stops_sending_has_stopped_speaking(pcm, engines):
    engines.replies = ["What failed?"]
    async with pcm(engines) as caller:
        await caller.say(1.0)  # and not even silence after it
        await caller.until(lambda: caller.sound_s > 0.5)
    assert [m["text"] for m in caller.of("transcript") if m["role"] == "user"] == ["What failed?"]


async def test_a_question_sent_faster_than_time_is_heard_whole(pcm, engines):
    engines.replies = ["What failed?"]
    async with pcm(engines) as caller:
        caller.sound(30_000.0 * np_noise(16_000 * 2))
        await caller.until(lambda: caller.sound_s > 0.5)
    (committed,) = [e for e in engines.seen if isinstance(e, events.TurnCommitted)]
    (began,) = [e for e in engines.seen if isinstance(e, events.SpeechStarted)]
    assert committed.speech_ended_s - began.onset_s == pytest.approx(
        2.0, abs=0.4
    )  # 5 % fast, after a burst


def np_noise(size: int) -> np.ndarray:
    return np.clip(np.random.default_rng(2).standard_normal(size) * 0.2, -1, 1)


async def test_half_a_sample_is_refused_with_a_sentence(pcm, engines):
    async with pcm(engines) as caller:
        caller.put(b"\0\0\0")
        await caller.until(lambda: caller.documents)
    assert "whole samples" in caller.of("error")[0]["message"]
    assert caller.closed[0] == 1007


async def test_another_rate_is_refused_and_other_text_ignored(pcm, engines):
    async with pcm(engines) as caller:
        caller.put("no json {")
        caller.put("[1, 2]")
        caller.put({"type": "start", "sample_rate": 16000})
        caller.put({"type": "start", "sample_rate": 48000})
        await caller.until(lambda: caller.documents)
    assert "48000" in caller.of("error")[0]["message"]


async def test_more_than_a_minute_of_sound_at_once_is_refused(pcm, engines):
    async with pcm(engines) as caller:
        for _ in range(70):
            caller.put(bytes(32_000))
        await caller.until(lambda: caller.documents)
    assert "waits to be heard" in caller.of("error")[0]["message"]


async def test_a_client_that_leaves_in_the_middle_of_a_reply_ends_everything(pcm, engines):
    engines.replies = ["How is it going?"]
    async with pcm(engines) as caller:
        await caller.say(1.0)
        await caller.until(lambda: caller.sound_s > 0.5)
    (ended,) = [e for e in engines.seen if isinstance(e, events.SessionEnded)]
    assert ended.reason == "the client left"
    assert engines.talks[0].history[0].cut


async def test_a_client_that_does_not_read_is_let_go_and_its_memory_is_bounded(pcm, engines):
    engines.replies = ["How is it going?"]
    async with pcm(engines, max_bytes=40_000) as caller:
        caller.reads.clear()
        await caller.say(1.0, 5.0)
        await caller.until(lambda: caller.closed is not None)
    assert caller.closed[0] == 1008
    assert "too slowly" in caller.closed[1]


async def test_each_client_begins_anew(pcm, engines):
    for text in ("How is it going?", "What failed?"):
        engines.replies = [text]
        async with pcm(engines) as caller:
            await caller.say(1.0)
            await caller.until(lambda caller=caller: caller.sound_s > 0.5)
    assert [len(question.history) for question in engines.brain.settled] == [0, 0]
