"""Numbers that are said in English words, read back into digits. PURE."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_UNITS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_SCALES = {"thousand": 1000, "million": 1_000_000}
_OH = "oh"
_DIGIT = {word: str(value) for word, value in _UNITS.items() if value < 10} | {_OH: "0"}
_ORDINAL = re.compile(r"first|second|third|\w+th")
_PAIR = re.compile(r"[1-9]\d")


class _Read(NamedTuple):
    value: int
    taken: int  # words


def number_at(words: Sequence[str]) -> int:
    """How many of the words, from the first on, are one number; 0 for none.

    An ordinal ("twenty first") is none.
    """
    return _number(words)[1]


def in_digits(words: Sequence[str]) -> str:
    """The digits of words that are one number. Raises ValueError when they are not."""
    text, count = _number(words)
    if not count or count != len(words):
        raise ValueError(f"{' '.join(words)!r} is not one number")
    return text


def joined_digits(words: Sequence[str]) -> list[str]:
    """With every number in digits, and numbers that are read in pairs or by digit in one word.

    "nineteen thirty" and "one thousand nine hundred thirty" become "1930", "eight oh five" "805".
    That is how they sound, not what they mean: it is for comparing sounds only.
    """
    found: list[str] = []
    run: list[str] = []  # numbers in a row, "oh" as it stands
    place = 0
    while place < len(words):
        text, taken = _number(words[place:])
        if taken or (words[place] == _OH and run):
            run.append(text or _OH)
        else:
            found += [*_joined(run), words[place]]
            run = []
        place += taken or 1
    return found + _joined(run)


def _joined(run: Sequence[str]) -> list[str]:
    """Numbers in a row, those in one that are read as one: pairs, and digits with a zero."""
    found: list[str] = []
    place = 0
    while place < len(run):
        count = _digits_in(run, place) or _pair_in(run, place) or 1
        found.append("".join(run[place : place + count]).replace(_OH, "0" if count > 1 else _OH))
        place += count
    return found


def _digits_in(run: Sequence[str], place: int) -> int:
    """How many numbers from a place on are digits of one; 0 when no zero tells so."""
    end = place
    while end < len(run) and (len(run[end]) == 1 or run[end] == _OH):
        end += 1
    digits = run[place:end]
    return len(digits) if len(digits) > 1 and ("0" in digits or _OH in digits) else 0


def _pair_in(run: Sequence[str], place: int) -> int:
    """How many numbers from a place on are a pair: 19 30, or 19 oh 5."""
    first, second, third = (run[at] if at < len(run) else "" for at in range(place, place + 3))
    if not _PAIR.fullmatch(first):
        return 0
    if second == _OH and len(third) == 1:
        return 3
    return 2 if _PAIR.fullmatch(second) else 0


def _number(words: Sequence[str]) -> tuple[str, int]:
    """The digits and how many words they took; "" and 0 for none."""
    whole = _whole(words)
    if not whole.taken:
        return "", 0
    after = whole.taken
    if words[after - 1] in _TENS and after < len(words) and _ORDINAL.fullmatch(words[after]):
        return "", 0
    decimals = ""
    if _word(words, after) == "point":
        for word in words[after + 1 :]:
            if word not in _DIGIT:
                break
            decimals += _DIGIT[word]
    if decimals:
        return f"{whole.value}.{decimals}", after + 1 + len(decimals)
    return str(whole.value), after


def _whole(words: Sequence[str]) -> _Read:
    total, at = 0, 0
    limit = 1_000_000_000
    while (part := _hundreds(words[at + _and(words, at) :] if at else words)).taken:
        after = at + (_and(words, at) if at else 0) + part.taken
        scale = _SCALES.get(_word(words, after), 0)
        if not 0 < scale < limit:
            return _Read(total + part.value, after)
        total, at, limit = total + part.value * scale, after + 1, scale
    return _Read(total, at)


def _hundreds(words: Sequence[str]) -> _Read:
    large = _word(words, 0) == "a" and _word(words, 1) in ("hundred", *_SCALES)
    first = _Read(1, 1) if large else _tens(words)
    at = first.taken
    if not 1 <= first.value < 20 or _word(words, at) != "hundred":
        return first
    at += 1
    rest = _tens(words[at + _and(words, at) :])
    if rest.taken:
        at += _and(words, at) + rest.taken
    return _Read(first.value * 100 + rest.value, at)


def _tens(words: Sequence[str]) -> _Read:
    first = _word(words, 0)
    if first in _UNITS:
        return _Read(_UNITS[first], 1)
    if first not in _TENS:
        return _Read(0, 0)
    unit = _UNITS.get(_word(words, 1), 0)
    return _Read(_TENS[first] + unit, 2) if 1 <= unit < 10 else _Read(_TENS[first], 1)


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else ""


def _and(words: Sequence[str], at: int) -> int:
    """1 when an "and" stands there that goes on with a number."""
    return int(_word(words, at) == "and" and _tens(words[at + 1 :]).taken > 0)
