"""A client on the network as a microphone and a loudspeaker.

The client's sound is fed in as it arrives, and what is played is handed out in blocks. One beat,
counted in the running loop's time, drives both sides:

- *Playback* asks for a block as its time comes, so what was heard is known as with a loudspeaker.
  While a reply sounds it may run ``lead_s`` ahead, for players that need a reserve.
- *Capture* delivers at the pace of time, however the sound arrives. What comes in bursts waits; a
  client that sends nothing is silent, as a microphone would be, so that its turn can end. A clock
  that runs up to 5 % fast is followed, so a long conversation gathers no delay.

Everything is called on the loop that runs it. Sound that is fed faster than it is delivered waits
up to ``ahead_s``; ``feed`` refuses what goes beyond, so no client can fill the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.devices.base import CapturePort, Deliver, DeviceInfo, Lost, PlaybackPort, Render
from audio.devices.pacing import pace
from audio.ring import SampleRing

BLOCK_S = 0.02
_PACE = 1.05  # of real time: how fast a backlog is delivered
_BURST_S = 0.25  # delivered at once after a pause: a network stutters, a ring of 4 s takes it
_SILENT_AFTER_S = 0.24  # without sound from the client; longer than stutters on a local network

Played = Callable[[NDArray[np.float32]], bool]
"""Takes a block that was rendered, which it may keep; tells whether a reply is sounding."""


@dataclass(frozen=True, slots=True)
class NetworkFormat:
    """What goes over the wire: mono at these rates in Hz; times in seconds."""

    capture_rate: int
    playback_rate: int
    lead_s: float = 0.0  # that a reply may be handed out ahead of its time
    ahead_s: float = 60.0  # of fed sound that may wait to be delivered


class _Port:
    """One side of the client, as the seam of devices has it."""

    def __init__(self, info: DeviceInfo) -> None:
        self._info = info
        self.handle: Deliver | Render | None = None

    @property
    def info(self) -> DeviceInfo:
        return self._info

    def start(self, handle: Deliver | Render, lost: Lost) -> None:
        """Begin. It is never lost: a client that leaves ends the conversation."""
        self.handle = handle

    def stop(self) -> None:
        """Stop; calling it twice is fine."""
        self.handle = None


class NetworkSound:
    """Both devices of one client. ``run`` is their device thread."""

    def __init__(self, sound: NetworkFormat, played: Played) -> None:
        """Raises ValueError when a block is no whole number of samples at both rates."""
        self.format = sound
        self._played = played
        self._capture = _Port(DeviceInfo("client", sound.capture_rate, 1, 0.0))
        self._playback = _Port(DeviceInfo("client", sound.playback_rate, 1, 0.0))
        self._capture_block = _whole(sound.capture_rate)
        self._playback_block = _whole(sound.playback_rate)
        self._waiting = SampleRing(round(sound.ahead_s * sound.capture_rate))
        self._delivered = 0  # samples of the client's
        self._credit = _BURST_S * sound.capture_rate  # samples that may be delivered now
        self._silent_blocks = 0  # beats since the client's sound was last delivered
        self._beats = 0
        self._rendered = 0  # blocks
        self._sounding = False
        self._closed = False

    @property
    def capture(self) -> CapturePort:
        """The client's microphone."""
        return self._capture

    @property
    def playback(self) -> PlaybackPort:
        """The client's loudspeaker."""
        return self._playback

    @property
    def queued_s(self) -> float:
        """Sound that was fed and waits to be delivered."""
        return self._waiting.available / self.format.capture_rate

    @property
    def delivered_s(self) -> float:
        """The client's sound that was delivered, since the start; silence put in is not counted."""
        return self._delivered / self.format.capture_rate

    def feed(self, samples: NDArray[np.float32]) -> bool:
        """Take sound of the client, float32 mono; False, and nothing taken, when too much waits."""
        if self._waiting.available + samples.size > self._waiting.capacity_samples:
            return False
        self._waiting.write(samples)
        self._deliver_due()
        return True

    def clear(self) -> None:
        """Forget what was fed and not yet delivered."""
        self._waiting.clear()

    async def run(self) -> None:
        """Drive both sides until ``close``."""
        await pace(BLOCK_S, self.tick)

    def close(self) -> None:
        """End ``run`` at its next beat."""
        self._closed = True

    def tick(self) -> bool:
        """Let one block of time pass; False once it is closed."""
        if self._closed:
            return False
        self._beats += 1
        self._render_due()
        most = _BURST_S * self.format.capture_rate
        self._credit = min(most, self._credit + _PACE * self._capture_block)
        self._silent_blocks += 1
        self._deliver_due()
        self._be_silent()
        return True

    # --- playback: first, so that the far end is known before its echo is heard ----------------

    def _render_due(self) -> None:
        lead = round(self.format.lead_s / BLOCK_S)
        while self._rendered < self._beats + (lead if self._sounding else 0):
            if self._playback.handle is None:
                self._rendered = self._beats
                return
            block = np.zeros(self._playback_block, np.float32)
            self._playback.handle(block)
            self._rendered += 1
            self._sounding = self._played(block)

    # --- capture -------------------------------------------------------------------------------

    def _deliver_due(self) -> None:
        if self._capture.handle is None:
            return
        samples = self._waiting.read(int(self._credit))
        if samples.size:
            self._credit -= samples.size
            self._delivered += samples.size
            self._silent_blocks = 0
            self._capture.handle(samples)

    def _be_silent(self) -> None:
        """Deliver silence for the time in which the client has sent nothing."""
        if self._capture.handle is None:
            self._silent_blocks = 0
            return
        after = round(_SILENT_AFTER_S / BLOCK_S)
        if self._waiting.available or self._silent_blocks < after:
            return
        blocks = self._silent_blocks if self._silent_blocks == after else 1
        self._capture.handle(np.zeros(blocks * self._capture_block, np.float32))


def _whole(rate: int) -> int:
    samples = BLOCK_S * rate
    if samples < 1 or abs(samples - round(samples)) > 1e-6:
        raise ValueError(f"{BLOCK_S} s is no whole number of samples at {rate} Hz")
    return round(samples)
