"""Which of the rendered blocks are a reply's sound, and which are the silence around it. PURE.

A reply is sent from its first block that is not all zeros to its last; zeros in between belong to
it and are sent, so that a count of what was sent is a place in the reply.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audio.pcm import to_int16

MAX_PAUSE_BLOCKS = 500  # of silence held back within a reply, 10 s; more than that is let go


class ReplySound:
    """Sorts blocks as they are rendered; each belongs to the reply that is current then."""

    def __init__(self) -> None:
        self._reply = 0
        self._pause: list[bytes] = []
        self._begun = False

    def block(self, reply: int, samples: NDArray[np.float32]) -> bytes:
        """PCM16LE to send now for ``reply``, possibly nothing, or a pause that is over and more."""
        if reply != self._reply:
            self._reply, self._begun = reply, False
            self._pause.clear()
        encoded = to_int16(samples).astype("<i2").tobytes()
        if not encoded.strip(b"\0"):
            if self._begun and len(self._pause) < MAX_PAUSE_BLOCKS:
                self._pause.append(encoded)
            return b""
        self._begun = True
        sound = b"".join((*self._pause, encoded))
        self._pause.clear()
        return sound


def decode(message: bytes) -> NDArray[np.float32]:
    """PCM16LE to float32. Raises ValueError when the last sample is cut in half."""
    if len(message) % 2:
        raise ValueError("a PCM message holds whole samples of 2 bytes")
    return np.frombuffer(message, "<i2").astype(np.float32) / np.float32(32_768.0)
