"""The lines of a markdown text: headings, lists, quotes, tables, code blocks."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from audio.tts.text.names import LANGUAGES
from audio.tts.text.numbers import cardinal, integer
from audio.tts.text.reader import Reader
from audio.tts.text.voice import Voice

_FENCE = re.compile(
    r"[ \t>]{0,12}(?P<fence>`{3,}|~{3,})[ ]?(?P<language>[\w+#-]{0,30})[^`\n]{0,200}$"
)
_LEAD = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*")
_HEADING = re.compile(r"#{1,6}[ \t]+")
_BULLET = re.compile(r"[-*+•][ \t]+(?:\[(?P<box>[ xX])\][ \t]+)?")
_NUMBERED = re.compile(r"(?P<n>\d{1,9})[.)][ \t]+(?=\S)")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
# Characters; a shorter line was not broken by an editor that wraps text. A small letter that
# follows is a hint, but lines of a listing begin with small letters too.
_WRAPPED_FROM = 60
_WRAPPED_FROM_BEFORE_SMALL = 40


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text without its line end."""

    start: int
    end: int


def read_blocks(text: str, voice: Voice) -> None:
    """Say the whole text. It must have gone through ``plain``."""
    reader = Reader(text, voice)
    lines = _lines(text)
    index = 0
    while index < len(lines):
        content = text[lines[index].start : lines[index].end]
        if _FENCE.match(content):
            index = _read_fence(reader, lines, index)
        elif _is_table(text, lines, index):
            index = _read_table(reader, lines, index)
        elif _is_rule(content):
            voice.close()
            index += 1
        else:
            _read_line(reader, lines, index)
            index += 1


def is_soft_break(line: str, following: str) -> bool:
    """Whether a line end is mere wrapping, judged by the line and the first sign of the next."""
    shortest = _WRAPPED_FROM_BEFORE_SMALL if following.islower() else _WRAPPED_FROM
    return len(line) >= shortest and following.isalnum() and not line.rstrip().endswith(":")


def opens_list_item_or_heading(line: str) -> bool:
    """Whether the line stands by itself and ends where it ends."""
    content = line[_after(_LEAD, line, 0, len(line)) :]
    return bool(_HEADING.match(content) or _BULLET.match(content) or _NUMBERED.match(content))


def _read_line(reader: Reader, lines: list[Line], index: int) -> None:
    text, voice, line = reader.text, reader.voice, lines[index]
    at = _after(_LEAD, text, line.start, line.end)
    own_line = False
    heading = _HEADING.match(text, at, line.end)
    bullet = _BULLET.match(text, at, line.end)
    numbered = _NUMBERED.match(text, at, line.end)
    if heading:
        own_line, at = True, heading.end()
    elif bullet:
        own_line, at = True, bullet.end()
        if bullet["box"]:
            voice.say("to do," if bullet["box"] == " " else "done,", bullet.start(), bullet.end())
    elif numbered:
        own_line, at = True, numbered.end()
        voice.say(f"{integer(numbered['n'])},", numbered.start(), numbered.end() - 1)
    reader.read(at, line.end)
    if line.end == len(text):
        return
    following = _next_sign(text, line.end)
    if own_line or not is_soft_break(text[line.start : line.end], following):
        voice.close()


def _next_sign(text: str, at: int) -> str:
    """The first sign of the next line; "" for a blank line or the end."""
    for position in range(at + 1, min(at + 200, len(text))):
        if text[position] == "\n":
            return ""
        if not text[position].isspace():
            return text[position]
    return ""


