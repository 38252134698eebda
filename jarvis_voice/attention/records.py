"""Final records: what in them is still open, and which of their words matter most. Pure.

A final record is the file in which a run writes down its result and its decisions. A placeholder or
a question to the requester in it means that something was left to the user, and would be closed
without them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

FINAL_PATHS = ("results/final.json",)
"""Where final records go unless the project declares other places."""

SALIENT_KEYS = (
    "choice",
    "question_for_requester",
    "open_questions",
    "selected_option",
    "selected_option_id",
    "recommendation",
    "authorization",
    "approval",
    "status",
    "acceptance",
    "exception",
    "policy",
    "default",
    "options_considered",
    "rationale",
    "risk",
    "assumptions",
    "decision",
)
"""In the order in which they matter to a decision, whatever the order in the record is."""

SALIENT_CHARS = 900
VALUE_CHARS = 160
_PARSED_CHARS = 200_000
_NODES = 2000

_PLACEHOLDER = re.compile(
    r"""(?x)
    \bT\.?B\.?[DCA]\b(?!\w) | \bT[O]DO\b | \bF[I]XME\b | \bP(?i:laceholder)\b | \bPLACEHOLDER\b
  | (?i:\bto\ be\ (?:decided|determined|confirmed|defined|filled\ in|specified)\b)
  | (?i:\b(?:needs?|requires?|awaiting|pending)\ (?:user|owner|human|manager|your|requester)?\ ?
      (?:approval|confirmation|sign-?off)\b)
  | (?i:\bask\ the\ (?:user|requester|owner)\b)
  | (?<=["'\s:])<(?!/)[A-Za-z][A-Za-z0-9 _-]{1,40}>(?=["'\s,.]|$)
  | \{\{\s*[\w .-]{1,40}\s*\}\}
  | (?i:(?<=:)\s*"(?:unknown|undecided|pending|n/a|\?+)")
    """
)
_HTML = re.compile(
    r"<(?:a|b|i|p|u|br|hr|div|em|h[1-6]|li|ol|ul|pre|code|span|strong|table|td|th|tr|body|head|html"
    r"|title|meta|link|script|style|img|int|str|string|bool|float|number|object)>",
    re.IGNORECASE,
)
_QUESTION_KEY = re.compile(
    r'"(question_for_(?:the_)?(?:requester|user|owner)|open_questions?|questions?_for_\w+'
    r'|needs_(?:approval|decision|input)_from)"\s*:\s*',
    re.IGNORECASE,
)
_LOOSE_FIELD = re.compile(
    rf"""["']?\b({"|".join(SALIENT_KEYS)})\b["']?\s*[:=]\s*(?:"([^"\n]{{1,400}})|([^",\n}}]{{1,200}}))"""
)
_STRING = re.compile(r'"((?:[^"\\\n]|\\.){0,400})"')


def placeholder_in(text: str) -> str:
    """The first placeholder, exactly as it stands there; empty when there is none."""
    for found in _PLACEHOLDER.finditer(text):
        word = found.group().strip()
        if not _HTML.fullmatch(word):
            return word
    return ""


def requester_question_in(text: str) -> str:
    """The first open question to the requester, exactly as it stands in a JSON record."""
    for found in _QUESTION_KEY.finditer(text):
        rest = text[found.end() : found.end() + 600].lstrip(" \n\t[")
        value = _STRING.match(rest)
        if value and value[1].strip().lower() not in ("", "none", "null", "n/a", "no", "resolved"):
            return value[1]
    return ""


def writes_near(command: str, path: str) -> bool:
    """Program text in the command plainly writes this path."""
    if path not in command:
        return False
    return bool(
        re.search(
            r"write_text|writeFile|\.write\(|json\.dump|\.dump\(|to_csv|to_json|save", command
        )
        or re.search(r"open\([^)]*['\"][wax]b?\+?['\"]", command)
    )


def salient(text: str, limit: int = SALIENT_CHARS) -> str:
    """The decision-relevant fields first, then as much of the rest's two ends as there is room.

    However long the text is, no field of ``SALIENT_KEYS`` that it holds is crowded out by others:
    each has its share of the room, and what one leaves over goes to the more important ones.
    """
    lines = [f"{key}: {value}" for key, value in _salient_fields(text)]
    if not lines:
        return _ends(text, limit)[:limit]
    fair = max(0, limit // len(lines) - 1)
    spare = sum(max(0, fair - len(line)) for line in lines)
    kept = []
    for line in lines:
        room = max(fair, min(VALUE_CHARS, fair + spare))
        spare -= max(0, min(len(line), room) - fair)
        kept.append(_cut(line, room))
    shown = "\n".join(kept)
    left = limit - len(shown) - 1
    return (f"{shown}\n{_ends(text, left)}" if left > 80 else shown)[:limit]


def _salient_fields(text: str) -> list[tuple[str, str]]:
    values = dict.fromkeys(SALIENT_KEYS, "")
    for key, value in _pairs(text):
        if key in values and not values[key]:
            values[key] = _cut(value, VALUE_CHARS)
    return [(key, value) for key, value in values.items() if value]


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    try:
        data = json.loads(text) if len(text) <= _PARSED_CHARS else None
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, dict | list):
        yield from _walk(data)
        return
    for found in _LOOSE_FIELD.finditer(text):  # cut or no JSON: what looks like a field is one
        yield found[1], found[2] or found[3].strip()


def _walk(data: Any) -> Iterator[tuple[str, str]]:
    """Every key, the outer ones first; bounded."""
    level = [data]
    seen = 0
    while level and seen < _NODES:
        deeper: list[Any] = []
        for node in level:
            items = node.items() if isinstance(node, Mapping) else ((None, item) for item in node)
            for key, value in items:
                seen += 1
                if key is not None:
                    flat = (
                        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                    )
                    yield str(key), flat
                if isinstance(value, dict | list):
                    deeper.append(value)
        level = deeper


def _cut(text: str, limit: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: max(0, limit - 1)] + "…"


def _ends(text: str, room: int) -> str:
    flat = " ".join(
        (text if len(text) < 8 * room else text[: 4 * room] + text[-4 * room :]).split()
    )
    if len(flat) <= room:
        return flat
    half = (room - 3) // 2
    return f"{flat[:half]} … {flat[-half:]}"
