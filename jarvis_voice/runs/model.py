"""What can happen in a watched run, and how much of it is kept.

Every fact is one frozen class. ``event_id`` is unique within a run: the same fact read twice has
the same id. ``at_s`` is the source's own Unix time in seconds, None when it gave none. Texts are
data that an agent or a tool wrote; nothing here ever reads them as instructions.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from dataclasses import dataclass, field

from jarvis_voice.events import PlanStep, RunSnapshot, RunStatus

ELLIPSIS = "…"

SNAPSHOT_BYTES = 32 * 1024
"""Most that a snapshot takes as JSON: small enough for any model's prompt and any message."""


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something that happened in a run."""

    event_id: str
    at_s: float | None


@dataclass(frozen=True, slots=True)
class RunStarted(RunEvent):
    """The runtime opened a session."""

    cwd: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class RunTitled(RunEvent):
    """The runtime gave the run a name."""

    title: str


@dataclass(frozen=True, slots=True)
class PromptGiven(RunEvent):
    """The user asked for something: the goal, or guidance when an action was under way."""

    text: str


@dataclass(frozen=True, slots=True)
class GuidanceGiven(RunEvent):
    """The user or Jarvis told the agent something while it worked."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolRequested(RunEvent):
    """The agent asked for a tool call. ``summary`` is for people, ``command`` is raw."""

    call_id: str
    tool: str
    summary: str
    command: str | None = None
    files: tuple[str, ...] = ()  # what it will have changed when it succeeds


@dataclass(frozen=True, slots=True)
class ToolHeld(RunEvent):
    """A tool call is held back until someone decides."""

    call_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ToolFinished(RunEvent):
    """A tool call ran to its end. ``ok`` is None when the source does not say."""

    call_id: str
    ok: bool | None
    output: str


@dataclass(frozen=True, slots=True)
class ToolDenied(RunEvent):
    """A tool call was refused and did not run."""

    call_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class AgentSaid(RunEvent):
    """The agent's own words."""

    text: str


@dataclass(frozen=True, slots=True)
class PlanUpdated(RunEvent):
    """The agent's whole plan as it now stands."""

    steps: tuple[PlanStep, ...]


@dataclass(frozen=True, slots=True)
class CostReported(RunEvent):
    """What the run has cost so far, in US dollars."""

    usd: float


@dataclass(frozen=True, slots=True)
class WaitingForUser(RunEvent):
    """The run goes no further before its user answers; ``call_id`` names the call that waits."""

    what: str
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class WaitOver(RunEvent):
    """The user has answered; the call that waited goes on."""

    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class RunEnded(RunEvent):
    """The run came to rest; ``status`` is DONE, FAILED or STOPPED."""

    status: RunStatus
    reason: str = ""


@dataclass(frozen=True, slots=True)
class UnknownSeen(RunEvent):
    """Something that could not be read; ``reason`` says in a few words what is missing."""

    reason: str


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of each field is kept: bytes as they go on the wire, and counts."""

    run_id: int = 128
    title: int = 120
    goal: int = 1800
    action: int = 600
    proposed: int = 1400
    waiting_for: int = 800
    evidence: int = 520
    evidence_count: int = 20
    pinned_count: int = 8  # newest denials and guidance, kept whatever else happens
    uncertainty: int = 240
    uncertainty_count: int = 4
    failure: int = 400
    failure_count: int = 6
    file: int = 160
    file_count: int = 20
    created_count: int = 12
    plan_step: int = 140
    plan_count: int = 20
    message: int = 1000
    degraded: int = 240
    open_calls: int = 16  # of the reducer's own memory, not part of the snapshot


BOUNDS = Bounds()

_FRESH_IDS = 48
_GENERATION_IDS = 2048


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A tool call that was requested and has not ended; ``action`` is already cut."""

    call_id: str
    action: str
    files: tuple[str, ...]
    tool: str = ""


def _none() -> array[int]:
    return array("Q")


