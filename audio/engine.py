"""What every engine says about itself, and how its work is called off."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from audio.errors import Cancelled


class EngineKind(Enum):
    """What an engine is for; the values are the words that commands and settings use."""

    VAD = "vad"
    RECOGNIZER = "recognizer"
    SYNTHESIZER = "synthesizer"
    ECHO_CANCELLER = "echo-canceller"
    TURN_CONTROLLER = "turn-controller"


@dataclass(frozen=True, slots=True)
class Weight:
    """One model file: where it came from and how to know that it is the right one."""

    name: str
    source: str  # the distribution or project that carries it
    licence: str  # SPDX expression
    path: str | None = None  # absolute path, None when it is not installed
    sha256: str | None = None  # of the file as installed, None when never hashed
    size: int | None = None  # bytes


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine as ``jarvis models`` lists it."""

    name: str  # the word used in settings, such as "whisper-tiny.en"
    kind: EngineKind
    description: str
    installed: bool
    weights: tuple[Weight, ...] = ()
    languages: tuple[str, ...] = ("en",)
    install_hint: str = ""  # the command that installs it, empty when installed
    manner: str = ""  # how it works on this machine, as a self-test found; empty when it has none


@dataclass(slots=True)
class CancelToken:
    """Calls off work in another thread, at most once.

    The caller cancels; the engine polls ``cancelled`` between steps, or registers ``on_cancel`` to
    stop an inference that is under way. Safe to use from any thread.
    """

    _event: threading.Event = field(default_factory=threading.Event)
    _callbacks: list[Callable[[], None]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)  # guards _callbacks

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def cancel(self) -> None:
        """Cancel; later calls do nothing."""
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            callbacks = list(self._callbacks)
            self._callbacks.clear()
        for callback in callbacks:
            callback()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once when cancelled, at once if that has already happened."""
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def forget(self, callback: Callable[[], None]) -> None:
        """Drop a callback that is no longer wanted; unknown ones are ignored."""
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

    def raise_if_cancelled(self) -> None:
        """Raise Cancelled when the work is no longer wanted."""
        if self._event.is_set():
            raise Cancelled("The work was called off.")
