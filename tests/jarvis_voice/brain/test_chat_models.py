"""One contract for every chat model: the scripted double, and both real clients over loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

import pytest

from jarvis_voice.brain.anthropic_model import AnthropicModel
from jarvis_voice.brain.chat_model import ChatMessage, ChatModel
from jarvis_voice.brain.model_brain import SORRY, Deadlines, ModelBrain
from jarvis_voice.brain.openai_model import OpenAIModel
from jarvis_voice.brain.scripted import Pause, ScriptedModel
from jarvis_voice.clock import session_now
from jarvis_voice.errors import BrainError, ModelMalformed, ModelUnreachable, SettingsError

pytestmark = pytest.mark.real_time  # the clients talk over real sockets

CHAT = [ChatMessage("system", "Be brief."), ChatMessage("user", "How is it going?")]
STREAM = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@dataclass
class Server:
    """Answers every request with one script of bytes and pauses."""

    script: tuple[bytes | float, ...]
    requests: list[dict] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    url: str = ""
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    at_work: set[asyncio.Task[None]] = field(default_factory=set)

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.at_work.add(asyncio.current_task())
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            size = next(
                int(line.partition(":")[2])
                for line in head.split("\r\n")
                if line.lower().startswith("content-length:")
            )
            self.paths.append(head.split(" ")[1])
            self.requests.append(json.loads(await reader.readexactly(size)))
            for step in self.script:
                if isinstance(step, bytes):
                    writer.write(step)
                    await writer.drain()
                elif await self._left(reader, step):
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            self.hung_up.set()
        finally:
            writer.close()

    async def _left(self, reader: asyncio.StreamReader, seconds: float) -> bool:
        """Waits; whether the client hung up meanwhile."""
        try:
            async with asyncio.timeout(seconds):
                await reader.read()
        except TimeoutError:
            return False
        self.hung_up.set()
        return True


@asynccontextmanager
async def serving(*script: bytes | float) -> AsyncGenerator[Server, None]:
    handler = Server(script)
    server = await asyncio.start_server(handler, "127.0.0.1", 0)
    async with server:
        handler.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield handler
        if handler.at_work:
            await asyncio.wait(handler.at_work, timeout=5)
    for _ in range(5):  # a client's own generators are closed in the loop's next turns
        await asyncio.sleep(0)


def sse(*events: object) -> bytes:
    """Server-sent events; Anthropic's carry their type as the event's name."""
    lines = []
    for event in events:
        name = event.get("type") if isinstance(event, dict) else None
        data = event if isinstance(event, str) else json.dumps(event)
        lines.append((f"event: {name}\n" if name else "") + f"data: {data}\n\n")
    return "".join(lines).encode()


@dataclass(frozen=True)
class Dialect:
    """How one provider says things."""

    make: Callable[[str], ChatModel]
    path: str
    text: Callable[[str], dict]
    tool: dict
    end: tuple[object, ...]


def openai_chunk(delta: dict) -> dict:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    named = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return named | {"choices": [choice]}


def anthropic_delta(delta: dict) -> dict:
    return {"type": "content_block_delta", "index": 0, "delta": delta}


TOOL = {"index": 0, "id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}
DIALECTS = {
    "openai": Dialect(
        lambda url: OpenAIModel("m", f"{url}/v1"),
        "/v1/chat/completions",
        lambda text: openai_chunk({"content": text}),
        openai_chunk({"tool_calls": [TOOL]}),
        ("[DONE]",),
    ),
    "anthropic": Dialect(
        lambda url: AnthropicModel("m", url, "key"),
        "/v1/messages",
        lambda text: anthropic_delta({"type": "text_delta", "text": text}),
        anthropic_delta({"type": "input_json_delta", "partial_json": "{}"}),
        ({"type": "message_stop"},),
    ),
}


@pytest.fixture(params=sorted(DIALECTS))
def dialect(request: pytest.FixtureRequest) -> Dialect:
    return DIALECTS[request.param]


async def everything(model: ChatModel) -> list[str]:
    try:
        async with aclosing(model.stream(CHAT)) as stream:
            return [piece async for piece in stream]
    finally:
        await model.aclose()


async def fault_of(model: ChatModel) -> BrainError:
    with pytest.raises(BrainError) as caught:
        await everything(model)
    assert caught.value.problem
    assert caught.value.remedy
    return caught.value


# --- the contract ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["scripted", *DIALECTS])
async def test_the_pieces_come_in_order_and_none_is_empty(kind: str) -> None:
    if kind == "scripted":
        assert await everything(ScriptedModel(("Two ", "", "steps."))) == ["Two ", "steps."]
        return
    told = DIALECTS[kind]
    events = [told.text("Two "), told.text(""), told.tool, told.text("steps."), *told.end]
    async with serving(STREAM.encode(), sse(*events)) as server:
        assert await everything(told.make(server.url)) == ["Two ", "steps."]
    assert server.paths == [told.path]
    sent = server.requests[0]
    assert sent["stream"] is True
    assert "Be brief." in json.dumps(sent)
    assert sent["messages"][-1] == {"role": "user", "content": "How is it going?"}


@pytest.mark.parametrize("kind", ["scripted", *DIALECTS])
async def test_an_answer_without_a_word_is_malformed(kind: str) -> None:
    if kind == "scripted":
        assert isinstance(await fault_of(ScriptedModel(())), ModelMalformed)
        return
    told = DIALECTS[kind]
    for events in ((), (told.tool, *told.end), told.end):
        async with serving(STREAM.encode(), sse(*events)) as server:
            assert isinstance(await fault_of(told.make(server.url)), ModelMalformed)


@pytest.mark.parametrize("kind", ["scripted", *DIALECTS])
async def test_a_stream_can_be_closed_in_the_middle(kind: str) -> None:
    if kind == "scripted":
        model: ChatModel = ScriptedModel(("One.", Pause(30.0)))
        async with aclosing(model.stream(CHAT)) as stream:
            assert await anext(stream) == "One."
        return
    told = DIALECTS[kind]
    async with serving(STREAM.encode(), sse(told.text("One.")), 30.0) as server:
        model = told.make(server.url)
        before = session_now()
        async with aclosing(model.stream(CHAT)) as stream:
            assert await anext(stream) == "One."
        await model.aclose()
        async with asyncio.timeout(5):
            await server.hung_up.wait()
        assert session_now() - before < 5


# --- what real servers do wrong ----------------------------------------------------------------


async def test_a_dead_server_is_unreachable_at_once(dialect: Dialect) -> None:
    async with serving() as server:
        url = server.url  # its port is closed again when this block ends
    before = session_now()
    fault = await fault_of(dialect.make(url))
    assert isinstance(fault, ModelUnreachable)
    assert fault.retryable
    assert session_now() - before < 3


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
async def test_a_refusal_names_its_status_and_a_remedy(dialect: Dialect, status: int) -> None:
    body = b'{"error": {"message": "no such model", "type": "x"}}'
    head = f"HTTP/1.1 {status} No\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    async with serving(f"{head}\r\nConnection: close\r\n\r\n".encode(), body) as server:
        fault = await fault_of(dialect.make(server.url))
    assert str(status) in fault.problem
    assert len(server.requests) == 1, "a second try would keep the user waiting"


@pytest.mark.parametrize(
    "body",
    [
        b"data: {not json\n\n",
        b'event: content_block_delta\ndata: {"type": "content\n\n',
        b"data: 7\n\n",
        b'data: "text"\n\n',
        b'data: {"choices": null}\n\n',
        b'data: {"choices": [{"delta": null}]}\n\n',
        b'data: {"choices": [{"delta": {"content": 7}}]}\n\n',
        b"<html><body>It works!</body></html>",
        b"\xff\xfe\x00\x00",
        b'data: {"error": {"message": "overloaded"}}\n\n',
        b'event: error\ndata: {"type": "error", "error": {"message": "overloaded"}}\n\n',
    ],
)
async def test_rubbish_is_a_typed_fault(dialect: Dialect, body: bytes) -> None:
    async with serving(STREAM.encode(), body) as server:
        await fault_of(dialect.make(server.url))


async def test_a_connection_that_breaks_off_is_a_typed_fault(
    dialect: Dialect,
) -> None:
    chunked = STREAM.replace("Connection: close", "Transfer-Encoding: chunked").encode()
    words = sse(dialect.text("Half an"))
    async with serving(chunked, f"{len(words):x}\r\n".encode(), words, b"\r\nff\r\nda") as server:
        model = dialect.make(server.url)
        async with aclosing(model.stream(CHAT)) as stream:
            assert await anext(stream) == "Half an"
            with pytest.raises(BrainError):
                await anext(stream)
        await model.aclose()


async def test_a_slow_server_is_replaced_by_the_narrator(dialect: Dialect, make) -> None:
    faults: list[BrainError] = []
    lookup = make.lookup([make.states["done"]])
    async with serving(STREAM.encode(), 30.0) as server:
        model = dialect.make(server.url)
        brain = ModelBrain(model, lookup, faults.append, Deadlines(first_token_s=0.2))
        before = session_now()
        answer = "".join([piece async for piece in brain.reply(make.question("Is it done?"))])
        assert session_now() - before < 3
        await model.aclose()
    assert answer.startswith(f"{SORRY} Yes, it is done.")
    assert isinstance(faults[0], ModelUnreachable)


# --- missing pieces ----------------------------------------------------------------------------


@pytest.mark.parametrize(("package", "make_model"), [
    ("openai", lambda: OpenAIModel("m", "http://127.0.0.1:9/v1")),
    ("anthropic", lambda: AnthropicModel("m", "", "key")),
])  # fmt: skip
async def test_a_missing_client_says_how_to_install_it(monkeypatch, package, make_model) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(SettingsError) as caught:
        make_model()
    assert package in caught.value.problem
    assert "pip install 'jarvis-voice[chat]'" in caught.value.remedy


@pytest.mark.parametrize("make_model", [lambda: OpenAIModel("m"), lambda: AnthropicModel("m")])
async def test_a_missing_key_says_which_variable_to_set(monkeypatch, make_model) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(SettingsError, match="API_KEY"):
        make_model()
