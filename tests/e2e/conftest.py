"""A home for the agent, the user's recorded answer and the loaded engines."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from bench.end_to_end import ANSWER, ELSEWHERE
from bench.real_agents import Sandbox
from bench.voice_room import spoken
from jarvis_voice.cli import build
from jarvis_voice.config import Settings


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox.made(tmp_path / "sandbox")


@pytest.fixture(scope="session")
def spoken_answers() -> dict[str, NDArray[np.float32]]:
    """What the user says, by its text."""
    texts = (ANSWER, ELSEWHERE)
    return dict(zip(texts, spoken(*texts), strict=True))


@pytest.fixture(scope="session")
def engines(spoken_answers: dict[str, NDArray[np.float32]]) -> Iterator[build.Engines]:
    """After the answers: their voice needs the same memory."""
    loaded = build.load_engines(Settings())
    yield loaded
    loaded.close()


@pytest.fixture(scope="session")
def agents() -> ModuleType:
    """What must hold of every program."""
    return _loaded("e2e_agents", Path(__file__).with_name("agents.py"))


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A tiny benchmark task whose user answers at once."""
    tiny = _loaded("e2e_tiny", Path(__file__).parents[1] / "bench/conftest.py")
    made = tiny.make_task(tmp_path / "tasks", "gifts", sealed={"availability": {"delay_s": 0}})
    assert isinstance(made, Path)
    return made


def _loaded(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
