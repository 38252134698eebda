"""``jarvis serve``: how it is called, and one spoken question to the real engines."""

from __future__ import annotations

import asyncio
import base64
import io
import os
import signal
import sys
from typing import Any

import numpy as np
import openai
import pytest

from audio.resample import resample
from audio.wav import read_audio
from audio.weights import cache_dir
from jarvis_voice.cli import main
from jarvis_voice.cli.io import Io
from jarvis_voice.resources import asset

RUN = str(asset("runs") / "demo.jsonl")


def called(*arguments: str) -> tuple[int, str]:
    """The exit status and what was said on standard error."""
    out, err = io.StringIO(), io.StringIO()
    status = main(["serve", *arguments], Io(out, err))
    return status, err.getvalue()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--port", "70000"), "70000 is no port"),
        (("--run", RUN, "--clients", "0"), "0 clients"),
        (("--clients", "2"), "Only one client at a time"),
        (("--protocol", "smoke"), "invalid choice"),
    ],
)
def test_a_wrong_call_is_refused_before_anything_is_loaded(arguments, says):
    status, said = called(*arguments)
    assert status == 2
    assert says in said


def test_everybody_is_let_in_on_this_machine_only():
    status, said = called("--run", RUN, "--host", "0.0.0.0", "--no-token")
    assert status == 1
    assert "Without a token" in said


async def answered(url: str, token: str) -> list[Any]:
    """Ask the first shared prompt with the official client; the events up to the answer's start."""
    speech = resample(read_audio(asset("prompts") / "prompt_1.wav")[0], 16_000, 24_000)
    sound = (np.clip(speech, -1, 1) * 32767).astype("<i2").tobytes() + bytes(2 * 24_000)
    seen: list[Any] = []
    official = openai.AsyncOpenAI(api_key=token, base_url=url)
    async with official, official.realtime.connect(model="jarvis") as connection:
        await connection.input_audio_buffer.append(audio=base64.b64encode(sound).decode())
        async with asyncio.timeout(90):
            async for event in connection:
                seen.append(event)
                if event.type == "response.output_audio.delta":
                    await connection.response.cancel()
                if event.type == "response.done":
                    break
    return seen


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.real_time
@pytest.mark.skipif(sys.platform == "win32", reason="ends it by a signal")
async def test_the_real_engines_answer_the_official_client(tmp_path):
    folders = {"XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    cache = str(cache_dir())
    command = ["-m", "jarvis_voice", "serve", "--run", RUN, "--port", "0", "--protocol", "realtime"]
    server = await asyncio.create_subprocess_exec(
        sys.executable,
        *command,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | folders | {"JARVIS_CACHE_DIR": cache},
    )
    assert server.stdout is not None
    try:
        async with asyncio.timeout(120):
            address = (await server.stdout.readline()).decode().strip()
        base, _, token = address.removeprefix("ws").partition("?token=")
        seen = await answered(f"http{base.removesuffix('/realtime')}", token)
    finally:
        server.send_signal(signal.SIGINT)
        _, said = await server.communicate()
    assert server.returncode == 0, said.decode()
    transcripts = [
        event.transcript
        for event in seen
        if event.type == "conversation.item.input_audio_transcription.completed"
    ]
    assert transcripts == ["How is it going?"]
    assert seen[-1].response.status_details.reason == "client_cancelled"
    sound = [event for event in seen if event.type == "response.output_audio.delta"]
    assert np.frombuffer(base64.b64decode(sound[0].delta), "<i2").any()
