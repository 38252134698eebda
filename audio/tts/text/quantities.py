"""Amounts in words: units, money, ranges, durations, fractions, dimensions."""

# ruff: noqa: RUF001, RUF002  (signs that look alike are what this module tells apart)

from __future__ import annotations

import re

from audio.tts.text.characters import SUPERSCRIPTS
from audio.tts.text.lists import word_set
from audio.tts.text.numbers import cardinal, integer, is_one, number, ordinal, year

# Atomic, so that no pattern ever settles for the front half of a number.
NUM = r"(?>(?:\d{1,3}(?:,\d{3}){1,6}(?!\d)|\d{1,3}(?:_\d{3}){1,6}(?!\d)|\d+)(?:\.\d+)?)"
_END = r"(?![A-Za-z0-9_])"

# symbol: what one of it is called; the plural takes an "s" unless _PLURALS knows better
_UNITS = {
    "ns": "nanosecond", "us": "microsecond", "μs": "microsecond", "ms": "millisecond",
    "s": "second", "sec": "second", "secs": "second", "m": "minute", "min": "minute",
    "mins": "minute", "h": "hour", "hr": "hour", "hrs": "hour", "d": "day", "wk": "week",
    "B": "byte", "kB": "kilobyte", "KB": "kilobyte", "MB": "megabyte", "GB": "gigabyte",
    "TB": "terabyte", "PB": "petabyte", "KiB": "kibibyte", "MiB": "mebibyte", "GiB": "gibibyte",
    "TiB": "tebibyte", "kb": "kilobit", "Kb": "kilobit", "Mb": "megabit", "Gb": "gigabit",
    "kbit": "kilobit", "Mbit": "megabit", "Gbit": "gigabit", "kbps": "kilobit per second",
    "Kbps": "kilobit per second", "Mbps": "megabit per second", "Gbps": "gigabit per second",
    "Hz": "hertz", "kHz": "kilohertz", "MHz": "megahertz", "GHz": "gigahertz", "dB": "decibel",
    "dBFS": "decibel full scale", "px": "pixel", "pt": "point", "em": "em", "rem": "rem",
    "dpi": "D P I", "fps": "frame per second", "rpm": "R P M", "rps": "request per second",
    "qps": "query per second", "nm": "nanometer", "μm": "micrometer", "mm": "millimeter",
    "cm": "centimeter", "km": "kilometer", "kg": "kilogram", "mg": "milligram", "g": "gram",
    "lb": "pound", "lbs": "pound", "oz": "ounce", "ml": "milliliter", "mL": "milliliter",
    "W": "watt", "kW": "kilowatt", "kWh": "kilowatt hour", "mV": "millivolt", "V": "volt",
    "mA": "milliamp", "mAh": "milliamp hour", "°": "degree", "°C": "degree Celsius",
    "°F": "degree Fahrenheit", "℃": "degree Celsius", "℉": "degree Fahrenheit",
    "%": "percent", "‰": "per mille", "ppm": "part per million", "pp": "percentage point",
    "x": "time", "X": "time", "×": "time", "k": "thousand", "K": "thousand", "M": "million",
    "G": "G", "T": "trillion", "bn": "billion", "tok": "token", "req": "request",
    "it": "iteration", "ops": "operation", "LOC": "line of code",
}  # fmt: skip
_PLURALS = {
    "hertz": "hertz", "kilohertz": "kilohertz", "megahertz": "megahertz", "gigahertz": "gigahertz",
    "percent": "percent", "per mille": "per mille", "D P I": "D P I", "R P M": "R P M", "G": "G",
    "thousand": "thousand", "million": "million", "billion": "billion", "trillion": "trillion",
    "degree Celsius": "degrees Celsius", "degree Fahrenheit": "degrees Fahrenheit",
    "query per second": "queries per second",
}  # fmt: skip
_SCALES = {"k": "thousand", "K": "thousand", "M": "million", "m": "million", "B": "billion",
           "bn": "billion", "b": "billion", "T": "trillion"}  # fmt: skip
