"""Any Unicode text as plain characters of the same length, so that positions keep their meaning.

Everything behind this module sees only: ASCII, the few typographic signs that mean something when
they are read aloud (dashes, ellipsis, arrows, currency, emoji ...), letters of other scripts, and
``IGNORED`` for what must not be heard and must not split a word either.
"""

# ruff: noqa: RUF001  (signs that look alike are what this module tells apart)

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

IGNORED = "\u00ad"  # soft hyphen: already means "not visible", stands for all such characters

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)|[@-Z\\^_=>])"
)

_SAME_LENGTH = {
    **dict.fromkeys("‘’‚‛′`´ʼ＇", "'"),
    "`": "`",  # a code span, not a quote
    **dict.fromkeys("“”„‟″«»‹›「」『』《》", '"'),
    **dict.fromkeys("‐‑⁃", "-"),
    "−": "-",
    **dict.fromkeys("‒–", "–"),
    **dict.fromkeys("—―⸺", "—"),
    **dict.fromkeys("•‣◦▪●○■□▸▹►➤", "•"),
    **dict.fromkeys("│┃║┆┊", "|"),
    "。": ".",
    "、": ",",
    "·": "·",
    "∶": ":",
    "⁄": "/",
    "∕": "/",
    "µ": "μ",
    "Ω": "Ω",
    "đ": "d",
    "Đ": "D",
    "ł": "l",
    "Ł": "L",
    "ø": "o",
    "Ø": "O",
    "ð": "d",
    "Ð": "D",
    "ı": "i",
    "ħ": "h",
    "\t": "\t",
    "\n": "\n",
    "\u2028": "\n",
    "\u2029": "\n",
    "\x85": "\n",
    "\x0b": "\n",
    "\x0c": "\n",
}

TWO_LETTERS = {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "Æ": "Ae", "Œ": "Oe", "Þ": "Th"}

SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"

_KEPT = frozenset(SUPERSCRIPTS + "⁻⁺™℠©®…№ªº") | frozenset(TWO_LETTERS)

_SCRIPTS = {
    "CJK": "Chinese",
    "KANGXI": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "CYRILLIC": "Cyrillic",
    "GREEK": "Greek",
    "ARABIC": "Arabic",
    "HEBREW": "Hebrew",
    "DEVANAGARI": "Hindi",
    "THAI": "Thai",
    "BENGALI": "Bengali",
    "TAMIL": "Tamil",
    "ARMENIAN": "Armenian",
    "GEORGIAN": "Georgian",
}


def plain(text: str) -> str:
    """The same text, character by character in plain form; ``len`` never changes.

    ANSI escapes and control characters become spaces, typographic quotes and full-width forms
    become ASCII, decimal digits of any script become 0-9, accents are dropped from letters.
    """
    if "\x1b" in text:
        text = _ANSI.sub(lambda match: " " * len(match.group()), text)
    return "".join(map(_plain_character, text))


@lru_cache(maxsize=4096)
def _plain_character(char: str) -> str:
    if " " <= char <= "~" or char in _KEPT:
        return char
    if char in _SAME_LENGTH:
        return _SAME_LENGTH[char]
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category in ("Mn", "Me", "Mc", "Cf", "Sk", "Lm"):
        return IGNORED
    if category[0] in "CZ" or "\u2500" <= char <= "\u259f" or "\u2800" <= char <= "\u28ff":
        return " "
    return _decomposed(char)


def _decomposed(char: str) -> str:
    compatible = unicodedata.normalize("NFKC", char)
    base = unicodedata.normalize("NFKD", char)
    letters = "".join(c for c in base if not unicodedata.combining(c))
    if len(letters) == 1 and letters.isascii():
        return letters
    return compatible if len(compatible) == 1 and compatible.isprintable() else char


def is_foreign_letter(char: str) -> bool:
    """Whether the character is a letter that the English voice cannot say."""
    return char.isalpha() and not char.isascii() and char not in _KEPT


@lru_cache(maxsize=1024)
def script_of(char: str) -> str:
    """The everyday name of the letter's script or language; "" where there is none to say."""
    name = unicodedata.name(char, "")
    if name.startswith("LATIN") or not name:
        return ""
    return _SCRIPTS.get(re.split(r"[ -]", name, maxsplit=1)[0], "foreign")


@lru_cache(maxsize=512)
def value_of(char: str) -> float | None:
    """The number that a single sign such as a circled or vulgar fraction stands for."""
    if unicodedata.category(char) not in ("No", "Nl"):
        return None
    return unicodedata.numeric(char, None)
