"""Chooses among the readings of a word from its neighbours: "to record", "a record".

PURE. This is no tagger: a handful of closed word lists decides, and a word whose neighbours say
nothing keeps the dictionary's default reading, or the one that status reports need most.
"""

from __future__ import annotations

from dataclasses import dataclass

from audio.tts.lexicon import DEFAULT, Senses

_BEFORE_VERB = frozenset(
    "to will would can could should shall must may might do does did don't doesn't didn't "
    "won't wouldn't can't cannot couldn't shouldn't let's let lets please not never i you "
    "we they who i'll you'll we'll they'll it'll help helps".split()
)
_BEFORE_NOUN = frozenset(
    "a an the this that these those my your his her its our their no any some each every "
    "another of in on for with by from at into per one two three new old current first last "
    "next same memory cpu disk token network resource tool public private database log json".split()
)
_AFTER_VERB = frozenset(
    "a an the this that these those it them him her me us you my your his its our their all "
    "every any both some".split()
)
_BE = frozenset(
    "is are was were be been being am isn't aren't wasn't weren't it's that's he's she's "
    "they're we're you're i'm".split()
)
_HAVE = frozenset("have has had having haven't hasn't hadn't i've you've we've they've".split())
_PLURAL_OR_FIRST = frozenset(["i", "you", "we", "they", "who"])
_PLACES = frozenset("in at on with here there near under inside".split())

# Readings that reports about programs want where the neighbours decide nothing.
_HABIT = {"content": "NOUN", "contents": "NOUN", "read": "VBD", "import": "NOUN", "use": DEFAULT}
_READ_AS_NOUN_BEFORE = frozenset(["only", "access", "write", "permission", "permissions", "time"])


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The words around one, in lower case and without punctuation; empty when there is none."""

    before: str = ""
    after: str = ""


def choose(word: str, senses: Senses, around: Neighbours) -> str:
    """The phonemes of the reading that fits between the neighbours."""
    if len(senses) == 1:
        return senses[DEFAULT]
    if not around.after and "None" in senses:  # a function word that ends its clause is stressed
        return senses["None"]
    part = _part_of_speech(word.lower(), senses, around)
    return senses.get(part) or senses[DEFAULT]


def _part_of_speech(word: str, senses: Senses, around: Neighbours) -> str:
    if "VBD" in senses:
        return _tense(word, around)
    if word == "live":
        return _live(around)
    if around.before in _BEFORE_VERB:
        return "VERB"
    if around.before in _BEFORE_NOUN:
        return "NOUN"
    if around.before in _BE:
        return "ADJ"
    if around.after in _AFTER_VERB:
        return "VERB"
    return _HABIT.get(word, DEFAULT)


def _tense(word: str, around: Neighbours) -> str:
    """For "read", "reread", "used" and "wound", which hide their tense."""
    if word == "used":
        return "VBD" if around.after == "to" and around.before not in _BE else DEFAULT
    if word == "wound":
        return "VBD" if around.after in {"up", "down", "back", "its"} else DEFAULT
    if around.before in _HAVE or around.before in _BE:
        return "VBN"
    if around.after in _READ_AS_NOUN_BEFORE or around.before in _BEFORE_NOUN - {"that", "this"}:
        return DEFAULT
    if around.before in _BEFORE_VERB or not around.before:
        return DEFAULT
    return _HABIT["read"]


def _live(around: Neighbours) -> str:
    if around.before in _BE or around.before in _BEFORE_NOUN:
        return DEFAULT
    if around.before in _PLURAL_OR_FIRST or around.before in {"to", "will", "can", "where"}:
        return "VERB"
    return "VERB" if around.after in _PLACES and around.before not in {"go", "went"} else DEFAULT
