"""Lines of any known runtime, sorted into the runs that they are about. Pure.

The runtime is told by content: the first record that is surely one's own decides; records that
could be several's are kept until then. A file may hold many runs (hook inputs of all sessions, one
app-server's threads, a parent and its children); each has a reader of its own.
"""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Sequence
from typing import NamedTuple

from jarvis_voice.runs.model import BOUNDS, RunEvent, UnknownSeen, cut
from jarvis_voice.runs.sources import fields
from jarvis_voice.runs.sources.base import SURE, Reader, Source
from jarvis_voice.runs.sources.fields import Record
from jarvis_voice.runs.sources.lines import LINE_BYTES, Line

EARLY = 64
"""Records that are kept while it is not known whose they are."""
NAMELESS = 8
"""Records of a run that are kept while it is not known what it is called."""
READERS = 2048
"""Runs of one file whose readers are kept; of more, the one quiet longest starts anew."""


_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_STREAM_FIELDS = ("event:", "id:", "retry:", ":")  # of a saved server-sent event stream


class Sorted(NamedTuple):
    """Events of one run, and what else is known of it by now."""

    run_id: str
    runtime: str
    parent_run_id: str | None
    cwd: str | None
    events: list[RunEvent]


class RunSorter:
    """Give it every line of a file, or every message of a connection, in order. Never raises."""

    def __init__(self, sources: Sequence[Source], fallback: str) -> None:
        self._sources = sources
        self._fallback = fallback  # the name of a run that names itself nowhere
        self._source: Source | None = sources[0] if len(sources) == 1 else None
        self._early: deque[tuple[Record | RunEvent, str]] = deque(maxlen=EARLY)
        self._maybe: dict[str, int] = {}
        self._readers: OrderedDict[str, Reader] = OrderedDict()  # by the name in the records
        self._ids: dict[str, str] = {}  # that name -> run id
        self._last: str | None = None
        self._nameless: list[RunEvent] = []

    @property
    def runtime(self) -> str | None:
        """The runtime, once it is known."""
        return self._source.runtime if self._source else None

    def line(self, line: Line, number: int) -> list[Sorted]:
        """The events that a line brings, most often of one run."""
        content = line.text.removeprefix("data:")
        if not content.strip() or content.startswith(_STREAM_FIELDS):
            return []
        record = fields.parsed(content)
        if record is None:
            return self._trouble(_broken(line, number))
        return self.record(record, fields.key_of(line.text, number))

    def record(self, record: Record, key: str) -> list[Sorted]:
        """As ``line``, for a record that is parsed already."""
        if self._source is None:
            self._early.append((record, key))
            self._source = self._claimed(record)
            return self._caught_up() if self._source else []
        return self._sorted(self._source, record, key)

    def finish(self) -> list[Sorted]:
        """No more will come: the likeliest runtime is taken for the real one."""
        if self._source is None and self._maybe:
            name = max(self._maybe, key=self._maybe.__getitem__)
            self._source = next(item for item in self._sources if item.runtime == name)
            return self._caught_up() + self.finish()
        if self._nameless:
            reader = self._readers[self._last or ""]
            return [self._told(self._last or "", reader, [])]
        return []

    def _claimed(self, record: Record) -> Source | None:
        for source in self._sources:
            claim = source.claims(record)
            if claim >= SURE:
                return source
            if claim:
                self._maybe[source.runtime] = self._maybe.get(source.runtime, 0) + 1
        return None

    def _caught_up(self) -> list[Sorted]:
        found: list[Sorted] = []
        while self._early:
            item, key = self._early.popleft()
            found += self._trouble(item) if isinstance(item, RunEvent) else self.record(item, key)
        return found

    def _sorted(self, source: Source, record: Record, key: str) -> list[Sorted]:
        name = source.run_of(record) or self._last or ""
        if self._last == "" and name:
            self._rename(name)
        reader = self._readers.get(name)
        if reader is None:
            reader = self._readers[name] = source.new()
            if len(self._readers) > READERS:
                self._ids.pop(self._readers.popitem(last=False)[0], None)
        self._readers.move_to_end(name)
        self._last = name
        events = reader.take(record, key)
        if not reader.recognized:
            return []
        if name not in self._ids and self._holds_back(source, name, reader):
            self._nameless += events
            return []
        return [self._told(name, reader, events)]

    def _holds_back(self, source: Source, name: str, reader: Reader) -> bool:
        """The run will soon tell its name, so its first few events can wait for it."""
        waits = source.names_itself and name in ("", fields.THE_FILE) and not reader.session
        return waits and reader.recognized < NAMELESS

    def _rename(self, name: str) -> None:
        """What came before a run named itself was about that run."""
        if "" in self._readers and name not in self._readers:
            self._readers[name] = self._readers.pop("")
            if "" in self._ids:
                self._ids[name] = self._ids.pop("")

    def _told(self, name: str, reader: Reader, events: list[RunEvent]) -> Sorted:
        if name not in self._ids:
            named = reader.session or name.removeprefix(fields.THE_FILE) or self._fallback
            if name == fields.THE_FILE and _UUID.fullmatch(self._fallback):
                named = self._fallback  # a continued session's file has the newest name
            self._ids[name] = cut(named, BOUNDS.run_id) or "a run"
        if self._nameless:
            events, self._nameless = self._nameless + events, []
        parent = self._ids.get(reader.parent, reader.parent) if reader.parent else None
        return Sorted(self._ids[name], reader.runtime, parent, reader.cwd, events)

    def _trouble(self, event: RunEvent) -> list[Sorted]:
        """A line that cannot be read belongs to the run that was told of last."""
        if self._source is None or self._last is None:
            self._early.append((event, ""))
            return []
        reader = self._readers[self._last]
        return [self._told(self._last, reader, [event])]


def _broken(line: Line, number: int) -> UnknownSeen:
    if line.size > LINE_BYTES:
        megabytes = line.size // 2**20
        reason = f"A line of {megabytes} megabytes was too long to read."
        return UnknownSeen(f"cut:{number}", None, reason)
    if not line.whole:
        return UnknownSeen(f"cut:{number}", None, "A half-written line was left out.")
    return fields.broken(number)