def _read_fence(reader: Reader, lines: list[Line], index: int) -> int:
    """A one-line code block is read, a longer one announced with language and size."""
    text, voice = reader.text, reader.voice
    opening = _FENCE.match(text[lines[index].start : lines[index].end])
    assert opening is not None
    marker = opening["fence"]
    close = index + 1
    while close < len(lines):
        content = text[lines[close].start : lines[close].end].strip(" \t>")
        if content.startswith(marker) and not content.strip(marker[0]):
            break
        close += 1
    body = [line for line in lines[index + 1 : close] if text[line.start : line.end].strip()]
    end = lines[min(close, len(lines) - 1)].end
    start, first = lines[index].start, len(voice)
    voice.close()
    if len(body) == 1 and body[0].end - body[0].start <= 200:
        reader.read(body[0].start, body[0].end, code=True)
        voice.cover(first, start, end)
    if len(voice) == first:
        language = LANGUAGES.get(opening["language"].lower(), "")
        size = f"{cardinal(len(body))} line{'' if len(body) == 1 else 's'}" if body else "empty"
        voice.say(f"{language} code block, {size}.", start, end)
    voice.close()
    return close + 1


def _is_table(text: str, lines: list[Line], index: int) -> bool:
    content = text[lines[index].start : lines[index].end].strip()
    if content.startswith("|"):
        return content.count("|") > 1
    if "|" not in content or index + 1 >= len(lines):
        return False
    following = text[lines[index + 1].start : lines[index + 1].end]
    return "|" in following and _is_rule(following)


def _read_table(reader: Reader, lines: list[Line], index: int) -> int:
    """Row by row, each cell after the name of its column."""
    text, voice = reader.text, reader.voice
    stop = index
    while stop < len(lines) and "|" in text[lines[stop].start : lines[stop].end]:
        stop += 1
    rows = lines[index:stop]
    named = len(rows) > 1 and _is_rule(text[rows[1].start : rows[1].end])
    header = _cells(text, rows[0]) if named else []
    first = len(voice)
    voice.close()
    if named:
        voice.skip(rows[0].start)
    for row in rows[2 if named else 0 :]:
        if not _is_rule(text[row.start : row.end]):
            _read_row(reader, header, row)
    if len(voice) == first and named:
        _read_row(reader, [], rows[0])
    voice.close()
    return stop


def _read_row(reader: Reader, header: list[Line], row: Line) -> None:
    voice = reader.voice
    for column, cell in enumerate(_cells(reader.text, row)):
        before = len(voice)
        trial = Voice()
        Reader(reader.text, trial).read(cell.start, cell.end)
        if not len(trial):
            continue
        if column < len(header):
            name = Voice()
            Reader(reader.text, name).read(header[column].start, header[column].end)
            for word in name.words():
                voice.say(word.spoken, cell.start, cell.end)
            voice.pause(":")
        reader.read(cell.start, cell.end)
        voice.cover(before, cell.start, cell.end, whole=column < len(header))
        voice.pause(",")
    voice.close()


def _cells(text: str, row: Line) -> list[Line]:
    content = text[row.start : row.end]
    borders = [match.start() for match in _CELL_BORDER.finditer(content)]
    edges = [-1, *borders, len(content)]
    cells = []
    for left, right in itertools.pairwise(edges):
        raw = content[left + 1 : right]
        lead = len(raw) - len(raw.lstrip())
        outside = not raw.strip() and (left == -1 or right == len(content))
        if not outside:
            start = row.start + left + 1 + min(lead, len(raw))
            cells.append(Line(start, start + len(raw.strip())))
    return cells


def _is_rule(line: str) -> bool:
    """Whether the line only draws a rule or a border."""
    signs = set(line) - set(" \t")
    if not signs or not signs <= set("-*_=~+|:#"):
        return False
    drawn = sum(line.count(sign) for sign in "-*_=~+#")
    return drawn >= 3 or ("|" in signs and "-" in signs)


def _lines(text: str) -> list[Line]:
    lines, start = [], 0
    for part in text.split("\n"):
        lines.append(Line(start, start + len(part)))
        start += len(part) + 1
    return lines


def _after(pattern: re.Pattern[str], text: str, at: int, end: int) -> int:
    match = pattern.match(text, at, end)
    return match.end() if match else at
