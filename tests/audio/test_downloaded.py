from __future__ import annotations

from pathlib import Path

import pytest

from audio.downloaded import DownloadedEngine
from audio.engine import EngineKind

HERE = "json"
NOT_HERE = "no_such_package"
INSTALL = 'pip install "jarvis-voice[some]"'


def _engine(*packages: str, files: tuple[str, ...] = ()) -> DownloadedEngine:
    kind = EngineKind.RECOGNIZER
    return DownloadedEngine("some", kind, "Some engine", "some", packages, files=files)


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "config.json").touch()
    return str(tmp_path)


def test_it_is_installed_when_packages_and_weights_are_here(model: str) -> None:
    info = _engine(HERE).describe(model)
    assert info.installed
    assert info.install_hint == ""
    assert [weight.path for weight in info.weights] == [model]


def test_one_missing_package_is_enough_to_name_the_extra(model: str) -> None:
    info = _engine(HERE, NOT_HERE).describe(model)
    assert not info.installed
    assert info.install_hint == INSTALL


def test_missing_weights_name_their_download_and_its_files() -> None:
    info = _engine(HERE, files=("config.json", "w.bin")).describe("nobody/no-such-model")
    assert not info.installed
    assert info.install_hint == "hf download nobody/no-such-model config.json w.bin"
    assert [weight.path for weight in info.weights] == [None]


def test_what_is_missing_is_named_in_one_line() -> None:
    info = _engine(NOT_HERE).describe("nobody/no-such-model")
    assert info.install_hint == f"{INSTALL} && hf download nobody/no-such-model"
