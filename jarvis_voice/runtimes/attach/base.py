"""What attaching is made of: where, to what, which edits, and how the result is tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

RUNTIME_MARGIN_S = 60.0  # a runtime waits so much longer than an action is held
HOOK_MARGIN_S = 15.0  # and a stdin bridge so much longer than the gate; ``cli.hook`` takes it off
MOST_HOLD_S = 540.0  # with the margin it is 600 s, the most that OpenClaw allows
TELLING_S = 10  # what a runtime waits for a hook that only tells something


@dataclass(frozen=True, slots=True)
class Place:
    """Whose settings: the user's own, or one project's."""

    home: Path
    project: Path | None
    variables: Mapping[str, str]  # some runtimes let a variable move their settings

    def folder(self, name: str, variable: str = "") -> Path:
        """The runtime's settings folder ``name`` here; ``variable`` names it for the user's own."""
        if self.project is not None:
            return self.project / name
        moved = self.variables.get(variable, "") if variable else ""
        return Path(moved).expanduser() if moved else self.home / name


@dataclass(frozen=True, slots=True)
class Link:
    """What a runtime is pointed to."""

    url: str  # the gate, such as http://127.0.0.1:8767
    token: str
    gate_file: Path  # names the running gate, for hooks that look it up
    command: str  # "jarvis" as a shell runs it from anywhere
    fail: Literal["open", "closed"]
    hold_s: float  # longest hold

    @property
    def timeout_s(self) -> int:
        """How long the runtime is told to wait."""
        return round(self.hold_s + RUNTIME_MARGIN_S)


@dataclass(frozen=True, slots=True)
class Edit:
    """A file as it is and as it is to be; None stands for no file."""

    path: Path
    before: bytes | None
    after: bytes | None
    private: bool = False  # it holds the token, so only its user may read it

    @property
    def changes(self) -> bool:
        """Does it change anything?"""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Tried:
    """The answer that the written settings got, and what of them could not be run here."""

    answer: Any
    caveat: str = ""


class Attachment(Protocol):
    """One runtime's settings."""

    name: str
    program: str  # that the user starts

    def edits(self, place: Place, link: Link) -> list[Edit]:
        """What to write. Raises AttachError when the settings cannot be read or extended."""
        ...

    def removal(self, place: Place) -> list[Edit]:
        """The same files without any entry of ours, all else left as it is. Raises AttachError."""
        ...

    def canary(self, place: Place, run_id: str) -> dict[str, Any]:
        """A tool call as the runtime would announce it."""
        ...

    def ask(self, place: Place, payload: dict[str, Any]) -> Tried:
        """Run exactly what stands in the settings with ``payload``. Raises AttachError."""
        ...

    def notes(self, place: Place) -> list[str]:
        """What the user must know or do, and how to check it with the runtime itself."""
        ...


def read(path: Path) -> bytes | None:
    """A file's content, None when there is no such file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
