"""Facts as a person says them: numbers, durations, money, lists, and texts of others cut to size.

Pure. Nothing here adds a fact: every word that is not grammar comes from an argument.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

QUOTE_WORDS = 32
"""A quoted text of this length takes about ten seconds to say; nobody listens longer to a quote."""

_ONES = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = (
    "zero",
    "ten",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_PATH = re.compile(r"(?<![\w.:/~-])(?:~|[A-Za-z]:)?(?:[/\\][\w.@+-]+){3,}[/\\]?")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")


def number(value: int) -> str:
    """Words up to ninety-nine, figures above (the voice reads those itself)."""
    if not 0 <= value < 100:
        return str(value)
    if value < 20:
        return _ONES[value]
    tens, ones = divmod(value, 10)
    return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")


def ordinal(place: int) -> str:
    """ "first" for 1; figures for places beyond the eighth."""
    return _ORDINALS[place - 1] if 1 <= place <= len(_ORDINALS) else f"number {place}"


def count(value: int, thing: str, plural: str = "") -> str:
    """ "one file", "two files", "no files"."""
    if value == 1:
        return f"one {thing}"
    return f"{number(value) if value else 'no'} {plural or thing + 's'}"


def duration(seconds: float) -> str:
    """About how long, as exact as a person would be."""
    whole = round(max(seconds, 0.0))
    if whole < 1:
        return "less than a second"
    if whole < 60:
        return f"about {count(whole, 'second')}"
    if whole < 300:
        minutes, rest = divmod(whole, 60)
        return _joined_units(count(minutes, "minute"), rest, "second")
    if whole < 3600:
        return f"about {count(round(whole / 60), 'minute')}"
    if whole < 86400:
        hours, minutes = divmod(round(whole / 60), 60)
        return _joined_units(f"about {count(hours, 'hour')}", minutes, "minute")
    days, hours = divmod(round(whole / 3600), 24)
    return _joined_units(f"about {count(days, 'day')}", hours, "hour")


def _joined_units(first: str, rest: int, unit: str) -> str:
    return f"{first} and {count(rest, unit)}" if rest else first


def ago(seconds: float) -> str:
    """ "just now", "about ten seconds ago"."""
    return "just now" if seconds < 1.5 else f"{duration(seconds)} ago"


def money(usd: float) -> str:
    """US dollars in words."""
    if usd <= 0:
        return "nothing"
    cents = round(usd * 100)
    if usd < 0.01:
        return "less than one cent"
    if cents < 100:
        return f"about {count(cents, 'cent')}"
    dollars, rest = divmod(cents, 100)
    return _joined_units(f"about {count(dollars, 'dollar')}", rest if dollars < 100 else 0, "cent")


def listed(items: Sequence[str], most: int = 3) -> str:
    """ "a", "a and b", "a, b and c", "a, b, c and two more"."""
    shown = list(items[:most])
    if len(items) > most:
        shown.append(f"{number(len(items) - most)} more")
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def short_path(path: str) -> str:
    """The last two parts of a path; more is not understood by ear."""
    parts = [part for part in re.split(r"[/\\]", path) if part]
    return "/".join(parts[-2:]) if len(parts) > 2 else path


def plain(text: str) -> str:
    """One line to speak: long paths shortened, line ends and backticks gone, the words kept."""
    lines = [line.strip(" -*#>|") for line in text.replace("`", "").split("\n")]
    lines = [line for line in lines if line]
    joint = ", " if all(len(line.split()) <= 4 for line in lines) else ". "
    joined = joint.join(line.rstrip(".") if joint == ". " else line for line in lines)
    if joint == ". " and lines and lines[-1].endswith("."):
        joined += "."
    return _PATH.sub(lambda found: short_path(found[0]), joined)


def quoted(text: str, words: int = QUOTE_WORDS) -> str:
    """Someone else's text, cut to what can be listened to, at a sentence end if there is one.

    Ends with a full stop or its own mark; says that there is more when there is.
    """
    whole = plain(text)
    tokens = whole.split()
    if len(tokens) <= words:
        return sentence(whole)
    kept: list[str] = []
    for part in _SENTENCE_END.split(whole):
        if len(kept) + len(part.split()) > words:
            break
        kept += part.split()
    if not kept:
        kept = tokens[:words]
    return f"{' '.join(kept).rstrip('.,;: …')}, and more."


def sentence(text: str) -> str:
    """``text`` with an end mark; an ellipsis counts as "and more"."""
    text = text.strip()
    if text.endswith("…"):
        text = text.rstrip("… ,;:")
        return f"{text}, and more." if text else ""
    if not text or text[-1] in ".!?":
        return text
    return text.rstrip(",;: ") + "."


def split_action(text: str) -> tuple[str, str]:
    """The words and the raw command of an action, "Write output `echo hi`"; either may be empty."""
    words, tick, command = text.partition("`")
    if not tick:
        return text.strip(), ""
    return words.strip(), command.rstrip().rstrip("`").strip()


def split_denial(text: str) -> tuple[str, str]:
    """The action (first line of a denial's evidence) and the reason below it."""
    action, _, reason = text.partition("\n")
    return action.strip(), reason.strip()


def action_words(text: str) -> str:
    """What an action does, without its raw command unless that is all there is."""
    words, command = split_action(text)
    return plain(words if words and words != "run a command" else (command or words))


_DECIDED = re.compile(
    r"\b(?:the )?user (decided|chose|said|wants?|prefers?|asked for|approved|rejected)\b:? *"
    r"([^\n]+?)(?:\. |\.?$|\n)",
    re.IGNORECASE | re.MULTILINE,
)


def decision_in(text: str) -> str:
    """ "You decided: ..." out of a text that reports what the user decided, or an empty string."""
    found = _DECIDED.search(text)
    if not found:
        return ""
    verb = {"want": "want", "wants": "want", "prefer": "prefer", "prefers": "prefer"}.get(
        found[1].lower(), found[1].lower()
    )
    colon = ":" if ":" in found[0][: found.start(2) - found.start()] else ""
    return sentence(f"You {verb}{colon} {plain(found[2])}")
