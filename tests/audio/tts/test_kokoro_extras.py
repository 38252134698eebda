"""Kokoro on torch and on MLX: their real loading code, on a small network with random weights."""

from __future__ import annotations

import importlib.util
import threading
from pathlib import Path

import numpy as np
import pytest

from audio.engine import CancelToken, EngineKind
from audio.errors import Cancelled, EngineCorrupt, EngineFailed, EngineMissing
from audio.tts.kokoro_mlx import KokoroMlxSynthesizer
from audio.tts.kokoro_mlx import describe as describe_mlx
from audio.tts.kokoro_torch import KokoroTorchSynthesizer
from audio.tts.kokoro_torch import describe as describe_torch

pytestmark = [
    pytest.mark.extra,
    pytest.mark.filterwarnings("ignore"),  # of the packages that these engines bring
]
TOKENS = [50, 43, 44, 16, 45, 4]


def _needs(*packages: str) -> pytest.MarkDecorator:
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


needs_torch = _needs("torch", "kokoro")
needs_mlx = _needs("torch", "kokoro", "mlx", "kokoro_mlx")


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = importlib.util.spec_from_file_location(
        "tiny_kokoro", Path(__file__).with_name("tiny_kokoro.py")
    )
    assert spec is not None
    assert spec.loader is not None
    tiny = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tiny)
    folder = tmp_path_factory.mktemp("kokoro")
    tiny.write(folder)
    return folder


@needs_torch
def test_torch_keeps_the_contract(check_synthesizer, weights: Path) -> None:
    check_synthesizer(lambda: KokoroTorchSynthesizer(model=str(weights)))


@needs_torch
def test_torch_stops_inside_the_decoder(weights: Path) -> None:
    synthesizer = KokoroTorchSynthesizer(model=str(weights))
    network, cancel = synthesizer._network, CancelToken()
    style = np.zeros((1, 256), np.float32)
    threading.Timer(0.05, cancel.cancel).start()
    with pytest.raises(Cancelled):
        network.infer(TOKENS * 60, style, 1.0, cancel)
    assert len(network.infer(TOKENS, style, 1.0, CancelToken()).audio) > 0
    synthesizer.close()


@needs_mlx
@pytest.mark.slow
def test_mlx_speaks_with_marks_and_can_be_closed(say, weights: Path) -> None:
    synthesizer = KokoroMlxSynthesizer(model=str(weights))
    (chunk,) = say(synthesizer, "Go on.")
    assert [mark.word for mark in chunk.marks] == [0, 1]
    assert 0 <= chunk.marks[0].start_sample < chunk.marks[1].end_sample <= len(chunk.samples)
    synthesizer.close()
    synthesizer.close()
    with pytest.raises(EngineFailed, match="closed"):
        say(synthesizer, "Go on.")


@needs_mlx
@pytest.mark.slow
def test_both_give_each_token_the_same_time(weights: Path) -> None:
    style = np.random.default_rng(2).standard_normal((1, 256)).astype(np.float32)
    edges = []
    for opened in (
        KokoroTorchSynthesizer(model=str(weights)),
        KokoroMlxSynthesizer(model=str(weights)),
    ):
        edges.append(opened._network.infer(TOKENS, style, 1.0, CancelToken()).edges.tolist())
        opened.close()
    assert edges[0] == edges[1]
    assert len(edges[0]) == len(TOKENS) + 1


@pytest.mark.parametrize(
    ("engine", "name"),
    [
        pytest.param(KokoroTorchSynthesizer, "kokoro-v1_0.pth", marks=needs_torch),
        pytest.param(KokoroMlxSynthesizer, "kokoro-v1_0.safetensors", marks=needs_mlx),
    ],
)
@pytest.mark.parametrize("damage", ["cut", "gone", "text"])
def test_damaged_weights_are_reported_in_one_line(weights, tmp_path, engine, name, damage) -> None:
    (tmp_path / "config.json").write_bytes((weights / "config.json").read_bytes())
    if damage == "cut":
        (tmp_path / name).write_bytes((weights / name).read_bytes()[:100_000])
    elif damage == "text":
        (tmp_path / name).write_text("<html>not found</html>")
    with pytest.raises(EngineCorrupt, match=r"cannot be loaded.*hf download") as raised:
        engine(model=str(tmp_path))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("engine", [KokoroTorchSynthesizer, KokoroMlxSynthesizer])
def test_without_packages_or_weights_it_says_what_to_install(engine) -> None:
    with pytest.raises(EngineMissing, match=r"Run: (pip install|hf download)"):
        engine(model="nobody/no-such-model")


@pytest.mark.parametrize("describe", [describe_torch, describe_mlx])
def test_it_is_listed_with_all_that_is_missing(describe) -> None:
    info = describe("nobody/no-such-model")
    assert info.kind is EngineKind.SYNTHESIZER
    assert not info.installed
    assert "hf download nobody/no-such-model" in info.install_hint
    assert info.weights[0].licence == "Apache-2.0"
