"""Which turn controller the settings choose, and what they refuse."""

from pathlib import Path

import pytest

from audio.controllers.semantic import SemanticController
from audio.turn.semantic import SemanticEndpointing
from jarvis_voice import config
from jarvis_voice.cli import build
from jarvis_voice.cli.models import all_engines, is_chosen
from jarvis_voice.errors import SettingsError


def loaded(tmp_path: Path, text: str) -> config.Settings:
    path = tmp_path / "config.toml"
    path.write_text(text, "utf-8")
    return config.load(path, {}).settings


def test_the_semantic_one_is_the_default_and_needs_nothing():
    settings = config.Settings()
    assert settings.turn.controller == "semantic"
    make = build._controller_maker(settings.turn)
    assert make is not None
    assert isinstance(make(), SemanticController)
    chosen = build.conversation_settings(settings)
    assert isinstance(chosen.endpointing, SemanticEndpointing)


def test_the_acoustic_one_costs_no_thread(tmp_path: Path):
    settings = loaded(tmp_path, '[turn]\ncontroller = "acoustic"\n')
    assert build._controller_maker(settings.turn) is None


def test_soulx_needs_an_address_that_is_one(tmp_path: Path):
    with pytest.raises(SettingsError, match="controller_url is empty"):
        loaded(tmp_path, '[turn]\ncontroller = "soulx"\n')
    with pytest.raises(SettingsError, match="ws://"):
        loaded(tmp_path, '[turn]\ncontroller_url = "http://gpu.local/turn"\n')
    text = '[turn]\ncontroller = "soulx"\ncontroller_url = "ws://gpu.local:8000/turn"\n'
    assert loaded(tmp_path, text).turn.controller_url.endswith("/turn")


def test_an_unknown_one_is_refused_with_the_choice(tmp_path: Path):
    with pytest.raises(SettingsError, match="'semantic', 'acoustic', 'smart-turn', 'soulx'"):
        loaded(tmp_path, '[turn]\ncontroller = "psychic"\n')


def test_the_engines_that_are_listed_tell_which_one_is_chosen():
    settings = config.Settings()
    kinds = [info for info in all_engines() if info.kind.value == "turn-controller"]
    assert [info.name for info in kinds if is_chosen(info, settings)] == ["semantic"]
