"""When the user wants to be asked again: "later", "in ten minutes", "one moment". Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jarvis_voice.attention import phrases
from jarvis_voice.attention.utterance import digits, is_nearly

SHORTLY_S = 60.0  # "one moment"
LONGEST_S = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Later:
    """Not now; ``seconds`` is None when no time was named."""

    seconds: float | None = None


_UNITS = {"second": 1.0, "sec": 1.0, "minute": 60.0, "min": 60.0, "hour": 3600.0, "day": 86400.0}
_TIME = re.compile(
    r"\b(?:in|for|after|give me|another|within|(?:snooze|wait|later) (?:it |that )?)?"
    r"(?: ?(?P<count>\d+|a couple of|a couple|a few|an|a|half an|half a|another)?(?: more)?) "
    r"(?P<unit>second|sec|minute|min|hour|day)s?(?P<half> and a half)?\b"
)
_COUNTS = {
    "a couple of": 2.0, "a couple": 2.0, "a few": 3.0, "an": 1.0, "a": 1.0, "another": 1.0,
    "half an": 0.5, "half a": 0.5,
}  # fmt: skip
_PUTS_OFF = re.compile(
    r"^(?:(?:no|okay|yes|not now|later|sorry|please|maybe) )*"
    r"(?:(?:ask|tell|remind|bother|wake|try|call|ping|come back to|come to|get back to|check with) "
    r"(?:me )?(?:again |about (?:it|that|this) )?|"
    r"snooze(?: it| that)? |give me |wait |come back |later |i need |i want |not for |in |"
    r"after |do it |lets do (?:it|that) |can it wait |it can wait )"
)
_TAIL = re.compile(r"(?: (?:later|or so|please|again|or something))*")
_DAYTIMES = {
    "tonight": 6 * 3600.0, "this evening": 6 * 3600.0, "this afternoon": 3 * 3600.0,
    "tomorrow": 16 * 3600.0, "after lunch": 3600.0, "after the meeting": 3600.0,
    "after my meeting": 3600.0, "after dinner": 2 * 3600.0,
}  # fmt: skip


def later(words: str, *, fresh: bool = True) -> Later | None:
    """Whether this puts a question off, and for how long; bare moments only right after it."""
    if is_nearly(words, phrases.LATER):
        return Later()
    if fresh and words in phrases.SHORTLY:
        return Later(SHORTLY_S)
    counted = digits(words)
    if not _PUTS_OFF.match(counted + " ") and counted.split()[-1] != "later":
        return None
    found = _TIME.search(counted)
    if found is not None and _TAIL.fullmatch(counted[found.end() :]):
        return Later(_seconds(found))
    for name, seconds in _DAYTIMES.items():
        if re.search(rf"\b{name}(?: morning)?$", counted):
            return Later(seconds)
    return None


def _seconds(found: re.Match[str]) -> float:
    count = found["count"] or "1"
    value = float(count) if count.isdigit() else _COUNTS.get(count, 1.0)
    if found["half"]:
        value += 0.5
    return min(value * _UNITS[found["unit"]], LONGEST_S)
