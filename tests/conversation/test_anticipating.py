"""Likely answers begin at once: their first phrases are ready, within bounds, and never stale."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from audio.engine import CancelToken
from audio.errors import Cancelled
from audio.tts.cached import CachedSynthesizer
from audio.tts.scripted import Script, ScriptedSynthesizer
from audio.tts.spoken_text import speak
from bench.simulator import Says, ScriptedBrain, Simulation, Stage, simulate
from bench.timed_engines import TimedBrain, TimedRecognizer, TimedSynthesizer
from jarvis_voice.conversation.anticipating import Anticipates, Anticipating, AnticipatingSettings
from jarvis_voice.conversation.voice import Urgency, Voice
from jarvis_voice.telemetry.latency import turn_latencies

WORKING, FAILED = "It is working. Three tests have passed.", "It failed. One test did not pass."


@dataclass
class Scene:
    """Anticipating around a synthesizer that takes half a second for a phrase."""

    synthesizer_s: float = 0.5
    settings: AnticipatingSettings = field(default_factory=AnticipatingSettings)
    likely: tuple[str, ...] = (WORKING,)
    idle: bool = True
    inner: ScriptedSynthesizer = field(default_factory=ScriptedSynthesizer)

    def __post_init__(self) -> None:
        self.timed = TimedSynthesizer(self.synthesizer_s, self.inner)
        self.cache = CachedSynthesizer(self.timed, "voice")
        self.voice = Voice(self.cache)
        brain = TimedBrain({}, likely=lambda: self.likely)
        self.tested = Anticipating(
            brain, self.voice, lambda: self.idle, tuple, settings=self.settings
        )

    async def during(self, work) -> None:
        async with asyncio.TaskGroup() as group:
            running = group.create_task(self.tested.run())
            await work()
            running.cancel()
        self.voice.close()


async def test_the_first_phrase_of_each_is_ready_and_nothing_more_is_made():
    scene = Scene(likely=(WORKING, FAILED, WORKING, ""))

    async def work() -> None:
        await asyncio.sleep(0.25 + 0.49)
        assert scene.tested.ready == ()
        await asyncio.sleep(0.02)
        assert scene.tested.ready == ("It is working.",)
        await asyncio.sleep(60.0)
        assert scene.timed.made == ["It is working.", "It failed. One test did not pass."]

    await scene.during(work)


async def test_what_is_no_longer_so_is_dropped_unless_it_was_said():
    scene = Scene(likely=(WORKING, "Nothing has failed so far."))

    async def work() -> None:
        await asyncio.sleep(5.0)
        list(scene.cache.synthesize(speak("Nothing has failed so far."), CancelToken()))
        scene.likely = ("All is done now.",)
        scene.tested.renew()
        await asyncio.sleep(5.0)
        assert scene.tested.ready == ("All is done now.",)
        assert not scene.cache.holds(speak("It is working."))
        assert scene.cache.holds(speak("Nothing has failed so far."))

    await scene.during(work)


async def test_a_burst_of_changes_costs_one_round():
    scene = Scene()

    async def work() -> None:
        for number in range(10):
            scene.likely = (f"It is at step {number}.",)
            scene.tested.renew()
            await asyncio.sleep(0.02)
        await asyncio.sleep(5.0)
        assert scene.timed.made == ["It is at step nine."]

    await scene.during(work)


async def test_it_waits_while_anybody_speaks_and_gives_up_the_voice_at_once():
    scene = Scene(synthesizer_s=10.0, idle=False)

    async def work() -> None:
        await asyncio.sleep(30.0)
        assert scene.timed.made == []
        scene.idle = True
        await asyncio.sleep(5.0)
        scene.idle = False
        scene.tested.disturb()
        before_s = asyncio.get_running_loop().time()
        assert await scene.voice.run(lambda: 1, Urgency.NOW) == 1
        assert asyncio.get_running_loop().time() == before_s
        await asyncio.sleep(30.0)
        assert scene.timed.made == []
        scene.idle = True
        await asyncio.sleep(11.0)
        assert scene.tested.ready == ("It is working.",)

    await scene.during(work)


async def test_something_to_be_said_calls_off_what_is_only_anticipated():
    scene = Scene(synthesizer_s=10.0)
    phrase = speak("Maybe.")

    async def say() -> float:
        await asyncio.sleep(1.0)
        await scene.voice.run(lambda: None, Urgency.NOW)
        return asyncio.get_running_loop().time()

    async with asyncio.TaskGroup() as group:
        said = group.create_task(say())
        with pytest.raises(Cancelled):
            await scene.voice.prepare(phrase)
    assert said.result() == 1.0
    assert not scene.voice.holds(phrase)
    scene.voice.close()


async def test_it_costs_no_more_than_so_many_phrases_a_minute():
    scene = Scene(synthesizer_s=0.01, settings=AnticipatingSettings(per_minute=3))

    async def work() -> None:
        for number in range(100):
            scene.likely = (f"It is at step {number}.",)
            scene.tested.renew()
            await asyncio.sleep(1.0)
        assert len(scene.timed.made) == 6

    await scene.during(work)


async def test_when_nobody_has_spoken_for_a_while_it_costs_little():
    scene = Scene(synthesizer_s=0.01)

    async def work() -> None:
        made = []
        for number in range(600):
            scene.likely = (f"It is at step {number}.",)
            scene.tested.renew()
            await asyncio.sleep(1.0)
            made.append(len(scene.timed.made))
        assert made[119] > 40
        assert made[-1] - made[179] <= 4 * 7 + 1  # in the last seven minutes
        scene.tested.disturb()
        scene.tested.renew()
        await asyncio.sleep(1.0)
        assert len(scene.timed.made) == made[-1] + 1  # somebody speaks again

    await scene.during(work)


async def test_a_long_quote_is_not_anticipated_and_the_number_of_phrases_is_bounded():
    long = "It " + " ".join(["very"] * 40) + " well."
    many = tuple(f"Step {number} is done." for number in range(50))
    scene = Scene(synthesizer_s=0.01, likely=(long, *many))

    async def work() -> None:
        await asyncio.sleep(200.0)
        assert len(scene.tested.ready) == scene.settings.most_phrases
        assert scene.tested.ready[0] == "Step zero is done."

    await scene.during(work)


async def test_a_phrase_that_cannot_be_made_is_left_alone():
    broken = ScriptedSynthesizer(Script(failures={"working.": "It broke."}))
    scene = Scene(inner=broken, likely=(WORKING, "All is well here."))

    async def work() -> None:
        await asyncio.sleep(70.0)
        assert "All is well here." in scene.tested.ready
        assert "It is working." not in scene.tested.ready

    await scene.during(work)


@pytest.mark.parametrize("brain", [ScriptedBrain({}), TimedBrain({}, likely=lambda: (WORKING,))])
async def test_without_a_knowing_brain_or_a_cache_it_ends_at_once(brain: ScriptedBrain):
    synthesizer = TimedSynthesizer(0.5)
    cached = CachedSynthesizer(synthesizer, "voice")
    voice = Voice(synthesizer if isinstance(brain, Anticipates) else cached)
    foreseeing = brain if isinstance(brain, Anticipates) else None
    await Anticipating(foreseeing, voice, lambda: True, tuple).run()
    assert synthesizer.made == []
    voice.close()


# --- in a conversation ---------------------------------------------------------------------------


def stage(brain: TimedBrain, synthesizer: TimedSynthesizer) -> Stage:
    return Stage(
        brain=brain,
        synthesizer=CachedSynthesizer(synthesizer, "voice"),
        recognizer=TimedRecognizer(["How is it going?"], 0.15),
    )


def test_an_anticipated_answer_sounds_as_soon_as_the_turn_is_over():
    synthesizer = TimedSynthesizer(1.5)
    brain = TimedBrain({"How is it going?": WORKING}, likely=lambda: (WORKING,))
    result = simulate([Says("", 1.024, at_s=3.0)], stage(brain, synthesizer))
    (row,) = turn_latencies(result.seen)
    assert (row.recognizer_s, row.brain_s, row.synthesizer_s) == (0.0, 0.0, 0.0)
    assert row.response_s == pytest.approx(0.544, abs=0.03)
    assert result.history[0].heard == WORKING


def test_a_change_of_the_runs_changes_what_is_ready():
    synthesizer = TimedSynthesizer(0.5)
    likely = [WORKING]
    brain = TimedBrain({"How is it going?": FAILED}, likely=lambda: tuple(likely))

    async def change(simulation: Simulation) -> None:
        await asyncio.sleep(2.0)
        likely[:] = [FAILED]
        simulation.conversation.runs_changed()
        await asyncio.sleep(1.0)
        assert synthesizer.made == ["It is working.", "It failed. One test did not pass."]

    result = simulate([Says("", 1.024, at_s=4.0)], stage(brain, synthesizer), during=change)
    (row,) = turn_latencies(result.seen)
    assert row.synthesizer_s == 0.0
    assert row.response_s == pytest.approx(0.544, abs=0.04)


def test_nothing_is_anticipated_while_the_user_speaks():
    synthesizer = TimedSynthesizer(0.5)
    brain = TimedBrain({}, likely=lambda: tuple(f"Step {n} is done." for n in range(9)))

    async def watch(simulation: Simulation) -> None:
        await asyncio.sleep(1.5)
        before = list(synthesizer.made)
        await asyncio.sleep(2.5)
        assert synthesizer.made == before

    simulate([Says("", 3.0, at_s=1.0)], stage(brain, synthesizer), during=watch)
