"""What people say, as recognizers write it down, and what they are after."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.brain.intent_rules import Intent
from jarvis_voice.brain.intents import one_apart, understood, uniform

SAYINGS = {
    Intent.STATUS: [
        "How's it going?", "how is it going", "Hows it going", "How is the run going so far?",
        "Hey Jarvis, how are things going?", "What's the status?", "Give me an update.",
        "Status, please.", "How is everything?", "Is everything okay?", "Where do we stand?",
        "What's going on?", "Okay, so how's it going now?", "Could you tell me how it's going?",
        "Is it still running?", "Give me a quick summary.", "Um, how's it coming along?",
        "House it going?", "How's it doing?", "what's happening", "Is it on track?",
    ],
    Intent.NOW: [
        "What is it doing right now?", "What's it doing?", "What is the agent working on?",
        "what's it up to", "What is it doing at the moment?", "So what is it doing now, Jarvis?",
        "What's the agent doing?", "What is it currently doing?",
    ],
    Intent.PROGRESS: [
        "How far along is it?", "How far is it?", "How much is left?", "What progress has it made?",
        "Is it nearly done?", "What's left to do?", "How many steps are left?", "What comes next?",
        "how fall along is it", "What's next?", "How close is it to finished?",
    ],
    Intent.FINDINGS: [
        "What did it find?", "What has it found so far?", "Any results?", "what did it found",
        "What did it find out?", "What are the findings?", "Did it find anything?",
        "to define anything.",
        "What was the outcome?", "What were the results?",
    ],
    Intent.UNCLEAR: [
        "What's unclear?", "What is unclear?", "Is anything uncertain?",
        "Are there open questions?",
        "What is it not sure about?", "what is uncle", "Anything it's unsure about?",
    ],
    Intent.FAILURES: [
        "What failed?", "What's failed?", "Did anything fail?", "What went wrong?", "Any errors?",
        "Were there any problems?", "Has anything failed so far?", "what filed", "Why did it fail?",
        "Is something broken?", "What was the error?", "any airways.", "What has failed and why?",
    ],
    Intent.CHANGES: [
        "What changed since I last asked?", "What has changed?", "What's changed?", "What's new?",
        "Anything new?", "What happened since then?", "what is change since i last asked",
        "What did I miss?", "What charged?", "What Charge?", "Catch me up.",
        "Has anything changed?",
        "What has happened?", "Any news?",
    ],
    Intent.GOAL: [
        "What was it asked to do?", "What did I ask it to do?", "What's the goal?",
        "What is its task?", "What is it trying to do?", "What's it supposed to do?",
        "What is this run about?", "What did I ask for?",
    ],
    Intent.ELAPSED: [
        "How long has it been running?", "How long did it take?", "When did it start?",
        "How much time has it taken?", "How long has it been?", "When did it finish?",
    ],
    Intent.REMAINING_TIME: [
        "How long will it take?", "When will it be done?", "How much longer?", "What's the ETA?",
        "How long until it's done?",
    ],
    Intent.COST: [
        "What did it cost?", "How much has it cost so far?", "How much money did it spend?",
        "Is it expensive?", "What's the cost?",
    ],
    Intent.FILES: [
        "Which files did it change?", "Which file?", "What files were touched?", "which vials",
        "What did it write?", "Where did it write it?", "What did it create?",
    ],
    Intent.COMMAND: [
        "Which command?", "What command did it run?", "How many tool calls were there?",
        "What did it run?", "What was the last action?",
    ],
    Intent.SAID: [
        "What did it say?", "What has the agent said?", "What was its last message?",
        "What did Claude say?",
    ],
    Intent.DENIALS: [
        "What was denied?", "Was anything denied?", "Why was it held?", "What got blocked?",
        "Which action was refused?", "Is something on hold?", "Why was it rejected?",
    ],
    Intent.DECISION: [
        "What did I decide?", "What was my decision?", "What did I tell it?", "Did I approve that?",
        "What did I say?",
    ],
    Intent.DONE: [
        "Is it done?", "Is it finished yet?", "Has it finished?", "Did it work?", "Are they done?",
        "as it finished.",
        "Is the run complete?", "Done yet?", "Is everything finished?", "Did it succeed?",
    ],
    Intent.WAITING: [
        "Is it waiting for me?", "Does it need anything from me?", "Is it stuck?",
        "Do I need to do "
        "anything?", "Does it need my approval?", "What is it waiting for?",
    ],
    Intent.RUNS: ["Which runs are there?", "How many agents are running?",
    "What are you watching?"],
    Intent.WHY: ["Why?", "But why?", "How come?", "Why is that?"],
    Intent.REPEAT: [
        "Say that again.", "What did you say?", "Can you repeat that?", "Sorry?", "Pardon?",
        "I didn't catch that.", "What?", "Come again?", "Say that again, please.",
        "say that against",
        "Save that again.",
    ],
    Intent.GO_ON: ["Go on.", "Continue.", "go on please", "And then?", "Carry on.", "What else?"],
    Intent.GREETING: ["Hello.", "Hi Jarvis.", "Hey there!", "Good morning, Jarvis.",
    "Are you there?"],
    Intent.THANKS: ["Thanks.", "Thank you very much.", "Great, thanks!", "Perfect.", "Well done."],
    Intent.GOODBYE: ["Bye.", "Goodbye, Jarvis.", "See you later."],
    Intent.ACKNOWLEDGED: ["Okay.", "Alright.", "Got it.", "Mhm.", "Never mind."],
    Intent.IDENTITY: ["Who are you?", "What can you do?", "What can I ask you?"],
    Intent.STEER: ["Stop the run.", "Cancel it.", "Tell it to use the other folder.",
    "Restart it."],
    Intent.UNKNOWN: [
        "What's the weather like?", "Did the deployment succeed?", "Who won the match?", "",
        "Purple monkey dishwasher.", "Wie geht es dir?", "Is Paris nice in the spring?",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "intent"), [(text, intent) for intent, texts in SAYINGS.items() for text in texts]
)
def test_it_is_understood(text: str, intent: Intent) -> None:
    assert understood(text).intent is intent


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("What do you mean by held?", "held"),
        ("what do you mean by held", "held"),
        ("What do you mean with the primary key?", "primary key"),
        ("What does denied mean?", "denied"),
        ("What do you mean?", ""),
        ("what do you mean by health", "held"),
    ],
)
def test_the_phrase_in_question_is_found(text: str, phrase: str) -> None:
    asked = understood(text)
    assert (asked.intent, asked.phrase) == (Intent.CLARIFY, phrase)


@pytest.mark.parametrize("intent", [Intent.STATUS, Intent.FAILURES, Intent.CHANGES, Intent.GOAL])
def test_case_punctuation_and_fillers_do_not_matter(intent: Intent) -> None:
    for text in SAYINGS[intent]:
        for variant in (text.upper(), text.rstrip("?.!"), f"Um, okay, {text}", f"{text} Please."):
            assert understood(variant).intent is intent, variant


@given(st.text(max_size=300))
def test_any_text_is_taken(text: str) -> None:
    understood(text)
    once = uniform(text)
    assert uniform(once) == once or "'" in text or len(once) < len(text) * 3


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("held", "held", True),
        ("held", "help", True),
        ("held", "hel", True),
        ("held", "hedl", True),
        ("held", "hold", True),
        ("held", "halt", False),
        ("held", "shielded", False),
        ("", "a", True),
    ],
)
def test_one_letter_apart(one: str, other: str, near: bool) -> None:
    assert one_apart(one, other) is near
    assert one_apart(other, one) is near
