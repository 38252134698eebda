"""``jarvis serve``: a websocket server that lets other programs talk with Jarvis aloud.

    /v1/realtime       the OpenAI Realtime protocol, see ``realtime_session``
    any other path     plain PCM, see ``pcm_session``
    GET /health        is it there? Needs no token

It listens on loopback unless told otherwise. Every client needs the token, as ``Authorization:
Bearer``, ``X-Jarvis-Token`` or ``?token=``; only on loopback may the user do without one. A foreign
``Origin`` is refused, so that no web page gets in, and on loopback any other ``Host`` too, which
shuts out names that were made to point here. Beyond ``clients`` conversations a further client
waits a moment, for one that is just leaving, and is then refused. Refusals are 4xx and 5xx with
``{"error"}``; faults of a client that got in close its websocket with a sentence.

aiohttp serves it, as it does the gate: one server library, one way in, no second dependency.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from jarvis_voice import __version__
from jarvis_voice.errors import GateError
from jarvis_voice.wire.callers import check_token, host_of
from jarvis_voice.wire.session import BadMessage, Connection

MESSAGE_BYTES = 4 * 1024 * 1024  # over a minute of sound in base64; a frame of 20 ms is 640 bytes
HEARTBEAT_S = 20.0  # a client that answers no ping for half of this is gone
ADMIT_S = 5.0  # that a client waits for the one before it to leave
CLOSE_S = 2.0  # for the closing handshake with a client that may not answer
REALTIME_PATH = "/v1/realtime"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_REASON_BYTES = 123  # RFC 6455: a close frame holds no more

Talker = Callable[[Connection], Awaitable[str]]
"""Holds one conversation; returns one sentence on why it was closed, empty when all is well."""


@dataclass(frozen=True, slots=True)
class Door:
    """Where to listen, and who may come in."""

    host: str = "127.0.0.1"
    port: int = 8788  # 0 takes any free one
    token: str | None = None  # None lets everybody in; on loopback only
    origins: frozenset[str] = frozenset()  # web pages that may connect
    clients: int = 1  # at a time

    def __post_init__(self) -> None:
        if self.token is None and self.host not in LOOPBACK:
            raise GateError(
                f"Without a token, Jarvis is served on this machine only, not on {self.host}.",
                "Leave out --no-token, or --host.",
            )


@dataclass(frozen=True, slots=True)
class Protocols:
    """Who talks with a client; None where a protocol is not offered."""

    pcm: Talker | None = None
    realtime: Talker | None = None
    fault: Callable[[str], None] = field(default=lambda _line: None)
    """One line on a client that was refused, or let go for a fault."""


class VoiceServer:
    """The server; use it as an async context manager."""

    def __init__(self, door: Door, protocols: Protocols) -> None:
        self._door = door
        self._protocols = protocols
        self._slots = asyncio.Semaphore(door.clients)
        self._links: set[_Link] = set()
        self._runner: web.AppRunner | None = None
        self.port = 0  # known once started

    async def __aenter__(self) -> VoiceServer:
        """Listen. Raises GateError when the address cannot be used."""
        app = web.Application(middlewares=[self._guarded])
        app.router.add_get("/health", self._health)
        app.router.add_get("/{path:.*}", self._admit)
        runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=CLOSE_S)
        await runner.setup()
        door = self._door
        try:
            await web.TCPSite(runner, door.host, door.port).start()
        except OSError as error:
            await runner.cleanup()
            raise GateError(
                f"Jarvis cannot be served on {door.host}:{door.port}: "
                f"{(error.strerror or 'it is taken').lower()}.",
                "Is another Jarvis served there? Else choose another --port.",
            ) from error
        self._runner = runner
        self.port = runner.addresses[0][1]
        return self

    async def __aexit__(self, *_exc: object) -> None:
        for link in tuple(self._links):
            await link.close(1001, "Jarvis is closing.")
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    # --- who may come in -----------------------------------------------------------------------

    @web.middleware
    async def _guarded(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        try:
            self._check(request)
            return await handler(request)
        except web.HTTPException as refusal:
            self._protocols.fault(f"{request.path[:80]}: {refusal.reason}")
            return web.json_response({"error": refusal.reason}, status=refusal.status)

    def _check(self, request: web.Request) -> None:
        door = self._door
        if door.host in LOOPBACK and host_of(request).strip("[]") not in LOOPBACK:
            raise web.HTTPForbidden(reason="this host name is not served")
        origin = request.headers.get("Origin")
        if origin is not None and origin not in door.origins:
            raise web.HTTPForbidden(reason="web pages are not served")
        if request.path == "/health" or door.token is None:
            return
        check_token(request, door.token.encode())

    async def _health(self, _request: web.Request) -> web.Response:
        return web.json_response({"service": "jarvis-serve", "version": __version__})

    # --- who came in ---------------------------------------------------------------------------

    async def _admit(self, request: web.Request) -> web.StreamResponse:
        is_realtime = request.path.rstrip("/") == REALTIME_PATH
        talker = self._protocols.realtime if is_realtime else self._protocols.pcm
        if talker is None:
            raise web.HTTPNotFound(reason="this protocol is not served here")
        websocket = web.WebSocketResponse(
            timeout=CLOSE_S, heartbeat=HEARTBEAT_S, max_msg_size=MESSAGE_BYTES, compress=False
        )
        if not websocket.can_prepare(request):
            raise web.HTTPUpgradeRequired(reason="a websocket is spoken here")
        async with self._slot():
            await websocket.prepare(request)
            link = _Link(websocket)
            self._links.add(link)
            try:
                problem = await talker(link)
            finally:
                self._links.discard(link)
            if problem:
                self._protocols.fault(f"{request.path[:80]}: {problem}")
        return websocket

    @contextlib.asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(ADMIT_S):
                await self._slots.acquire()
        except TimeoutError:
            raise web.HTTPServiceUnavailable(
                reason=f"Jarvis talks with {self._door.clients} at a time, try again later"
            ) from None
        try:
            yield
        finally:
            self._slots.release()


class _Link:
    """One client's websocket, as ``session.Connection``."""

    def __init__(self, websocket: web.WebSocketResponse) -> None:
        self._websocket = websocket

    async def messages(self) -> AsyncIterator[str | bytes]:
        async for message in self._websocket:
            if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                yield message.data
            elif message.type is WSMsgType.ERROR:
                raise BadMessage(f"The client's message was refused: {message.data}.")

    async def send(self, message: str | bytes) -> None:
        if isinstance(message, str):
            await self._websocket.send_str(message)
        else:
            await self._websocket.send_bytes(message)

    async def close(self, code: int, reason: str) -> None:
        shown = reason.encode()[:_REASON_BYTES].decode(errors="ignore")
        await self._websocket.close(code=code, message=shown.encode())
