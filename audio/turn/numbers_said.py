"""Is a number being dictated, and is it all there?

Digits come in groups with pauses between them: "zero one six zero, five five three". How many there
must be is known only where the sentence says what kind of number it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from audio.turn.completeness_words import CODE_WORDS, DIGITS, PHONE_WORDS, REPEATS

PHONE_DIGITS = 7  # the shortest number that is called without an area code
CODE_DIGITS = 4
LONE_GROUP = 3  # digits in a row that are dictated and not counted, when nothing else tells


class Dictated(NamedTuple):
    """A number at the end of what was said, digit by digit."""

    digits: int
    whole: bool
    reason: str


def dictated(words: Sequence[str]) -> Dictated | None:
    """The number being dictated at the end of ``words``; None when there is none."""
    count, groups, at = 0, 0, len(words)
    while at and (length := _digits_in(words[at - 1])):
        count += length
        groups += 1
        at -= 1
    if not groups or (words[at - 1 : at] and words[at - 1] in REPEATS and at == len(words)):
        return None
    before = set(words[:at])
    if before & CODE_WORDS:
        return _weighed(count, CODE_DIGITS, "code")
    if before & PHONE_WORDS:
        return _weighed(count, PHONE_DIGITS, "phone number")
    if groups >= LONE_GROUP or (groups > 1 and not before):
        return Dictated(count, whole=False, reason=f"digits are being dictated ({count} so far)")
    return None


def _weighed(count: int, usual: int, what: str) -> Dictated:
    whole = count >= usual
    return Dictated(count, whole, f"a {what} of {count} digits" + ("" if whole else " so far"))


def _digits_in(word: str) -> int:
    """How many digits a word stands for, 0 when it is none."""
    if word in DIGITS:
        return 1
    return len(word) if word.isdigit() else 0
