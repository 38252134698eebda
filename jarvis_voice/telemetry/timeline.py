"""The timeline: every event of a conversation, as append-only lines of JSON.

    {"timeline": "jarvis-voice", "version": 1}
    {"event": "SpeechStarted", "at_s": 12.5, "turn": 1, "onset_s": 12.4}
    ...

One line per event, in the order in which they became known (``at_s`` may go back a little: some
events are known only after they happened). A reader takes fields that it does not know for
additions of a newer release and passes over them; a change that is more than an addition raises
``VERSION``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import types
import typing
from collections import deque
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TextIO

from jarvis_voice import events
from jarvis_voice.errors import OutputError, TimelineUnreadable
from jarvis_voice.events import ConversationEvent

SCHEMA: Final = "jarvis-voice"
VERSION: Final = 1
KEPT: Final = 20_000  # events in memory: more than an hour of lively conversation

EVENT_CLASSES: Final[Mapping[str, type[ConversationEvent]]] = {
    name: kind
    for name, kind in vars(events).items()
    if isinstance(kind, type)
    and issubclass(kind, ConversationEvent)
    and kind is not ConversationEvent
}


# --- writing -----------------------------------------------------------------------------------


class Timeline:
    """Keeps the newest events in memory, and all of them in a file if one is named.

    Every line is flushed, so a crash loses nothing but the line it struck. Should the disk fail
    later on, the conversation goes on in memory; ``close`` then raises OutputError.
    """

    def __init__(self, path: Path | None = None, kept: int = KEPT) -> None:
        """Begin a new timeline. Raises OutputError when ``path`` cannot be written."""
        self.events: Final[deque[ConversationEvent]] = deque(maxlen=kept)
        self.fault: OutputError | None = None  # why the file ends before the conversation did
        self._path = path
        self._file: TextIO | None = None
        if path is not None:
            try:
                self._file = open(  # noqa: SIM115 - it stays open for the whole conversation
                    path, "w", encoding="utf-8", opener=_private, newline="\n"
                )
            except OSError as error:
                raise OutputError(
                    f"The timeline {path} cannot be written ({error.strerror}).",
                    "Name another file in a folder that exists and is writable.",
                ) from error
            self._write({"timeline": SCHEMA, "version": VERSION})

    def append(self, event: ConversationEvent) -> None:
        """Add an event. Never raises for a fault of the disk: see ``fault``."""
        self.events.append(event)
        if self._file is not None:
            self._write(encode(event))

    def _write(self, line: dict[str, Any]) -> None:
        assert self._file is not None  # callers have looked
        try:
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            self.fault = OutputError(
                f"The timeline {self._path} ends early ({error.strerror}); "
                "what was written before is kept.",
                "Make room on the disk and start again.",
            )
            self._drop_file()

    def _drop_file(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # the unwritten rest; the fault is known already
                file.close()

    def close(self) -> None:
        """Close the file. Raises OutputError once when the disk had failed; else twice is fine."""
        self._drop_file()
        fault, self.fault = self.fault, None
        if fault is not None:
            raise fault

    def __enter__(self) -> Timeline:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:
            self._drop_file()  # what went wrong before matters more


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)  # it holds what was said


def encode(event: ConversationEvent) -> dict[str, Any]:
    """The event as plain JSON values; ``decode`` gives back an equal one."""
    return {"event": type(event).__name__, **_plain_fields(event)}


def _plain_fields(value: Any) -> dict[str, Any]:
    return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value):
        return _plain_fields(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


# --- reading -----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Reading:
    """A timeline as read. ``torn`` is what there is of a last line that was never finished."""

    events: tuple[ConversationEvent, ...]
    torn: str | None = None


def read_timeline(path: Path) -> Reading:
    """Read a timeline file. Raises TimelineUnreadable, which names the line."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise TimelineUnreadable(
            f"The timeline {path} cannot be read ({error.strerror}).", "Check its name."
        ) from error
    rest = lines.pop()  # what follows the last line break: nothing, unless a line is torn
    _check_header(path, lines[0] if lines else rest)
    found = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            found.append(decode(_parsed(line)))
        except TimelineUnreadable as error:
            raise TimelineUnreadable(
                f"Line {number} of {path}: {error.problem}", error.remedy
            ) from error
    return Reading(tuple(found), rest.decode("utf-8", "replace") if rest and lines else None)


def _check_header(path: Path, line: bytes) -> None:
    remedy = "Give a timeline.jsonl that Jarvis has written."
    try:
        header = _parsed(line)
    except TimelineUnreadable:
        header = {}
    if header.get("timeline") != SCHEMA:
        raise TimelineUnreadable(f"{path} is no timeline.", remedy)
    if header.get("version") != VERSION:
        raise TimelineUnreadable(
            f"{path} is a timeline of version {header.get('version')}, "
            f"and this release reads version {VERSION}.",
            "Read it with the release that wrote it.",
        )


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise TimelineUnreadable("this is not JSON.", "The file is damaged.") from error
    if not isinstance(value, dict):
        raise TimelineUnreadable("this is not an event.", "The file is damaged.")
    return value


def decode(line: Mapping[str, Any]) -> ConversationEvent:
    """The event that ``encode`` was given. Raises TimelineUnreadable, which names the field."""
    name = line.get("event")
    kind = EVENT_CLASSES.get(name) if isinstance(name, str) else None
    if kind is None:
        raise TimelineUnreadable(f"there is no event {name!r}.", "A newer release may read it.")
    event: ConversationEvent = _instance(kind, line, str(name))
    return event


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _instance(kind: Any, values: Mapping[str, Any], where: str) -> Any:
    hints = _hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    given = {
        name: _typed(hints[name], values[name], f"{where}.{name}")
        for name in names
        if name in values
    }
    try:
        return kind(**given)
    except TypeError as error:
        raise TimelineUnreadable(
            f"{where} lacks a field ({error}).", "The file is damaged."
        ) from error


def _typed(hint: Any, value: Any, where: str) -> Any:
    """``value``, which JSON gave, as the type that the field has."""
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return _optional(hint, value, where)
    if origin is tuple and isinstance(value, list):
        item = typing.get_args(hint)[0]
        return tuple(_typed(item, part, where) for part in value)
    if origin is dict and isinstance(value, dict):
        item = typing.get_args(hint)[1]
        return {key: _typed(item, part, where) for key, part in value.items()}
    if origin is None and isinstance(hint, type):
        return _single(hint, value, where)
    raise _wrong(where, value)


def _optional(hint: Any, value: Any, where: str) -> Any:
    if value is None:
        return None
    (item,) = (arg for arg in typing.get_args(hint) if arg is not type(None))
    return _typed(item, value, where)


def _single(hint: type[Any], value: Any, where: str) -> Any:
    if issubclass(hint, Enum):
        try:
            return hint(value)
        except ValueError as error:
            raise _wrong(where, value) from error
    if dataclasses.is_dataclass(hint) and isinstance(value, dict):
        return _instance(hint, value, where)
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:
        raise _wrong(where, value)
    return value


def _wrong(where: str, value: Any) -> TimelineUnreadable:
    return TimelineUnreadable(f"{where} cannot be {value!r:.40}.", "The file is damaged.")
