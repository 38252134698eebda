"""The contract suite and its small tools, as fixtures."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from audio.tts.base import SpeechChunk, SpokenPhrase


def _contract() -> ModuleType:
    path = Path(__file__).with_name("contract.py")
    spec = importlib.util.spec_from_file_location("tts_contract", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def check_synthesizer() -> Callable[..., None]:
    """The contract suite."""
    check: Callable[..., None] = _contract().check_synthesizer
    return check


@pytest.fixture(scope="session")
def phrase() -> Callable[[str], SpokenPhrase]:
    """Makes a phrase whose words are said as they are written."""
    make: Callable[[str], SpokenPhrase] = _contract().phrase
    return make


@pytest.fixture(scope="session")
def say() -> Callable[..., list[SpeechChunk]]:
    """Says a text with a synthesizer."""
    tool: Callable[..., list[SpeechChunk]] = _contract().say
    return tool
