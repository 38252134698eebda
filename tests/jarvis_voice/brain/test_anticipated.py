"""What the narrator would say next is what it says when it is asked."""

from __future__ import annotations

import pytest

from jarvis_voice.brain.brain import LIKELY, NarratorBrain


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


async def test_while_no_run_is_seen_there_is_nothing_to_anticipate(make):
    assert NarratorBrain(make.lookup([])).anticipated(()) == ()
