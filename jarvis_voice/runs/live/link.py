"""One WebSocket to a runtime: our requests are answered by id, everything else is handed on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from jarvis_voice.errors import RunUnreachable
from jarvis_voice.runs.live.base import ANSWER_S, pause
from jarvis_voice.runs.sources.fields import Record, mapping, parsed, plain

MESSAGE_BYTES = 64 * 2**20
"""Largest message that is taken; a larger one ends the connection, which is then made anew."""

Socket = aiohttp.ClientWebSocketResponse
Framed = Callable[[int, str, Mapping[str, Any]], Mapping[str, Any]]


class Link:
    """``framed`` makes a request of an id, a method and its parameters.

    An answer is a message with the id of a request of ours and without a method.
    """

    def __init__(self, socket: Socket, framed: Framed) -> None:
        self._socket = socket
        self._framed = framed
        self._next = 1
        self._waiting: dict[str, asyncio.Future[Record]] = {}

    async def send(self, message: Mapping[str, Any]) -> None:
        """Sends a message that is not answered. Raises RunUnreachable."""
        try:
            await self._socket.send_str(json.dumps(message))
        except (aiohttp.ClientError, ConnectionError) as error:
            raise _lost() from error

    async def ask(self, method: str, params: Mapping[str, Any]) -> Record:
        """Sends a request and waits for what it gives. Raises RunUnreachable."""
        number, self._next = self._next, self._next + 1
        answer: asyncio.Future[Record] = asyncio.get_running_loop().create_future()
        self._waiting[str(number)] = answer
        try:
            await self.send(self._framed(number, method, params))
            async with asyncio.timeout(ANSWER_S):
                return _result(method, await answer)
        except TimeoutError as error:
            raise RunUnreachable(
                f"The runtime did not answer {method} in {ANSWER_S:g} seconds.", "Try again."
            ) from error
        finally:
            self._waiting.pop(str(number), None)

    async def receive(self, handle: Callable[[Record], None]) -> None:
        """Hands every message on until the connection ends; answers go to who asked, too."""
        try:
            async for message in self._socket:
                record = parsed(message.data) if message.type is aiohttp.WSMsgType.TEXT else None
                if record is None:
                    continue
                answer = self._waiting.get(str(record.get("id")))
                if answer is not None and "method" not in record and not answer.done():
                    answer.set_result(record)
                handle(record)
        finally:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(_lost())


def _result(method: str, answer: Record) -> Record:
    error = mapping(answer, "error")
    if error or answer.get("ok") is False:
        reason = plain(error, "message", "code") or "it gave no reason"
        raise RunUnreachable(f"The runtime refused {method}: {reason}.", "Ask what the run does.")
    return mapping(answer, "result") or mapping(answer, "payload")


def _lost() -> RunUnreachable:
    return RunUnreachable("The connection to the runtime is lost.", "It is tried again; wait.")


@asynccontextmanager
async def opened(url: str, path: Path | None = None) -> AsyncIterator[Socket]:
    """A WebSocket to ``url``, over the Unix socket ``path`` when one is given.

    Raises OSError, aiohttp.ClientError or TimeoutError.
    """
    connector = aiohttp.UnixConnector(str(path)) if path else aiohttp.TCPConnector()
    waits = aiohttp.ClientTimeout(total=None, connect=ANSWER_S)
    async with (
        aiohttp.ClientSession(connector=connector, timeout=waits) as session,
        session.ws_connect(url, max_msg_size=MESSAGE_BYTES, compress=0) as socket,
    ):
        yield socket


async def kept(session: Callable[[], Awaitable[None]], lost: Callable[[], None]) -> None:
    """Runs ``session`` again and again until cancelled; ``lost`` is called between."""
    attempt = 0
    while True:
        attempt += 1
        try:
            await session()
            attempt = 0
        except* (OSError, aiohttp.ClientError, RunUnreachable, TimeoutError):
            pass  # said by ``lost``, once, and not at every attempt
        lost()
        await pause(max(attempt - 1, 0))
