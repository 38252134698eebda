"""What a user's free words say about a choice among known options. PURE.

Rules alone, the same for the same words, and negation-aware: "don't quarantine them, keep them all"
speaks against one option and for another. It stands in for a model's reading of plain guidance, so
that scripted workers react to what was said and not to a code word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_RECEIPT = re.compile(r"\s*\[decision r-[0-9a-f]{16}\]")
_SAID = re.compile(
    r"(?:The user decided: |The user says: |and decided: |The user stopped this: "
    r'|The user leaves this decision to you: )"([^"]*)"'
)
_AGREED = re.compile(r"\bThe user agreed\b")
_DECLINED = re.compile(r"\bThe user declined\b|\band declined\b")
_LEFT = re.compile(r"\bThe user leaves this decision to you\b")
_DELEGATED = re.compile(
    r"""(?ix)\b(?:leaves\ this\ decision\ to\ you | you\ (?:decide|choose|pick|judge)
    | (?:it(?:'s|\ is)\ )?up\ to\ you | your\ (?:call|choice|judge?ment)
    | whatever\ you\ (?:think|prefer) | i\ (?:have\ no|don'?t\ have\ a)\ preference
    | as\ you\ see\ fit)\b"""
)
_YES = re.compile(r"(?i)^(?:yes|yeah|yep|sure|ok(?:ay)?|fine|go ahead|agreed|do (?:it|that|so))\b")
_NO = re.compile(r"(?i)^(?:no|nope|don'?t|hold off|stop|not that)\b")
_NEGATOR = re.compile(
    r"^(?:not|no|never|without|nor|neither|(?:do|does|is|wo|ca)n'?t|cannot|nothing|none|nobody"
    r"|opposed_to|instead_of|rather_than|except)$"
)
_GIVES_UP = re.compile(r"^(?:avoid|refuse|stop|skip|drop|exclude)(?:e?s|e?d|ped|ping|ing)?$")
"""Verbs that speak against what follows them, unless they are negated themselves."""
_OPPOSED = re.compile(
    r"(?:^|\b(?:am|are|is|be|was|were|i'm|we're|he's|she's|they're|decide[ds]?|vote[ds]?|speaks?"
    r"|spoke|all|firmly|strictly|strongly|and|or|but)\s+)against\b"
)
"""Being against something; in "measure it against the ledger" nothing is denied."""
_CLAUSE = re.compile(
    r"[.;:!?\n]+|,?\s+\b(?:but|instead|rather|then|however|and then)\b(?!\s+(?:of|than))|,"
)
_WORD = re.compile(r"\d+(?:[.,:]\d+)*%?|[a-z]+(?:_[a-z]+)*(?:'[a-z]+)?", re.IGNORECASE)
_SMALL = frozenset(
    """a an the of to in on at by for from with and or it its is are be was were this that these
    those them they i we you he she my our your his her their me us as so if do does did have has
    had will would should can could may might must just only please also all any into up
    there here then too very about""".split()
)
_ENDINGS = (
    "ations",
    "ation",
    "ings",
    "ing",
    "ies",
    "ied",
    "ions",
    "ion",
    "edly",
    "ed",
    "es",
    "s",
    "e",
    "y",
)
_REACH = 6  # words that a negator governs
_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve""".split()
    )
}


class Reading(NamedTuple):
    """What some words come to."""

    option: str | None  # the option that they choose; None when they choose none
    delegated: bool = False  # they leave the choice to the agent
    words: str = ""  # the user's own, without what was put around them


def user_words(text: str) -> str:
    """The user's own words in delivered guidance; all of it when it has no known form."""
    found = _SAID.findall(text)
    if found:
        return " ".join(found)
    bare = _AGREED.search(text) or _DECLINED.search(text) or _LEFT.search(text)
    return "" if bare else _RECEIPT.sub("", text).strip()


def has_guidance(text: str) -> bool:
    """The text brings something that the user decided or said."""
    return bool(_RECEIPT.search(text) or _SAID.search(text))


def understand(text: str, options: Mapping[str, tuple[str, ...]], proposed: str = "") -> Reading:
    """What delivered guidance says about these options.

    ``proposed`` is what the user was about to get: a bare "yes" takes it, and a bare "no" takes the
    other one of two.
    """
    words = user_words(text)
    option = choose(words, options)
    if option is None and proposed and not _LEFT.search(text):
        others = [name for name in options if name != proposed]
        if _AGREED.search(text) or _YES.search(words):
            option = proposed
        elif (_DECLINED.search(text) or _NO.search(words)) and len(others) == 1:
            option = others[0]
    delegated = option is None and bool(_DELEGATED.search(text))
    return Reading(option, delegated, words)


def choose(text: str, options: Mapping[str, tuple[str, ...]]) -> str | None:
    """The option that the words speak for; None when they speak for none, or for several.

    Each option has *cues*: short phrases of its own words ("hold them back", "50 mg"). A cue is met
    when all its content words stand in one clause; one that begins with "no", "not" or "without" is
    met when they are negated there. A met cue counts for its option by its length, one that is
    negated counts against it. What is left when all other options are spoken against is chosen.
    """
    clauses = [clause for clause in _CLAUSE.split(_joined(text)) if clause and clause.strip()]
    scores = {name: sum(_weight(cue, clauses) for cue in cues) for name, cues in options.items()}
    best = max(scores.values(), default=0.0)
    leaders = [name for name, value in scores.items() if value == best]
    if best > 0:
        return leaders[0] if len(leaders) == 1 else None
    unspoken = [name for name, value in scores.items() if value == 0]
    against = [name for name, value in scores.items() if value < 0]
    return unspoken[0] if against and len(unspoken) == 1 else None


def _joined(text: str) -> str:
    text = text.lower().replace("\u2019", "'")
    text = re.sub(r"\b(instead|rather)\s+(of|than)\b", r"\1_\2", text)
    text = re.sub(r"\brather\b([^.;!?]*?)\bthan\b", r"\1instead_of", text)
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)


