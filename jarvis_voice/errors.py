"""Everything that can go wrong in the app, as one tree.

    JarvisError                    what happened; what was kept; what to do
    ├── SettingsError              a settings file, variable or option is wrong
    ├── UsageError                 a command was called in a way that it does not understand
    ├── RunSourceError             a recorded or live run cannot be read
    ├── RunUnreachable             a live run cannot be told anything
    ├── BrainError
    │   ├── ModelUnreachable       no answer, refused, or timed out
    │   └── ModelMalformed         it answered with something that is no answer
    ├── OutputError                a result cannot be written
    ├── GateError                  the gate for agent runtimes cannot be opened or reached
    ├── AttachError                a runtime's own settings cannot be read, changed or proven
    ├── FactUnreadable             a stored fact about the user's attention is damaged or newer
    ├── StoreError                 what was decided cannot be kept or read
    │   ├── StoreBusy              another Jarvis keeps its decisions there
    │   └── StoreDamaged           the file is damaged; it was kept, and what it held was saved
    ├── TimelineUnreadable         a file is no timeline, or a damaged one
    └── ListenerOverrun            a part of the app did not keep up with the events

Faults of sound have their own tree in ``audio.errors``. ``exit_code`` and ``retryable`` are data.
"""

from __future__ import annotations

from typing import ClassVar


class JarvisError(Exception):
    """One sentence on what happened and was kept, and one on what to do about it."""

    retryable: ClassVar[bool] = False
    exit_code: ClassVar[int] = 1

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem, remedy)
        self.problem = " ".join(problem.split())
        self.remedy = " ".join(remedy.split())

    def __str__(self) -> str:
        return f"{self.problem} {self.remedy}".strip()


class SettingsError(JarvisError):
    """A setting is unknown, of the wrong type or out of range."""

    exit_code: ClassVar[int] = 2


class UsageError(JarvisError):
    """A command was called with arguments that it does not understand."""

    exit_code: ClassVar[int] = 2


class RunSourceError(JarvisError):
    """A run cannot be read."""


class RunUnreachable(JarvisError):
    """A live run cannot be told anything now; what was to be told is kept by who wanted to."""

    retryable: ClassVar[bool] = True


class BrainError(JarvisError):
    """The model behind the brain gave no usable answer; the narrator answers instead."""


class ModelUnreachable(BrainError):
    """The model did not answer in time, refused, or is not there."""

    retryable: ClassVar[bool] = True


class ModelMalformed(BrainError):
    """The model answered with something that is no answer."""

    retryable: ClassVar[bool] = True


class OutputError(JarvisError):
    """A result cannot be written; nothing was left half-written."""


class FactUnreadable(JarvisError):
    """A stored fact about the user's attention is damaged, or of a newer version."""


class StoreError(JarvisError):
    """What was decided cannot be kept or read; nothing was acted upon."""


class StoreBusy(StoreError):
    """Another process keeps its decisions in that file."""

    retryable: ClassVar[bool] = True


class StoreDamaged(StoreError):
    """The file is damaged. It stands aside, and a new one holds what could be read of it."""

    retryable: ClassVar[bool] = True


class GateError(JarvisError):
    """The gate for agent runtimes cannot be opened or reached."""


class AttachError(JarvisError):
    """A runtime's own settings cannot be read, changed or proven; they are as they were."""


class TimelineUnreadable(JarvisError):
    """A file is no timeline, is of a newer version, or is damaged before its last line."""


class ListenerOverrun(JarvisError):
    """A part of the app that must not miss an event did not keep up with them."""
