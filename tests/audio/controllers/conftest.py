"""The contract suite, and a tiny network in the place of Smart Turn's."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


def _beside(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        f"controllers_{name}", Path(__file__).with_name(f"{name}.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def check_controller() -> Callable[..., None]:
    """The contract suite."""
    check: Callable[..., None] = _beside("contract").check_controller
    return check


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Smart Turn's input and output, with nothing learned in between."""
    path: Path = _beside("tiny_onnx").write(tmp_path_factory.mktemp("weights") / "tiny.onnx")
    return path


@pytest.fixture(scope="session")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network that is another one."""
    folder = tmp_path_factory.mktemp("weights")
    path: Path = _beside("tiny_onnx").write(folder / "other.onnx", name="sound")
    return path
