"""Dates and times of day in words."""

from __future__ import annotations

import re

from audio.tts.text.lists import word_list, word_set
from audio.tts.text.numbers import cardinal, integer, number, ordinal, year

MONTHS = word_list(
    "January February March April May June July August September October November December"
)
MONTH_PATTERN = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
YEAR_CUES = word_set(
    "in since by from until till during year of before after around through early late mid "
    "spring summer autumn fall winter copyright"
) | {month.lower() for month in MONTHS}

ISO = re.compile(
    r"(?P<y>\d{4})(?P<s>[-/])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?!\d|[-/]\d)"
    r"(?:(?:T|[ ](?=\d{2}:\d{2}))(?P<time>\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)"
    r"[ ]?(?P<zone>Z(?!\w)|UTC(?!\w)|[+-]\d{2}:?\d{2}(?!\d))?)?"
)
US = re.compile(r"(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4})(?![\d/])")
NAMED = re.compile(
    rf"(?P<m>{MONTH_PATTERN})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\w|[.:/-]\d)"
    r"(?:,? (?P<y>\d{4})(?!\w|[.,:/-]\d))?"
)
DAY_FIRST = re.compile(
    rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?P<m>{MONTH_PATTERN})(?![A-Za-z])\.?"
    r"(?: (?P<y>\d{4})(?!\w|[.,:/-]\d))?"
)
TIME = re.compile(
    r"(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:[.,](?P<f>\d{1,9}))?)?"
    r"(?![\d:])(?: ?(?P<half>[AaPp](?:[Mm]|\.[Mm](?:\.(?=,|\s*[a-z]))?)))?(?!\w)"
)
_HALF = r"[AaPp](?:[Mm](?!\w)|\.[Mm](?!\w)(?:\.(?=,|\s*[a-z]))?)"
HOUR = re.compile(rf"(?P<h>1[0-2]|0?[1-9]) ?(?P<half>{_HALF})")
HOURS = re.compile(
    rf"(?P<h>1[0-2]|0?[1-9])(?: ?(?P<half>{_HALF}))? ?[-\u2013] ?"
    rf"(?P<to>1[0-2]|0?[1-9]) ?(?P<end>{_HALF})"
)
MONTH_YEAR = re.compile(rf"(?P<m>{MONTH_PATTERN})\.? (?P<y>(?:19|20)\d\d)(?!\w|[.,:/-]\d)")


def iso(match: re.Match[str]) -> str | None:
    """Date and time of day: "November twenty-ninth, twenty twenty-six, at twenty ten"."""
    said = _date(match["y"], int(match["m"]), int(match["d"]))
    if said is None or not match["time"]:
        return said
    inner = TIME.fullmatch(match["time"])
    if inner is None:
        return None
    return f"{said}, at {time_of_day(inner)}{_zone(match['zone'])}"


def us(match: re.Match[str]) -> str | None:
    """Month first, unless only day first makes a date."""
    first, second = int(match["a"]), int(match["b"])
    return _date(match["y"], first, second) or _date(match["y"], second, first)


def named(match: re.Match[str]) -> str | None:
    """As in "Nov 29, 2026" -> "November twenty-ninth, twenty twenty-six"."""
    return _date(match["y"], _month(match["m"]), int(match["d"]))


def day_first(match: re.Match[str]) -> str | None:
    """As in "29 November 2026" -> "the twenty-ninth of November, twenty twenty-six"."""
    if not 1 <= int(match["d"]) <= 31:
        return None
    tail = f", {year(int(match['y']))}" if match["y"] else ""
    return f"{ordinal(int(match['d']))} of {MONTHS[_month(match['m']) - 1]}{tail}"


def time_of_day(match: re.Match[str]) -> str:
    """As in "09:05" -> "nine oh five", "14:02:11" -> "fourteen oh two and eleven seconds"."""
    hour, minute = cardinal(int(match["h"])), match["m"]
    if minute != "00":
        said = f"{hour} {'oh ' if minute[0] == '0' else ''}{cardinal(int(minute))}"
    elif match["s"]:
        said = f"{hour} zero zero"
    elif 1 <= int(match["h"]) <= 12:
        said = hour if match["half"] else f"{hour} o'clock"
    else:
        said = f"{hour} hundred"
    if match["s"]:
        seconds = match["s"].lstrip("0") or "0"
        value = f"{seconds}.{match['f']}" if match["f"] else seconds
        said += f" and {number(value)} second{'' if value == '1' else 's'}"
    return said + half(match["half"])


def hour(match: re.Match[str]) -> str:
    """As in "3pm" -> "three P M"."""
    return cardinal(int(match["h"])) + half(match["half"])


def hours(match: re.Match[str]) -> str:
    """As in "8am-5pm" -> "eight A M to five P M"."""
    start = cardinal(int(match["h"])) + half(match["half"])
    return f"{start} to {cardinal(int(match['to']))}{half(match['end'])}"


def month_year(match: re.Match[str]) -> str:
    """As in "Dec 2026" -> "December twenty twenty-six"."""
    return f"{MONTHS[_month(match['m']) - 1]} {year(int(match['y']))}"


def half(written: str | None) -> str:
    """The half of the day in the form that the voice spells out."""
    return f" {written[0].upper()} M" if written else ""


def looks_like_year(written: str) -> bool:
    """Whether four digits may name a year of living memory or the near future."""
    return len(written) == 4 and written.isdigit() and 1900 <= int(written) <= 2099


def _month(name: str) -> int:
    return next(i for i, month in enumerate(MONTHS, 1) if month.startswith(name[:3]))


def _date(written_year: str | None, month: int, day: int) -> str | None:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    said = f"{MONTHS[month - 1]} {ordinal(day)}"
    if not written_year:
        return said
    spoken = year(int(written_year)) if int(written_year) >= 1000 else integer(written_year)
    return f"{said}, {spoken}"


def _zone(written: str | None) -> str:
    if not written:
        return ""
    if written[0] not in "+-":
        return " UTC"
    digits = written.replace(":", "")
    hours, minutes = int(digits[1:3]), int(digits[3:5])
    sign = "plus" if written[0] == "+" else "minus"
    said = f" UTC {sign} {cardinal(hours)} hour{'' if hours == 1 else 's'}"
    return f"{said} {cardinal(minutes)}" if minutes else said
