"""A model server on loopback that says what a script says and remembers what it was asked.

Real agent programs run against it without a network or a key: Claude Code over Anthropic's Messages
API, Codex over OpenAI's Responses API. A request of the agent itself, one that offers tools, gets
the script's next turn; a program's side requests (titles, probes) get a short text. Every request
is kept, so that one can look at what exactly stood in the next one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from bench import model_scripts as scripts
from jarvis_voice.clock import session_now

HOST = "127.0.0.1"
BODY_BYTES = 64 * 1024 * 1024  # an agent's request carries its whole dialogue
SIDE_ANSWER = scripts.turn("ok")
AFTER_THE_SCRIPT = scripts.turn("The script has ended.")
TOKENS = 1000  # what every count of tokens says


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request of the agent to its model."""

    api: str  # "messages" or "responses"
    body: dict[str, Any]
    at_s: float  # session time at which it came

    def result_of(self, call_id: str) -> str | None:
        """What the agent tells the model that a call gave; None when it tells nothing of it."""
        for found in _objects(self.body):
            if call_id in (found.get("tool_use_id"), found.get("call_id")) and found.get(
                "type"
            ) in (
                "tool_result",
                "function_call_output",
                "custom_tool_call_output",
            ):
                return _text(found.get("content", found.get("output")))
        return None

    def texts(self, role: str) -> list[str]:
        """All that stands in the dialogue under a role, oldest first."""
        said = self.body.get("messages", self.body.get("input", ()))
        return [_text(entry.get("content")) for entry in said if entry.get("role") == role]

    def mentions(self, words: str) -> bool:
        """Do these words stand anywhere in the request?"""
        return any(words in text for text in _strings(self.body))


@dataclass(slots=True)
class ModelServer:
    """The server. Use it as an async context manager; it stops listening at the end."""

    turns: Sequence[scripts.Turn]
    thinks_s: float = 0.0  # before each answer to the agent
    requests: list[ModelRequest] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # "METHOD /path" of everything else asked
    port: int = 0
    _came: asyncio.Condition = field(default_factory=asyncio.Condition)
    _runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://{HOST}:{self.port}"

    async def __aenter__(self) -> ModelServer:
        app = web.Application(client_max_size=BODY_BYTES)
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/v1/messages/count_tokens", self._count)
        app.router.add_post("/v1/responses", self._responses)
        app.router.add_route("*", "/{path:.*}", self._other)
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, HOST, 0).start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_exc: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def request(self, number: int) -> ModelRequest:
        """The agent's request of that number, from 0; waits until it has come."""
        async with self._came:
            await self._came.wait_for(lambda: len(self.requests) > number)
        return self.requests[number]

    # --- what clients ask ----------------------------------------------------------------------

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        answer, number = await self._next("messages", body)
        message_id, model = f"msg_{number:03d}", str(body.get("model", "scripted"))
        if not body.get("stream"):
            return web.json_response(scripts.message(answer, message_id, model))
        return await _streamed(request, scripts.messages_events(answer, message_id, model))

    async def _responses(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        answer, number = await self._next("responses", body)
        model = str(body.get("model", "scripted"))
        events = scripts.responses_events(answer, f"resp_{number:03d}", model)
        return await _streamed(request, events)

    async def _count(self, _request: web.Request) -> web.Response:
        return web.json_response({"input_tokens": TOKENS})

    async def _other(self, request: web.Request) -> web.Response:
        self.others.append(f"{request.method} {request.path}")
        return web.json_response({"error": {"type": "not_found_error"}}, status=404)

    async def _next(self, api: str, body: dict[str, Any]) -> tuple[scripts.Turn, int]:
        if not body.get("tools"):
            self.others.append(f"{api} without tools")
            return SIDE_ANSWER, 0
        number = len(self.requests)
        async with self._came:
            self.requests.append(ModelRequest(api, body, session_now()))
            self._came.notify_all()
        await asyncio.sleep(self.thinks_s)
        return (self.turns[number] if number < len(self.turns) else AFTER_THE_SCRIPT), number


async def _streamed(request: web.Request, events: Iterator[scripts.Event]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for number, event in enumerate(events):
        data = json.dumps({**event, "sequence_number": number})
        await response.write(f"event: {event['type']}\ndata: {data}\n\n".encode())
    await response.write_eof()
    return response


# --- looking into requests ---------------------------------------------------------------------


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _objects(item)
    elif isinstance(value, list):
        for item in value:
            yield from _objects(item)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _text(content: Any) -> str:
    """A content that is a string, or the texts of its parts, a line each."""
    if isinstance(content, list):
        return "\n".join(str(part["text"]) for part in content if "text" in part)
    return "" if content is None else str(content)
