"""The seam of sound devices: a capture side that delivers and a playback side that asks.

Both call from a device thread. What they call must copy and return: no model, no shared lock, no
logging, no exception.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Deliver = Callable[[NDArray[np.float32]], None]
Render = Callable[[NDArray[np.float32]], None]
Lost = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """A device as opened."""

    name: str
    rate: int  # Hz of the samples that cross the seam
    channels: int  # of the hardware; what crosses the seam is always mono
    latency_s: float  # as reported by the driver


class CapturePort(Protocol):
    """A microphone, or a file that plays one."""

    @property
    def info(self) -> DeviceInfo:
        """The device as opened; before ``start`` the device as it will be asked for."""
        ...

    def start(self, deliver: Deliver, lost: Lost) -> None:
        """Begin to deliver mono float32 blocks at ``info.rate``, full scale 1.0.

        A block may be reused after ``deliver`` returns, so copy it. ``lost`` is called at most
        once, with a reason, when the stream ends by itself. Raises DeviceUnavailable.
        """
        ...

    def stop(self) -> None:
        """Stop and release the device; calling it twice is fine. ``lost`` is not called."""
        ...


class PlaybackPort(Protocol):
    """A loudspeaker, or a recorder that stands for one."""

    @property
    def info(self) -> DeviceInfo:
        """The device as opened; before ``start`` the device as it will be asked for."""
        ...

    def start(self, render: Render, lost: Lost) -> None:
        """Begin to ask for mono float32 blocks at ``info.rate``; ``render`` fills them in place.

        One stream stays open for the whole conversation. Raises DeviceUnavailable.
        """
        ...

    def stop(self) -> None:
        """Stop and release the device; calling it twice is fine. ``lost`` is not called."""
        ...
