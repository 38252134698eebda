"""A gate on a free port, with a desk that a test rules from."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runtimes import RUNTIMES
from jarvis_voice.wire.gate_server import Ears, GateServer
from jarvis_voice.wire.settings import GateSettings

TOKEN = "t" * 43
ALLOW = Ruling(Verdict.ALLOW)


@dataclass
class Desk:
    """Holds every action until the test rules on it, unless ``at_once`` is set."""

    at_once: Ruling | None = None
    held: dict[str, asyncio.Future[Ruling]] = field(default_factory=dict)
    seen: list[ProposedAction] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def review(self, action: ProposedAction) -> Ruling:
        self.seen.append(action)
        if self.at_once is not None:
            return self.at_once
        self.held[action.action_id] = asyncio.get_running_loop().create_future()
        self.changed.set()
        return await self.held[action.action_id]

    def note_gone(self, action: ProposedAction) -> None:
        self.gone.append(action.action_id)
        self.changed.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something to become so after what the desk was told."""
        async with asyncio.timeout(10):
            while not condition():
                self.changed.clear()
                await self.changed.wait()


@dataclass
class Answer:
    """An HTTP answer."""

    status: int
    body: Any


@dataclass
class Caller:
    """A program on this machine that speaks HTTP to the gate."""

    port: int

    async def send(self, head: str, body: bytes = b"") -> Answer:
        async with asyncio.timeout(20):
            return await self._send(head, body)

    async def _send(self, head: str, body: bytes) -> Answer:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(head.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body)
            status = int((await reader.readline()).split()[1])
            size = 0
            while line := (await reader.readline()).strip():
                name, _, value = line.partition(b":")
                size = int(value) if name.lower() == b"content-length" else size
            return Answer(status, json.loads(await reader.readexactly(size) or b"null"))
        finally:
            writer.close()
            await writer.wait_closed()

    def head(self, path: str, size: int, **headers: str) -> str:
        """A good request's head; a header given as empty is left out."""
        fields = {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {TOKEN}",
            "Content-Type": "application/json",
            "Content-Length": str(size),
            "Connection": "close",
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{name}: {value}" for name, value in fields.items() if value]
        return "\n".join([f"POST {path} HTTP/1.1", *lines])

    async def post(self, path: str, document: Any, **headers: str) -> Answer:
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return await self.send(self.head(path, len(body), **headers), body)


Opened = Callable[..., AbstractAsyncContextManager[Caller]]


@pytest.fixture
def gate() -> Opened:
    """Opens a gate for a desk."""

    @asynccontextmanager
    async def opened(desk: Desk, **settings: Any) -> AsyncIterator[Caller]:
        ears = Ears(
            lambda name, record: desk.told.append((name, record)),
            desk.note_gone,
            desk.faults.append,
        )
        chosen = GateSettings(**{"port": 0} | settings)
        async with GateServer(desk.review, ears, chosen, RUNTIMES, TOKEN) as server:
            yield Caller(server.port)

    return opened


@pytest.fixture
def desk() -> Desk:
    return Desk()


def pre_tool(call: str = "toolu_1", session: str = "s1") -> dict[str, Any]:
    """A Claude Code hook input before a tool call."""
    return {
        "session_id": session,
        "cwd": "/home/dev/project",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "git push"},
        "tool_use_id": call,
    }


@pytest.fixture
def call() -> Callable[..., dict[str, Any]]:
    """Makes hook inputs before a tool call."""
    return pre_tool
