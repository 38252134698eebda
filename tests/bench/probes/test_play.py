"""Scenes in virtual time and over a real websocket, with scripted engines on both sides."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator

import numpy as np
import pytest

from audio.pcm import RATE
from bench.probes import duplex, latency
from bench.probes.corpus import Corpus, SharedPrompt
from bench.probes.files import FilesSetting
from bench.probes.play import Cue, Scene, Take, When
from bench.probes.recipe import QUIET, DuplexCase, Line, PromptCase, texts
from bench.probes.sides import Mind
from bench.probes.speaker import Clip, measured
from bench.probes.websocket import WebsocketSetting
from jarvis_voice import events
from jarvis_voice.telemetry.recorded import audible_spans

from .scripted_sides import ScriptedSide, hiss

SECOND = hiss("user", 1.0, RATE)
SEQUENTIAL_S = 0.544


class Brain:
    """Says the same to everything, after a while."""

    name = "brain"

    def __init__(self, answer: str, after_s: float = 0.0) -> None:
        self._answer, self._after_s = answer, after_s

    async def reply(self, question: events.Question) -> AsyncIterator[str]:
        await asyncio.sleep(self._after_s)
        yield self._answer

    def versions(self) -> dict[str, int]:
        return {}

    def committed(self, question: events.Question) -> bool:
        return False


class FixedCorpus(Corpus):
    """Every case sounds like a second of noise, whatever it is."""

    def __init__(self) -> None:
        self.clip = measured(Clip("stop it", SECOND))

    def prompt(self, case: PromptCase) -> Clip:
        return self.clip

    def overlap(self, case: DuplexCase) -> Clip:
        return self.clip

    def opening(self) -> Clip:
        return self.clip

    def background(self, place: object) -> None:
        return None


def saying(answer: str, after_s: float = 0.0):
    return lambda _publish: Mind(Brain(answer, after_s))


CASE = PromptCase("one", Line("how is it going", "bf_emma"), QUIET)


@pytest.mark.parametrize("late_s", [0.0, 1.5])
async def test_the_sequential_side_waits_for_the_silence_and_then_for_each_stage(
    late_s: float,
) -> None:
    side = ScriptedSide(saying("It is done.", late_s), ["how is it going"], sequential=True)
    item = await latency.prompt(FilesSetting(), side, FixedCorpus(), CASE)
    assert item.missed == ""
    assert item.first_audio_s == pytest.approx(SEQUENTIAL_S + late_s, abs=0.11)
    assert item.first_content_s == pytest.approx(item.first_audio_s)
    assert item.stages is not None
    assert item.stages["endpoint"] == pytest.approx(SEQUENTIAL_S, abs=0.07)
    assert item.stages["brain"] == pytest.approx(late_s, abs=0.03)
    assert item.heard == "how is it going"


async def test_jarvis_prepares_the_reply_while_the_silence_runs() -> None:
    times = {}
    for sequential in (False, True):
        side = ScriptedSide(saying("It is done.", 0.3), ["how is it going"], sequential=sequential)
        item = await latency.prompt(FilesSetting(), side, FixedCorpus(), CASE)
        assert item.first_audio_s is not None
        times[side.name] = item.first_audio_s
    assert times["sequential"] - times["jarvis"] > 0.2


async def test_an_opener_is_told_apart_from_the_content() -> None:
    side = ScriptedSide(saying("Let me see, it is done."), ["how is it going"], sequential=True)
    item = await latency.prompt(FilesSetting(), side, FixedCorpus(), CASE)
    assert item.opener == "Let me see,"
    assert item.first_audio_s is not None
    assert item.first_content_s == pytest.approx(item.first_audio_s + 0.9, abs=0.03)


async def test_an_agent_that_says_nothing_is_not_answered() -> None:
    side = ScriptedSide(saying("It is done.", math.inf), ["how is it going"], sequential=True)
    item = await latency.prompt(FilesSetting(), side, FixedCorpus(), CASE)
    assert item.first_audio_s is None
    assert item.missed == "no answer"


async def test_the_shared_prompts_are_said_in_one_session_and_one_interrupts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prompts = [SharedPrompt(measured(Clip("words", SECOND)), n == 3) for n in range(5)]
    monkeypatch.setattr(latency, "shared_prompts", lambda: prompts)
    long = "word " * 12 + "end."
    side = ScriptedSide(saying(long), ["words"] * 9, sequential=True)
    items = await latency.shared(FilesSetting(), side)
    assert [item.warm_up for item in items] == [True, False, False, False, False]
    assert [item.interrupted for item in items] == [False, False, True, False, False]
    assert items[3].stop_s == pytest.approx(0.8, abs=0.1)
    assert all(item.first_audio_s is not None for item in items)
    found = latency.metrics(items, ["sequential"], 1)
    assert found["shared.mean_ms"].count == 4
    assert found["shared.mean_ms"].value == pytest.approx(544, abs=110)


def _case(kind: str) -> DuplexCase:
    return DuplexCase(f"{kind}/0", kind, Line("stop it", "bf_emma"), into_s=2.0)


async def test_an_interruption_is_measured_from_the_sound() -> None:
    replies = ["tell me everything", "stop it"]
    side = ScriptedSide(duplex.mind, replies, sequential=True)
    item = await duplex.overlap(FilesSetting(), side, FixedCorpus(), _case("interruption"))
    assert item.missed == ""
    assert item.found is not None
    assert item.found.stopped
    assert item.found.stop_s == pytest.approx(0.8, abs=0.1)
    assert item.found.stale_s == 0.0
    assert item.found.answered_s == pytest.approx(SEQUENTIAL_S, abs=0.15)
    assert item.heard == "stop it"
    assert item.lost == 0
    assert item.right


async def test_a_side_that_stops_for_a_backchannel_did_wrong() -> None:
    replies = ["tell me everything", "mm hm"]
    side = ScriptedSide(duplex.mind, replies, sequential=True)
    item = await duplex.overlap(FilesSetting(), side, FixedCorpus(), _case("backchannel"))
    assert item.found is not None
    assert item.found.stopped
    assert not item.right
    found = duplex.metrics([item], ["sequential"], 1)
    assert found["false_barge_in.share"].value == 1.0
    assert found["ignored.backchannel.share"].value == 0.0


async def test_a_lost_word_shows_in_the_figures() -> None:
    side = ScriptedSide(duplex.mind, ["tell me everything", "it"], sequential=True)
    item = await duplex.overlap(FilesSetting(), side, FixedCorpus(), _case("interruption"))
    assert item.lost == 1
    assert not item.first_kept
    found = duplex.metrics([item], ["sequential"], 1)
    assert found["words_lost.share"].value == 0.5
    assert found["first_word_lost.share"].value == 1.0


async def test_an_agent_that_never_spoke_cannot_be_interrupted() -> None:
    side = ScriptedSide(saying("", 100.0), ["tell me"] * 3, sequential=True)
    item = await duplex.overlap(FilesSetting(), side, FixedCorpus(), _case("interruption"))
    assert item.found is None
    assert "did not speak" in item.missed


def test_the_two_answers_can_be_told_apart_by_their_text() -> None:
    data = texts("duplex")
    assert data["short_answer"] not in data["long_answer"]
    assert len(data["long_answer"].split()) > 55  # it must outlast every case


async def test_jarvis_and_the_reference_are_held_alike() -> None:
    for sequential in (False, True):
        side = ScriptedSide(saying("It is done."), ["hello"] * 3, sequential=sequential)
        cue = Cue(SECOND, When.START, 1.0)
        take = await FilesSetting().play(Scene([cue]), side)
        assert take.user.size == pytest.approx(take.agent.size, abs=2)
        [said] = audible_spans(take.user, RATE)
        assert said.start_s == pytest.approx(take.said_s[0], abs=0.011)
        assert [phrase.source for phrase in take.spoken] == ["It is done."]


@pytest.mark.real_time
async def test_a_scene_over_the_websocket_is_recorded_as_in_files() -> None:
    side = ScriptedSide(saying("It is done."), ["hello"] * 3)
    cue = Cue(SECOND, When.START, 0.3)
    take: Take = await WebsocketSetting().play(Scene([cue], linger_s=0.4), side)
    assert take.missed == ""
    [said] = audible_spans(take.user, RATE)
    assert said.start_s == pytest.approx(take.said_s[0], abs=0.011)
    spans = audible_spans(take.agent, RATE)
    assert spans
    assert spans[0].start_s > said.end_s
    assert [type(event).__name__ for event in take.events].count("TurnCommitted") == 1
    assert np.isfinite(take.agent).all()
    assert ("user", "hello") in take.told


@pytest.mark.parametrize(("answer", "said"), [("a b c d e f", True), ("a.", False)])
async def test_a_cue_that_waits_for_unbroken_speech_is_given_up_when_there_is_none(
    answer: str, said: bool
) -> None:
    side = ScriptedSide(saying(answer), ["words"] * 9, sequential=True)
    cues = [Cue(SECOND, When.START, 1.0), Cue(SECOND, When.FLUENT, 1.0)]
    take = await FilesSetting().play(Scene(cues, patience_s=3.0), side)
    assert math.isfinite(take.said_s[1]) == said
    assert ("not for long enough" in take.missed) != said
    if said:
        began_s = audible_spans(take.agent, RATE)[0].start_s
        assert take.said_s[1] - began_s == pytest.approx(1.0, abs=0.15)
