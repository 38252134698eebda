"""Getting the sound back after a device was lost.

PortAudio sees a changed set of devices only after it was started anew, which ends every stream. So
a microphone and a loudspeaker are kept together here: they are lost together and reopened together.

How a conductor uses it: hand ``capture`` and ``playback`` out as the two ports, put ``watch`` into
its task group, and on ``lost``: tell the user, ``await reopen(...)``, reset the echo canceller and
the anchors, go on. ``deliver`` and ``render`` stay the same ones and the rates never change, so
what was being said resumes at the first sample that was not rendered; what the device still had in
its buffer, ``playback.info.latency_s`` of it, was not heard.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audio.devices.base import CapturePort, Deliver, DeviceInfo, Lost, PlaybackPort, Render
from audio.devices.portaudio import Direction
from audio.devices.rate_match import CaptureAtRate, PlaybackAtRate
from audio.devices.settings import DeviceSettings
from audio.devices.watch import Health, StreamWatch, Verdict
from audio.errors import DeviceUnavailable

Port = CapturePort | PlaybackPort

WATCH_S = 0.1  # how often the streams are judged: a stall of 0.5 s is known within 0.6 s
LATE_FOR_S = 2.0  # a lag that lasts longer than this is no burst that is still to come


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before each attempt, and when to settle for another device."""

    first_s: float = 0.5  # a sound server restarts in about a second
    factor: float = 2.0
    longest_s: float = 5.0  # often enough for somebody who plugs a headset back in
    patience: int = 1  # attempts that take only the device that was lost

    def delay_s(self, attempt: int) -> float:
        """Seconds to wait before an attempt; attempts count from 1."""
        delay_s = self.first_s
        for _ in range(attempt - 1):
            delay_s *= self.factor
            if delay_s >= self.longest_s:
                return self.longest_s
        return min(delay_s, self.longest_s)


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to reopen has failed; the next one follows in ``next_s`` seconds."""

    number: int
    error: DeviceUnavailable
    next_s: float


@dataclass(frozen=True, slots=True)
class Reopened:
    """The sound is back. None stands for a side that was not in use."""

    capture: DeviceInfo | None
    playback: DeviceInfo | None
    attempts: int
    same: bool  # the very devices that were lost, by name


class DeviceSource(Protocol):
    """Where ports come from."""

    def refresh(self) -> None:
        """Look at the system's devices afresh, which ends every stream. DeviceUnavailable."""
        ...

    def captures(self, last: str | None) -> Sequence[CapturePort]:
        """Microphones to try, best first; ``last`` names the one to prefer, None: as set."""
        ...

    def playbacks(self, last: str | None) -> Sequence[PlaybackPort]:
        """Loudspeakers to try, best first."""
        ...


class _Once:
    """Tells of a loss once per opening, whichever side or thread sees it first."""

    def __init__(self) -> None:
        self._told = threading.Lock()  # taken once and never given back

    def tell(self, lost: Lost, reason: str) -> None:
        if self._told.acquire(blocking=False):
            lost(reason)


class DuplexDevices:
    """A microphone and a loudspeaker that are lost and reopened together.

    ``start`` and ``stop`` of the two ports, ``reopen`` and ``watch`` belong to one event loop.
    """

    def __init__(
        self,
        source: DeviceSource,
        settings: DeviceSettings | None = None,
        backoff: Backoff | None = None,
    ) -> None:
        rates = settings or DeviceSettings()
        self._source = source
        self._backoff = backoff or Backoff()
        self._busy = threading.Lock()  # held while devices are opened or closed
        self._once = _Once()
        self._capture = _Side(self, Direction.CAPTURE, rates.capture_rate)
        self._playback = _Side(self, Direction.PLAYBACK, rates.playback_rate)

    @property
    def capture(self) -> CapturePort:
        """The microphone; ``info.rate`` is always the rate of the settings."""
        return self._capture

    @property
    def playback(self) -> PlaybackPort:
        """The loudspeaker; ``info.rate`` is always the rate of the settings."""
        return self._playback

    async def reopen(self, failed: Callable[[Attempt], None] | None = None) -> Reopened:
        """Open what was open before, again and again until it works.

        ``failed`` is told of every attempt that did not. Opening runs on another thread, because a
        sound server that does not answer would hold up the loop. Cancel it to give up; ``stop``
        of the ports then closes whatever was opened meanwhile.
        """
        attempt = 1
        while True:
            await asyncio.sleep(self._backoff.delay_s(attempt))
            try:
                return await asyncio.to_thread(self._open_again, attempt)
            except DeviceUnavailable as error:
                if failed is not None:
                    failed(Attempt(attempt, error, self._backoff.delay_s(attempt + 1)))
            attempt += 1

    async def watch(self, late: Callable[[str, Verdict], None] | None = None) -> None:
        """Judge both streams until cancelled; a stalled one is reported as lost.

        ``late`` is told ("microphone" or "loudspeaker") of a stream that stays behind the clock.
        """
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(WATCH_S)
            for side in (self._capture, self._playback):
                verdict = side.judge(loop.time())
                if verdict is None:
                    continue
                if verdict.health is Health.STALLED:
                    side.report(f"The {side.noun} was lost: {verdict.reason}.")
                elif late is not None:
                    late(side.noun, verdict)

    # --- for the two sides ------------------------------------------------------------------------

    def open_first(self, side: _Side) -> None:
        """Open a side for the first time, with the device of the settings and no other."""
        with self._busy:
            side.open(side.candidates(self._source, None)[:1], self._once)

    def close(self, side: _Side) -> None:
        """Close a side for good; waits while devices are being opened."""
        with self._busy:
            side.close()

    def _open_again(self, attempt: int) -> Reopened:
        with self._busy:
            sides = [side for side in (self._capture, self._playback) if side.wanted]
            before = [side.name for side in sides]
            for side in sides:
                side.close_port()
            self._source.refresh()
            self._once = _Once()
            try:
                for side in sides:
                    side.open(self._choices(side, attempt), self._once)
            except DeviceUnavailable:
                for side in sides:
                    side.close_port()
                raise
            return Reopened(
                self._capture.info if self._capture.wanted else None,
                self._playback.info if self._playback.wanted else None,
                attempt,
                before == [side.name for side in sides],
            )

    def _choices(self, side: _Side, attempt: int) -> Sequence[Port]:
        choices = side.candidates(self._source, side.name)
        if attempt > self._backoff.patience:
            return choices
        same = [port for port in choices if port.info.name == side.name]
        if not same:
            raise DeviceUnavailable(
                f"The {side.noun} {side.name!r} is not back yet.", "Plug it in."
            )
        return same