_PER = {"s": "second", "sec": "second", "second": "second", "min": "minute", "minute": "minute",
        "h": "hour", "hr": "hour", "hour": "hour", "d": "day", "day": "day", "week": "week",
        "month": "month", "mo": "month", "yr": "year", "year": "year", "user": "user",
        "req": "request", "request": "request", "it": "iteration", "tok": "token",
        "call": "call", "file": "file", "test": "test", "epoch": "epoch", "step": "step",
        "frame": "frame", "core": "core", "line": "line", "token": "token",
        "MTok": "million tokens", "GB": "gigabyte"}  # fmt: skip

# After a blank these letters are words or names of their own far more often than units.
_ONLY_ATTACHED = frozenset(("m", "d", "x", "X", "k", "K", "M", "G", "T", "it", "em", "rem", "pt"))

_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_RATE = rf"(?:(?:/|[ ]per[ ])(?P<per>{'|'.join(sorted(_PER, key=len, reverse=True))}){_END})?"
_SIGNS = {"$": ("dollar", "cent"), "€": ("euro", "cent"), "£": ("pound", "penny"),
          "¥": ("yen", ""), "₹": ("rupee", ""), "₿": ("bitcoin", "")}  # fmt: skip
_SIGN = r"(?P<sign>[$€£¥₹₿])"
_SCALE = rf"(?:[ ]?(?P<scale>k|K|M|m|bn|B|b|T|thousand|million|billion|trillion){_END})?"
_TO = r"(?:-|[ ]?–[ ]?|\.\.)"

MONEY = re.compile(
    rf"{_SIGN}(?P<low>{NUM})(?:{_TO}[$€£¥₹₿]?(?P<high>{NUM}))?{_SCALE}(?![\d_]|[A-Za-z]|-\d){_RATE}"
)
MONEY_AFTER = re.compile(rf"(?P<low>{NUM})(?P<high>)(?P<scale>)[ ]?{_SIGN}(?!\w|{{){_RATE}")
RANGE = re.compile(
    rf"(?P<low>{NUM})(?P<first>{_UNIT})?{_TO}(?P<high>{NUM})"
    rf"(?:(?P<gap>[ ]?)(?P<unit>{_UNIT}){_END}(?![-']\w)"
    rf"|(?![A-Za-z0-9_]|[.:/-]\d|[-/][A-Za-z])){_RATE}"
)
QUANTITY = re.compile(
    rf"(?P<sign>[-+]?)(?P<num>{NUM})(?P<gap>[ -]?)(?P<unit>{_UNIT}){_END}(?![-'.:]\w){_RATE}"
)
PART = re.compile(
    rf"(?P<part>{NUM})/(?P<sign>)(?P<num>{NUM})(?P<gap>[ ]?)(?P<unit>{_UNIT}){_END}"
    rf"(?![-'.:]\w){_RATE}"
)
DURATION = re.compile(rf"(?:(?:{NUM})[ ]?(?:d|h|m|min|ms|s)(?:,? ?(?=\d)|{_END})){{2,6}}(?![\w])")
_DURATION_PART = re.compile(rf"(?P<num>{NUM})[ ]?(?P<unit>d|h|min|ms|m|s)")
DIMENSION = re.compile(rf"(?P<parts>{NUM}(?:(?:[x×]|[ ]x[ ]){NUM}){{1,3}})(?![A-Za-z_])")
ORDINAL = re.compile(
    rf"(?P<n>\d{{1,3}}(?:,\d{{3}})+|\d{{1,12}})(?:st|nd|rd|th){_END}", re.IGNORECASE
)
DECADE = re.compile(rf"(?P<y>(?:1[89]|20)\d0)'?s{_END}")
FRACTION = re.compile(r"(?P<top>\d{1,9})(?P<gap>[ ]?)/(?P=gap)(?P<low>\d{1,9})(?![\w/%]|\.\d|-\d)")
EXPONENT = re.compile(r"(?P<sign>[-+]?)(?P<num>\d+(?:\.\d+)?)[eE](?P<exp>[-+]?\d{1,4})(?![\w.])")
SIGNED = re.compile(rf"[-+]?{NUM}(?![A-Za-z0-9_]|[.:/@]\d|[./:\\]?[A-Za-z_]|\.\d)")

