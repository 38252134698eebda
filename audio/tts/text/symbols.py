"""Operators, arrows, emoji and other single signs in words."""

# ruff: noqa: RUF001  (signs that look alike are what this module tells apart)

from __future__ import annotations

import re
from dataclasses import dataclass

from audio.tts.text.lists import word_list, word_set

# Two and three character operators, longest first.
OPERATORS = {
    "===": "equals", "!==": "is not", "...": "...", "->": "to", "=>": "to", "<-": "from",
    ">=": "at least", "<=": "at most", "!=": "is not", "==": "equals", "&&": "and", "||": "or",
    "+=": "plus equals", "-=": "minus equals", ":=": "becomes", "+-": "plus or minus",
    "+/-": "plus or minus", "<<": "", ">>": "", "~=": "about", "-->": "to", "<->": "to and from",
    "=~": "matches", "//": "", "/*": "", "*/": "", "::": ",", "..": "",
}  # fmt: skip

# Signs that are said wherever they stand alone.
SIGNS = {
    "=": "equals", "×": "times", "÷": "divided by", "±": "plus or minus", "≈": "about",
    "≃": "about", "≅": "about", "≠": "is not", "≤": "at most", "≥": "at least", "→": "to",
    "⇒": "to", "⟶": "to", "➜": "to", "➔": "to", "⟹": "to", "←": "from", "⇐": "from",
    "↔": "to and from",
    "↑": "up", "↓": "down", "∞": "infinity", "√": "square root of", "∑": "sum of",
    "∏": "product of", "∈": "in", "∉": "not in", "∪": "union", "∩": "intersection", "∆": "delta",
    "∅": "empty set", "∀": "for all", "∃": "there is", "∧": "and", "∨": "or", "¬": "not",
    "&": "and", "§": "section", "%": "percent", "‰": "per mille", "°": "degrees", "№": "number",
    "€": "euros", "£": "pounds", "¥": "yen", "₹": "rupees", "℃": "degrees Celsius",
    "℉": "degrees Fahrenheit", "…": "...",
}  # fmt: skip

GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψω",
        word_list(
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi "
            "rho sigma tau upsilon phi chi psi omega"
        ),
        strict=True,
    )
) | {"Γ": "gamma", "Δ": "delta", "Θ": "theta", "Λ": "lambda", "Π": "pi", "Σ": "sigma",
     "Φ": "phi", "Ψ": "psi", "Ω": "omega"}  # fmt: skip

# The emoji that carry the message in status lines; all others are decoration and dropped.
EMOJI = {
    "✅": "done", "✓": "done", "✔": "done", "☑": "done", "🗸": "done", "❌": "failed",
    "✗": "failed", "✘": "failed", "✖": "failed", "❎": "failed", "⚠": "warning", "🚨": "alert",
    "🛑": "stop", "⛔": "stop", "🚫": "not allowed", "ℹ": "note", "🔴": "red", "🟢": "green",
    "🟡": "yellow", "🟠": "orange", "👍": "thumbs up", "👎": "thumbs down", "❓": "question",
    "❔": "question", "❗": "important", "☐": "to do", "⏳": "waiting", "⌛": "waiting",
    "⏭": "skipped", "🐛": "bug", "🔒": "locked",
}  # fmt: skip

# A word right after the emoji that says the same; then only the word is said.
ECHOES = {
    "done": word_set("done completed complete fixed finished success passed pass passing ok"),
    "failed": word_set("failed fail failure failing error errors failures"),
    "warning": word_set("warning warnings caution careful"),
    "alert": word_set("alert"), "note": word_set("note info information"),
    "stop": word_set("stop stopped"), "bug": word_set("bug bugs bugfix"),
    "waiting": word_set("waiting pending"), "skipped": word_set("skipped skip"),
    "important": word_set("important"), "to do": word_set("todo"),
}  # fmt: skip

OPERATOR = re.compile("|".join(re.escape(op) for op in sorted(OPERATORS, key=len, reverse=True)))
_ECHO = re.compile(r"[\W_]{0,6}([A-Za-z]+)")

# Between words, what a sign does to the melody.
PAUSES = {
    ",": ",", ";": ";", ":": ":", ".": ".", "!": "!", "?": "?", "—": ",", "(": ",",
    ")": ",", "[": ",", "]": ",", "{": ",", "}": ",", "|": ",", "•": ",", "·": ",", "¿": "",
    "¡": "", '"': "", "'": "", "`": "",
}  # fmt: skip


def emoji(sign: str, text: str, end: int) -> str:
    """The emoji's word, or nothing when the next word says it anyway."""
    said = EMOJI[sign]
    following = _ECHO.match(text, end)
    if following and following[1].lower() in ECHOES.get(said, ()):
        return ""
    return f"{said},"


@dataclass(frozen=True, slots=True)
class Between:
    """What stands around a sign; at most one blank is looked over on each side."""

    values: bool  # letters or digits on both sides
    digits: bool  # digits on both sides
    digit_right: bool
    value_left: bool
    gap_left: bool
    gap_right: bool


def between_values(sign: str, around: Between, *, code: bool) -> str:
    """The word for a sign that means something only next to values; "," for a pause."""
    spaced = around.gap_left and around.gap_right
    if sign in "<>":
        return _comparison(sign, around, spaced=spaced)
    if sign in "-–":
        return _dash(sign, around, spaced=spaced)
    if sign == "+":
        return "plus" if around.value_left else ""
    if sign == "^":
        return "to the power of" if around.values else ""
    if sign == "*":
        times = around.digits or (code and around.values and spaced)
        return "times" if times else "star" if code else ""
    if sign == "/":
        return _slash(around, code=code, spaced=spaced)
    return "tilde" if around.values and not spaced else ""


def _comparison(sign: str, around: Between, *, spaced: bool) -> str:
    if around.values and spaced:
        return "less than" if sign == "<" else "greater than"
    if around.digit_right:
        return "less than" if sign == "<" else "more than"
    return ""


def _slash(around: Between, *, code: bool, spaced: bool) -> str:
    if around.digit_right and around.value_left:
        return "of"  # "1.2 GB / 4 GB"
    if code:
        return "slash"
    return "," if spaced else ""


def _dash(sign: str, around: Between, *, spaced: bool) -> str:
    if around.digits:
        return "minus" if spaced and sign == "-" else "to"
    return "," if spaced or sign == "–" else ""
