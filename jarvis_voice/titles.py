"""Shortens a title so that it can be said: whole if it is short, else to a phrase's end. Pure."""

from __future__ import annotations

import re
from typing import Final

TITLE_WORDS: Final = 6
"""Words of a title that are said; a listener keeps no more of a name in mind."""

_WORD: Final = re.compile(r"[\w.'+#-]+")
_OPENS: Final = frozenset(  # words with which another phrase begins
    """of for in on at to with without by from into onto over under about after before between
    through during until than as via and or but nor so that which who whose where when while if
    because""".split()
)
_HANGING: Final = _OPENS | frozenset(
    "a an the this these those my your our its their is are be not no every each all".split()
)
_LEAST: Final = 2
_ENDS: Final = re.compile(r"[,;:!?()\u2013\u2014]|\s-\s|\.\s")  # between two words


def shortened(title: str, most: int = TITLE_WORDS) -> str:
    """At most so many words of the title, none of its phrases cut in two where that can be."""
    found = [item for item in _WORD.finditer(title) if item.group().strip("-.'_")]
    words = [item.group().strip("-.'_") for item in found]
    kept = len(words)
    if kept > most:
        borders = [
            place
            for place in range(_LEAST, most + 1)
            if words[place].lower() in _OPENS
            or _ENDS.search(title[found[place - 1].end() - 1 : found[place].start()])
        ]
        kept = borders[-1] if borders else most
        while kept > 1 and words[kept - 1].lower() in _HANGING:
            kept -= 1
    return " ".join(words[:kept])


def is_phrase(title: str) -> bool:
    """It is more than the two or three bare words that can stand before a noun as its name."""
    words = title.lower().split()
    return len(words) > 3 or bool(_HANGING & set(words))
