"""Keeps the devices of a conversation: what was lost is opened again, and the user is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from audio.devices.reopen import Attempt, Reopened
from jarvis_voice import clock, events

FEW_ATTEMPTS = 3  # to reopen a device, after which the user is told what is wrong


class DeviceKeeper(Protocol):
    """Gets lost devices back; ``audio.devices.reopen.DuplexDevices`` is one."""

    async def watch(self) -> None:
        """Report a stream that stalls as lost, until cancelled."""
        ...

    async def reopen(self, failed: Callable[[Attempt], None]) -> Reopened:
        """Open again and again what was open before, until it works."""
        ...


class Keeping:
    """Has lost devices reopened for as long as a conversation lasts.

    ``resume`` is called when the sound is back, before that is published.
    """

    def __init__(
        self,
        devices: DeviceKeeper,
        resume: Callable[[], None],
        publish: Callable[[events.ConversationEvent], None],
    ) -> None:
        self._devices = devices
        self._resume = resume
        self._publish = publish
        self._lost = asyncio.Event()

    def lost(self, reason: str) -> None:
        """A device is gone: tell the user and have it reopened. On the loop's thread."""
        remedy = "It is opened again as soon as it is back; nothing said so far was lost."
        self._tell(reason, remedy)
        self._lost.set()

    async def watch(self) -> None:
        """See DeviceKeeper.watch."""
        await self._devices.watch()

    async def run(self) -> None:
        """Reopen what is lost, until cancelled."""
        while True:
            await self._lost.wait()
            self._lost.clear()  # first: a device may be lost again right after it was reopened
            reopened = await self._devices.reopen(self._still_lost)
            if self._lost.is_set():
                continue  # lost again meanwhile
            self._resume()
            capture, playback = reopened.capture, reopened.playback
            self._publish(
                events.DevicesReopened(
                    clock.session_now(),
                    capture.name if capture else None,
                    playback.name if playback else None,
                    reopened.attempts,
                    reopened.same,
                )
            )

    def _still_lost(self, attempt: Attempt) -> None:
        if attempt.number == FEW_ATTEMPTS:
            self._tell(attempt.error.problem, attempt.error.remedy)

    def _tell(self, problem: str, remedy: str) -> None:
        self._publish(events.Faulted(clock.session_now(), "devices", problem, remedy))
