"""The narrator: answers from the bounded picture of the watched runs alone, with no model. Pure.

    text -> intents.understood -> which run -> answers or followups -> sentences

What it cannot see it says it cannot see. It never guesses: each noun and number of an answer stems
from a snapshot, from the dialogue as heard, or from the user's own words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jarvis_voice.brain import followups, quoting
from jarvis_voice.brain.answers import (
    ANSWERS,
    Answer,
    View,
    doing_sentences,
    files_sentence,
    headline,
    said_sentence,
)
from jarvis_voice.brain.intents import Asked, Intent, one_apart, understood, uniform
from jarvis_voice.brain.lookup import RunLookup
from jarvis_voice.brain.naming import name_of
from jarvis_voice.brain.vocabulary import ORDINARY
from jarvis_voice.brain.wording import count, number, ordinal, quoted, sentence
from jarvis_voice.events import Exchange, Question, RunSnapshot

WHICH = "Which run do you mean?"
ONLY_SEE = "I only see the run itself: its task, actions, results and messages."
_TOLD_MORE = 4  # with so many runs there is time for what each last said
_OVERVIEW_WORDS = 12
_OF_ALL = (Intent.STATUS, Intent.PROGRESS, Intent.DONE)
"""Questions that are about all runs when none is named."""

_SHORT = {
    Intent.GREETING: "Hello. Ask me how the run is going.",
    Intent.THANKS: "You're welcome.",
    Intent.GOODBYE: "Goodbye.",
    Intent.ACKNOWLEDGED: "Okay.",
    Intent.IDENTITY: (
        "I am Jarvis. I watch agent runs and tell you about them. Ask me how it is going, what it "
        "is doing, what it found, what failed, or what changed."
    ),
    Intent.STEER: (
        "I can't do that. I only watch the run and tell you about it. It goes on as it was."
    ),
}
_POINTED = re.compile(
    r"\b(?:the|of|in|for|about|with|on|to|my|your|our|his|her|their|any|some|an?|from|at|did|does|is|"
    r"are|was|were|has|have) (?=(?P<word>[a-z][\w./+-]{2,}))"
)


@dataclass(frozen=True, slots=True)
class Told:
    """An answer, and the version of each run that it told about."""

    sentences: tuple[str, ...]
    versions: dict[str, int]


def narrate(question: Question, lookup: RunLookup) -> Told:
    """Answers any question in any state; never empty."""
    runs = lookup.snapshots()
    told = _said_back(question, runs, lookup)
    if told is not None:
        return told
    asked = understood(question.text)
    chosen, asked = _after_which(asked, question, runs)
    told = _without_a_run(asked, question, runs)
    if told is not None:
        return told
    chosen = chosen or _chosen(asked, question.history, runs)
    if chosen is None:
        return _several(asked, runs)
    view = _view(chosen, question, lookup)
    lines = _about_run(asked, view, question.history)
    if len(runs) > 1:
        lines = [f"{name_of(chosen)}.", *lines]
    return Told(_tidy(lines), {chosen.run_id: chosen.version})


def _tidy(lines: Answer) -> tuple[str, ...]:
    kept: list[str] = []
    for line in lines:
        line = " ".join(line.split())
        if line and line not in kept:
            kept.append(line)
    return tuple(kept) or ("I don't know.",)


# --- answers that need no run, or say that there is none ---------------------------------------


def _without_a_run(asked: Asked, question: Question, runs: tuple[RunSnapshot, ...]) -> Told | None:
    last = question.history[-1] if question.history else None
    carried = dict(last.run_versions) if last else {}
    if asked.intent in _SHORT:
        return Told(tuple(re.split(r"(?<=[.]) ", _SHORT[asked.intent])), {})
    if asked.intent is Intent.REPEAT:
        return Told(_tidy(followups.repeat(question.history)), {})
    if asked.intent is Intent.GO_ON and last is not None and followups.remainder(last):
        return Told(_tidy(followups.go_on(question.history)), carried)
    if not asked.words:
        return Told(("I did not catch that.", "Please say it again."), {})
    if not runs:
        return Told(("I see no run yet.",), {})
    of_all = len(runs) > 1 and asked.intent in _OF_ALL and _named(asked.words, runs) is None
    return _overview(runs) if of_all or asked.intent is Intent.RUNS else None


def _overview(runs: tuple[RunSnapshot, ...]) -> Told:
    lines = [f"I see {count(len(runs), 'run')}."]
    for place, run in enumerate(runs[:5], start=1):
        lead = f"The {ordinal(place)}, " if len(runs) > 1 else ""
        state = headline(run)[0].lower() + headline(run)[1:]
        lines.append(sentence(f"{lead}{name_of(run)}: {state}"))
        if len(runs) <= _TOLD_MORE:
            said = said_sentence(run, _OVERVIEW_WORDS)
            lines += said or doing_sentences(run) or files_sentence(run)
    if len(runs) > 5:
        lines.append(f"And {number(len(runs) - 5)} more.")
    return Told(_tidy(lines), {run.run_id: run.version for run in runs[:5]})


def _said_back(question: Question, runs: tuple[RunSnapshot, ...], lookup: RunLookup) -> Told | None:
    """The answer to a question that quotes what was just said; None for any other question."""
    phrase = quoting.quoted_phrase(question.text)
    last = followups.last_heard(question.history)
    if not phrase or not runs or last is None:
        return None
    of_all = quoting.of_all_runs(phrase, runs)
    if of_all:
        return Told(_tidy(of_all), dict(last.run_versions))
    found = quoting.find(phrase, runs)
    if found is None:
        told_of = [run for run in runs if run.run_id in last.run_versions] or list(runs)
        run = told_of[-1]
        lines = quoting.of_the_run(phrase, _view(run, question, lookup))
    else:
        run = found.run
        lines = quoting.around(found, _view(run, question, lookup).now_s)
    if len(runs) > 1:
        lines = [f"{name_of(run)}.", *lines]
    return Told(_tidy(lines), {run.run_id: run.version})


# --- which run is meant ------------------------------------------------------------------------


def _several(asked: Asked, runs: tuple[RunSnapshot, ...]) -> Told:
    names = [f"the {ordinal(place)}, {name_of(run)}" for place, run in enumerate(runs[:4], start=1)]
    return Told(_tidy([WHICH, sentence(f"I see {'; '.join(names)}")]), {})


def _after_which(
    asked: Asked, question: Question, runs: tuple[RunSnapshot, ...]
) -> tuple[RunSnapshot | None, Asked]:
    """When Jarvis just asked which run, a bare name answers that, and the first question stands."""
    last = question.history[-1] if question.history else None
    if last is None or not last.said.startswith(WHICH):
        return None, asked
    named = _named(asked.words, runs)
    if named is None:
        return None, asked
    if asked.intent in (Intent.UNKNOWN, Intent.ACKNOWLEDGED, Intent.RUNS):
        return named, understood(last.user_text)
    return named, asked


def _chosen(
    asked: Asked, history: tuple[Exchange, ...], runs: tuple[RunSnapshot, ...]
) -> RunSnapshot | None:
    """The run that is named, the only one, or the one that was just talked of."""
    if len(runs) == 1:
        return runs[0]
    named = _named(asked.words, runs)
    if named is not None:
        return named
    for exchange in reversed(history[-3:]):
        if len(exchange.run_versions) == 1:
            run_id = next(iter(exchange.run_versions))
            return next((run for run in runs if run.run_id == run_id), None)
        if exchange.run_versions:
            return None
    return None


def _named(words: str, runs: tuple[RunSnapshot, ...]) -> RunSnapshot | None:
    """The one run whose place or name is in ``words``; None when none or several fit."""
    for place, run in enumerate(runs, start=1):
        if re.search(
            rf"\b(?:{ordinal(place)}|number {number(place)}|run {number(place)})\b", words
        ):
            return run
    if runs and re.search(r"\b(?:last|latest|newest) (?:one|run|agent|job)\b", words):
        return runs[-1]
    scores = [_name_score(words, run) for run in runs]
    best = max(scores, default=0)
    return runs[scores.index(best)] if best and scores.count(best) == 1 else None


def _name_score(words: str, run: RunSnapshot) -> int:
    spoken = [word for word in words.split() if word not in ORDINARY and len(word) > 2]
    named = set(re.findall(r"\w+", f"{run.title} {run.goal or ''}".lower()))
    return sum(
        any(one_apart(word, name) if len(word) > 4 else word == name for name in named)
        for word in spoken
    )


# --- the answer about one run ------------------------------------------------------------------


def _view(run: RunSnapshot, question: Question, lookup: RunLookup) -> View:
    now_s = lookup.run_time_s(run.run_id)
    version = _told_version(run.run_id, question.history)
    changes = lookup.changes_since(run.run_id, version) if version is not None else None
    return View(run, question.now_s if now_s is None else now_s, changes)


def _told_version(run_id: str, history: tuple[Exchange, ...]) -> int | None:
    """The version that the user last heard about; an answer that was cut was not heard out."""
    for exchange in reversed(history):
        if run_id in exchange.run_versions and exchange.heard.strip() and not exchange.cut:
            return exchange.run_versions[run_id]
    return None


def _about_run(asked: Asked, view: View, history: tuple[Exchange, ...]) -> Answer:
    if asked.intent is Intent.CLARIFY:
        return followups.clarify(asked.phrase, view, history)
    if asked.intent in (Intent.DENIALS, Intent.UNKNOWN) and _echoed(asked.words, history):
        return followups.clarify(asked.words, view, history)
    if asked.intent is Intent.WHY:
        return _because(asked, view, history)
    if asked.intent is Intent.GO_ON:
        news = ANSWERS[Intent.CHANGES](view) if _news(view) else [headline(view.run)]
        return ["That was all.", *news]
    strange = strange_words(asked.words, view.run)
    if strange:
        return dont_know(strange)
    intent: Intent = asked.intent
    if intent is Intent.UNKNOWN:
        intent = understood(_with_it(asked.words, view.run)).intent
    return ANSWERS[intent](view) if intent in ANSWERS else _topic(asked, view)


def _echoed(words: str, history: tuple[Exchange, ...]) -> bool:
    """Whether the user just says back a word or two of what they heard: "Held?"."""
    last = followups.last_heard(history)
    return last is not None and len(words.split()) in (1, 2) and f" {words}" in uniform(last.heard)


def _with_it(words: str, run: RunSnapshot) -> str:
    """The question with the run's name replaced by "it": "is the login page done"."""
    named = [word for word in uniform(run.title).split() if word not in ORDINARY]
    if not named:
        return words
    name = "|".join(map(re.escape, named))
    return re.sub(rf"\b(?:the |my )?(?:(?:{name}) ?)+(?:run |job |task )?", "it ", words).strip()


