"""What waits to be sent to one client: in order, bounded, and sound can be taken back.

A client that reads too slowly would make it grow: beyond ``max_bytes`` it overflows, nothing more
is taken, and whoever serves the client lets it go. So the memory of a client is bounded.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

MAX_BYTES = 4 * 1024 * 1024  # a minute and a half of sound as the Realtime protocol carries it

Send = Callable[[str | bytes], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Message:
    content: str | bytes
    reply: int  # whose sound it is, 0 for anything else


class Outbox:
    """Messages for one client. All calls are made on the loop."""

    def __init__(self, send: Send, max_bytes: int = MAX_BYTES) -> None:
        """``send`` returns once the message is on its way, and raises ConnectionError."""
        self._send = send
        self._max_bytes = max_bytes
        self._waiting: deque[_Message] = deque()
        self._bytes = 0
        self._changed = asyncio.Event()
        self._closed = False
        self.overflowed = asyncio.Event()  # the client has read too slowly

    @property
    def waiting_bytes(self) -> int:
        """Size of what is not sent yet."""
        return self._bytes

    def put(self, content: str | bytes, reply: int = 0) -> None:
        """Send it after all that waits; ``reply`` is given for sound that may be taken back."""
        if self._closed or self.overflowed.is_set():
            return
        if self._bytes + len(content) > self._max_bytes:
            self.overflowed.set()
            self._waiting.clear()
            self._bytes = 0
            return
        self._waiting.append(_Message(content, reply))
        self._bytes += len(content)
        self._changed.set()

    def take_back(self, reply: int) -> None:
        """Do not send what still waits of this reply's sound."""
        kept = deque(message for message in self._waiting if message.reply != reply)
        self._waiting = kept
        self._bytes = sum(len(message.content) for message in kept)

    def close(self) -> None:
        """Send what waits, then let ``run`` end."""
        self._closed = True
        self._changed.set()

    async def run(self) -> None:
        """Send until it is closed and empty, or the client is gone."""
        while True:
            while self._waiting:
                message = self._waiting.popleft()
                self._bytes -= len(message.content)
                try:
                    await self._send(message.content)
                except ConnectionError:
                    self._waiting.clear()
                    self._closed = True
            if self._closed:
                return
            self._changed.clear()
            await self._changed.wait()
