"""Everything that can go wrong with sound, as one tree.

    AudioError                     what happened; what was kept; what to do
    ├── DeviceError
    │   ├── DeviceUnavailable      no such device, no PortAudio, no permission, rate refused
    │   └── DeviceLost             a stream that ran has ended (unplugged, server gone)
    ├── FileError
    │   ├── UnreadableAudio        missing, empty, truncated or not sound at all
    │   └── UnwritableOutput       the folder or file cannot be written
    ├── EngineError
    │   ├── EngineMissing          the package or weight is not installed
    │   ├── EngineCorrupt          a weight is there but its hash or shape is wrong
    │   └── EngineFailed           the engine raised while it worked
    └── Cancelled                  the work was called off on purpose; never shown to a user

``retryable`` is data: the conductor decides what to do from it, never from the class name.
"""

from __future__ import annotations

from typing import ClassVar


class AudioError(Exception):
    """One sentence on what happened, and one on what to do about it.

    ``problem`` says what happened and what was kept; ``remedy`` says what the user can do.
    ``str()`` joins both on one line, ready to be shown.
    """

    retryable: ClassVar[bool] = False

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem, remedy)
        self.problem = " ".join(problem.split())
        self.remedy = " ".join(remedy.split())

    def __str__(self) -> str:
        return f"{self.problem} {self.remedy}".strip()


class DeviceError(AudioError):
    """A microphone or loudspeaker cannot be used."""


class DeviceUnavailable(DeviceError):
    """The device could not be opened at all."""


class DeviceLost(DeviceError):
    """A stream that was running has ended by itself; reopening may work."""

    retryable: ClassVar[bool] = True


class FileError(AudioError):
    """A sound file cannot be read or written."""


class UnreadableAudio(FileError):
    """The file is missing, empty, truncated, or is not sound."""


class UnwritableOutput(FileError):
    """The output cannot be written; nothing was left half-written."""


class EngineError(AudioError):
    """A recognizer, synthesizer, VAD or canceller cannot do its work."""


class EngineMissing(EngineError):
    """A package or weight that the engine needs is not installed."""


class EngineCorrupt(EngineError):
    """A weight is present but is not the file that it should be."""


class EngineFailed(EngineError):
    """The engine raised while it worked; the next call may succeed."""

    retryable: ClassVar[bool] = True


class Cancelled(AudioError):
    """Raised inside an engine when its CancelToken was cancelled."""
