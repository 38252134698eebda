"""Finds the loudspeaker's sound at the microphone, and how late it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from audio import pcm
from audio.devices.base import CapturePort, PlaybackPort
from audio.errors import DeviceLost
from audio.timebase import StreamAnchor

GRACE_S = 3.0  # how much longer than its length a test may take; Bluetooth needs 2 s to begin
CHIRP_S = 0.4
CHIRP_DBFS = -26.0  # clearly heard, not unpleasant
CHIRP_FROM_HZ = 300.0
CHIRP_TO_HZ = 3400.0  # what the smallest loudspeaker and any microphone pass
FADE_S = 0.02
ECHO_WINDOW_S = 1.0  # an echo later than this is no echo of ours
# Peak of the matched filter over its mean square root elsewhere. Noise alone stays under 5 in the
# 16,000 places that are looked at; an echo 20 dB below the room's noise still gives 8.
ECHO_CLEAR = 8.0


def chirp(rate: int) -> NDArray[np.float32]:
    """The test sound at ``rate`` Hz: a rising sweep with faded ends, float32 mono."""
    at_s = np.arange(round(CHIRP_S * rate)) / rate
    sweep = (CHIRP_TO_HZ - CHIRP_FROM_HZ) / CHIRP_S
    phase = 2.0 * np.pi * (CHIRP_FROM_HZ * at_s + sweep * at_s**2 / 2.0)
    fade = np.clip(np.minimum(at_s, CHIRP_S - at_s) / FADE_S, 0.0, 1.0)
    sound: NDArray[np.float32] = (np.sin(phase) * fade * pcm.from_dbfs(CHIRP_DBFS) * 2**0.5).astype(
        np.float32
    )
    return sound


async def measure_echo(capture: CapturePort, playback: PlaybackPort) -> float | None:
    """Seconds from the rendering of a sound to its delivery by the microphone; None: not heard.

    This is the delay that the echo canceller meets, with the buffers of both devices in it.
    Raises DeviceUnavailable and DeviceLost.
    """
    now = asyncio.get_running_loop().time  # the same clock on both device threads
    stream = StreamTest()
    mic = _Ear(now)
    speaker = _Chirper(now)

    def deliver(block: NDArray[np.float32]) -> None:
        mic.hear(block)
        since_s = speaker.began_s
        if since_s is not None and now() - since_s >= CHIRP_S + ECHO_WINDOW_S:
            stream.done()

    try:
        capture.start(deliver, stream.lost)
        playback.start(lambda block: speaker.render(block, playback.info.rate), stream.lost)
        await stream.wait(CHIRP_S + ECHO_WINDOW_S + 2 * GRACE_S)
    finally:
        playback.stop()
        capture.stop()
    rate = capture.info.rate
    heard = np.concatenate([np.zeros(0, np.float32), *mic.blocks])
    first = find_chirp(heard, rate)
    if first is None or speaker.began_s is None:
        return None
    # A block is joined to its callback by its first sample, on both sides alike: that is how the
    # echo canceller pairs them, and the length of the blocks cancels out.
    anchor = StreamAnchor(rate)
    start = 0
    for block, at_s in zip(mic.blocks, mic.times_s, strict=True):
        anchor.observe(start, at_s)
        start += block.size
    return anchor.time_of(first) - speaker.began_s


def find_chirp(heard: NDArray[np.float32], rate: int) -> int | None:
    """The sample at which the chirp begins, None when it is not in there."""
    wanted = chirp(rate)
    places = heard.size - wanted.size + 1
    if places < 1:
        return None
    size = 1 << (heard.size + wanted.size - 2).bit_length()
    spectrum = np.fft.rfft(heard, size) * np.conj(np.fft.rfft(wanted, size))
    likeness = np.abs(np.fft.irfft(spectrum, size)[:places])
    first = int(np.argmax(likeness))
    around = max(1, rate // 50)  # the peak itself and its reflections of 20 ms
    elsewhere = np.concatenate((likeness[: max(0, first - around)], likeness[first + around :]))
    floor = float(np.sqrt(np.mean(elsewhere**2))) if elsewhere.size else 0.0
    peak = float(likeness[first])
    if peak <= 0.0 or (floor > 0.0 and peak < ECHO_CLEAR * floor):
        return None
    return first


class StreamTest:
    """Waits on the loop for what happens on a device thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._reason: str | None = None

    def done(self) -> None:
        """From any thread: it has lasted long enough."""
        self._loop.call_soon_threadsafe(self._ended.set)

    def lost(self, reason: str) -> None:
        """From any thread: the device ended by itself."""
        self._reason = reason
        self.done()

    async def wait(self, at_most_s: float) -> None:
        """Raises DeviceLost when the stream ended by itself or nothing came."""
        try:
            async with asyncio.timeout(at_most_s):
                await self._ended.wait()
        except TimeoutError as error:
            raise DeviceLost(
                f"It opens but nothing came for {at_most_s:.0f} s.",
                "Unplug it and plug it in again, or choose another device.",
            ) from error
        if self._reason is not None:
            raise DeviceLost(self._reason, "Plug it in again, or choose another device.")


class _Ear:
    """What the microphone gave, block by block, with the time of each."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.blocks: list[NDArray[np.float32]] = []
        self.times_s: list[float] = []

    def hear(self, block: NDArray[np.float32]) -> None:
        """On a device thread."""
        self.times_s.append(self._now())
        self.blocks.append(block.copy())


class _Chirper:
    """Plays the chirp once, after a moment of silence in which the devices settle."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._sound: NDArray[np.float32] | None = None
        self._waited = 0
        self._at = 0
        self.began_s: float | None = None

    def render(self, block: NDArray[np.float32], rate: int) -> None:
        """On a device thread."""
        if self._sound is None:
            self._sound = chirp(rate)
        if self._waited < rate // 2:
            self._waited += block.size
            return
        if self.began_s is None:
            self.began_s = self._now()
        piece = self._sound[self._at : self._at + block.size]
        block[: piece.size] = piece
        self._at += piece.size