class _Side:
    """One direction: what was asked for, and the device that serves it now."""

    def __init__(self, devices: DuplexDevices, direction: Direction, rate: int) -> None:
        self._devices = devices
        self._direction = direction
        self._rate = rate
        self._port: Port | None = None
        self._once = _Once()
        self._handle: Deliver | Render | None = None
        self._lost: Lost | None = None
        self._info: DeviceInfo | None = None
        self._watch = StreamWatch(rate)
        self._late_since_s: float | None = None
        self._samples = 0  # that crossed the seam since it was opened; the device thread counts
        self.name: str | None = None  # of the device that was opened last

    @property
    def noun(self) -> str:
        return self._direction.noun

    @property
    def wanted(self) -> bool:
        """Whether somebody has started it and not stopped it."""
        return self._lost is not None

    @property
    def info(self) -> DeviceInfo:
        return self._info or DeviceInfo("default", self._rate, 1, 0.0)

    def stop(self) -> None:
        """Stop and release the device; calling it twice is fine. ``lost`` is not called."""
        self._devices.close(self)

    def start(self, handle: Deliver | Render, lost: Lost) -> None:
        """Begin, with the same ``handle`` over every reopening. Raises DeviceUnavailable."""
        if self.wanted:
            raise RuntimeError("the port has been started already")
        self._handle, self._lost = handle, lost
        try:
            self._devices.open_first(self)
        except DeviceUnavailable:
            self._handle = self._lost = None
            raise

    def candidates(self, source: DeviceSource, last: str | None) -> Sequence[Port]:
        """The ports to try, best first, each at our rate."""
        if self._direction is Direction.CAPTURE:
            return [CaptureAtRate(port, self._rate) for port in source.captures(last)]
        return [PlaybackAtRate(port, self._rate) for port in source.playbacks(last)]

    def open(self, choices: Sequence[Port], once: _Once) -> None:
        """Open the first of the choices that works. Raises the first one's DeviceUnavailable."""
        refusal: DeviceUnavailable | None = None
        for port in choices:
            self._samples = 0
            self._watch.reset()
            self._late_since_s = None
            self._once = once
            self._port = port
            try:
                port.start(self._count, self.report)
            except DeviceUnavailable as error:
                self._port = None
                refusal = refusal or error
            else:
                self.name = port.info.name
                self._info = DeviceInfo(
                    port.info.name, self._rate, port.info.channels, port.info.latency_s
                )
                return
        raise refusal or DeviceUnavailable(f"No {self.noun} was found.", "Plug one in.")

    def report(self, reason: str) -> None:
        """The device was lost: tell whoever started it, once per opening."""
        if self._lost is not None:
            self._once.tell(self._lost, reason)

    def _count(self, block: NDArray[np.float32]) -> None:
        # On a device thread. Without a handle the side is being closed, and silence is right.
        handle = self._handle
        self._samples += block.size
        if handle is not None:
            handle(block)

    def close_port(self) -> None:
        """Close the device but remember what was asked for."""
        port, self._port = self._port, None
        if port is not None:
            port.stop()

    def close(self) -> None:
        """Close the device for good."""
        self._handle = self._lost = None
        self.close_port()

    def judge(self, now_s: float) -> Verdict | None:
        """How the stream does, None while there is nothing to say."""
        if self._port is None or not self.wanted:
            return None
        with contextlib.suppress(ValueError):  # reopened between two looks: the count began anew
            return self._news(self._watch.feed(now_s, self._samples), now_s)
        self._watch.reset()
        return None

    def _news(self, verdict: Verdict, now_s: float) -> Verdict | None:
        if verdict.health is not Health.BEHIND:
            self._late_since_s = None
            return verdict if verdict.health is Health.STALLED else None
        if self._late_since_s is None:
            self._late_since_s = now_s
        if now_s - self._late_since_s < LATE_FOR_S:
            return None
        self._late_since_s = None
        self._watch.accept()
        return verdict
