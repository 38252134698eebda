"""Running ``jarvis`` as a person would, and sound files good and bad."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from jarvis_voice.boundary import ProposedAction, Ruling
from jarvis_voice.cli import main
from jarvis_voice.cli.io import Io
from jarvis_voice.runtimes import RUNTIMES
from jarvis_voice.wire.gate_server import Ears, GateServer
from jarvis_voice.wire.rendezvous import Rendezvous
from jarvis_voice.wire.settings import GateSettings

RATE = 16_000


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended."""

    status: int
    out: str
    err: str

    def refused(self, status: int = 1) -> str:
        """The one line on standard error of a command that failed, after checking that it is."""
        assert self.status == status, self
        [line] = self.err.splitlines()
        assert line.startswith("jarvis: ")
        assert "Traceback" not in self.err
        assert line.count(". ") >= 1, f"says what happened, but not what to do: {line}"
        return line


@pytest.fixture
def jarvis(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Ran]:
    """Call ``jarvis`` in this process, with no settings but the defaults."""
    settings = tmp_path / "settings.toml"
    settings.write_text("", encoding="utf-8")
    monkeypatch.setenv("JARVIS_CONFIG", str(settings))
    monkeypatch.setenv("COLUMNS", "120")  # whatever the width of the window that runs the tests

    def call(*words: object) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        status = main([str(word) for word in words], Io(out, err))
        return Ran(status, out.getvalue(), err.getvalue())

    return call


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Ran]:
    """Call ``jarvis`` as a program of its own, from outside the checkout."""

    def call(*words: object, stdin: str = "", **environment: str) -> Ran:
        import os

        done = subprocess.run(
            [sys.executable, "-m", "jarvis_voice", *(str(word) for word in words)],
            cwd=tmp_path,
            env=os.environ | environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture(scope="session")
def hum() -> NDArray[np.float32]:
    """Two seconds without speech: a mains hum."""
    at_s = np.arange(2 * RATE) / RATE
    return (0.05 * np.sin(2 * np.pi * 60 * at_s)).astype(np.float32)


@pytest.fixture
def hum_file(tmp_path: Path, hum: NDArray[np.float32]) -> Path:
    path = tmp_path / "hum.wav"
    soundfile.write(path, hum, RATE)
    return path


@contextmanager
def _running_gate(
    folder: Path, ruling: Ruling, seen: list[ProposedAction], told: list[Any]
) -> Iterator[int]:
    async def review(action: ProposedAction) -> Ruling:
        seen.append(action)
        return ruling

    async def serve() -> None:
        rendezvous = Rendezvous(folder)
        ears = Ears(lambda _name, record: told.append(record))
        settings = GateSettings(port=0)
        async with GateServer(review, ears, settings, RUNTIMES, rendezvous.token()) as server:
            rendezvous.announce(server.port)
            ports.append(server.port)
            ready.set()
            await asyncio.to_thread(over.wait)

    ports: list[int] = []
    ready, over = threading.Event(), threading.Event()
    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(10)
        yield ports[0]
    finally:
        over.set()
        thread.join(10)


@pytest.fixture
def running_gate() -> Callable[..., Any]:
    """Runs a gate in a thread of its own, announced in a folder; it rules at once and notes all."""
    return _running_gate
