"""Another interpreter is asked what it has, and what it lacks is named with the remedy."""

from __future__ import annotations

import os
import venv
from importlib import metadata
from pathlib import Path

import pytest

from bench.errors import ForeignFailed
from bench.foreign import environment
from bench.foreign.environment import BESIDE, MODELS, PIPECAT


@pytest.fixture
def complete() -> dict[str, str]:
    return {PIPECAT: "1.14.0", **{name: metadata.version(name) for name in (*MODELS, *BESIDE)}}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=os.name != "nt")
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def test_an_environment_with_all_of_it_lacks_nothing(complete: dict[str, str]) -> None:
    assert environment.missing(complete) == []


def test_only_runtimes_and_weights_must_be_of_our_versions(complete: dict[str, str]) -> None:
    changed = dict.fromkeys(complete, "0.0.1") | {PIPECAT: "1.14.7"}
    lacks = environment.missing(changed)
    assert len(lacks) == len(MODELS)
    assert f"onnxruntime is 0.0.1 there and {metadata.version('onnxruntime')} here" in lacks


def test_another_series_of_pipecat_is_none(complete: dict[str, str]) -> None:
    assert environment.missing(complete | {PIPECAT: "1.140.0"}) == [
        "pipecat-ai is 1.140.0, not 1.14"
    ]


def test_an_interpreter_without_pipecat_is_told_how_to_get_it(bare: Path) -> None:
    with pytest.raises(ForeignFailed) as failed:
        environment.check(bare)
    assert "pipecat-ai is not installed, and 12 more" in failed.value.problem
    assert "python -m bench.beside_pipecat --install DIR" in failed.value.remedy
    assert f"{bare} -m pip install pipecat-ai==1.14.*" in failed.value.remedy
    assert f"onnxruntime=={metadata.version('onnxruntime')}" in failed.value.remedy


def test_what_is_no_interpreter_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(ForeignFailed, match="is no Python"):
        environment.check(tmp_path / "python")


def test_an_installer_that_fails_is_told_of(bare: Path, tmp_path: Path) -> None:
    with pytest.raises(ForeignFailed, match="could not be made"):
        environment.install(bare.parents[1])  # it has no pip
    (tmp_path / "file").touch()
    with pytest.raises(ForeignFailed, match="could not be made"):
        environment.install(tmp_path / "file")
