"""Devices that do what a test or a simulation tells them, block by block.

They keep the contract of the real ones, and fail on demand: at a sample, at opening, or by coming
back with another rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.devices.base import Deliver, DeviceInfo, Lost, Render
from audio.devices.settings import CAPTURE_RATE, PLAYBACK_RATE
from audio.errors import DeviceUnavailable

UNPLUGGED = "The device was unplugged."


@dataclass(frozen=True, slots=True)
class Script:
    """What goes wrong, and when."""

    lost_at: int | None = None  # samples after which the stream ends by itself, each time it runs
    refusals: int = 0  # how many times it cannot be opened, before it can
    rates: Sequence[int] = ()  # Hz at each opening, the last one for good; empty: as constructed
    reason: str = UNPLUGGED


class _ScriptedPort:
    """What both directions have in common."""

    def __init__(self, name: str, rate: int, block_s: float, script: Script) -> None:
        self._name = name
        self._rate = rate
        self._block_s = block_s
        self._script = script
        self._lost: Lost | None = None
        self._opened = 0
        self._samples = 0  # since it was opened
        self.attempts = 0  # openings asked for, refused ones included

    @property
    def info(self) -> DeviceInfo:
        return DeviceInfo(self._name, self._rate, 1, self._block_s)

    @property
    def running(self) -> bool:
        """Whether it is open."""
        return self._lost is not None

    def stop(self) -> None:
        """Stop and release the device; calling it twice is fine. ``lost`` is not called."""
        self._lost = None

    def lose(self, reason: str = "") -> None:
        """End the stream now, as a driver would; does nothing when it is not open."""
        lost = self._lost
        self.stop()
        if lost is not None:
            lost(reason or self._script.reason)

    def _open(self, lost: Lost) -> None:
        if self.running:
            raise RuntimeError("the port has been started already")
        self.attempts += 1
        if self.attempts <= self._script.refusals:
            raise DeviceUnavailable(f"{self._name!r} cannot be opened.", "Plug it in.")
        rates = self._script.rates
        if rates:
            self._rate = rates[min(self._opened, len(rates) - 1)]
        self._opened += 1
        self._samples = 0
        self._lost = lost

    def _next_block(self) -> int:
        """Samples of the next block; 0 when the stream is not open or has just ended."""
        if not self.running:
            return 0
        size = round(self._block_s * self._rate)
        if self._script.lost_at is not None:
            size = min(size, self._script.lost_at - self._samples)
        if size <= 0:
            self.lose()
            return 0
        self._samples += size
        return size


class ScriptedCapture(_ScriptedPort):
    """A microphone that hears an array, then silence."""

    def __init__(
        self,
        samples: NDArray[np.float32] | None = None,
        rate: int = CAPTURE_RATE,
        block_s: float = 0.02,
        script: Script | None = None,
        name: str = "scripted microphone",
    ) -> None:
        """``samples`` is float32 mono; it is heard on from where the stream was lost."""
        super().__init__(name, rate, block_s, script or Script())
        self._sound = np.zeros(0, np.float32) if samples is None else samples
        self._deliver: Deliver | None = None

    def start(self, deliver: Deliver, lost: Lost) -> None:
        """Deliver when told to by ``advance``. Raises DeviceUnavailable as scripted."""
        self._open(lost)
        self._deliver = deliver

    def advance(self, blocks: int = 1) -> None:
        """Let so many blocks of time pass."""
        for _ in range(blocks):
            size = self._next_block()
            if size == 0 or self._deliver is None:
                return
            block = np.zeros(size, np.float32)
            heard = self._sound[:size]
            block[: heard.size] = heard
            self._sound = self._sound[size:]
            self._deliver(block)
            block.fill(np.nan)  # a block belongs to the device again: a kept reference shows


class ScriptedPlayback(_ScriptedPort):
    """A loudspeaker that keeps what it was given."""

    def __init__(
        self,
        rate: int = PLAYBACK_RATE,
        block_s: float = 0.02,
        script: Script | None = None,
        name: str = "scripted loudspeaker",
    ) -> None:
        super().__init__(name, rate, block_s, script or Script())
        self._played: list[NDArray[np.float32]] = []
        self._render: Render | None = None

    @property
    def played(self) -> NDArray[np.float32]:
        """All that was rendered, over every opening, float32 mono."""
        return np.concatenate([np.zeros(0, np.float32), *self._played])

    def start(self, render: Render, lost: Lost) -> None:
        """Ask when told to by ``advance``. Raises DeviceUnavailable as scripted."""
        self._open(lost)
        self._render = render

    def advance(self, blocks: int = 1) -> None:
        """Let so many blocks of time pass."""
        for _ in range(blocks):
            size = self._next_block()
            if size == 0 or self._render is None:
                return
            block = np.zeros(size, np.float32)
            self._render(block)
            self._played.append(block)
