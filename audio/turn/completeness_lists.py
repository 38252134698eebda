"""Lists and numbers: do they go on, or have they come to their end?"""

from __future__ import annotations

import re

from audio.turn import completeness_words as lexicon
from audio.turn.barge_in import words_of
from audio.turn.numbers_said import dictated
from audio.turn.reading import (
    DOUBTFUL,
    FAIR,
    LIKELY,
    PROBABLE,
    SENTENCE,
    SEPARATOR,
    UNLIKELY,
    Reading,
    Said,
    asks,
    complete,
    core_of,
    incomplete,
)

_VERSION = re.compile(r"\b\d+\.\d+\.\d+\W*$")


def misheard_to(said: Said) -> Reading | None:
    """ "tell the agent to" is often heard as "tell the agent two"."""
    core = said.core
    asked = core[:1] and (core[0] in lexicon.DITRANSITIVE or tuple(core[:2]) == ("i", "want"))
    moves = core[:1] and core[0] in lexicon.COMMANDS and "the" in core[1:2]
    if (asked or moves) and len(core) > 2 and core[-1] in lexicon.LIKE_TO:
        return incomplete(DOUBTFUL, f'ends with "{core[-1]}", which may have been "to"')
    return None


def number(said: Said) -> Reading | None:
    """A number that is being dictated, or its end."""
    found = dictated(said.words)
    if found is not None and not found.whole and _VERSION.search(said.text):
        return complete(FAIR, "a version of three numbers")
    if found is None:
        return None
    if found.whole:
        return complete(PROBABLE, found.reason)
    return incomplete(UNLIKELY, found.reason)


def series(said: Said) -> Reading | None:
    """An enumeration or a list that goes on, or its end."""
    parts = [words_of(part) for part in SEPARATOR.split(said.text)]
    parts = [part for part in parts if part]
    heads = {part[0] for part in parts} | {
        part[1] for part in parts if part[0] == "and" and part[1:]
    }
    if "first" in heads and not heads & lexicon.CLOSES_ENUMERATION:
        return incomplete(DOUBTFUL if len(parts) < 2 else UNLIKELY, "an enumeration goes on")
    if len(parts) < 2:
        return _loose_item(said)
    last, before = parts[-1], parts[-2]
    closed = last[0] in ("and", "or") and len(parts) > 2
    if len(last) <= 5 and (closed or {"and", "or"} & set(last[1:-1])):
        return complete(LIKELY, "a list came to its end")
    no_item = lexicon.NO_ITEM | lexicon.COMMANDS | lexicon.PREPOSITIONS
    if len(last) > 4 or last[0] in no_item:
        return None
    if not [word for word in before if word not in lexicon.OPENERS] or asks(said):
        return None
    return incomplete(UNLIKELY, "a list goes on")


def _loose_item(said: Said) -> Reading | None:
    """ "I need bread. Milk.": full stops where a list has commas."""
    sentences = [words_of(part) for part in SENTENCE.split(said.text)]
    if len(sentences) < 2 or not core_of(sentences[-2]):
        return None
    last = sentences[-1]
    if not last or len(last) > 3 or " ".join(last) in lexicon.SHORT_ANSWERS:
        return None
    if last[0] in lexicon.NO_ITEM | lexicon.COMMANDS | lexicon.WH_WORDS:
        return None
    return incomplete(DOUBTFUL, "a list may go on")
