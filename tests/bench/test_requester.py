"""The simulated user says what they know, cites it, and never guesses."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from bench.requester import (
    DELEGATES,
    GUESSING,
    KNOWS_NOTHING,
    TEXT_CHARS,
    UNCLEAR,
    Answerability,
    Change,
    Manner,
    RequesterAnswer,
    ScriptedRequester,
    answer,
    broken_rule,
)


class Known(NamedTuple):
    memory_id: str
    field: str
    value: str
    about: tuple[str, ...]


GIFTS = Known(
    "user.anonymous_gifts",
    "anonymous gifts",
    "gifts without a name go to the roof fund, I promised the board",
    ("anonymous", "gift", "donation", "fund"),
)
THANKS = Known("user.thank_you", "thank-you letters", "letters go out in June", ("letter", "thank"))
TRAVEL = Known("user.travel", "travel", "I sit in the aisle", ("seat", "flight"))
ROOF = Known("user.roof", "roof repair", "the roof is done in May", ("roof", "repair"))
ALL = (GIFTS, THANKS, TRAVEL, ROOF)


def test_it_tells_what_it_knows_and_cites_it() -> None:
    said = answer("Which fund should the anonymous donations be booked to?", ALL)
    assert said.answerability is Answerability.ANSWERED
    assert said.disclosed_memory_ids == ("user.anonymous_gifts",)
    assert said.user_text == "Gifts without a name go to the roof fund, I promised the board."
    assert broken_rule(said, ALL) == ""


def test_it_volunteers_a_part_and_names_the_rest_as_open() -> None:
    said = answer("Should the letters mention the exact amounts?", ALL)
    assert said.answerability is Answerability.PARTIAL
    assert said.disclosed_memory_ids == ("user.thank_you",)
    assert said.user_text == "Letters go out in June. I have settled nothing beyond that."


@pytest.mark.parametrize(
    "question",
    [
        "May it push its work to main on origin?",
        "Should the ledger use euros or dollars for the summary?",
    ],
)
def test_it_refuses_to_guess(question: str) -> None:
    said = answer(question, ALL)
    assert said == RequesterAnswer(Answerability.INSUFFICIENT, KNOWS_NOTHING)
    assert broken_rule(said, ALL) == ""


@pytest.mark.parametrize("question", ["", "?", "What do you decide?", "Is it so?"])
def test_it_asks_back_when_nothing_is_asked(question: str) -> None:
    assert answer(question, ALL) == RequesterAnswer(Answerability.UNCLEAR, UNCLEAR)


def test_what_it_says_when_it_knows_nothing_is_no_guess() -> None:
    assert not any(GUESSING.search(text) for text in (KNOWS_NOTHING, UNCLEAR, DELEGATES))


def test_a_word_that_several_memories_share_settles_nothing() -> None:
    said = answer("Is the roof part of it?", (ROOF, Known("user.b", "b", "none", ("roof", "tile"))))
    assert said.answerability is Answerability.INSUFFICIENT


def test_a_very_long_memory_is_cut() -> None:
    long = Known("user.long", "gifts", "word " * 1000, ("gift", "fund"))
    said = answer("Which fund does the gift go to?", (long,))
    assert len(said.user_text) <= TEXT_CHARS
    assert broken_rule(said, (long,)) == ""


async def test_the_same_question_always_gets_the_same_answer() -> None:
    requester = ScriptedRequester()
    question = "Which fund do anonymous gifts go to?"
    first = await requester.answer(question, ALL, ())
    assert first == await requester.answer(question, tuple(reversed(ALL)), ())


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        (RequesterAnswer(Answerability.ANSWERED, "the roof", ()), "must cite"),
        (RequesterAnswer(Answerability.PARTIAL, "the roof", ("user.other",)), "were given"),
        (RequesterAnswer(Answerability.ANSWERED, "x", ("user.roof", "user.roof")), "twice"),
        (RequesterAnswer(Answerability.INSUFFICIENT, "no", ("user.roof",)), "cite no"),
        (RequesterAnswer(Answerability.INSUFFICIENT, "Probably the roof."), "guess"),
        (RequesterAnswer(Answerability.UNCLEAR, "I guess so."), "guess"),
        (RequesterAnswer(Answerability.ANSWERED, " ", ("user.roof",)), "empty"),
        (RequesterAnswer(Answerability.ANSWERED, "x" * 1401, ("user.roof",)), "1400"),
        (RequesterAnswer(Answerability.ANSWERED, "x", tuple("abcdefghijklm")), "at most 12"),
    ],
)
def test_every_rule_of_the_contract_is_checked(given: RequesterAnswer, rule: str) -> None:
    assert rule in broken_rule(given, ALL)


def test_an_answer_that_knows_may_use_any_words() -> None:
    said = RequesterAnswer(Answerability.ANSWERED, "Probably in May.", ("user.roof",))
    assert broken_rule(said, ALL) == ""


def test_the_delay_follows_from_the_seed_alone() -> None:
    manner = Manner(delay_s=20)
    waits = [manner.waits_s(f"seed-{n}", 1) for n in range(50)]
    assert waits == [manner.waits_s(f"seed-{n}", 1) for n in range(50)]
    assert len(set(waits)) > 40
    assert 10 <= min(waits) < 14
    assert 26 < max(waits) <= 30


def test_a_change_of_mind_replaces_what_was_known_of_the_same_field() -> None:
    newer = Known(
        "user.gifts_now", "anonymous gifts", "they go to the school", ("anonymous", "gift")
    )
    memories = (*ALL, newer)
    manner = Manner(changes_mind=Change(60.0, "user.gifts_now"))
    before = {memory.memory_id for memory in manner.known(memories, None)}
    assert before == {memory.memory_id for memory in manner.known(memories, 59.0)}
    after = {memory.memory_id for memory in manner.known(memories, 60.0)}
    assert before - after == {"user.anonymous_gifts"}
    assert after - before == {"user.gifts_now"}
