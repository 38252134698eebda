"""Settings: where they come from, what is refused, and that the documentation is true."""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice import config
from jarvis_voice.errors import SettingsError
from jarvis_voice.resources import asset


def _write(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def _refused(path: Path | None, environ: dict[str, str] | None = None) -> str:
    with pytest.raises(SettingsError) as caught:
        config.load(path, environ or {})
    message = str(caught.value)
    assert "\n" not in message
    assert caught.value.remedy
    return message


def test_the_documented_file_gives_exactly_the_defaults() -> None:
    document = tomllib.loads(asset("default.toml").read_text(encoding="utf-8"))
    assert document == config.as_dict(config.Settings())


def test_every_setting_is_explained_above_its_line() -> None:
    lines = asset("default.toml").read_text(encoding="utf-8").splitlines()
    for key in config.defaults():
        name = key.partition(".")[2]
        at = next(i for i, line in enumerate(lines) if line.startswith(f"{name} = "))
        # two settings that belong together may share one explanation, in adjacent lines
        while "=" in lines[at]:
            at -= 1
        assert lines[at].startswith("#"), key


def test_every_number_has_a_span_that_holds_its_default() -> None:
    numbers = {
        key: value
        for key, value in config.defaults().items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    assert set(config.SPANS) == set(numbers)
    for key, value in numbers.items():
        assert config.SPANS[key].least <= value <= config.SPANS[key].most, key


def test_the_environment_wins_over_the_file_and_both_are_named(tmp_path: Path) -> None:
    path = _write(tmp_path, '[turn]\nend_s = 0.7\nstart_s = 0.1\n[synthesizer]\nvoice = "calm"\n')
    loaded = config.load(path, {"JARVIS_TURN_END_S": "0.9", "PATH": "/bin"})
    assert loaded.settings.turn.end_s == 0.9
    assert loaded.settings.turn.start_s == 0.1
    assert loaded.settings.synthesizer.voice == "calm"
    assert loaded.origins["turn.end_s"] == "the environment variable JARVIS_TURN_END_S"
    assert loaded.origins["turn.start_s"] == f"the settings file {path}"
    assert loaded.origins["turn.settle_s"] == "default"


def test_an_option_wins_over_all_and_none_means_not_given() -> None:
    loaded = config.load(
        None, {"JARVIS_SYNTHESIZER_VOICE": "a", "JARVIS_CONFIG": str(asset("default.toml"))}
    )
    loaded = config.override(
        loaded, {"synthesizer.voice": "b", "synthesizer.speed": None, "recognizer.engine": None}
    )
    assert loaded.settings.synthesizer.voice == "b"
    assert loaded.settings.synthesizer.speed == 1.0
    with pytest.raises(SettingsError, match=r"synthesizer\.speed.*from 0\.5 to 2"):
        config.override(loaded, {"synthesizer.speed": 9.0})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[turn]\nend = 1.0\n", ["unknown key turn.end", "end_s"]),
        ("[trun]\nend_s = 1.0\n", ["unknown section [trun]", "turn"]),
        ("turn = 3\n", ["turn", "section"]),
        ("[turn]\nend_s = 'long'\n", ["turn.end_s", "'long'", "a number from 0.1 to 3"]),
        ("[turn]\nend_s = true\n", ["turn.end_s", "True"]),
        ("[turn]\nend_s = nan\n", ["turn.end_s", "nan"]),
        ("[turn]\nend_s = inf\n", ["turn.end_s", "inf"]),
        ("[turn]\nend_s = 9\n", ["turn.end_s", "9", "from 0.1 to 3"]),
        ("[devices]\necho = 'none'\n", ["devices.echo", "'headphones', 'speaker'"]),
        ("[synthesizer]\nvoice = 3\n", ["synthesizer.voice", "text in quotes"]),
        ("[brain]\nbase_url = 'localhost:11434'\n", ["brain.base_url", "http://"]),
        ("[brain]\nkind = 'openai'\n", ["brain.model"]),
        ("[turn]\nsilence_threshold = 0.9\n", ["turn.silence_threshold", "speech_threshold"]),
        ("[turn]\nsettle_s = 2.0\n", ["turn.settle_s", "turn.end_s"]),
        ("[turn\n", ["not valid TOML", "line 1"]),
        ("\x00", ["not valid TOML"]),
    ],
)
def test_a_wrong_file_is_refused_with_place_key_and_what_is_allowed(
    tmp_path: Path, text: str, says: list[str]
) -> None:
    path = _write(tmp_path, text)
    message = _refused(path)
    assert str(path) in message
    for part in says:
        assert part in message


def test_a_file_that_was_asked_for_must_be_there_and_be_readable(tmp_path: Path) -> None:
    assert "does not exist" in _refused(tmp_path / "none.toml")
    assert "does not exist" in _refused(None, {"JARVIS_CONFIG": str(tmp_path / "none.toml")})
    assert "cannot be read" in _refused(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in _refused(binary)


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("JARVIS_TURN_END_S", "soon", "turn.end_s"),
        ("JARVIS_TURN_END_S", "", "turn.end_s"),
        ("JARVIS_TURN_END", "1", "JARVIS_TURN_END_S"),
        ("JARVIS_BRIAN_KIND", "narrator", "JARVIS_BRAIN_KIND"),
    ],
)
def test_a_wrong_variable_is_refused_by_name(variable: str, value: str, says: str) -> None:
    message = _refused(asset("default.toml"), {variable: value})
    assert variable in message
    assert says in message


def test_variables_that_are_not_ours_are_left_alone() -> None:
    environ = {"JARVIS_HOME": "/x", "JARVIS_CACHE_DIR": "/y", "JARVIS_DEBUG": "1"}
    assert config.load(asset("default.toml"), environ).settings == config.Settings()


def test_the_key_is_read_only_from_the_variable_that_is_named() -> None:
    environ = {"OPENAI_API_KEY": "usual", "MY_KEY": "mine"}
    openai = config.BrainSettings(kind="openai", model="m")
    assert config.api_key(openai, environ) == "usual"
    assert config.api_key(replace(openai, api_key_env="MY_KEY"), environ) == "mine"
    assert config.api_key(replace(openai, api_key_env="OTHER"), environ) is None
    assert config.api_key(config.BrainSettings(), environ) is None


@given(st.sampled_from(sorted(config.defaults())), st.text(max_size=12))
def test_any_value_of_any_variable_is_taken_or_refused_in_one_line(key: str, value: str) -> None:
    variable = "JARVIS_" + key.replace(".", "_").upper()
    try:
        shown = config.load(asset("default.toml"), {variable: value}).origins[key]
    except SettingsError as error:
        shown = str(error)
    assert variable in shown
    assert "\n" not in shown


def test_settings_survive_a_round_trip_through_their_file(tmp_path: Path) -> None:
    changed = {"devices.echo": "speaker", "turn.end_s": 0.75, "brain.base_url": "http://h/v1"}
    loaded = config.override(config.load(asset("default.toml"), {}), changed)
    text = "".join(
        f"[{section}]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in content.items())
        for section, content in config.as_dict(loaded.settings).items()
    )
    assert config.load(_write(tmp_path, text), {}).settings == loaded.settings


def test_no_section_shares_a_variable_with_another() -> None:
    variables = [key.replace(".", "_").upper() for key in config.defaults()]
    assert len(set(variables)) == len(variables)
    assert {section.name for section in fields(config.Settings)} == {
        key.partition(".")[0] for key in config.defaults()
    }
