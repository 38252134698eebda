"""Questions that quote what was just said: "You said two pairs overlap. What is that about?" Pure.

The words are looked for in the runs. What is told is where they come from and what stands around
them: what the agent did before, what it gave, and what it said since. Nothing else is known.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from jarvis_voice.brain.answers import (
    Answer,
    View,
    doing_sentences,
    files_sentence,
    headline,
    plan_sentences,
    said_sentence,
)
from jarvis_voice.brain.naming import name_of
from jarvis_voice.brain.wording import action_words, ago, quoted, sentence
from jarvis_voice.events import Evidence, EvidenceKind, RunSnapshot

SAID_WORDS = 20
TASK_WORDS = 40
RUN_WORDS = 12
RUNS = 4
ACTIONS = 2
LEAST_SHARE = 0.6  # of the quoted content words that a piece of evidence must hold
_QUOTES = re.compile(
    r"(?is)^\W*(?:and |but |so )?you (?:just )?(?:said|mentioned|told me|were saying)\b"
    r"(?: that)?[,:]?\s*(?P<phrase>.+?)[\"”']?[.?!]*"
    r"\s+(?:what|can you|could you|tell me|why|how|which|where)\b[^?]*\?*$"
)
_LEADS = re.compile(
    r"(?i)\b(?:it last said|the action under way|the agent said|after that it said|it said"
    r"|the first|the second|the third)\b:?"
)
_WORD = re.compile(r"[^\W_]+(?:[./_-][^\W_]+)*")
_COMMON = frozenset(
    """about action after agent also and are before been far for from has have here into its
    last more not now one only over run runs said say see since some that the their them
    then there they this tool two was were what which will with work you your count calls
    call still working""".split()
)


class Found(NamedTuple):
    """Where quoted words stand in a run."""

    run: RunSnapshot
    place: int  # in the run's evidence
    share: float


def quoted_phrase(text: str) -> str:
    """What the question says back, empty when it says nothing back."""
    found = _QUOTES.match(" ".join(text.split()))
    return found["phrase"].strip(" \"'“”,.") if found else ""


def find(phrase: str, runs: tuple[RunSnapshot, ...]) -> Found | None:
    """The newest piece of evidence of any run that holds most of the words."""
    wanted = _content(_LEADS.sub(" ", phrase))
    if not wanted:
        return None
    best: Found | None = None
    for run in runs:
        for place, item in enumerate(run.evidence):
            share = len(wanted & _content(item.text)) / len(wanted)
            if share >= LEAST_SHARE and (best is None or share >= best.share):
                best = Found(run, place, share)
    return best


def around(found: Found, now_s: float) -> Answer:
    """What stands around it in the run."""
    evidence = found.run.evidence
    item = evidence[found.place]
    told = [_lead(item, now_s), quoted(item.text, SAID_WORDS)]
    before = _newest(evidence[: found.place], EvidenceKind.ACTION)
    if item.kind is EvidenceKind.MESSAGE and before is not None:
        told.append(f"Before that it did this: {sentence(action_words(before.text))}")
    if item.kind is EvidenceKind.ACTION:
        gave = _first(evidence[found.place + 1 :], EvidenceKind.RESULT)
        told += [f"It gave: {sentence(quoted(gave.text, 16))}"] if gave is not None else []
    since = _newest(evidence[found.place + 1 :], EvidenceKind.MESSAGE)
    if since is not None:
        told.append(f"Since then it said: {quoted(since.text, 24)}")
    else:
        told += ["It has said nothing since.", *doing_sentences(found.run)]
    return told


def of_the_run(phrase: str, view: View) -> Answer:
    """What can be told when the words stand in no evidence: the task, or the state behind them."""
    run = view.run
    wanted = _content(_LEADS.sub(" ", phrase))
    if run.goal and wanted and len(wanted & _content(run.goal)) / len(wanted) >= LEAST_SHARE:
        task = ["It is from its task.", quoted(run.goal, TASK_WORDS)]
        return [*task, *said_sentence(run), *doing_sentences(run)]
    told = [f"That is what I see of the run. {headline(run)}"]
    told += plan_sentences(run) + _last_actions(run) + files_sentence(run)
    return told + said_sentence(run) + doing_sentences(run)


def of_all_runs(phrase: str, runs: tuple[RunSnapshot, ...]) -> Answer:
    """What each run was asked for, when the words were about all of them; else nothing."""
    if len(runs) < 2 or not re.search(r"(?i)\b(?:i see \S+|all|which) runs?\b", phrase):
        return []
    told = []
    for run in runs[:RUNS]:
        task = f": {quoted(run.goal, RUN_WORDS)}" if run.goal else ""
        told.append(sentence(f"{name_of(run)}{task}"))
    return told


def _last_actions(run: RunSnapshot) -> Answer:
    actions = [item.text for item in run.evidence if item.kind is EvidenceKind.ACTION]
    if not actions:
        return []
    told = "; ".join(action_words(text) for text in actions[-ACTIONS:])
    return [f"Its last actions: {sentence(told)}"]


def _lead(item: Evidence, now_s: float) -> str:
    when = ago(now_s - item.at_s)
    return {
        EvidenceKind.ACTION: f"That is an action of the agent, {when}.",
        EvidenceKind.RESULT: f"That is what one of its actions gave, {when}.",
        EvidenceKind.DENIAL: f"That is an action that was denied, {when}.",
        EvidenceKind.MESSAGE: f"The agent said it, {when}.",
        EvidenceKind.GUIDANCE: f"That is what the agent was told, {when}.",
    }[item.kind]


def _newest(items: tuple[Evidence, ...], kind: EvidenceKind) -> Evidence | None:
    return next((item for item in reversed(items) if item.kind is kind), None)


def _first(items: tuple[Evidence, ...], kind: EvidenceKind) -> Evidence | None:
    return next((item for item in items if item.kind is kind), None)


def _content(text: str) -> set[str]:
    words = (word.casefold() for word in _WORD.findall(text))
    return {word for word in words if word not in _COMMON and (len(word) > 2 or word.isdigit())}
