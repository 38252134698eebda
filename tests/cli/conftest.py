"""Running ``jarvis`` as a person would, and sound files good and bad."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from jarvis_voice.cli import main
from jarvis_voice.cli.io import Io

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
