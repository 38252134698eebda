"""Which of the rendered blocks are a reply's sound, and which are the silence before it. PURE.

A reply is sent from its first block that is not all zeros, and from then on every block as its
time comes, pauses included: a player that is some blocks behind keeps the rhythm, and a count of
what was sent is a place in the reply.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audio.pcm import to_int16


class ReplySound:
    """Sorts blocks as they are rendered; each belongs to the reply that is current then."""

    def __init__(self) -> None:
        self._sounding = 0  # the reply that has begun to sound

    def block(self, reply: int, samples: NDArray[np.float32]) -> bytes:
        """PCM16LE to send now for ``reply``; nothing while it has not begun to sound."""
        encoded = to_int16(samples).astype("<i2").tobytes()
        if reply != self._sounding and not encoded.strip(b"\0"):
            return b""
        self._sounding = reply
        return encoded


def decode(message: bytes) -> NDArray[np.float32]:
    """PCM16LE to float32. Raises ValueError when the last sample is cut in half."""
    if len(message) % 2:
        raise ValueError("a PCM message holds whole samples of 2 bytes")
    return np.frombuffer(message, "<i2").astype(np.float32) / np.float32(32_768.0)
