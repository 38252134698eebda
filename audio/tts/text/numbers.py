"""Numbers in words, as American English says them: no "and", no commas, hyphens left in.

All functions take digit strings as written and return words that stand for exactly those digits.
"""

from __future__ import annotations

import re
from functools import lru_cache

from num2words import num2words

_LONGEST_CARDINAL = 15  # digits; beyond trillions nobody follows a cardinal by ear
_LONGEST_PLAIN = 6  # digits without separators: longer ones are ids far more often than counts
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@lru_cache(maxsize=2048)
def cardinal(value: int) -> str:
    """82 -> "eighty-two", 1005 -> "one thousand five"."""
    words = str(num2words(value))
    return words.replace(",", "").replace(" and ", " ")


@lru_cache(maxsize=512)
def ordinal(value: int) -> str:
    """22 -> "twenty-second"."""
    words = str(num2words(value, to="ordinal"))
    return words.replace(",", "").replace(" and ", " ")


@lru_cache(maxsize=512)
def year(value: int) -> str:
    """2026 -> "twenty twenty-six", 1905 -> "nineteen oh-five", 2005 -> "two thousand five"."""
    words = str(num2words(value, to="year"))
    return words.replace(",", "").replace(" and ", " ")


def spelled(characters: str) -> str:
    """Character by character, with a breath after every few: "a1b2" -> "A one B two"."""
    said = [_DIGITS[int(c)] if c in "0123456789" else c.upper() for c in characters if c.isalnum()]
    if len(said) <= 7:
        return " ".join(said)
    size = 3 if characters.isdigit() else 4
    last = len(said) - (len(said) - 2) % size - 2  # the last group takes two to size + 1
    groups = [said[at : at + size] for at in range(0, last, size)] + [said[last:]]
    return ", ".join(" ".join(group) for group in groups)


def integer(written: str) -> str:
    """A digit string, maybe with separators: cardinal when it is a count, else digit by digit."""
    digits = re.sub(r"\D", "", written)
    if len(digits) > 1 and digits[0] == "0":
        return spelled(digits)
    grouped = len(digits) != len(written)
    round_enough = len(digits.rstrip("0")) <= 4
    if len(digits) <= _LONGEST_PLAIN or (
        len(digits) <= _LONGEST_CARDINAL and (grouped or round_enough)
    ):
        return cardinal(int(digits))
    return spelled(digits)


def number(written: str) -> str:
    """An integer or a decimal with an optional sign: "-1.26" -> "minus one point two six"."""
    sign = {"-": "minus ", "+": "plus "}.get(written[:1], "")
    whole, dot, fraction = written.lstrip("+-").partition(".")
    said = integer(whole) if whole else ""
    if dot and fraction:
        said += " point " + " ".join(_DIGITS[int(c)] for c in fraction)
    return (sign + said).strip()


def version(written: str) -> str:
    """As in "1.12.04" -> "one point twelve point zero four"."""
    return " point ".join(integer(part) for part in written.split("."))


def is_one(written: str) -> bool:
    """Whether what is counted takes the singular."""
    return written.lstrip("+-") == "1"


def roman(letters: str) -> str:
    """As in "XIV" -> "fourteen"."""
    values = [{"I": 1, "V": 5, "X": 10}[letter] for letter in letters]
    following = [*values[1:], 0]
    return cardinal(sum(v if v >= n else -v for v, n in zip(values, following, strict=True)))
