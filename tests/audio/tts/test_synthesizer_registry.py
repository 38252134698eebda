from __future__ import annotations

import pytest

from audio.engine import EngineKind
from audio.errors import EngineMissing
from audio.tts.registry import DEFAULT_SYNTHESIZER, open_synthesizer, synthesizers, voices
from audio.tts.voices import JARVIS_VOICE, PROMPT_VOICE, load_styles


def test_the_default_comes_first_and_is_installed() -> None:
    first = synthesizers()[0]
    assert first.name == DEFAULT_SYNTHESIZER
    assert first.installed
    assert not first.install_hint


def test_every_engine_says_what_it_is_and_how_to_get_it() -> None:
    for info in synthesizers():
        assert info.kind is EngineKind.SYNTHESIZER
        assert info.description
        assert info.installed or info.install_hint
    assert len({info.name for info in synthesizers()}) == len(synthesizers()) >= 5


def test_an_unknown_name_is_answered_with_the_choices() -> None:
    with pytest.raises(EngineMissing, match=r"no synthesizer called 'festival'.*kokoro"):
        open_synthesizer("festival")


def test_a_server_without_an_address_is_refused() -> None:
    with pytest.raises(EngineMissing, match="base_url"):
        open_synthesizer("openai")


@pytest.mark.parametrize("name", [info.name for info in synthesizers()])
def test_a_speed_that_makes_no_sense_is_refused_by_all(name: str) -> None:
    with pytest.raises(ValueError, match="speed"):
        open_synthesizer(name, speed=0.0)


def test_speed_reaches_the_engine(say) -> None:
    slow, fast = (open_synthesizer("scripted", speed=speed) for speed in (1.0, 2.0))
    assert len(say(fast, "one")[0].samples) < len(say(slow, "one")[0].samples)


def test_each_voice_is_there_with_its_licence() -> None:
    names = [voice.name for voice in voices()]
    assert names[0] == JARVIS_VOICE
    assert PROMPT_VOICE in names[1:]
    assert len(set(names)) == 3
    for voice in voices():
        assert voice.licence == "Apache-2.0"
        assert voice.source
        assert load_styles(voice.name).shape == (510, 256)