def _news(view: View) -> bool:
    return view.changes is not None and bool(
        view.changes.new_evidence or view.changes.status_before is not view.changes.status_now
    )


def _because(asked: Asked, view: View, history: tuple[Exchange, ...]) -> Answer:
    strange = strange_words(asked.words, view.run)
    if strange:
        return dont_know(strange)
    inner = understood(re.sub(r"^(?:but )?why(?: not)?\b|^how come\b", "", asked.words).strip())
    if inner.intent in (Intent.DENIALS, Intent.FAILURES, Intent.WAITING):
        return ANSWERS[inner.intent](view)
    return followups.why(view, history)


def _topic(asked: Asked, view: View) -> Answer:
    """A question that no rule fits: what the run holds about its words, or an honest no."""
    topics = [word for word in asked.words.split() if word not in ORDINARY and len(word) > 2]
    found = followups.about(topics, view.run)
    if found:
        return found
    return dont_know(topics)


def dont_know(topics: list[str]) -> Answer:
    """An honest no, with the user's own words for what is not known."""
    if not topics:
        return ["I don't know.", ONLY_SEE]
    return ["I don't know.", f"I see nothing about {quoted(' '.join(topics[:3]), 3)}", ONLY_SEE]


def strange_words(words: str, run: RunSnapshot) -> list[str]:
    """Things that the question points at and of which the run holds nothing."""
    known = " ".join(text for _, text in followups.everything(run)).lower()
    return [
        found["word"]
        for found in _POINTED.finditer(words)
        if found["word"] not in ORDINARY
        and found["word"][: max(4, len(found["word"]) - 2)] not in known
    ]
