"""What a text written by an agent says: numbers and names in one sentence, and negations. PURE.

Graders ask for meaning, not for wording: a number may stand in digits or as a word, and a sentence
that denies what it names does not state it.
"""

from __future__ import annotations

import re

NUMBER_WORDS = """zero one two three four five six seven eight nine ten eleven twelve thirteen
fourteen fifteen sixteen seventeen eighteen nineteen twenty""".split()
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|\s\|\s")
_CLAUSE = re.compile(r"(?<=[.!?;:])\s+|\n+|,\s+|\s\|\s|\s+(?:and|but|while)\s+")
_DENIED = re.compile(
    r"\b(?:not|no|never|without|neither|nor|cannot|isn't|aren't|won't|wasn't|doesn't|don't)\b"
)


def sentences(text: str) -> list[str]:
    """The sentences, lines and table cells of a text, in lower case and on one line each."""
    return [" ".join(part.lower().split()) for part in _SENTENCE.split(text) if part.strip()]


def clauses(text: str) -> list[str]:
    """The same, also divided at commas, colons and conjunctions."""
    return [" ".join(part.lower().split()) for part in _CLAUSE.split(text) if part.strip()]


def has_number(text: str, number: float) -> bool:
    """The text names the number, in digits (with or without commas) or, up to 20, as a word."""
    plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text.lower())
    wanted = int(number) if float(number).is_integer() else number
    if isinstance(wanted, int) and 0 <= wanted < len(NUMBER_WORDS):
        word = rf"|\b{NUMBER_WORDS[wanted]}\b"
    else:
        word = ""
    digits = re.escape(str(wanted)) + (r"(?:\.0+)?" if isinstance(wanted, int) else "0*")
    return bool(re.search(rf"(?<![\d.])(?<!\d-){digits}(?![\d]|\.\d){word}", plain))


def states_number(text: str, number: float, about: str) -> bool:
    """One sentence, line or table row names both the number and what the pattern finds."""
    lines = [" ".join(line.lower().split()) for line in text.splitlines() if "|" in line]
    return any(
        re.search(about, part) and has_number(part, number) for part in [*sentences(text), *lines]
    )


def states(text: str, pattern: str) -> bool:
    """A clause says what the pattern finds, and does not deny it."""
    return any(
        re.search(pattern, clause) and not _DENIED.search(clause) for clause in clauses(text)
    )


def denies(text: str, pattern: str) -> bool:
    """A clause names what the pattern finds, and denies it."""
    return any(re.search(pattern, clause) and _DENIED.search(clause) for clause in clauses(text))
