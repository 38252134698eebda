"""Scripted servers on loopback that play a captured exchange to whoever connects."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import WSMsgType, web

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.events import RunChanged, RunSnapshot
from jarvis_voice.runs.watcher import RunWatcher

ROOT = Path(__file__).resolve().parents[4]
GUIDANCE = "[Jarvis; scope: this task] Use out_v2/ instead of out/."


@pytest.fixture
def samples() -> Path:
    folder = Path(os.environ.get("JARVIS_SHARED", ROOT.parent / "shared")) / "samples"
    if not folder.is_dir():
        pytest.skip("the shared captures are not here")
    return folder


class Watching(RunWatcher):
    """A watcher that can be waited for."""

    def __init__(self) -> None:
        self.changes: list[RunChanged] = []
        self._more = asyncio.Event()
        super().__init__(self._take)

    def _take(self, change: RunChanged) -> None:
        self.changes.append(change)
        self._more.set()

    async def until(self, fits: Callable[[RunSnapshot], bool]) -> RunSnapshot:
        async with asyncio.timeout(10):
            while True:
                for snapshot in self.snapshots():
                    if fits(snapshot):
                        return snapshot
                self._more.clear()
                await self._more.wait()


class Reviewing:
    """Refuses what writes to out/, with guidance."""

    def __init__(self) -> None:
        self.seen: list[ProposedAction] = []

    async def __call__(self, action: ProposedAction) -> Ruling:
        self.seen.append(action)
        if "out/" in (action.command or ""):
            return Ruling(Verdict.DENY, GUIDANCE)
        return Ruling(Verdict.ALLOW)


class Script:
    """Plays the frames of one client: what it sent is waited for, what it got is sent.

    A request that is not in the script is refused at once.
    """

    def __init__(self, frames: list[tuple[str, dict]]) -> None:
        self.frames = frames
        self.received: list[dict] = []
        self._inbox: list[dict] = []
        self._more = asyncio.Event()
        self._ids: dict[str, object] = {}  # captured id -> the client's
        self.wanted = {
            frame["method"] for way, frame in frames if way == "->" and "method" in frame
        }

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        playing = asyncio.ensure_future(self._play(socket))
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    await self._got(socket, json.loads(message.data))
        finally:
            playing.cancel()
            await asyncio.wait([playing])
        return socket

    async def _got(self, socket: web.WebSocketResponse, frame: dict) -> None:
        self.received.append(frame)
        if "method" in frame and frame["method"] not in self.wanted:
            error = {"message": "unknown method"}
            await socket.send_json({"type": "res", "id": frame["id"], "ok": False, "error": error})
            return
        self._inbox.append(frame)
        self._more.set()

    async def _play(self, socket: web.WebSocketResponse) -> None:
        for way, frame in self.frames:
            if way == "->":
                mine = await self._await(frame)
                self._ids[str(frame.get("id"))] = mine.get("id")
            elif "method" not in frame and str(frame.get("id")) in self._ids:
                await socket.send_json(frame | {"id": self._ids[str(frame["id"])]})
            else:
                await socket.send_json(frame)

    async def _await(self, wanted: dict) -> dict:
        while True:
            for frame in self._inbox:
                if frame.get("method") == wanted.get("method"):
                    self._inbox.remove(frame)
                    return frame
            self._more.clear()
            await self._more.wait()


@asynccontextmanager
async def served(app: web.Application, path: Path | None = None) -> AsyncIterator[str]:
    """The app on loopback, or on a Unix socket; gives its address."""
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.2)
    await runner.setup()
    if path is not None:
        await web.UnixSite(runner, str(path)).start()
        address = str(path)
    else:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        address = f"{host}:{port}"
    try:
        yield address
    finally:
        await runner.cleanup()


@asynccontextmanager
async def running(work: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """``work`` beside the test, ended with it."""
    task = asyncio.ensure_future(work())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled() and task.exception() is not None:
            raise task.exception()


@pytest.fixture
def tools():
    """The helpers above, for tests that cannot import them."""
    return Tools


class Tools:
    Watching, Reviewing, Script = Watching, Reviewing, Script
    served, running, GUIDANCE = staticmethod(served), staticmethod(running), GUIDANCE
