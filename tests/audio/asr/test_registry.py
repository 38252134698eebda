from __future__ import annotations

import pytest

from audio.asr import registry
from audio.engine import EngineKind
from audio.errors import EngineMissing


def test_every_engine_says_where_its_weights_come_from() -> None:
    known = registry.recognizers()
    assert known[0].name == "whisper-tiny.en"
    assert len({info.name for info in known}) == len(known)
    for info in known:
        assert info.kind is EngineKind.RECOGNIZER
        assert info.description
        assert info.installed == (info.install_hint == "")
        for weight in info.weights:
            assert weight.source
            assert weight.licence


def test_an_unknown_engine_names_the_known_ones() -> None:
    with pytest.raises(EngineMissing, match=r"whisper-tiny\.en"):
        registry.open_recognizer("whisper-huge")


def test_an_engine_that_is_not_installed_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(distribution: str, relative_path: str) -> None:
        raise EngineMissing(f"The package {distribution} is not installed.", "")

    monkeypatch.setattr("audio.asr.whisper_weights.locate", missing)
    info = next(i for i in registry.recognizers() if i.name == "whisper-base")
    assert not info.installed
    with pytest.raises(EngineMissing, match=r"jarvis-voice\[whisper-base\]"):
        registry.open_recognizer("whisper-base")


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError):
        registry.open_recognizer("whisper-tiny.en", colour="blue")
