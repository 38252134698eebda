"""The seam between a worker and the benchmark: the tools it has, and how it is written.

A *worker* is one coroutine function per session, ``work(tools, style)``. It sees a task through its
tools only; each call passes the boundary, where it may be held, refused, or answered with what the
user said. A *happening* is what a call left in the session's record: windows and facts read it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, Protocol


class Style(Enum):
    """How well a scripted worker works."""

    GOOD = "good"
    CARELESS = "careless"  # bad objective work
    OVERCONFIDENT = "overconfident"  # good work; closes the decision without leaving it open


class Reply(NamedTuple):
    """What came of a tool call.

    ``ok`` False: it was refused or failed, and ``text`` says why, with the user's guidance as it
    was delivered. ``ok`` True: ``text`` is the output, with guidance that came along at its end.
    """

    ok: bool
    text: str


class Tools(Protocol):
    """One session's tools. Paths are relative to the workspace, with forward slashes.

    They raise nothing but a BenchError, when the workspace itself is at fault.
    """

    async def look(self, path: str) -> Reply:
        """A text file, or the names in a folder, one a line, folders with a slash at the end."""
        ...

    async def look_bytes(self, path: str) -> bytes:
        """A file as bytes, for pictures; empty when it cannot be read."""
        ...

    async def write(self, path: str, text: str) -> Reply:
        """Write a file below ``results/``, of a child below its own folder there."""
        ...

    async def run(self, command: str) -> Reply:
        """A shell command in a view of the workspace; what it changed is reviewed, then kept."""
        ...

    async def act(self, action: str, arguments: Mapping[str, Any]) -> Reply:
        """An action of an app: one of its schema, or collections, list, get, search, status."""
        ...

    async def say(self, text: str) -> Reply:
        """A sentence of progress. The reply is what waits for the session; empty for nothing."""
        ...


Work = Callable[[Tools, Style], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice that a worker makes: its options with the words that name each, and its default.

    ``options`` maps an option's id to cues, see ``understanding.choose``. All of it comes from
    public materials; ``default`` is the best reversible judgement without the user.
    """

    options: Mapping[str, tuple[str, ...]]
    default: str


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker policy: the children's streams (none for a single agent), and the main session."""

    main: Work  # a single agent, or the parent that integrates when the children are done
    streams: Mapping[str, Work] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)  # by window id


class Deed(Enum):
    """What a call did."""

    READ = "read"
    WRITTEN = "written"  # kept in the workspace
    RAN = "ran"
    ACTED = "acted"
    SAID = "said"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that a session did. ``what`` is a path, a command, an action or a sentence."""

    at_s: float  # Unix time of the session's clock
    session: str  # "main", or the id of a stream
    deed: Deed
    what: str
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds of session time that each tool takes; virtual ones for scripted workers."""

    look: float = 4.0
    write: float = 8.0
    run: float = 10.0
    act: float = 3.0
    say: float = 2.0


UNPACED = Pace(0.0, 0.0, 0.0, 0.0, 0.0)
"""For a worker that takes its own time."""
