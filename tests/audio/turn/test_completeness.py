"""Does it read as complete? As a recognizer writes it: with stops that mean nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audio.turn.completeness import read
from audio.turn.events import TurnState

OVER = [
    "How is it going?",
    "how is it going",
    "What is it waiting for?",
    "Which agent are you working on",
    "Where did it come from.",
    "Is the build green?",
    "Can you read me the last error?",
    "Why?",
    "Tell the migration agent to use UTC.",
    "Tell the agent that it may go on.",
    "No, not yet.",
    "Yes, go ahead.",
    "I think so.",
    "Yes, they are.",
    "What failed?",
    "What else?",
    "Where is it?",
    "Which tests failed?",
    "What has failed, and why?",
    "Who does it talk to?",
    "I know what it is.",
    "What shall we do?",
    "I need bread, milk, and some eggs.",
    "First stop it, then clear the cache, and finally start it.",
    "My number is 555-019-2846",
    "The code is 4, 7, 1, 9.",
    "When did it start?",
    "If it fails again, then roll back to the old version.",
    "When it is done, let me know.",
    "Can you tell me why?",
    "Why did that fail?",
    "Tell me what you can see.",
    "What is the plan?",
    "Thank you, that is all.",
    "Red, green, and blue.",
    "Red, green and blue.",
    "The agent that works on the migration should use the new schema.",
    "Tell the second agent that the deadline moved.",
    "Hold on, what failed?",
]

# Whole, and often followed by more: "yes, but only the first two", "stop that one, and ...".
MAY_GO_ON = [
    "Stop that one.",
    "Let it finish.",
    "Show me the plan.",
    "Turn it on.",
    "Log in.",
    "Do what you want.",
    "Yes.",
    "Stop that.",
    "The port is 8,080.",
    "Wait, stop the deploy.",
    "Let me see the logs.",
    "Use option two.",
]

NOT_OVER = [
    "So the thing is.",
    "so the thing is",
    "Tell the agent to.",
    "Tell the Agent 2",
    "Tell the agent that.",
    "Tell the reviewer.",
    "Let the other one.",
    "Give me.",
    "Could you check if?",
    "Could you tell me?" + " what",
    "I want you to",
    "I want you.",
    "I want",
    "We need a",
    "What happened to the...",
    "What did it do with the",
    "How long until?",
    "It should write the report and.",
    "The reason I ask is that",
    "I was wondering whether.",
    "Set the timeout to about.",
    "My question is.",
    "If it fails again.",
    "As soon as the backup is done.",
    "I think, um.",
    "Well.",
    "Maybe we could, you know",
    "I need bread, milk.",
    "I need bread. Milk.",
    "First stop the server, second clear the cache.",
    "My number is 555-019",
    "The code is 4, 7.",
    "Call me at zero four four",
    "one two three",
    "I don't want it to touch -",
    "Before we do that,",
    "It is very",
    "What did it",
    "How is it",
    "What are you",
    "What do",
    "How much time",
    "Which question",
    "What does it want to",
    "Let the migration",
    "Remind me in twenty",
    "Give me five",
    "Please ask it.",
    "Why did that agent",
    "What was the other?",
    "The tests for the parser.",
    "The agent that works on the database migration.",
    "Tell the second agent that the deadline.",
    "Why did it end up with",
    "It should probably",
]

ASKS_FOR_TIME = [
    "Hold on.",
    "hold on",
    "Hang on a second.",
    "One moment, please.",
    "Let me think.",
    "Um, let me think about it.",
    "Just a minute, I need to check something.",
    "Give me a second.",
    "Wait.",
    "No, wait.",
]


@pytest.mark.parametrize("text", OVER)
def test_what_is_over(text: str):
    reading = read(text)
    assert reading.state is TurnState.COMPLETE, reading
    assert reading.probability >= 0.7
    assert reading.reason


@pytest.mark.parametrize("text", MAY_GO_ON)
def test_what_is_whole_and_may_go_on(text: str):
    reading = read(text)
    assert reading.state is TurnState.COMPLETE, reading
    assert 0.5 <= reading.probability < 0.7


@pytest.mark.parametrize("text", NOT_OVER)
def test_what_is_not(text: str):
    reading = read(text)
    assert reading.state is TurnState.INCOMPLETE, reading
    assert reading.probability <= 0.3
    assert reading.reason


@pytest.mark.parametrize("text", ASKS_FOR_TIME)
def test_who_asks_for_time(text: str):
    assert read(text).state is TurnState.WAIT


@pytest.mark.parametrize(
    "text", ["", "  ", "...", "[coughs]", "Banana.", "Blue green algae", "It was."]
)
def test_what_cannot_be_told_is_left_open(text: str):
    reading = read(text)
    assert reading.state is TurnState.UNKNOWN
    assert reading.probability == 0.5


@pytest.mark.parametrize("text", ["Stop that one", "So the thing is", "I need bread, milk"])
def test_a_full_stop_changes_nothing(text: str):
    assert read(text) == read(f"{text}.")


@settings(max_examples=40)
@given(st.text(max_size=60))
def test_any_text_has_a_reading(text: str):
    reading = read(text)
    assert 0.0 <= reading.probability <= 1.0


@settings(max_examples=60)
@given(st.lists(st.sampled_from("the to it is what tell agent , . ? two and so not wait".split())))
def test_any_order_of_words_has_a_reading(words: list[str]):
    assert read(" ".join(words)).reason
