"""Runs what stands in a runtime's settings just as the runtime would, and returns the answer."""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jarvis_voice.errors import AttachError

TRY_S = 30.0  # far more than a canary is held
_ANSWER_BYTES = 64 * 1024


def get(url: str) -> Any:
    """A JSON document from a program on this machine. Raises AttachError."""
    return _http("GET", url, {}, None)


def post(url: str, headers: Mapping[str, str], payload: Mapping[str, Any]) -> Any:
    """The JSON answer of an HTTP hook. Raises AttachError."""
    sent = {"Content-Type": "application/json"} | dict(headers)
    return _http("POST", url, sent, json.dumps(payload))


def _http(method: str, url: str, headers: dict[str, str], sent: str | None) -> Any:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TRY_S)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    try:
        connection.request(method, path, sent, headers)
        response = connection.getresponse()
        body = response.read(_ANSWER_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise AttachError(f"{parts.netloc} does not answer: {error}.", "Is it the gate?") from error
    finally:
        connection.close()
    if response.status != http.client.OK:
        raise AttachError(f"{parts.netloc} answered {response.status} {response.reason}.")
    return _parsed(body, url)


def by_gate_file(gate_file: Path, runtime: str, payload: Mapping[str, Any]) -> Any:
    """The gate's answer, asked as a plugin would. Raises AttachError."""
    try:
        gate = json.loads(gate_file.read_bytes())
        url = f"http://127.0.0.1:{int(gate['port'])}/gate/{runtime}"
        headers = {"Authorization": f"Bearer {gate['token']}"}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AttachError(f"{gate_file} names no running gate: {error}.") from error
    return post(url, headers, payload)


def command(line: str, payload: Mapping[str, Any]) -> Any:
    """The JSON answer of a command hook, run by the shell. Raises AttachError."""
    return _run(line, payload, shell=True)


def node(script: str, payload: Mapping[str, Any], folder: Path) -> Any:
    """The JSON that a module script prints under Node.js, None when that is not installed."""
    program = shutil.which("node")
    if program is None:
        return None
    words = [program, "--input-type=module", "--eval", script]
    return _run(words, payload, shell=False, folder=folder)


def _run(
    words: str | list[str], payload: Mapping[str, Any], *, shell: bool, folder: Path | None = None
) -> Any:
    shown = words if isinstance(words, str) else words[0]
    try:
        done = subprocess.run(
            words,
            shell=shell,
            cwd=folder,
            input=json.dumps(payload).encode(),
            capture_output=True,
            timeout=TRY_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AttachError(f"The hook command did not run: {error}.") from error
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()[-300:]
        raise AttachError(f"The hook command {shown} failed ({done.returncode}): {said}.")
    return _parsed(done.stdout[:_ANSWER_BYTES], str(shown))


def _parsed(body: bytes, where: str) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        said = body[:80].decode(errors="replace")
        raise AttachError(f"{where} answered with no JSON: {said!r}.") from error
