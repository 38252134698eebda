"""What the readings of a turn's words have in common: a reading, what was said, and its parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from audio.turn import completeness_words as lexicon
from audio.turn.events import TurnState

# Probability that the turn is over, by what speaks for it; set by hand, in steps that the waits of
# ``semantic.py`` tell apart.
CERTAIN, LIKELY, PROBABLE, FAIR, EVEN = 0.95, 0.88, 0.7, 0.6, 0.5
DOUBTFUL, UNLIKELY, EXCLUDED = 0.3, 0.15, 0.05

SHORT_CLAUSE = 4  # words; what is shorter often goes on
SEPARATOR = re.compile(r"[,;]\s")  # and not within "8,080"
SENTENCE = re.compile(r"[.?!]\s+")


class Reading(NamedTuple):
    """What a text amounts to."""

    state: TurnState  # COMPLETE, INCOMPLETE, WAIT or UNKNOWN
    probability: float  # that the turn is over, 0 to 1
    reason: str


class Said(NamedTuple):
    """What is read."""

    text: str
    words: Sequence[str]  # all
    core: Sequence[str]  # of the last sentence, without what is said before what matters


def complete(probability: float, reason: str) -> Reading:
    """The turn seems over."""
    return Reading(TurnState.COMPLETE, probability, reason)


def incomplete(probability: float, reason: str) -> Reading:
    """More is to come."""
    return Reading(TurnState.INCOMPLETE, probability, reason)


def core_of(words: Sequence[str]) -> Sequence[str]:
    """Without the words that are said before what matters: "okay", "Jarvis", "please"."""
    first = next((i for i, word in enumerate(words) if word not in lexicon.OPENERS), len(words))
    return words[first:]


def asks(said: Said) -> bool:
    """It begins as a question does: an object may be missing at its end, and a preposition stay."""
    return bool(said.core) and said.core[0] in lexicon.WH_WORDS


def is_verb(word: str) -> bool:
    """As far as the word itself tells."""
    return word in lexicon.AUXILIARIES | lexicon.PAST or word.endswith("ed")
