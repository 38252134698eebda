"""Nobody but the user's own runtimes gets through the gate, and nothing they send can choke it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.wire import gate_server

pytestmark = pytest.mark.real_time


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic " + "t" * 43}, 401),
        ({"Authorization": "Bearer " + "t" * 42}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example:8767"}, 403),
        ({"Host": "evil.example:80@127.0.0.1"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": ""}, 415),
        ({"Content_Type": "multipart/form-data; boundary=x"}, 415),
    ],
)
async def test_who_does_not_belong_here_is_refused(
    gate: Any, desk: Any, call: Any, headers: dict[str, str], status: int
) -> None:
    desk.at_once = Ruling(Verdict.ALLOW)
    async with gate(desk) as caller:
        answer = await caller.post("/gate/claude-code", call(), **headers)
        assert answer.status == status
        assert answer.body["error"]
        assert desk.seen == []
        assert desk.faults


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:8767", "127.0.0.1:8767"])
async def test_loopback_by_any_of_its_names_is_served(
    gate: Any, desk: Any, call: Any, host: str
) -> None:
    desk.at_once = Ruling(Verdict.ALLOW)
    async with gate(desk) as caller:
        assert (await caller.post("/gate/claude-code", call(), Host=host)).status == 200


@pytest.mark.parametrize("where", ["header", "query"])
async def test_the_token_may_come_in_other_places(
    gate: Any, desk: Any, call: Any, where: str
) -> None:
    desk.at_once = Ruling(Verdict.ALLOW)
    token = "t" * 43
    path = "/gate/claude-code" + (f"?token={token}" if where == "query" else "")
    headers = {"X_Jarvis_Token": token} if where == "header" else {}
    async with gate(desk) as caller:
        answer = await caller.post(path, call(), Authorization="", **headers)
        assert answer.status == 200


async def test_health_needs_no_token_and_tells_no_secret(gate: Any, desk: Any) -> None:
    async with gate(desk) as caller:
        good = f"GET /health HTTP/1.1\nHost: 127.0.0.1:{caller.port}\nConnection: close"
        answer = await caller.send(good)
        foreign = await caller.send(good.replace("127.0.0.1", "evil.example"))
    assert answer.body["service"] == "jarvis-gate"
    assert "t" * 43 not in json.dumps(answer.body)
    assert foreign.status == 403


async def test_the_gate_listens_on_loopback_only(gate: Any, desk: Any, monkeypatch: Any) -> None:
    listened: list[Any] = []
    real = asyncio.get_running_loop().create_server

    async def noted(*args: Any, **kwargs: Any) -> Any:
        server = await real(*args, **kwargs)
        listened.extend(server.sockets)
        return server

    monkeypatch.setattr(asyncio.get_running_loop(), "create_server", noted)
    async with gate(desk):
        assert [socket.getsockname()[0] for socket in listened] == ["127.0.0.1"]


@pytest.mark.parametrize("told", [True, False])
async def test_fifty_megabytes_are_refused_and_never_buffered(
    gate: Any, desk: Any, told: bool
) -> None:
    size = 50 * 1024 * 1024
    async with gate(desk) as caller:
        reader, writer = await asyncio.open_connection("127.0.0.1", caller.port)
        if told:
            head = caller.head("/gate/claude-code", size)
        else:
            head = caller.head(
                "/gate/claude-code", 0, Content_Length="", Transfer_Encoding="chunked"
            )
        writer.write(head.replace("\n", "\r\n").encode() + b"\r\n\r\n")
        piece = b"x" * 65536 if told else b"10000\r\n" + b"x" * 65536 + b"\r\n"
        sent = 0
        while not reader.at_eof() and sent < size:
            writer.write(piece)
            sent += 65536
            try:
                await asyncio.wait_for(writer.drain(), 5)
            except (ConnectionError, TimeoutError):
                break
            if reader._buffer:
                break  # the answer is there, long before the end
        status = (await reader.readline()).split()[1]
        writer.close()
    assert status == b"413"
    assert sent < 16 * 1024 * 1024


async def test_a_body_that_trickles_is_given_up(
    gate: Any, desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_server, "BODY_S", 0.05)
    async with gate(desk) as caller:
        answer = await caller.send(caller.head("/gate/claude-code", 1000), b'{"session_id": ')
    assert answer.status == 408


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"PreToolUse"', b"\xff\xfe", b"[" * 100_000, b"null", b'{"a": 1} trailing'],
)
@pytest.mark.parametrize("rule", ["open", "closed"])
async def test_an_unreadable_input_is_answered_by_the_rule(
    gate: Any, desk: Any, body: bytes, rule: str
) -> None:
    async with gate(desk) as caller:
        answer = await caller.post(f"/gate/claude-code?fail={rule}", body)
    assert answer.status == 200
    assert ("could not read" in str(answer.body)) == (rule == "closed")
    assert desk.seen == []
    assert desk.faults


async def test_a_packed_body_is_not_unpacked(gate: Any, desk: Any) -> None:
    async with gate(desk) as caller:
        answer = await caller.post(
            "/gate/claude-code?fail=closed", b"\x1f\x8b" + b"0" * 64, Content_Encoding="gzip"
        )
    assert "could not read" in str(answer.body)


async def test_unknown_places_and_runtimes_are_refused(gate: Any, desk: Any, call: Any) -> None:
    async with gate(desk) as caller:
        assert (await caller.post("/gate/nobody", call())).status == 404
        assert (await caller.post("/secrets", call())).status == 404
        got = f"GET /gate HTTP/1.1\nHost: localhost\nAuthorization: Bearer {'t' * 43}"
        assert (await caller.send(got + "\nConnection: close")).status == 405
