from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from audio.asr import qwen3_mlx
from audio.asr.qwen3_mlx import Qwen3MlxRecognizer, Qwen3MlxSettings
from audio.engine import CancelToken
from audio.errors import EngineCorrupt, EngineMissing

pytestmark = pytest.mark.extra

NOISE = np.random.default_rng(1).standard_normal((40, 512)).astype(np.float32) * 0.1
SPEECH = [(frame, 0.9) for frame in NOISE]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tiny_qwen: ModuleType) -> Path:
    """A model on disk that says "yes" whatever it hears."""
    pytest.importorskip("mlx.core", reason="the mlx extra is not installed")
    pytest.importorskip("mlx_qwen3_asr", reason="the mlx extra is not installed")
    made: Path = tmp_path_factory.mktemp("model")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the libraries' own, while the test makes its model
        tiny_qwen.write_for_mlx(made)
    return made


def test_it_loads_a_model_from_disk_and_says_its_word(folder: Path) -> None:
    recognizer = Qwen3MlxRecognizer(Qwen3MlxSettings(str(folder)))
    stream = recognizer.stream()
    for frame in SPEECH:
        stream.push(*frame)
    final = stream.final(CancelToken())
    assert final.text == "yes"
    assert final.engine == "qwen3-asr-0.6b-mlx/whole"
    assert final.language == "en"
    assert recognizer.info.installed
    assert recognizer.info.weights[0].path == str(folder)
    stream.close()
    recognizer.close()


@pytest.mark.slow  # a tiny model with a whole vocabulary takes a second per answer on a CPU
def test_it_keeps_the_contract(folder: Path, check_recognizer: Callable[..., None]) -> None:
    check_recognizer(lambda: Qwen3MlxRecognizer(Qwen3MlxSettings(str(folder))), SPEECH)


def test_a_damaged_weight_is_refused(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(EngineCorrupt, match="force-download"):
        Qwen3MlxRecognizer(Qwen3MlxSettings(str(tmp_path)))


def test_weights_that_are_not_here_name_their_download(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(EngineMissing, match="hf download"):
        Qwen3MlxRecognizer(Qwen3MlxSettings(str(tmp_path / "none")))


def test_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ModuleType:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(qwen3_mlx.importlib, "import_module", missing)
    monkeypatch.setattr(qwen3_mlx.importlib.util, "find_spec", lambda name: None)
    info = qwen3_mlx.describe()
    assert not info.installed
    assert info.install_hint == 'pip install "jarvis-voice[mlx]" && hf download ' + qwen3_mlx.MODEL
    with pytest.raises(EngineMissing, match=r"jarvis-voice\[mlx\]"):
        Qwen3MlxRecognizer()