@dataclass(frozen=True, slots=True)
class SeenIds:
    """The newest event ids, a few thousand of them, so that a fact read twice counts once.

    Three generations keep a step cheap: a short tuple, and two sorted arrays that are not copied.
    An id is kept as 64 bits of its hash, a tenth of what its text takes; two of the few thousand
    are taken for one another less than once in 10^11 runs.
    """

    fresh: tuple[int, ...] = ()
    young: array[int] = field(default_factory=_none)
    old: array[int] = field(default_factory=_none)

    def __contains__(self, event_id: str) -> bool:
        mark = mark_of(event_id)
        return mark in self.fresh or _holds(self.young, mark) or _holds(self.old, mark)

    def with_one(self, event_id: str) -> SeenIds:
        """These and one more; the oldest generation goes when a new one is full."""
        fresh = (*self.fresh, mark_of(event_id))
        if len(fresh) < _FRESH_IDS:
            return SeenIds(fresh, self.young, self.old)
        young = array("Q", sorted((*self.young, *fresh)))
        if len(young) < _GENERATION_IDS:
            return SeenIds((), young, self.old)
        return SeenIds((), _none(), young)


def mark_of(event_id: str) -> int:
    """64 bits for an id, the same throughout this process."""
    return hash(event_id) & 0xFFFF_FFFF_FFFF_FFFF


def _holds(marks: array[int], mark: int) -> bool:
    place = bisect_left(marks, mark)
    return place < len(marks) and marks[place] == mark


@dataclass(frozen=True, slots=True)
class RunState:
    """What the fold carries: the snapshot, and the little more that the next event needs."""

    snapshot: RunSnapshot
    seen: SeenIds = field(default_factory=SeenIds)
    open_calls: tuple[OpenCall, ...] = ()
    next_seq: int = 1


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?)")
_BLANKS = re.compile(r"[ \t\xa0]+")
_LINE_ENDS = re.compile(r" ?\n[ \n]*")


def clean(text: str) -> str:
    """Plain text: no control or terminal codes, no lone surrogates, no runs of blanks."""
    if not text.replace("\n", "").isprintable():
        text = _ANSI.sub("", text)
        text = _CONTROL.sub(" ", text.replace("\r\n", "\n"))
        text = _BLANKS.sub(" ", text)
    elif "  " in text:
        text = _BLANKS.sub(" ", text)
    if "\n" in text:
        text = _LINE_ENDS.sub("\n", text)
    return text.strip()


def wire_bytes(text: str) -> int:
    """Bytes of clean ``text`` inside a JSON string (UTF-8, quotes and line ends escaped)."""
    escapes = text.count('"') + text.count("\\") + text.count("\n")
    return (len(text) if text.isascii() else len(text.encode())) + escapes


_MOST_BYTES = 4  # that a character takes on the wire; an escaped one takes 2


def cut(text: str, limit: int) -> str:
    """Clean ``text`` within ``limit`` bytes; an ellipsis marks that its end is missing."""
    text = clean(text[: limit * 8])
    if len(text) * _MOST_BYTES <= limit or wire_bytes(text) <= limit:
        return text
    return _head(text, limit - len(ELLIPSIS.encode())).rstrip() + ELLIPSIS


def cut_middle(text: str, limit: int) -> str:
    """As ``cut``, but keeps both ends: what a command found is often its last line."""
    if len(text) > limit * 16:
        text = text[: limit * 8] + "\n" + ELLIPSIS + "\n" + text[-limit * 8 :]
    text = clean(text)
    if len(text) * _MOST_BYTES <= limit or wire_bytes(text) <= limit:
        return text
    mark = f" {ELLIPSIS} "
    room = limit - len(mark.encode())
    head = _head(text, room // 3).rstrip()
    tail = _head(text[::-1], room - wire_bytes(head))[::-1].lstrip()
    return head + mark + tail


def _head(text: str, limit: int) -> str:
    """The longest prefix of ``text`` within ``limit`` wire bytes."""
    low, high = 0, min(len(text), limit)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if wire_bytes(text[:middle]) <= limit else (low, middle - 1)
    return text[:low]
