"""Records that others wrote, as events: fields checked, texts bounded and redacted. PURE.

``RecordReader`` is what the readers share. What a runtime names its fields is theirs alone.
"""

from __future__ import annotations

import datetime
import json
import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import from_json

from jarvis_voice.redact import redact
from jarvis_voice.runs.model import RunEvent, UnknownSeen

TEXT_CHARS = 16 * 1024
"""Characters of one text that are looked at; the reducer cuts far below."""

OUTPUT_CHARS = 4 * 1024
"""Characters of a tool's output that are looked at, half of them its end."""

Record = Mapping[str, Any]

EMPTY: Record = {}

THE_FILE = "(the file)"
"""What ``run_of`` says of a record of a transcript: the file is the run, whoever else it names."""


class RecordReader(ABC):
    """Turns the records of one run into events, in order. Never raises."""

    runtime: str

    def __init__(self) -> None:
        self.recognized = 0  # records that were understood
        self.session: str | None = None  # the runtime's own name of the run, once known
        self.parent: str | None = None  # the run that handed it its work
        self.cwd: str | None = None  # its working folder

    def read(self, line: str, number: int) -> list[RunEvent]:
        """The events of line ``number``. A line that is no JSON object or unknown says so."""
        if not line.strip():
            return []
        record = parsed(line)
        if record is None:
            return [broken(number)]
        return self.take(record, key_of(line, number))

    def take(self, record: Record, key: str) -> list[RunEvent]:
        """The events of a record; ``key`` tells it from every other record of the run."""
        return list(self.events(record, key))

    @abstractmethod
    def events(self, record: Record, key: str) -> Iterator[RunEvent]:
        """As ``take``, one by one."""

    def known(self, session: str = "", cwd: str = "") -> None:
        """A record was understood; the first name and folder that are given are kept."""
        self.recognized += 1
        if session and self.session is None:
            self.session = session
        if cwd and self.cwd is None:
            self.cwd = cwd


def parsed(line: str) -> Record | None:
    """The JSON object in ``line``, None when there is none."""
    try:
        record = from_json(line)
    except ValueError:
        record = _slowly(line)
    return record if isinstance(record, dict) else None


def _slowly(line: str) -> object:
    """As ``json`` takes it: a text cut in the middle of a character is no fault of the line."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def key_of(line: str, number: int) -> str:
    """The same for the same text at the same place, so that a file that is read again is known."""
    return f"{number}:{zlib.crc32(line.encode('utf-8', 'replace')):08x}"


def broken(number: int) -> UnknownSeen:
    """What is said of a line that is no JSON object."""
    return UnknownSeen(f"broken:{number}", None, "A line of the recording is damaged.")


def unknown_kind(key: str, at_s: float | None, kind: str) -> UnknownSeen:
    """What is said of a record of a kind that is not in the tables."""
    return UnknownSeen(
        f"unknown:{key}", at_s, f"A record of the unknown kind {kind[:40]} was left out."
    )


def text(record: Record, name: str, *others: str) -> str:
    """The first of the fields that holds a text, bounded; empty when none does."""
    value = record.get(name)
    if isinstance(value, str) and value:
        return value[:TEXT_CHARS]
    for other in others:
        value = record.get(other)
        if isinstance(value, str) and value:
            return value[:TEXT_CHARS]
    return ""


def plain(record: Record, name: str, *others: str) -> str:
    """As ``text``, redacted."""
    return redact(text(record, name, *others))


def mapping(record: Record, name: str) -> Record:
    """The object in a field, or an empty one."""
    value = record.get(name)
    return value if isinstance(value, dict) else EMPTY


def items(record: Record, name: str) -> list[Record]:
    """The objects in a list field, at most a few hundred."""
    value = record.get(name)
    if not isinstance(value, list):
        return []
    return [item for item in value[:500] if isinstance(item, dict)]


def number(record: Record, name: str) -> float | None:
    """A finite number, or None."""
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def unix_s(record: Record, name: str) -> float | None:
    """A time as Unix seconds: ISO 8601, seconds or milliseconds; None when it is none of these."""
    value = record.get(name)
    if isinstance(value, str):
        return iso_s(value)
    found = number(record, name)
    if found is None or not 0 <= found < 1e15:
        return None
    return found / 1000 if found > 1e11 else found  # 1e11 s is the year 5138


def iso_s(value: str) -> float | None:
    """Unix seconds of an ISO 8601 time; one without a zone is taken for UTC."""
    try:
        moment = datetime.datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.UTC)
        return moment.timestamp()
    except (ValueError, OverflowError):
        return None


def both_ends(value: str) -> str:
    """Both ends of a long text; what lies between is never looked at."""
    half = OUTPUT_CHARS // 2
    return value if len(value) <= OUTPUT_CHARS else f"{value[:half]}\n…\n{value[-half:]}"


def output(value: object) -> str:
    """The text of a tool's answer, whatever its shape, redacted."""
    if isinstance(value, str):
        return redact(both_ends(value))
    if isinstance(value, list):
        texts = [text(item, "text") for item in value[:500] if isinstance(item, dict)]
        return redact(both_ends("\n".join(filter(None, texts))))
    if isinstance(value, dict):
        if isinstance(value.get("content"), list):
            return output(value["content"])
        parts = [text(value, name) for name in ("stdout", "stderr", "content", "output", "message")]
        return redact(both_ends("\n".join(filter(None, parts))))
    return ""


def envelope(record: Record) -> tuple[Record, float | None, str]:
    """A record out of its capture ``{"t", "dir", "m"}`` or ``{"t", "in"}``: it, its time, its way.

    The way is "->" for what was sent to the runtime, "<-" for what it sent, else empty.
    """
    for name in ("m", "in"):
        inner = record.get(name)
        if isinstance(inner, dict) and "t" in record:
            at_s = number(record, "t")
            return inner, at_s if at_s is not None and at_s > 1e8 else None, text(record, "dir")
    return record, None, ""
