"""The OpenAI-compatible synthesizer against a small server on the loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from audio.engine import CancelToken
from audio.errors import Cancelled, EngineFailed, EngineMissing
from audio.tts.base import SpeechChunk
from audio.tts.openai_http import OpenAISpeechSettings, OpenAISynthesizer, describe

pytest.importorskip("openai", reason="the chat extra is not installed")
pytestmark = pytest.mark.extra

SECOND = (0.2 * np.sin(np.arange(24_000) * 0.1) * 32_767).astype("<i2").tobytes()


class Server:
    """Speaks what it was given, block by block; ``hold`` keeps the line open after the blocks."""

    def __init__(self) -> None:
        self.status = 200
        self.content_type = "audio/pcm"
        self.blocks: list[bytes] = [SECOND]
        self.hold = False
        self.cut = False  # promise more than is sent
        self.requests: list[tuple[str, str, dict[str, object]]] = []
        self.release = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, self.headers["Authorization"], body))
                self.close_connection = True
                self.send_response(outer.status)
                self.send_header("Content-Type", outer.content_type)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for block in outer.blocks:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(block), block))
                if outer.hold:
                    outer.release.wait(10)
                if not outer.cut:
                    self.wfile.write(b"0\r\n\r\n")

            def log_message(self, format: str, *args: object) -> None:
                """Tests stay quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def synthesizer(server: Server) -> Iterator[OpenAISynthesizer]:
    opened = OpenAISynthesizer(
        OpenAISpeechSettings(server.url, api_key="secret", timeout_s=5, retries=0)
    )
    yield opened
    opened.close()


def test_it_keeps_the_contract(check_synthesizer, server: Server) -> None:
    server.blocks = [SECOND, SECOND]
    check_synthesizer(lambda: OpenAISynthesizer(OpenAISpeechSettings(server.url, retries=0)))


def test_it_asks_for_raw_sound_with_the_words_to_be_said(say, server: Server) -> None:
    settings = OpenAISpeechSettings(server.url, "secret", "tts-9", "verse", 1.25)
    opened = OpenAISynthesizer(settings)
    say(opened, "It is done.")
    opened.close()
    path, authorization, body = server.requests[0]
    assert path == "/v1/audio/speech"
    assert authorization == "Bearer secret"
    assert body == {
        "model": "tts-9",
        "voice": "verse",
        "input": "It is done.",
        "response_format": "pcm",
        "speed": 1.25,
    }


def test_all_sound_arrives_whatever_the_cuts(say, server: Server, synthesizer) -> None:
    server.blocks = [SECOND[:1], SECOND[1:5_000], SECOND[5_000:30_001], SECOND[30_001:]]
    chunks = say(synthesizer, "It is done.")
    samples = np.concatenate([chunk.samples for chunk in chunks])
    assert np.array_equal(samples, np.frombuffer(SECOND, "<i2").astype(np.float32) / 32_768)
    assert len(chunks) > 1


def test_sound_is_passed_on_while_the_server_still_speaks(phrase, server: Server, synthesizer):
    server.hold = True
    pieces = synthesizer.synthesize(phrase("It is done."), CancelToken())
    assert len(next(pieces).samples) > 0
    assert not server.release.is_set()
    server.release.set()
    assert sum(len(chunk.samples) for chunk in pieces) > 0


def test_a_cancel_is_obeyed_while_the_server_is_silent(phrase, server: Server, synthesizer) -> None:
    server.blocks, server.hold = [], True
    cancel = CancelToken()
    threading.Timer(0.2, cancel.cancel).start()
    with pytest.raises(Cancelled):
        list(synthesizer.synthesize(phrase("It is done."), cancel))
    assert not server.release.is_set()


@pytest.mark.parametrize(
    ("status", "message"),
    [(401, "refused the key"), (404, "answered 404"), (500, "answered 500")],
)
def test_a_refusal_is_told_in_one_line(say, server: Server, synthesizer, status, message) -> None:
    server.status, server.content_type, server.blocks = status, "application/json", [b"{}"]
    with pytest.raises(EngineFailed, match=message) as raised:
        say(synthesizer, "It is done.")
    assert "\n" not in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_page_is_not_taken_for_sound(say, server: Server, synthesizer) -> None:
    server.content_type, server.blocks = "text/html; charset=utf-8", [b"<html>hello</html>"]
    with pytest.raises(EngineFailed, match=r"sent text/html.*not sound.*base_url"):
        say(synthesizer, "It is done.")


def test_no_sound_at_all_is_a_failure(say, server: Server, synthesizer) -> None:
    server.blocks = []
    with pytest.raises(EngineFailed, match="without any sound"):
        say(synthesizer, "It is done.")


def test_a_line_that_breaks_keeps_what_was_said(phrase, server: Server, synthesizer) -> None:
    server.blocks, server.cut = [SECOND, SECOND], True
    pieces = synthesizer.synthesize(phrase("It is done."), CancelToken())
    heard: list[SpeechChunk] = []
    with pytest.raises(EngineFailed, match="broke off"):
        heard.extend(pieces)
    assert sum(len(chunk.samples) for chunk in heard) > 24_000


def test_a_server_that_never_answers_is_given_up(say, server: Server) -> None:
    server.blocks, server.hold = [], True
    opened = OpenAISynthesizer(OpenAISpeechSettings(server.url, timeout_s=0.3, retries=0))
    with pytest.raises(EngineFailed, match=r"no sound within 0\.3 s"):
        say(opened, "It is done.")
    opened.close()


def test_no_server_is_told_in_one_line(say) -> None:
    opened = OpenAISynthesizer(OpenAISpeechSettings("http://127.0.0.1:9/v1", retries=0))
    with pytest.raises(EngineFailed, match="cannot be reached"):
        say(opened, "It is done.")
    opened.close()


def test_it_wants_an_address() -> None:
    with pytest.raises(EngineMissing, match="base_url"):
        OpenAISynthesizer(OpenAISpeechSettings(""))


def test_the_key_is_not_in_the_settings_as_text() -> None:
    assert "secret" not in repr(OpenAISpeechSettings("http://x/v1", "secret"))
    assert describe().installed
