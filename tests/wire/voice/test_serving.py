"""The door for voice clients: the official OpenAI client gets in, and nobody gets in uninvited."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import numpy as np
import openai
import pytest

from audio.tts.scripted import Script, ScriptedSynthesizer
from jarvis_voice.errors import GateError
from jarvis_voice.wire import serving
from jarvis_voice.wire.outbox import Outbox
from jarvis_voice.wire.pcm_session import PcmSession
from jarvis_voice.wire.realtime_config import Voices
from jarvis_voice.wire.realtime_session import RealtimeSession
from jarvis_voice.wire.serving import Door, Protocols, VoiceServer
from jarvis_voice.wire.session import Connection, serve

pytestmark = pytest.mark.real_time
TOKEN = "t" * 43


@pytest.fixture
def door(engines) -> Callable[..., Any]:
    """Opens a server on a free port: ``async with door() as port``."""

    @asynccontextmanager
    async def opened(faults: list[str] | None = None, **changes: Any) -> AsyncIterator[int]:
        async def pcm(connection: Connection) -> str:
            return await serve(connection, PcmSession(Outbox(connection.send)), engines.open_talk)

        async def realtime(connection: Connection) -> str:
            voices = Voices("hum", "scripted", 0.544)
            session = RealtimeSession(Outbox(connection.send), voices, engines.transcribe)
            return await serve(connection, session, engines.open_talk)

        told = faults if faults is not None else []
        chosen = Door(**({"port": 0, "token": TOKEN} | changes))
        async with VoiceServer(chosen, Protocols(pcm, realtime, told.append)) as server:
            yield server.port

    return opened


@asynccontextmanager
async def client(port: int, path: str = "/pcm", **headers: str) -> AsyncIterator[Any]:
    """A plain websocket client."""
    named = {"Authorization": f"Bearer {TOKEN}"} | {k.title(): v for k, v in headers.items()}
    async with (
        aiohttp.ClientSession() as http,
        http.ws_connect(f"http://127.0.0.1:{port}{path}", headers=named) as websocket,
    ):
        yield websocket


async def refusal(port: int, path: str = "/pcm", **headers: str) -> tuple[int, str]:
    """The status and the sentence with which a client is turned away."""
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode(),
    }
    named = upgrade | {k.title().replace("_", "-"): v for k, v in headers.items()}
    async with (
        aiohttp.ClientSession() as http,
        http.get(f"http://127.0.0.1:{port}{path}", headers=named) as answer,
    ):
        return answer.status, (await answer.json())["error"]


async def speak(connection: Any, interrupt: asyncio.Event) -> None:
    """A question, silence until it is time to interrupt, then more; at the pace of time."""
    noise = np.random.default_rng(1)
    loop = asyncio.get_running_loop()
    began_s, left = loop.time(), 30
    for frame in itertools.count():
        if interrupt.is_set():
            interrupt.clear()
            left = 60
        left -= 1
        level = 3276.0 if left >= 0 else 0.0
        samples = (noise.standard_normal(480) * level).clip(-32768, 32767).astype("<i2")
        audio = base64.b64encode(samples.tobytes()).decode()
        await connection.input_audio_buffer.append(audio=audio)
        await asyncio.sleep(max(0.0, began_s + 0.02 * frame - loop.time()))


async def test_the_official_client_talks_and_interrupts(door, engines):
    engines.replies = ["How is it going?", "What failed?"]
    engines.synthesizer = ScriptedSynthesizer(Script(word_s=0.12, gap_s=0.02))
    interrupt = asyncio.Event()
    seen: list[Any] = []
    async with door() as port:
        official = openai.AsyncOpenAI(api_key=TOKEN, base_url=f"http://127.0.0.1:{port}/v1")
        async with official, official.realtime.connect(model="jarvis") as connection:
            await connection.session.update(
                session={"type": "realtime", "instructions": "Be short.", "audio": {}}
            )
            async with asyncio.timeout(30), asyncio.TaskGroup() as group:
                speaking = group.create_task(speak(connection, interrupt))
                async for event in connection:
                    seen.append(event)
                    deltas = sum(e.type == "response.output_audio.delta" for e in seen)
                    if deltas == 20 and event.type == "response.output_audio.delta":
                        interrupt.set()
                    if sum(e.type == "response.done" for e in seen) == 2:
                        break
                speaking.cancel()
    done = [event.response for event in seen if event.type == "response.done"]
    assert [r.status for r in done] == ["cancelled", "completed"]
    assert done[0].status_details.reason == "turn_detected"
    assert done[1].output[0].content[0].transcript == "Nothing failed so far."
    heard = [
        event.transcript
        for event in seen
        if event.type == "conversation.item.input_audio_transcription.completed"
    ]
    assert heard == ["How is it going?", "What failed?"]
    assert not [event for event in seen if event.type == "error"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"x_jarvis_token": ""}, 401),
        ({"authorization": f"Bearer {TOKEN}", "origin": "https://evil.example"}, 403),
        ({"authorization": f"Bearer {TOKEN}", "host": "jarvis.evil.example"}, 403),
    ],
)
async def test_nobody_gets_in_uninvited(door, headers, status):
    faults: list[str] = []
    async with door(faults) as port:
        got, sentence = await refusal(port, **headers)
    assert (got, bool(sentence)) == (status, True)
    assert faults == [f"/pcm: {sentence}"]


async def test_a_page_that_is_allowed_and_a_token_in_the_address_get_in(door):
    async with door(origins=frozenset({"http://localhost:3000"})) as port:
        path = f"/any/path?token={TOKEN}"
        async with client(port, path, authorization="", origin="http://localhost:3000") as one:
            assert not one.closed


async def test_without_a_token_only_this_machine_is_served(door):
    async with door(token=None) as port, client(port, authorization="") as one:
        assert not one.closed
    with pytest.raises(GateError, match=r"0\.0\.0\.0"):
        Door(host="0.0.0.0", token=None)


async def test_who_is_no_websocket_is_told_so(door):
    async with door() as port, aiohttp.ClientSession() as http:
        named = {"Authorization": f"Bearer {TOKEN}"}
        async with http.get(f"http://127.0.0.1:{port}/pcm", headers=named) as answer:
            assert answer.status == 426
        async with http.get(f"http://127.0.0.1:{port}/health") as answer:
            assert (await answer.json())["service"] == "jarvis-serve"


async def test_a_second_client_waits_for_the_first_and_is_then_told(door, monkeypatch):
    monkeypatch.setattr(serving, "ADMIT_S", 0.2)
    named = {"authorization": f"Bearer {TOKEN}"}
    async with door() as port:
        async with client(port):
            status, sentence = await refusal(port, **named)
        async with client(port) as second:
            assert not second.closed
    assert status == 503
    assert "1 at a time" in sentence


async def test_two_clients_have_a_conversation_each(door, engines):
    async with door(clients=2) as port, client(port), asyncio.timeout(10):
        await engines.opened.wait()
        engines.opened.clear()
        async with client(port):
            await engines.opened.wait()
    assert engines.talks[0] is not engines.talks[1]


async def test_a_huge_message_closes_the_connection(door):
    faults: list[str] = []
    async with door(faults) as port:
        async with client(port) as one:
            with contextlib.suppress(ConnectionError):  # it may be closed before all is sent
                await one.send_bytes(bytes(serving.MESSAGE_BYTES + 2))
            await one.receive(timeout=10)
        async with client(port) as next_one:
            assert not next_one.closed
    (fault,) = faults
    assert "exceeds limit" in fault


async def test_garbage_instead_of_frames_harms_nobody_else(door):
    async with door() as port:
        async with client(port) as one:
            one._writer.transport.write(b"\xff" * 4096)
            message = await one.receive(timeout=10)
            assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)
        async with client(port) as next_one:
            assert not next_one.closed


async def test_a_client_that_is_half_gone_gives_its_place_up(door, monkeypatch):
    monkeypatch.setattr(serving, "HEARTBEAT_S", 0.4)
    async with door() as port:
        dead = socket.create_connection(("127.0.0.1", port))
        try:
            head = (
                f"GET /pcm HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\n"
                f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}\r\n"
                f"Authorization: Bearer {TOKEN}\r\n\r\n"
            )
            dead.sendall(head.encode())  # and it never answers a ping
            await asyncio.sleep(0.1)
            async with client(port) as next_one:
                assert not next_one.closed
        finally:
            dead.close()


async def test_a_client_is_told_that_jarvis_closes(door):
    async with door() as port:
        http = aiohttp.ClientSession()
        named = {"Authorization": f"Bearer {TOKEN}"}
        websocket = await http.ws_connect(f"http://127.0.0.1:{port}/pcm", headers=named)
        reading = asyncio.ensure_future(websocket.receive(timeout=10))
        await asyncio.sleep(0)
    message = await reading
    assert message.data == 1001
    await http.close()


async def test_a_port_that_is_taken_is_told(door):
    async with door() as port:
        with pytest.raises(GateError, match="cannot be served"):
            async with door(port=port):
                pass
