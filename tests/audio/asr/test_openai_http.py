from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
import soundfile

from audio.asr.base import Final
from audio.asr.openai_http import OpenAIRecognizer, OpenAISettings
from audio.engine import CancelToken
from audio.errors import Cancelled, EngineFailed, EngineMissing

pytest.importorskip("openai", reason="the chat extra is not installed")
pytestmark = pytest.mark.extra

SPEECH = [(np.full(512, 0.1, dtype=np.float32), 0.9)] * 30


class Server:
    """Answers in turn with what it was given: (status, body), or None to hold the line."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, bytes] | None] = []
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.release = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append(
                    (self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                )
                answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                if answer is None:
                    outer.release.wait(5)
                    self.close_connection = True
                    return
                self.send_response(answer[0])
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer[1])))
                self.end_headers()
                self.wfile.write(answer[1])

            def log_message(self, format: str, *args: object) -> None:
                """Tests stay quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        self.release.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def says(text: str) -> tuple[int, bytes]:
    return 200, json.dumps({"text": text}).encode()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


def final_of(settings: OpenAISettings, cancel: CancelToken | None = None) -> Final:
    recognizer = OpenAIRecognizer(settings)
    stream = recognizer.stream()
    for frame in SPEECH:
        stream.push(*frame)
    try:
        return stream.final(cancel or CancelToken())
    finally:
        stream.close()
        recognizer.close()


def test_it_sends_the_speech_as_wav_and_takes_the_text(server: Server) -> None:
    server.answers = [says(" What broke? ")]
    final = final_of(OpenAISettings(server.url, "secret", "parakeet", "en"))
    assert final.text == "What broke?"
    assert final.engine == "openai/parakeet"
    path, headers, body = server.requests[0]
    assert path == "/v1/audio/transcriptions"
    assert headers["authorization"] == "Bearer secret"
    assert b'name="model"\r\n\r\nparakeet' in body
    assert b'name="language"\r\n\r\nen' in body
    start = body.index(b"RIFF")
    samples, rate = soundfile.read(io.BytesIO(body[start:]))
    assert rate == 16_000
    assert samples[:100] == pytest.approx(0.1, abs=1e-3)


def test_silence_is_never_sent(server: Server) -> None:
    server.answers = [says("Thank you.")]
    recognizer = OpenAIRecognizer(OpenAISettings(server.url))
    stream = recognizer.stream()
    stream.push(np.zeros(32_000, dtype=np.float32), 0.02)
    assert stream.final(CancelToken()).text == ""
    assert server.requests == []
    recognizer.close()


def test_hypotheses_send_nothing(server: Server) -> None:
    server.answers = [says("hello")]
    recognizer = OpenAIRecognizer(OpenAISettings(server.url))
    stream = recognizer.stream()
    for frame in SPEECH:
        stream.push(*frame)
    assert stream.hypothesis(CancelToken()).text == ""
    assert server.requests == []
    recognizer.close()


def test_a_busy_server_is_asked_once_more(server: Server) -> None:
    server.answers = [(503, b"{}"), says("hello")]
    assert final_of(OpenAISettings(server.url)).text == "hello"
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((401, b"{}"), "refused the key"),
        ((404, b"{}"), "no model 'whisper-1'"),
        ((500, b"{}"), "status 500"),
        ((200, b'{"words": []}'), "without a text"),
        ((200, b"not json"), "unusable answer"),
    ],
)
def test_each_failure_is_told_in_one_line(
    server: Server, answer: tuple[int, bytes], told: str
) -> None:
    server.answers = [answer]
    with pytest.raises(EngineFailed) as caught:
        final_of(OpenAISettings(server.url, "secret", retries=0))
    assert told in str(caught.value)
    assert server.url in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)
    assert caught.value.remedy
    assert len(server.requests) == 1


def test_a_server_that_hangs_is_given_up(server: Server) -> None:
    server.answers = [None]
    with pytest.raises(EngineFailed, match=r"within 0\.2 s"):
        final_of(OpenAISettings(server.url, timeout_s=0.2, retries=0))


def test_a_server_that_is_not_there_is_named(server: Server) -> None:
    gone = Server()
    gone.close()
    with pytest.raises(EngineFailed, match="cannot be reached"):
        final_of(OpenAISettings(gone.url, retries=0))


def test_a_cancelled_final_is_not_sent(server: Server) -> None:
    server.answers = [says("hello")]
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        final_of(OpenAISettings(server.url), token)
    assert server.requests == []


def test_without_an_address_it_says_what_to_set() -> None:
    with pytest.raises(EngineMissing, match="base_url"):
        OpenAIRecognizer(OpenAISettings(""))


def test_the_key_is_not_shown() -> None:
    assert "secret" not in repr(OpenAISettings("http://x/v1", "secret"))


def test_it_keeps_the_contract(server: Server, check_recognizer: Callable[..., None]) -> None:
    server.answers = [says("hello")]
    settings = OpenAISettings(server.url)
    check_recognizer(lambda: OpenAIRecognizer(settings), SPEECH, rolling=False)
