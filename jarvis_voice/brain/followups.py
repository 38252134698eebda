"""Questions about what Jarvis itself just said. Pure.

Only what the user *heard* counts as said: after an interruption the rest was never spoken.
"""

from __future__ import annotations

import re

from jarvis_voice.brain.answers import (
    Answer,
    View,
    denial_sentences,
    denials,
    failure_sentence,
    guidance,
    headline,
    needs_sentence,
    said_sentence,
)
from jarvis_voice.brain.intents import one_apart, uniform
from jarvis_voice.brain.wording import quoted, sentence
from jarvis_voice.events import EvidenceKind, Exchange, RunSnapshot, RunStatus

REPEATED = "I said:"
_TOPIC_STEM = 4

_GLOSSARY = {
    "held": "Held means: kept from running until someone decides.",
    "denied": "Denied means: the action was refused and did not run.",
    "waiting": "Waiting means: it goes no further before you answer.",
    "stopped": "Stopped means: it ended before it was done.",
    "failed": "Failed means: it ran, but ended with an error.",
    "done": "Done means: the agent ended its turn by itself.",
    "working": "Working means: it has not come to an end yet.",
    "action": "An action is one tool call of the agent.",
    "tool call": "A tool call is one action, such as a command.",
    "plan step": "A plan step is an item of its own list.",
    "incomplete": "Incomplete means: I could not read all of it.",
    "unclear": "Unclear is what the run itself reports as open.",
    "run": "A run is one job of an agent that I watch.",
    "agent": "The agent is the program that does the work.",
}


def last_heard(history: tuple[Exchange, ...]) -> Exchange | None:
    """The newest exchange of which the user heard something."""
    return next((item for item in reversed(history) if item.heard.strip()), None)


def repeat(history: tuple[Exchange, ...]) -> Answer:
    """What was heard, again. After a cut, the offer to go on."""
    if not history:
        return ["I have not said anything yet."]
    last = history[-1]
    if not last.heard.strip():
        if not last.said.strip():
            return ["I have not said anything yet."]
        return ["You heard nothing of it yet.", sentence(_without_lead(last.said))]
    heard = _without_lead(last.heard)
    if last.cut and remainder(last):
        heard = heard.rstrip(" .,;:")
        return [REPEATED, f"{heard}, and there you cut in.", "Say go on for the rest."]
    return [REPEATED, sentence(heard)]


def _without_lead(text: str) -> str:
    text = text.strip()
    return text[len(REPEATED) :].strip() if text.startswith(REPEATED) else text


def go_on(history: tuple[Exchange, ...]) -> Answer:
    """The rest of an answer that was cut, from the start of the sentence that was broken off."""
    last = history[-1] if history else None
    rest = remainder(last) if last else ""
    if not rest:
        return ["That was all."]
    return [rest]


def remainder(exchange: Exchange) -> str:
    """What of ``said`` the user has not heard, from the start of the broken sentence."""
    if not exchange.cut:
        return ""
    said = " ".join(exchange.said.split())
    heard = " ".join(exchange.heard.split())
    if said.startswith(heard):
        at = len(heard)
    else:  # the heard text was worded for speech: go by its number of words
        words = said.split(" ")
        at = len(" ".join(words[: len(heard.split())]))
    if not said[at:].strip():
        return ""
    start = max((found.end() for found in re.finditer(r"[.!?]\s", said[: at + 1])), default=0)
    return said[start:].strip()


def clarify(phrase: str, view: View, history: tuple[Exchange, ...]) -> Answer:
    """What a phrase meant that Jarvis said: its own terms explained, data of the run shown."""
    last = last_heard(history)
    if last is None:
        return ["I have not said anything yet."]
    if not phrase:
        return _clarified_whole(last, view)
    said = _spoken_form(phrase, last.heard)
    if said is None:
        return [f"I did not say {quoted(phrase, 6)}", f"You heard: {quoted(last.heard, 24)}"]
    told = [_GLOSSARY[said]] if said in _GLOSSARY else []
    told += _shown(said, view)
    if told:
        return told
    return ["I know no more about that.", f"I only read it from the run: {quoted(said, 12)}"]


