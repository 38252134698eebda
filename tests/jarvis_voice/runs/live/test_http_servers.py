"""OpenCode and OpenHands: scripted servers with the routes and events of their schemas."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web

from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.errors import RunUnreachable
from jarvis_voice.events import RunStatus
from jarvis_voice.runs.live.base import Approvals
from jarvis_voice.runs.live.opencode import OpenCodeServer
from jarvis_voice.runs.live.openhands import OpenHandsServer

pytestmark = pytest.mark.real_time


class Posts:
    """What was posted, and an answer for each path."""

    def __init__(self, *missing: str) -> None:
        self.seen: list[tuple[str, Any]] = []
        self._missing = missing
        self.came = asyncio.Event()

    async def take(self, request: web.Request) -> web.Response:
        if request.path.endswith(self._missing):
            raise web.HTTPNotFound
        self.seen.append((request.path, await request.json()))
        self.came.set()
        return web.json_response(True)


def event(kind: str, **properties: object) -> dict:
    return {"type": kind, "properties": properties}


def tool(status: str, **more: object) -> dict:
    state = {"status": status, "input": {"command": "echo hi > out/a.txt"}} | more
    part = {"id": "p", "sessionID": "ses_1", "type": "tool", "tool": "bash", "callID": "c1"}
    return event("message.part.updated", part=part | {"state": state})


@pytest.mark.parametrize("missing", [(), ("/prompt",)])
async def test_opencode_asks_is_refused_with_the_reason_and_steered(tools, missing) -> None:
    posts, review, sink = Posts(*missing), tools.Reviewing(), tools.Watching()

    async def sessions(request: web.Request) -> web.Response:
        return web.json_response([{"id": "ses_1", "title": "Fix", "directory": "/w"}])

    async def stream(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        for item in (
            event("server.connected"),
            tool("running"),
            event(
                "permission.asked",
                id="per_1",
                sessionID="ses_1",
                permission="bash",
                tool={"callID": "c1"},
            ),
        ):
            await answer.write(f"data: {json.dumps(item)}\n\n".encode())
        await posts.came.wait()
        for item in (
            event("permission.replied", sessionID="ses_1", requestID="per_1", reply="reject"),
            tool("error", error="The user rejected permission to use this specific tool call"),
        ):
            await answer.write(f"data: {json.dumps(item)}\n\n".encode())
        await asyncio.sleep(30)
        return answer

    app = web.Application()
    app.router.add_get("/session", sessions)
    app.router.add_get("/event", stream)
    app.router.add_post("/{path:.*}", posts.take)
    async with tools.served(app) as address:
        server = OpenCodeServer(sink, f"http://{address}", Approvals(review))
        async with tools.running(server.run):
            now = await sink.until(lambda run: bool(run.evidence) and run.evidence[-1].ok is False)
            assert (now.title, now.cwd, now.status) == ("Fix", "/w", RunStatus.WORKING)
            await server.steer("ses_1", "Use UTC.")
            await server.stop("ses_1")
            assert server.approvals.open == {}
    assert posts.seen[0] == (
        "/permission/per_1/reply",
        {"reply": "reject", "message": tools.GUIDANCE},
    )
    steered = (
        ("/session/ses_1/prompt_async", {"parts": [{"type": "text", "text": "Use UTC."}]})
        if missing
        else (
            "/api/session/ses_1/prompt",
            {"prompt": {"text": "Use UTC."}, "delivery": "steer"},
        )
    )
    assert posts.seen[1] == steered
    assert posts.seen[2] == ("/session/ses_1/abort", {})
    assert review.seen[0].action_id == "c1"


async def test_openhands_waits_for_confirmation_and_gets_the_reason(tools) -> None:
    posts, review, sink = Posts("/interrupt"), tools.Reviewing(), tools.Watching()
    stamp = {"timestamp": "2026-06-16T05:39:18", "source": "agent"}
    action = {"command": "echo hi > out/a.txt", "kind": "TerminalAction"}

    def state(number: int, value: str) -> dict:
        kind = "ConversationStateUpdateEvent"
        return stamp | {"id": f"s{number}", "kind": kind, "key": "execution_status", "value": value}

    async def search(request: web.Request) -> web.Response:
        return web.json_response({"items": [{"id": "conv-1"}], "next_page_id": None})

    async def events(request: web.Request) -> web.WebSocketResponse:
        assert request.query["session_api_key"] == "k"
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        call = {"tool_name": "terminal", "tool_call_id": "c1", "action": action}
        await socket.send_json(stamp | {"id": "e1", "kind": "ActionEvent"} | call)
        await socket.send_json(state(1, "waiting_for_confirmation"))
        await posts.came.wait()
        reject = {"id": "e2", "kind": "UserRejectObservation", "action_id": "e1"}
        await socket.send_json(stamp | reject | {"rejection_reason": tools.GUIDANCE})
        await socket.send_json(state(2, "finished"))
        async for _ in socket:
            pass
        return socket

    app = web.Application()
    app.router.add_get("/api/conversations/search", search)
    app.router.add_get("/sockets/events/conv-1", events)
    app.router.add_post("/{path:.*}", posts.take)
    async with tools.served(app) as address:
        server = OpenHandsServer(sink, f"http://{address}/api", "k", Approvals(review))
        async with tools.running(server.run):
            now = await sink.until(lambda run: run.status is RunStatus.DONE)
            await server.steer("conv-1", "Use UTC.")
            await server.stop("conv-1")
    assert now.run_id == "conv-1"
    assert posts.seen[0] == (
        "/api/conversations/conv-1/events/respond_to_confirmation",
        {"accept": False, "reason": tools.GUIDANCE},
    )
    assert posts.seen[1][0] == "/api/conversations/conv-1/events"
    assert posts.seen[2][0] == "/api/conversations/conv-1/pause"


async def test_a_refusal_of_the_server_is_one_of_our_errors(tools) -> None:
    async def broken(request: web.Request) -> web.Response:
        return web.Response(status=500, text="token=abcdef0123456789 leaked")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", broken)
    async with tools.served(app) as address:
        server = OpenCodeServer(tools.Watching(), f"http://{address}")
        with pytest.raises(BaseExceptionGroup) as caught:
            await server.session()
        [error] = caught.value.exceptions
        assert isinstance(error, RunUnreachable)
        assert "refused with 500" in error.problem
        assert "abcdef" not in error.problem
        with pytest.raises(RunUnreachable, match="no connection"):
            await server.stop("x")


async def test_an_approval_that_cannot_be_refused_is_said(tools) -> None:
    sink = tools.Watching()

    async def deny(action) -> Ruling:
        return Ruling(Verdict.DENY, "no")

    async def sessions(request: web.Request) -> web.Response:
        return web.json_response([])

    async def stream(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse()
        await answer.prepare(request)
        asked = event("permission.asked", id="per_1", sessionID="ses_1", permission="bash")
        await answer.write(f"data: {json.dumps(asked)}\n\n".encode())
        await asyncio.sleep(30)
        return answer

    app = web.Application()
    app.router.add_get("/session", sessions)
    app.router.add_get("/event", stream)
    async with tools.served(app) as address:
        server = OpenCodeServer(sink, f"http://{address}", Approvals(deny))
        async with tools.running(server.run):
            now = await sink.until(lambda run: run.degraded is not None)
    assert now.degraded.startswith("It was not refused: OpenCode refused with 4")
