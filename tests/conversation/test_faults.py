"""Whatever an engine or a brain does: the talk goes on, ends when told, and tells the truth."""

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest
from numpy.typing import NDArray

from audio.asr.base import RecognizerStream
from audio.asr.scripted import ScriptedRecognizer
from audio.devices.base import DeviceInfo, Lost, Render
from audio.echo.bypass import Bypass
from audio.errors import EngineFailed
from audio.playback import Playback, PlaybackMark
from audio.tts.scripted import Script, ScriptedSynthesizer
from bench.simulator import Says, ScriptedBrain, Simulation, Stage, simulate
from jarvis_voice import events
from jarvis_voice.conversation import Heard, Notice
from jarvis_voice.conversation.answer import Answer, Sound
from jarvis_voice.conversation.answering import MAX_REPLY_CHARS
from jarvis_voice.conversation.mouth import Mouth
from jarvis_voice.conversation.voice import Voice
from jarvis_voice.errors import BrainError
from jarvis_voice.virtual_time import run_virtual

ASKS = Says("How is it going?", 1.0, at_s=1.0)
LONG = "One two three four five. Six seven eight nine ten. Eleven twelve thirteen."


class _Brain(ScriptedBrain):
    def __init__(self, *pieces: str, fails: bool = False, hangs: bool = False) -> None:
        super().__init__({})
        self._pieces = pieces
        self._fails = fails
        self._hangs = hangs

    async def reply(self, question: events.Question) -> AsyncIterator[str]:
        for piece in self._pieces:
            yield piece
        if self._fails:
            raise BrainError("The model broke.", "Try another one.")
        if self._hangs:
            await asyncio.Event().wait()


@pytest.mark.parametrize("stop_at_s", [2.5, 4.0, 7.0])
@pytest.mark.parametrize("pieces", [(), ("Let me see. ",)])
def test_it_ends_when_told_although_the_brain_says_nothing_more(
    stop_at_s: float, pieces: tuple[str, ...]
):
    async def stop(simulation: Simulation) -> None:
        await asyncio.sleep(stop_at_s)
        simulation.conversation.stop("enough")

    acts = [ASKS, Says("stop", 0.6, at_s=4.5)]
    result = simulate(acts, Stage(brain=_Brain(*pieces, hangs=True), limit_s=30.0), during=stop)
    (ended,) = result.of(events.SessionEnded)
    assert ended.at_s == pytest.approx(stop_at_s, abs=0.1)


def test_a_brain_that_breaks_is_told_and_the_conversation_goes_on():
    acts = [ASKS, Says("And now?", 1.0, after_agent_stopped_s=1.0)]
    result = simulate(acts, Stage(brain=_Brain("It is well. ", fails=True)))
    assert [e.where for e in result.of(events.Faulted)] == ["brain", "brain"]
    assert [x.user_text for x in result.history] == ["How is it going?", "And now?"]


def test_an_answer_in_one_endless_piece_is_bounded():
    brain = _Brain("word " * 20_000)
    result = simulate([ASKS, Says("stop", 0.6, after_agent_started_s=1.0)], Stage(brain=brain))
    assert [len(x.said) for x in result.history] == [MAX_REPLY_CHARS] * 2


def test_what_a_broken_voice_did_not_say_does_not_count_as_heard():
    voice = ScriptedSynthesizer(Script(words_per_chunk=1, failures={"eight": "It broke."}))
    result = simulate([ASKS], Stage(brain=_Brain(LONG), synthesizer=voice))
    (exchange,) = result.history
    assert exchange.heard == LONG[: LONG.index(" eight")]
    assert exchange.cut


def test_a_notice_that_the_voice_broke_off_was_heard_in_part():
    voice = ScriptedSynthesizer(Script(failures={"Six": "It broke."}))
    assert _told_of_notice([], Stage(synthesizer=voice)) == [
        (Heard.PART, "One two three four five. ")
    ]


def test_a_notice_cut_before_its_first_word_may_be_said_again():
    cut = Says("What is it?", 1.0, after_agent_started_s=0.0)
    slow = ScriptedSynthesizer(Script(word_s=2.0))
    assert _told_of_notice([cut], Stage(synthesizer=slow)) == [(Heard.PART, "")]


def _told_of_notice(acts: list[Says], stage: Stage) -> list[tuple[Heard, str]]:
    told: list[tuple[Heard, str]] = []

    async def offer(simulation: Simulation) -> None:
        notice = Notice("n", LONG, lambda how, heard: told.append((how, heard)))
        simulation.conversation.speak_up(notice)

    simulate(acts, stage, during=offer)
    return told


class _Canceller(Bypass):
    """Fails for a while."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def process(self, near: NDArray[np.float32], far: NDArray[np.float32]) -> NDArray[np.float32]:
        self._calls += 1
        if self._calls in range(10, 14):
            raise EngineFailed("The canceller broke.", "Start again.")
        return super().process(near, far)


def test_a_failing_canceller_is_told_once_and_the_conversation_goes_on():
    result = simulate([ASKS], Stage(brain=_Brain(LONG), canceller=_Canceller()))
    assert [e.where for e in result.of(events.Faulted)] == ["microphone"]
    assert [x.heard for x in result.history] == [LONG]


class _Recognizer(ScriptedRecognizer):
    def stream(self) -> RecognizerStream:
        stream = super().stream()

        def close() -> None:
            raise EngineFailed("It cannot be closed.", "Start again.")

        setattr(stream, "close", close)  # noqa: B010 - mypy takes no assignment to a method
        return stream


def test_a_recognizer_that_cannot_be_closed_does_not_end_the_conversation():
    acts = [ASKS, Says("And now?", 1.0, after_agent_stopped_s=1.0)]
    recognizer = _Recognizer(["How is it going?", "And now?"])
    result = simulate(acts, Stage(brain=_Brain("Well."), recognizer=recognizer))
    assert [x.user_text for x in result.history] == ["How is it going?", "And now?"]


class _LateLoudspeaker:
    info = DeviceInfo("late", 24_000, 1, 0.2)

    def start(self, render: Render, lost: Lost) -> None:
        pass

    def stop(self) -> None:
        pass


def test_what_was_heard_of_a_cut_answer_is_known_when_a_late_loudspeaker_is_closed():
    stopped: list[tuple[str, bool]] = []

    async def speak_and_end() -> None:
        playback = Playback(24_000)
        mouth = Mouth(
            _LateLoudspeaker(),
            playback,
            Voice(ScriptedSynthesizer()),
            lambda answer, at_s: None,
            lambda answer, at_s, heard, cut: stopped.append((heard, cut)),
        )
        mouth.open(lambda reason: None)
        answer = Answer(1, events.Question(1, "", 0.0, 0.0), preemptive=False, said="One two")
        mouth.begin(answer)
        marks = (PlaybackMark(12_000, 3), PlaybackMark(24_000, 7))
        mouth.enqueue(answer, Sound(np.ones(24_000, np.float32), marks))
        playback.render(np.zeros(20_000, np.float32))
        mouth.cut()
        assert not stopped  # what the device holds still sounds
        mouth.close()

    run_virtual(speak_and_end())
    assert stopped == [("One", True)]
