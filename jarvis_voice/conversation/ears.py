"""Capture to VAD frames: what the microphone gave, echo-cancelled, with session times."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.devices.base import CapturePort
from audio.errors import EngineError
from audio.near_end import NearEnd, NearEndFrame, PreRoll
from audio.ring import SampleRing
from audio.timebase import StreamAnchor
from audio.vad.base import FRAME_SAMPLES, SAMPLE_RATE
from jarvis_voice import clock

RING_S = 4.0  # a stall of the loop longer than this loses sound, and is counted
FRAME_S = FRAME_SAMPLES / SAMPLE_RATE
IDLE_PORTION_S = 8 * FRAME_S  # the models work through it in one go, with warm caches
KEEP_S = 15.0  # of past frames: a turn may begin while the final of the one before is awaited


@dataclass(frozen=True, slots=True)
class HeardFrame:
    """A VAD frame and the session time at which its last sample was spoken."""

    frame: NearEndFrame
    at_s: float


class Ears:
    """Reads one capture port for the whole conversation."""

    def __init__(
        self,
        port: CapturePort,
        near_end: NearEnd,
        far_end: SampleRing,
        failed: Callable[[EngineError], None],
    ) -> None:
        """``failed`` is told, once until it works again, that sound could not be worked through."""
        self._failed = failed
        self._works = True
        self._port = port
        self._near_end = near_end
        self._far_end = far_end
        self._ring = SampleRing(int(RING_S * port.info.rate))
        self._anchor = StreamAnchor(SAMPLE_RATE)
        self._pre_roll = PreRoll(KEEP_S)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="near-end")
        self._arrived = asyncio.Event()
        self._portion = 0  # samples that are worth waking the loop for
        self._gap = False  # the sound that comes next does not follow what came before
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def overrun_samples(self) -> int:
        """Samples lost because nobody read them in time."""
        return self._ring.overrun_samples

    def open(self, lost: Callable[[str], None]) -> None:
        """Start the microphone. Raises DeviceUnavailable."""
        self._loop = asyncio.get_running_loop()
        self._port.start(self._deliver, lost)

    def close(self) -> None:
        """Stop the microphone and the worker."""
        self._port.stop()
        self._pool.shutdown(wait=True)

    def resync(self) -> None:
        """Begin a new stretch of sound after a gap: the canceller and the anchor start over."""
        self._gap = True
        self._arrived.set()

    def since(self, at_s: float) -> list[NearEndFrame]:
        """The frames kept from before, from session time ``at_s`` on."""
        return self._pre_roll.since(self._anchor.sample_at(at_s))

    def hurry(self, active: bool) -> None:
        """Take sound frame by frame while anybody speaks, and in larger portions while nobody does.

        A portion costs a change of threads and cold caches. Nothing is lost by a large one: a turn
        begins at the onset of the speech all the same, it is only noticed up to 0.2 s later.
        """
        portion_s = FRAME_S if active else IDLE_PORTION_S
        self._portion = round(portion_s * self._port.info.rate)

    async def frames(self) -> AsyncIterator[HeardFrame]:
        """Every VAD frame in order, for as long as the conversation lasts."""
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            now_s = clock.session_now()
            try:
                frames = await self._take()
            except EngineError as error:
                if self._works:
                    self._failed(error)
                self._works = False  # what was not worked through is lost: begin anew after it
                continue
            for frame in frames:
                self._pre_roll.push(frame)
                self._anchor.observe(frame.end_sample, now_s)
                yield HeardFrame(frame, self._anchor.time_of(frame.end_sample))

    async def _take(self) -> list[NearEndFrame]:
        """The frames of what has arrived. Raises what the canceller and the VAD raise."""
        loop = asyncio.get_running_loop()
        if self._gap:
            self._ring.clear()
            self._far_end.clear()
        if self._gap or not self._works:
            self._gap = False
            self._anchor.reset()
            await loop.run_in_executor(self._pool, self._near_end.resync)
        near = self._ring.read(self._ring.available)
        if not near.size:
            return []  # the far end waits: it is aligned with the sound that comes next
        far = self._far_end.read(self._far_end.available)
        frames = await loop.run_in_executor(self._pool, self._near_end.process, near, far)
        self._works = self._works or bool(frames)
        return frames

    def _deliver(self, samples: NDArray[np.float32]) -> None:
        # On a device thread: copy, then wake the loop. The loop is closed only after stop().
        self._ring.write(samples)
        if self._loop is None or self._ring.available < self._portion:
            return
        if not self._arrived.is_set():
            self._loop.call_soon_threadsafe(self._arrived.set)
