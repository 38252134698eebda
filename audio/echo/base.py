"""The seam of echo cancellation."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FRAME_SAMPLES = 160  # 10 ms at 16 kHz, the frame of WebRTC AEC3


class EchoCanceller(Protocol):
    """Takes what the loudspeaker played out of what the microphone heard."""

    @property
    def delay_samples(self) -> int:
        """How late the output is, at 16 kHz: its sample k belongs to near-end k - delay."""
        ...

    def process(
        self, near_end: NDArray[np.float32], far_end: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Cancel one frame; returns float32 of the same shape.

        Both are float32 mono at 16 kHz, shape (160,). ``far_end`` must lead the echo in
        ``near_end`` by 5 to 500 ms: with less, AEC3 does not cancel.
        """
        ...

    def reset(self) -> None:
        """Forget the echo path, as after a device change."""
        ...
