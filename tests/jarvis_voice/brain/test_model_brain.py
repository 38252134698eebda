"""Whatever a model does, the user hears an answer. Virtual time."""

from __future__ import annotations

import asyncio
import math
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.brain.brain import NarratorBrain
from jarvis_voice.brain.model_brain import BROKE_OFF, SORRY, Deadlines, ModelBrain
from jarvis_voice.brain.scripted import Pause, ScriptedModel
from jarvis_voice.brain.thinking import ThoughtFilter
from jarvis_voice.clock import session_now
from jarvis_voice.errors import BrainError, ModelMalformed, ModelUnreachable


class Heard:
    """One reply, with the time of each piece."""

    def __init__(self, brain) -> None:
        self.brain = brain
        self.pieces: list[tuple[float, str]] = []

    async def ask(self, question) -> str:
        started_s = session_now()
        async for piece in self.brain.reply(question):
            self.pieces.append((session_now() - started_s, piece))
        return "".join(piece for _, piece in self.pieces)


@pytest.fixture
def faults() -> list[BrainError]:
    return []


@pytest.fixture
def brain(make, faults):
    def build(*script: object, **limits: float) -> ModelBrain:
        lookup = make.lookup([make.states["working"]])
        return ModelBrain(ScriptedModel(script), lookup, faults.append, Deadlines(**limits))

    return build


async def test_a_good_model_is_heard_as_it_streams(brain, make, faults) -> None:
    heard = Heard(brain("It is ", Pause(0.2), "nearly done.", Pause(1), " Two steps are left."))
    assert await heard.ask(make.question("how")) == "It is nearly done. Two steps are left."
    assert [round(at_s, 3) for at_s, _ in heard.pieces] == [0.0, 0.2, 1.2]
    assert faults == []
    assert heard.brain.versions() == {"r1": 7}


@pytest.mark.parametrize(
    ("script", "after_s", "fault"),
    [
        ((ModelUnreachable("It is not there.", "Start it."),), 0.0, ModelUnreachable),
        ((ModelMalformed("It sent rubbish.", "Look."),), 0.0, ModelMalformed),
        ((Pause(math.inf),), 4.0, ModelUnreachable),
        ((Pause(3.9), "   \n", Pause(math.inf)), 4.0, ModelUnreachable),
        (("<think>", Pause(1), "hm " * 50, Pause(math.inf)), 4.0, ModelUnreachable),
        (("  ", "\n"), 0.0, ModelMalformed),
        ((), 0.0, ModelMalformed),
        (("<think>only thoughts</think>",), 0.0, ModelMalformed),
    ],
)
async def test_no_words_give_an_apology_and_the_narrators_answer(
    brain, make, faults, script, after_s, fault
) -> None:
    heard = Heard(brain(*script))
    answer = await heard.ask(make.question("What failed?"))
    assert answer.startswith(f"{SORRY} One thing failed.")
    assert "2 errors in migrate.py" in answer
    assert answer.count(SORRY) == 1
    assert heard.pieces[0][0] == pytest.approx(after_s)
    assert [type(item) for item in faults] == [fault]
    assert faults[0].remedy


async def test_an_answer_that_breaks_off_is_ended_gracefully(brain, make, faults) -> None:
    heard = Heard(brain("It found three", Pause(math.inf)))
    answer = await heard.ask(make.question("What failed?"))
    assert answer.startswith(f"It found three... {BROKE_OFF} One thing failed.")
    assert heard.pieces[1][0] == pytest.approx(6.0)
    assert SORRY not in answer
    assert len(faults) == 1


async def test_a_break_after_a_whole_sentence_needs_no_dots(brain, make) -> None:
    answer = await Heard(brain("All is well.", ModelMalformed("It broke."))).ask(
        make.question("how is it going")
    )
    assert answer.startswith(f"All is well. {BROKE_OFF} It is still working.")


async def test_a_model_that_drips_forever_is_stopped(brain, make, faults) -> None:
    script = [step for _ in range(200) for step in ("word ", Pause(1.0))]
    heard = Heard(brain(*script, total_s=30.0))
    await heard.ask(make.question("how"))
    assert heard.pieces[-1][0] <= 31.0
    assert len(faults) == 1


async def test_a_model_that_talks_too_much_ends_at_a_sentence(brain, make, faults) -> None:
    heard = Heard(brain(*["A sentence of some words. "] * 1000, most_chars=100))
    answer = await heard.ask(make.question("how"))
    assert len(answer) < 140
    assert answer.rstrip().endswith(".")
    assert faults == []


async def test_a_slow_listener_does_not_count_against_the_model(brain, make, faults) -> None:
    model_brain = brain("One. ", "Two. ", "Three.", total_s=5.0)
    answer = ""
    async for piece in model_brain.reply(make.question("how")):
        answer += piece
        await asyncio.sleep(60)
    assert answer == "One. Two. Three."
    assert faults == []


@pytest.mark.parametrize("after", [0, 1, 2])
async def test_a_reply_can_be_closed_at_any_time(brain, make, faults, after: int) -> None:
    model_brain = brain("One. ", "Two. ", "Three.")
    async with aclosing(model_brain.reply(make.question("how"))) as reply:
        for _ in range(after):
            await anext(reply)
    assert model_brain._model.closed_streams == (1 if after else 0)
    assert faults == []


async def test_a_reply_can_be_cancelled_while_it_waits(brain, make, faults) -> None:
    model_brain = brain("One. ", Pause(math.inf))

    async def listen() -> None:
        async for _ in model_brain.reply(make.question("how")):
            pass

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(2):
            await listen()
    assert model_brain._model.closed_streams == 1
    assert faults == []


async def test_the_next_question_is_answered_after_a_fault(make, faults) -> None:
    model = ScriptedModel((ModelUnreachable("Gone.", "Wait."),), ("Back again.",))
    model_brain = ModelBrain(model, make.lookup([make.states["working"]]), faults.append)
    assert (await Heard(model_brain).ask(make.question("how"))).startswith(SORRY)
    assert await Heard(model_brain).ask(make.question("how")) == "Back again."


async def test_the_narrator_speaks_sentence_by_sentence(make) -> None:
    narrator = NarratorBrain(make.lookup([make.states["done"]]))
    heard = Heard(narrator)
    answer = await heard.ask(make.question("Is it done?"))
    assert heard.pieces[0][1] == "Yes, it is done. "
    assert len(heard.pieces) > 2
    assert answer == answer.strip()
    assert narrator.versions() == {"r1": 7}


@given(
    st.lists(st.sampled_from(["a", " ", "<think>", "</think>", "b<c", "<", "th"]), max_size=12),
    st.data(),
)
def test_thoughts_are_taken_out_however_the_stream_is_split(parts: list[str], data) -> None:
    text = "".join(parts)
    whole = ThoughtFilter()
    expected = whole.feed(text) + whole.flush()
    split = ThoughtFilter()
    spoken = ""
    while text:
        size = data.draw(st.integers(1, len(text)))
        spoken += split.feed(text[:size])
        text = text[size:]
    assert spoken + split.flush() == expected
    assert "<think>" not in expected


def test_only_thoughts_are_taken_out() -> None:
    thoughts = ThoughtFilter()
    spoken = [thoughts.feed(piece) for piece in ("a < b <th", "ink>secret</t", "hink> c <thin")]
    assert "".join(spoken) + thoughts.flush() == "a < b  c <thin"
