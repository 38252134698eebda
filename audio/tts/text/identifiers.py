"""Identifiers, paths, addresses and ids, said as a developer says them.

Slashes, dots and line numbers are said; underscores, hyphens and humps only part the words:
"out_v2/io.py:42" -> "out V two slash io dot py, line forty-two".
"""

from __future__ import annotations

import re

from audio.tts.text.lists import word_set
from audio.tts.text.names import ACRONYMS, DUNDERS, HUMPS, PIECES, spelled_out
from audio.tts.text.numbers import integer, spelled

LETTER = "A-Za-zßæœþÆŒÞ\u00ad"
RUN = re.compile(rf"(?:[{LETTER}0-9_~.@:+#$%/\\-]|(?<=/)\*+|\*+(?=[./]))+")
URL = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+]{1,11})://|(?=www\.[A-Za-z0-9]))"
    r"(?P<rest>[^\s<>\"'`|\\^{}()\[\]*]*[^\s<>\"'`|\\^{}()\[\]*.,;:!?_~-])"
)
HEX = re.compile(
    r"(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}(?![\w/\\]|[-.:]\w)|(?=[0-9A-F]*[A-F])(?=[0-9A-F]*\d)"
    r"[0-9A-F]{7,64}(?![\w/\\]|[-.:]\w)"
)
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?!\w)")
HEX_LITERAL = re.compile(r"0(?P<base>[xXbBoO])(?P<digits>[0-9a-fA-F_]{1,64})(?!\w)")
IP = re.compile(
    r"(?P<ip>\d{1,3}(?:\.\d{1,3}){3})(?:/(?P<mask>\d{1,2}))?(?::(?P<port>\d{1,5}))?(?![\w]|[./:-]\w)"
)

_TOKEN = re.compile(rf"[{LETTER}]+|[0-9]+|::|\.\.+|-+|.", re.DOTALL)
_HUMP = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^A-Za-z]+")
_PLACE = re.compile(r"(?P<base>.*[^:\d]):(?P<line>\d+)(?:-(?P<to>\d+))?(?::(?P<column>\d+))?")
_DUNDER = re.compile(r"__([a-z]\w{0,40}?)__(?=$|[.(])")
_FLAGS = re.compile(r"-([A-Za-z]{1,3})")
_HOSTS = word_set("com org net dev local localhost internal ai app co uk de edu gov lan")
_SEPARATORS = {
    "/": "slash", "\\": "backslash", ".": "dot", "_": "", "@": "at", "$": "dollar", "%": "percent",
    "+": "plus", "*": "star", "~": "tilde", "#": "hash", ":": ",", "::": ",",
}  # fmt: skip


def identifier(run: str) -> str:
    """Any run of letters, digits and code punctuation in words."""
    flags = _FLAGS.fullmatch(run)
    if flags:
        return f"dash {spelled(flags[1])}"
    place = _PLACE.fullmatch(run)
    if place:
        return _place(place)
    run = _DUNDER.sub(lambda m: f"dunder {m[1]}" if m[1] in DUNDERS else m[1], run)
    screaming = "_" in run and run.isupper()
    tokens = [token for token in _TOKEN.findall(run) if token != " "]
    said: list[str] = []
    chunk: list[str] = []
    for index, token in enumerate(tokens):
        if token[0].isalnum() or token[0] == "\u00ad":
            chunk.append(token)
            continue
        said += _chunk(chunk, screaming=screaming)
        chunk = []
        said.append(_separator(tokens, index))
    said += _chunk(chunk, screaming=screaming)
    return " ".join(word for word in said if word)


def word(letters: str) -> str:
    """One run of letters in words: humps parted, pieces named, vowelless pieces spelled."""
    if letters in HUMPS:
        return HUMPS[letters]
    pieces = _HUMP.findall(letters)
    if len(pieces) == 1:
        return _piece(letters)
    return " ".join(
        _piece(piece.lower() if index and piece.istitle() else piece)
        for index, piece in enumerate(pieces)
    )


