"""The follow-up question of the interaction track: one concrete thing that was just said. PURE.

Rules alone, so that it is the same for the same answer. It quotes what it follows, word for word,
and brings in nothing that was not said: a sentence with a number comes first, then one with a name,
then the newest.
"""

from __future__ import annotations

import re
from typing import NamedTuple

QUOTE_CHARS = (6, 160)
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\S)[^.!?\n]*)*[.!?]?")
_NUMBER = re.compile(
    r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b", re.IGNORECASE
)
_NAME = re.compile(r"\b(?!It\b|The\b|I\b|There\b|So\b|Its\b)[A-Z][a-z]{2,}\b|\b\w+\.\w{2,4}\b")
_EMPTY = re.compile(
    r"(?i)^(?:i (?:do not|don't|cannot|can't|have not|haven't)\b|it keeps no plan|that is all)"
)
_ASKED = {
    "number": 'You said "{quote}". What is that about?',
    "name": 'You mentioned "{quote}". What has it to do with the work?',
    "plain": 'You said "{quote}". Can you tell me more about that?',
}


class FollowUp(NamedTuple):
    """A question, and the words of the answer before it that it rests on."""

    question: str
    based_on: str


def follow_up(answer: str) -> FollowUp | None:
    """The question after this answer; None when nothing in it can be followed."""
    ranked = sorted(
        ((_rank(sentence), -place, sentence) for place, sentence in enumerate(_sentences(answer))),
        key=lambda item: (item[0][0], item[1]),
    )
    if not ranked:
        return None
    (_, kind), _, sentence = ranked[0]
    return FollowUp(_ASKED[kind].format(quote=sentence.replace('"', "'")), sentence)


def is_based(follow: FollowUp, answer: str) -> bool:
    """The words that it rests on stand in the answer in one piece."""
    return bool(follow.based_on) and follow.based_on in answer


def _sentences(answer: str) -> list[str]:
    found = []
    for match in _SENTENCE.finditer(answer):
        sentence = match.group().strip().rstrip(".!? ")[: QUOTE_CHARS[1]].strip()
        if len(sentence) >= QUOTE_CHARS[0] and not _EMPTY.search(sentence):
            found.append(sentence)
    return found


def _rank(sentence: str) -> tuple[int, str]:
    if _NUMBER.search(sentence):
        return 0, "number"
    if _NAME.search(sentence):
        return 1, "name"
    return 2, "plain"