POWER = re.compile(f"[⁺⁻]?[{SUPERSCRIPTS}]+")

_ARTICLES = word_set("a an the this its our each every one another")
_NOUN = re.compile(
    r"[ ](?!(?:of|in|on|at|for|with|from|to|by|per|and|or|but|is|are|was|were|has|had|later|ago|"
    r"after|before|faster|slower|more|less|than)(?![a-z]))[a-z]{2,}"
)
_PARTS = {2: ("half", "halves"), 3: ("third", "thirds"), 4: ("quarter", "quarters")}
_NICE = frozenset(((1, 2), (1, 3), (2, 3), (1, 4), (3, 4)))
_COUNTING = word_set(
    "step part page phase task attempt chunk batch epoch iteration stage round shard file "
    "test tests try retry item turn worker slide question"
)


def unit_name(symbol: str, *, singular: bool) -> str:
    """The name in singular or plural; rates and "lines of code" take the plural inside."""
    name = _UNITS[symbol]
    if singular or name in _PLURALS:
        return name if singular else _PLURALS[name]
    head, per, tail = name.partition(" per ")
    if not per:
        head, per, tail = name.partition(" of ")
    return f"{head}s{per}{tail}"


def quantity(match: re.Match[str], previous: str = "") -> str | None:
    """As in "16 MiB" -> "sixteen mebibytes", "10x" -> "ten times", "-6 dB".

    Between an article and a noun the unit is singular: "a 16 MiB file".
    """
    unit, gap = match["unit"], match["gap"]
    if gap and unit in _ONLY_ATTACHED and not match["per"]:
        return None
    if gap == "-" and len(unit) == 1:
        return None  # "3-D", "2-s" are names, not amounts
    attributive = previous in _ARTICLES and unit not in ("x", "X", "×")
    before_noun = attributive and _NOUN.match(match.string, match.end())
    singular = is_one(match["num"]) or bool(before_noun)
    return _with_unit(number(match["sign"] + match["num"]), match, singular=singular)


def part_of(match: re.Match[str]) -> str | None:
    """As in "3.2/4 GB" -> "three point two of four gigabytes"."""
    whole = quantity(match)
    return f"{number(match['part'])} of {whole}" if whole else None


def span(match: re.Match[str]) -> str | None:
    """As in "3-5" -> "three to five", "10–20 ms" -> "ten to twenty milliseconds"."""
    low, high, unit = match["low"], match["high"], match["unit"]
    if unit and match["gap"] and unit in _ONLY_ATTACHED:
        return None
    if _year_like(low) and _year_like(high) and not unit:
        return f"{year(int(low))} to {year(int(high))}"
    first = f" {_amount_name(match['first'], '')}" if match["first"] else ""
    if first and not unit:
        return None
    said = f"{number(low)}{first} to {number(high)}"
    return _with_unit(said, match, singular=False) if unit else said + _per(match)


def money(match: re.Match[str]) -> str:
    """As in "$3.5M" -> "three point five million dollars"; "£1.50" has pence."""
    name, cent = _SIGNS[match["sign"]]
    low, high, scale = match["low"], match["high"], match["scale"]
    tail = _per(match)
    if high:
        said = f"{number(low)} to {number(high)}"
    elif scale:
        said = number(low)
    else:
        whole, _, part = low.partition(".")
        if len(part) == 2 and cent:
            return _coins(whole, part, name, cent) + tail
        said = number(low)
    word = _SCALES.get(scale or "", scale or "")
    singular = is_one(low) and not high and not word
    return f"{said} {word} {name if singular or name == 'yen' else name + 's'}{tail}"


def duration(match: re.Match[str]) -> str:
    """As in "1h 20m" -> "one hour twenty minutes"."""
    return " ".join(
        f"{number(part['num'])} {unit_name(part['unit'], singular=is_one(part['num']))}"
        for part in _DURATION_PART.finditer(match.group())
    )