def _marked(clause: str, *, verbs: bool = False) -> list[tuple[str, bool]]:
    """The clause's content words as stems, each with whether a negator governs it.

    With ``verbs`` those that give something up are words like any other too.
    """
    marked = []
    left = 0
    for word in _WORD.findall(_OPPOSED.sub("opposed_to", clause.strip())):
        if _NEGATOR.match(word):
            left = _REACH
            continue
        if _GIVES_UP.match(word):
            if verbs:
                marked.append((_stem(word), left > 0))
            left = 0 if left else _REACH
            continue
        if word in _SMALL:
            continue
        marked.append((_stem(word), left > 0))
        left = max(0, left - 1)
    return marked


def _weight(cue: str, clauses: list[str]) -> float:
    """How much the clauses speak for (above 0) or against (below 0) what a cue names.

    A cue that is nothing but a verb which gives something up ("drop") is met by that verb.
    """
    words = _marked(_joined(cue))
    bare = not words
    if bare:
        words = _marked(_joined(cue), verbs=True)
    wanted = [stem for stem, _ in words]
    wants_negated = bool(words) and words[0][1]
    if not wanted:
        return 0.0
    total = 0.0
    for clause in clauses:
        polarity: dict[str, bool] = {}
        for stem, negated in _marked(clause, verbs=bare):
            polarity.setdefault(stem, negated)
        if all(stem in polarity for stem in wanted):
            negated = any(polarity[stem] for stem in wanted)
            total += len(wanted) if negated == wants_negated else -len(wanted)
    return total


def _stem(word: str) -> str:
    word = _NUMBERS.get(word, word)
    if word[0].isdigit():
        return word.rstrip("%")
    word = word.removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def cue_count(text: str, cues: tuple[str, ...]) -> int:
    """In how many clauses of a long text one of the cues is named, negated or not."""
    clauses = [
        {stem for stem, _ in _marked(clause)}
        for clause in _CLAUSE.split(_joined(text))
        if clause and clause.strip()
    ]
    wanted = [{stem for stem, _ in _marked(_joined(cue))} for cue in cues]
    return sum(any(cue and cue <= clause for cue in wanted) for clause in clauses)
