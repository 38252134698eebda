"""The tokens that are more than a word, tried in this order at their first character."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from audio.tts.text import dates, identifiers, quantities
from audio.tts.text.characters import value_of
from audio.tts.text.identifiers import identifier
from audio.tts.text.names import VERSIONED
from audio.tts.text.numbers import integer, number, spelled, version, year
from audio.tts.text.quantities import NUM, value_words


@dataclass(slots=True)
class Spot:
    """What was read just before, as far as it changes how the next token is said."""

    code: bool = False
    last: str = ""  # the last token as written
    after_version: bool = False

    def remember(self, token: str) -> None:
        """Take note of a token that was said."""
        if self.last[-1:].isdigit() and token.lower() in ("and", "or", "to", "through"):
            self.last = token
            return
        self.after_version = self.after_version and token[-1:].isdigit()
        self.last = token

    @property
    def expects_version(self) -> bool:
        """Whether a number that comes now is a version."""
        return self.last.lower() in VERSIONED or self.after_version


Rule = tuple[re.Pattern[str], Callable[[re.Match[str], Spot], "str | None"]]

_TAIL = r"(?P<tail>[-+.]?(?:alpha|beta|rc|dev|post|preview|pre|a|b)[.-]?\d*(?:[.+-]\w{1,20})?)?"
_STOP = r"(?![\w/\\@]|[-.:]\w)"
_V = re.compile(rf"[vV]\.?(?P<num>\d+(?:\.\d+){{0,5}}){_TAIL}{_STOP}")
_DOTTED = re.compile(rf"(?P<num>\d+(?:\.\d+){{2,5}}){_TAIL}{_STOP}")
_SHORT = re.compile(rf"(?P<num>\d+(?:\.\d+)?){_TAIL}{_STOP}")
_PHONE = re.compile(
    r"(?:\+\d{1,3}[ .-]?)?(?:\(\d{3}\)[ -]?|\d{3}-)\d{3}-\d{4}(?![\w-])"
    r"|\+\d{1,3}(?:[ .-]\d{2,5}){2,5}(?![\w-])"
)
_DASHED = re.compile(r"\d+(?:-\d+){2,12}(?![\w]|[-./:]\w)")
_RATIO = re.compile(r"(?P<a>\d{1,6}):(?P<b>\d{1,6})(?![\w:])")
_MIXED = re.compile(r"(?P<whole>\d{1,9}) ?(?P<part>[¼-¾⅐-⅞])")
_PLAIN = re.compile(rf"{NUM}(?![A-Za-z_\u00ad]|[./\\:@_-]{{1,3}}[A-Za-z_]|[/\\@:]\d|\.\d)")
_ISSUE = re.compile(r"#(?P<n>\d{1,12})(?!\w)")
_POINT = re.compile(r"\.\d{1,40}(?![\w.])")
_SIGNED = re.compile(rf"[-+](?P<num>{NUM})(?!\w|[./:-]\w)")
_ABOUT = re.compile(r"~(?=[$€£]?\d)")
_AMP = re.compile("&amp;")
_SET_SIGN = re.compile(r"\.NET(?!\w)")


def _version(match: re.Match[str], spot: Spot) -> str:
    spot.after_version = True
    return f"{version(match['num'])} {_version_tail(match['tail'] or '')}"


def _version_tail(tail: str) -> str:
    """As in "-beta.2" -> "beta two"."""
    return identifier(re.sub(r"[-.+]", "_", tail))


def _v(match: re.Match[str], spot: Spot) -> str | None:
    if spot.code and "." not in match["num"]:
        return f"V {integer(match['num'])} {identifier(match['tail'] or '')}"
    said = _version(match, spot)
    return said if spot.last.lower() in ("version", "release") else f"version {said}"


def _known_version(match: re.Match[str], spot: Spot) -> str | None:
    return _version(match, spot) if spot.expects_version else None


def _plain(match: re.Match[str], spot: Spot) -> str:
    written = match.group()
    if dates.looks_like_year(written) and spot.last.lower() in dates.YEAR_CUES:
        return year(int(written))
    return number(written.replace(",", "").replace("_", "")) if "." in written else integer(written)


def _phone(match: re.Match[str], spot: Spot) -> str:
    plus = "plus " if match.group()[0] == "+" else ""
    return plus + ", ".join(spelled(group) for group in re.findall(r"\d+", match.group()))


def _mixed(match: re.Match[str], spot: Spot) -> str:
    return f"{integer(match['whole'])} and {value_words(value_of(match['part']) or 0.0)}"


def _unless_joined(
    say: Callable[[re.Match[str]], str | None],
) -> Callable[[re.Match[str], Spot], str | None]:
    """A sign in front of a number belongs to it only where no value stands before it."""

    def signed(match: re.Match[str], spot: Spot) -> str | None:
        before = match.string[match.start() - 1 : match.start()]
        return None if before.isalnum() or before in (")", "]") else say(match)

    return signed


def _only(
    say: Callable[[re.Match[str]], str | None],
) -> Callable[[re.Match[str], Spot], str | None]:
    return lambda match, spot: say(match)


DIGIT_RULES: tuple[Rule, ...] = (
    (dates.ISO, _only(dates.iso)),
    (dates.US, _only(dates.us)),
    (dates.DAY_FIRST, _only(dates.day_first)),
    (identifiers.UUID, _only(identifiers.uuid)),
    (identifiers.HEX_LITERAL, _only(identifiers.hex_literal)),
    (quantities.EXPONENT, _only(quantities.exponent)),
    (identifiers.HEX, _only(lambda match: spelled(match.group()))),
    (identifiers.IP, lambda match, spot: None if spot.expects_version else identifiers.ip(match)),
    (dates.TIME, _only(dates.time_of_day)),
    (dates.HOURS, _only(dates.hours)),
    (dates.HOUR, _only(dates.hour)),
    (_PHONE, _phone),
    (_DOTTED, _version),
    (_SHORT, _known_version),
    (quantities.DURATION, _only(quantities.duration)),
    (quantities.DIMENSION, _only(quantities.dimension)),
    (quantities.MONEY_AFTER, _only(quantities.money)),
    (quantities.RANGE, _only(quantities.span)),
    (_DASHED, _only(lambda match: ", ".join(integer(p) for p in match.group().split("-")))),
    (_RATIO, _only(lambda match: f"{integer(match['a'])} to {integer(match['b'])}")),
    (quantities.PART, _only(quantities.part_of)),
    (quantities.ORDINAL, _only(quantities.ordinal_number)),
    (quantities.DECADE, _only(quantities.decade)),
    (quantities.FRACTION, lambda match, spot: quantities.fraction(match, spot.last.lower())),
    (_MIXED, _mixed),
    (quantities.QUANTITY, lambda match, spot: quantities.quantity(match, spot.last.lower())),
    (_PLAIN, _plain),
)

LETTER_RULES: tuple[Rule, ...] = (
    (identifiers.URL, _only(identifiers.url)),
    (dates.NAMED, _only(dates.named)),
    (dates.MONTH_YEAR, _only(dates.month_year)),
    (_V, _v),
    (identifiers.UUID, _only(identifiers.uuid)),
    (identifiers.HEX, _only(lambda match: spelled(match.group()))),
)

SIGN_RULES: tuple[Rule, ...] = (
    (quantities.MONEY, _only(quantities.money)),
    (_ISSUE, _only(lambda match: f"number {integer(match['n'])}")),
    (_PHONE, _phone),
    (quantities.EXPONENT, _unless_joined(quantities.exponent)),
    (quantities.QUANTITY, _unless_joined(quantities.quantity)),
    (_SIGNED, _unless_joined(lambda match: number(match.group().replace(",", "")))),
    (_POINT, _only(lambda match: number(match.group()))),
    (_ABOUT, _unless_joined(lambda match: "about")),
    (_AMP, _only(lambda match: "and")),
    (quantities.POWER, _only(quantities.power)),
    (_SET_SIGN, _only(lambda match: "dot net")),
)