def dimension(match: re.Match[str]) -> str:
    """As in "1920x1080" -> "one thousand nine hundred twenty by one thousand eighty"."""
    parts = [part.strip() for part in re.split("[x×]", match["parts"])]
    power = match.string[match.end() : match.end() + 1] in tuple(f"⁻{SUPERSCRIPTS}")
    factors = "×" in match["parts"] and (power or any(len(part) == 1 for part in parts))
    return (" times " if factors else " by ").join(number(part) for part in parts)


def ordinal_number(match: re.Match[str]) -> str:
    """As in "22nd" -> "twenty-second"."""
    return ordinal(int(match["n"].replace(",", "")))


def decade(match: re.Match[str]) -> str:
    """As in "1990s" -> "nineteen nineties"."""
    said = year(int(match["y"]))
    return said[:-1] + "ies" if said.endswith("y") else said + "s"


def fraction(match: re.Match[str], previous: str) -> str:
    """As in "3/4" -> "three quarters", but "step 3/4" and "7/82" count: "three of four"."""
    top, low = int(match["top"]), int(match["low"])
    if match["gap"] == " " and (top, low) not in _NICE:
        return f"{integer(match['top'])} of {integer(match['low'])}"
    if match.group() == "24/7":
        return "twenty-four seven"
    if (top, low) in _NICE and previous not in _COUNTING and match["top"] == str(top):
        return f"{cardinal(top)} {_PARTS[low][0 if top == 1 else 1]}"
    return f"{integer(match['top'])} of {integer(match['low'])}"


def exponent(match: re.Match[str]) -> str:
    """As in "1e-4" -> "one E minus four"."""
    return f"{number(match['sign'] + match['num'])} E {number(match['exp'])}"


def value_words(value: float) -> str:
    """A single-character number: ½ -> "one half", ⅔ -> "two thirds", ⑩ -> "ten"."""
    if value == int(value):
        return cardinal(int(value)) if value >= 0 else f"minus {cardinal(int(-value))}"
    for low in (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16):
        top = round(value * low)
        if top and abs(top / low - value) < 1e-9:
            one, many = _PARTS.get(low, (ordinal(low), ordinal(low) + "s"))
            return f"{cardinal(top)} {one if top == 1 else many}"
    return number(f"{value:.4f}")


def power(match: re.Match[str]) -> str:
    """Raised digits: "²" -> "squared", "⁻³" -> "to the minus three"."""
    written = match.group()
    sign = "minus " if written[0] == "⁻" else ""
    digits = "".join(str(SUPERSCRIPTS.index(c)) for c in written.lstrip("⁺⁻"))
    if not sign and digits in ("2", "3"):
        return "squared" if digits == "2" else "cubed"
    return f"to the {sign}{integer(digits)}"


def _with_unit(said: str, match: re.Match[str], *, singular: bool) -> str:
    name = _amount_name(match["unit"], match["gap"], singular=singular)
    return f"{said} {name}{_per(match)}"


def _amount_name(unit: str, gap: str, *, singular: bool = False) -> str:
    if unit == "B" and not gap:
        return "billion"  # "7B" is a size of model or money; bytes are written "7 B"
    return unit_name(unit, singular=singular)


def _per(match: re.Match[str]) -> str:
    per = match["per"]
    return f" per {_PER[per]}" if per else ""


def _year_like(written: str) -> bool:
    return len(written) == 4 and written.isdigit() and 1900 <= int(written) <= 2099


def _coins(whole: str, part: str, name: str, cent: str) -> str:
    cents = int(part)
    coin = cent if cents == 1 else {"penny": "pence"}.get(cent, cent + "s")
    if whole == "0" and cents:
        return f"{cardinal(cents)} {coin}"
    said = f"{number(whole)} {name if is_one(whole) else name + 's'}"
    return f"{said} and {cardinal(cents)} {coin}" if cents else said
