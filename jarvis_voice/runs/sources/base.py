"""What a source of runs offers, whichever runtime it reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from jarvis_voice.runs.model import RunEvent
from jarvis_voice.runs.sources.fields import Record

SURE = 2
MAYBE = 1


class Reader(Protocol):
    """Turns the lines of one run into events, in order. Never raises."""

    @property
    def runtime(self) -> str:
        """The program that wrote the lines."""
        ...

    recognized: int  # records that were understood
    session: str | None  # the runtime's own name of the run, once known
    parent: str | None  # the run that handed it its work
    cwd: str | None  # its working folder

    def read(self, line: str, number: int) -> list[RunEvent]:
        """The events of one line; ``number`` counts from 1."""
        ...

    def take(self, record: Record, key: str) -> list[RunEvent]:
        """The events of one record; ``key`` tells it from every other record of the run."""
        ...


@dataclass(frozen=True, slots=True)
class Source:
    """How one runtime's records are told apart and read. All three are pure."""

    runtime: str
    new: Callable[[], Reader]
    claims: Callable[[Record], int]  # SURE, MAYBE or 0, for one record alone
    run_of: Callable[[Record], str | None]  # the run a record is about, None when it names none
    names_itself: bool = True  # some record of every run tells what the run is called