def _clarified_whole(last: Exchange, view: View) -> Answer:
    heard = uniform(last.heard)
    for term in _GLOSSARY:
        if re.search(rf"\b{term}\b", heard) and term not in ("action", "run", "agent", "done"):
            return [_GLOSSARY[term], *_shown(term, view)]
    return [headline(view.run), *said_sentence(view.run)]


def _spoken_form(phrase: str, spoken: str) -> str | None:
    """``phrase`` as it was heard, allowing one misheard letter; None when it was not said."""
    phrase, heard_words = uniform(phrase), uniform(spoken)
    if re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", heard_words):
        return phrase
    if " " in phrase:
        inner = [word for word in phrase.split() if len(word) > 3]
        return next(
            (word for word in inner if re.search(rf"\b{re.escape(word)}\b", heard_words)), None
        )
    return next(
        (word for word in heard_words.split() if len(word) > 3 and one_apart(word, phrase)), None
    )


def _shown(term: str, view: View) -> Answer:
    """What the run holds about ``term``."""
    run = view.run
    refused = denials(run)
    if term in ("held", "denied", "reason", "refused") and refused:
        return denial_sentences(refused[-1])
    if term == "failed" and run.failures:
        return [failure_sentence(run.failures[-1])]
    if term == "waiting":
        return needs_sentence(run)
    if term in _GLOSSARY:
        return []
    return about([term], run)


def about(topics: list[str], run: RunSnapshot) -> Answer:
    """The newest thing in the run that speaks of all ``topics``, else of any; or nothing."""
    texts = everything(run)
    stems = [topic[: max(_TOPIC_STEM, len(topic) - 2)] for topic in topics]
    for wanted in (all, any):
        for lead, text in texts:
            low = text.lower()
            if stems and wanted(stem in low for stem in stems):
                return [lead, quoted(text)]
    return []


def everything(run: RunSnapshot) -> list[tuple[str, str]]:
    """Everything that can be quoted, newest evidence first, each with its short lead."""
    leads = {
        EvidenceKind.ACTION: "An action speaks of it.",
        EvidenceKind.RESULT: "A result speaks of it.",
        EvidenceKind.DENIAL: "It is in what was denied.",
        EvidenceKind.MESSAGE: "The agent spoke of it.",
        EvidenceKind.GUIDANCE: "It is in what it was told.",
    }
    found = [("A failure speaks of it.", text) for text in reversed(run.failures)]
    found += [(leads[item.kind], item.text) for item in reversed(run.evidence)]
    found += [("It is a changed file.", path) for path in reversed(run.files_changed)]
    found += [
        ("It is in the plan.", f"{step.text}: {step.state.replace('_', ' ')}") for step in run.plan
    ]
    found += [("It is unclear.", text) for text in run.uncertainties]
    if run.waiting_for:
        found.append(("It is what it needs.", run.waiting_for))
    if run.goal:
        found.append(("It is in the task.", run.goal))
    return found


def why(view: View, history: tuple[Exchange, ...]) -> Answer:
    """The reason for what was last talked of, if the run gives one."""
    run = view.run
    last = last_heard(history)
    heard = uniform(last.heard) if last else ""
    refused = denials(run)
    if run.failures and re.search(r"\bfail", heard):
        return ["This is what it gave.", failure_sentence(run.failures[-1])]
    if refused and re.search(r"\b(?:denied|held|stopped|refused|decided|decision|wanted)\b", heard):
        return ["It was denied.", *denial_sentences(refused[-1])]
    if run.status in (RunStatus.WAITING, RunStatus.HELD):
        return [headline(run), *needs_sentence(run)]
    if guidance(run) and "told" in heard:
        return ["It was told this.", quoted(guidance(run)[-1].text)]
    if not last:
        return ["I don't know why."]
    return ["I don't know why.", "The run gives no reason for it.", *said_sentence(run)]