def url(match: re.Match[str]) -> str:
    """Host and path; of a long path the parts with digits and the last one."""
    scheme, rest = match["scheme"] or "", match["rest"]
    said = [] if scheme.lower() in ("", "http", "https") else [identifier(scheme) + ","]
    place, mark, extra = re.match(r"([^?#]*)([?#]?)(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]  # every part may be empty, so it always matches
    host, *segments = place.split("/")
    said.append(identifier(host.removeprefix("www.")))
    segments = [segment for segment in segments if segment]
    long = len(place) - len(host) > 40 or len(segments) > 4
    for index, segment in enumerate(segments):
        if not long or index == len(segments) - 1 or _has_digit(segment):
            said.append("slash " + _soup(segment))
    if mark and (len(extra) <= 24 or _has_digit(extra)):
        parts = [part for part in re.split("[&;]", extra) if len(extra) <= 24 or _has_digit(part)]
        said.append("," + ",".join(_soup(part) for part in parts))
    return " ".join(said)


def ip(match: re.Match[str]) -> str:
    """As in "127.0.0.1:80" -> "one two seven dot zero dot zero dot one, port eighty"."""
    said = " dot ".join(
        spelled(part) if len(part) > 2 else integer(part) for part in match["ip"].split(".")
    )
    if match["mask"]:
        said += f" slash {integer(match['mask'])}"
    return said + (f", port {integer(match['port'])}" if match["port"] else "")


def hex_literal(match: re.Match[str]) -> str:
    """As in "0x1F" -> "zero X one F"."""
    return f"zero {match['base'].upper()} {spelled(match['digits'])}"


def uuid(match: re.Match[str]) -> str:
    """Every character, with a breath between the groups."""
    return ", ".join(spelled(group) for group in match.group().split("-"))


def _place(match: re.Match[str]) -> str:
    base = match["base"]
    host = base.rsplit("/", 1)[-1].rsplit(".", 1)[-1].lower() in _HOSTS
    if "." not in base and not host:
        numbers = [match["line"], match["to"], match["column"]]
        return identifier(base) + "".join(f", {integer(n)}" for n in numbers if n)
    if host:
        said = f"{identifier(base)}, port {integer(match['line'])}"
        return said + "".join(f", {integer(n)}" for n in (match["to"], match["column"]) if n)
    lines = (
        f"lines {integer(match['line'])} to {integer(match['to'])}"
        if match["to"]
        else (f"line {integer(match['line'])}")
    )
    column = f" column {integer(match['column'])}" if match["column"] else ""
    return f"{identifier(base)}, {lines}{column}"


def _separator(tokens: list[str], index: int) -> str:
    token = tokens[index]
    before = tokens[index - 1] if index else ""
    after = tokens[index + 1] if index + 1 < len(tokens) else ""
    if token[0] == "-":
        return " ".join("dash" for _ in token[:2]) if not before or before == "/" else ""
    if token == "." and before.isdigit() and after.isdigit():
        return "point"
    if token == ":" and after == "\\":
        return "colon"
    if token[:2] == "..":
        return "dot dot" if not after or after in "/\\" else ","
    if token == "~" and not before and after in ("", "/"):
        return "home"
    if token == "#" and after.isdigit():
        return "number"
    if token == "/" and _capitals(before) and _capitals(after):
        return ""
    return _SEPARATORS.get(token, "")


def _capitals(token: str) -> bool:
    return token.isalpha() and token.isupper()


def _chunk(tokens: list[str], *, screaming: bool) -> list[str]:
    """Letters and digits that stand without separators, such as "utf", "8"."""
    joined = "".join(tokens)
    if len(tokens) >= 4 or HEX.fullmatch(joined):
        return [spelled(joined.replace("\u00ad", ""))]
    said = []
    for token in tokens:
        if token.isdigit():
            digits = integer(token)
            said.append(f", {digits}" if "," in digits else digits)
        elif screaming and token not in ACRONYMS:
            said.append(word(token.lower()))
        else:
            said.append(word(token))
    return said


def _piece(piece: str) -> str:
    if len(piece) == 1:
        return piece.upper()
    if piece.islower() and piece in PIECES:
        return PIECES[piece]
    return spelled_out(piece)


def _soup(text: str) -> str:
    """A part of an address that may hold any sign: said by its readable runs."""
    parts = re.findall(rf"{RUN.pattern}|=", text)
    return " ".join("equals" if part == "=" else identifier(part) for part in parts)


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)
