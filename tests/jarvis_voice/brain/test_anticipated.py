"""What the narrator would say next is what it says when it is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jarvis_voice.brain.brain import LIKELY, MANY_RUNS, NarratorBrain


@pytest.mark.parametrize("state", ["working", "done", "waiting"])
async def test_it_is_word_for_word_what_it_answers_to_the_likely_questions(make, state: str):
    brain = NarratorBrain(make.lookup([make.states[state]]))
    heard = make.exchange("How is it going?", "It is working.")
    for history in ((), (heard,)):
        anticipated = brain.anticipated(history)
        answers = []
        for text in LIKELY:
            question = make.question(text, *history)
            answers.append("".join([piece async for piece in brain.reply(question)]))
        assert list(anticipated) == answers
        assert len(set(anticipated)) > 3


async def test_it_changes_nothing(make):
    brain = NarratorBrain(make.lookup([make.states["done"]]))
    brain.anticipated(())
    assert brain.versions() == {}


@pytest.mark.parametrize("count", [0, MANY_RUNS + 1])
async def test_of_no_run_or_of_very_many_nothing_is_anticipated(make, count: int):
    runs = [replace(make.states["working"], run_id=str(number)) for number in range(count)]
    assert NarratorBrain(make.lookup(runs)).anticipated(()) == ()
