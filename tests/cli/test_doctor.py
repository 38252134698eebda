"""``jarvis doctor``: a verdict for the demo and for the live conversation, with remedies."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from audio.devices.probe import ProbeResult
from audio.errors import EngineCorrupt, EngineMissing
from jarvis_voice.cli import checks
from jarvis_voice.cli.checks import Need, State
from jarvis_voice.config import BrainSettings, Settings, SynthesizerSettings, TelemetrySettings


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make the sound devices be found in a given state."""

    def install(*results: ProbeResult) -> None:
        async def probe(settings: object) -> list[ProbeResult]:
            return list(results)

        monkeypatch.setattr(checks, "probe_sound", probe)

    return install


@pytest.fixture
def no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the models out, for what is only about the report."""
    monkeypatch.setattr(checks, "check_models", lambda settings: iter(()))


GOOD = ProbeResult("microphone", ok=True, detail="1 Headset")
NONE = ProbeResult("microphone", ok=False, detail="No microphone was found.", remedy="Plug one in.")
QUIET = ProbeResult("microphone test", ok=None, detail="very quiet", remedy="Raise its level.")


@pytest.mark.model
def test_the_models_of_this_machine_say_and_hear_a_sentence(jarvis: Callable[..., object]) -> None:
    ran = jarvis("doctor", "--demo", "--json")
    assert ran.status == 0, ran
    told = json.loads(ran.out)
    assert told["ready"] == {"demo": {"ready": True, "because": []}}
    states = {check["name"]: check["state"] for check in told["checks"]}
    for name in ("Python", "packages", "settings", "cache folder", "voice detector", "brain"):
        assert states[name] == "ok"
    assert states["synthesizer kokoro"] == "ok"
    assert states["recognizer whisper-tiny.en"] == "ok"
    heard = next(c["detail"] for c in told["checks"] if c["name"] == "recognizer whisper-tiny.en")
    assert "ready when you are" in heard


@pytest.mark.usefixtures("no_models")
def test_a_missing_device_keeps_the_talk_back_but_not_the_demo(
    jarvis: Callable[..., object], sound: Callable[..., None]
) -> None:
    sound(NONE)
    ran = jarvis("doctor")
    assert ran.status == 1
    assert "fail  microphone: No microphone was found.\n      -> Plug one in." in ran.out
    assert "jarvis demo: ready\n" in ran.out
    assert "jarvis (live microphone): not ready: microphone: No microphone" in ran.out
    told = json.loads(jarvis("doctor", "--json").out)
    assert told["ready"]["demo"]["ready"] is True
    assert told["ready"]["talk"]["ready"] is False
    assert "Plug one in." in told["ready"]["talk"]["because"][0]


@pytest.mark.usefixtures("no_models")
def test_the_demo_alone_does_not_touch_the_devices(
    jarvis: Callable[..., object], sound: Callable[..., None]
) -> None:
    sound(NONE)
    ran = jarvis("doctor", "--demo")
    assert ran.status == 0
    assert "microphone" not in ran.out


@pytest.mark.usefixtures("no_models")
def test_what_only_may_be_wrong_is_a_warning_with_its_remedy(
    jarvis: Callable[..., object], sound: Callable[..., None]
) -> None:
    sound(GOOD, QUIET)
    ran = jarvis("doctor")
    assert ran.status == 0
    assert "warn  microphone test: very quiet\n      -> Raise its level." in ran.out
    assert "jarvis (live microphone): ready" in ran.out


@pytest.mark.usefixtures("no_models")
def test_a_wrong_settings_file_is_a_fault_of_both(
    jarvis: Callable[..., object], sound: Callable[..., None], tmp_path: Path
) -> None:
    sound(GOOD)
    bad = tmp_path / "bad.toml"
    bad.write_text("[turn]\nend = 1\n", encoding="utf-8")
    ran = jarvis("doctor", "--config", bad)
    assert ran.status == 1
    assert ran.out.count("not ready: settings:") == 2
    assert "end_s" in ran.out


def test_engines_that_cannot_be_loaded_fail_with_their_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(*_: object, **__: object) -> object:
        raise EngineMissing("It is not installed.", "Run: pip install it")

    def corrupt(*_: object, **__: object) -> object:
        raise EngineCorrupt("It is damaged.", "Reinstall it.")

    monkeypatch.setattr(checks, "open_recognizer", missing)
    monkeypatch.setattr(checks, "open_synthesizer", corrupt)
    monkeypatch.setattr(checks, "SileroVad", missing)
    found = {check.name: check for check in checks.check_models(Settings())}
    for name, remedy in (
        ("voice detector", "Run: pip install it"),
        ("recognizer whisper-tiny.en", "Run: pip install it"),
        ("synthesizer kokoro", "Reinstall it."),
    ):
        assert found[name].state is State.FAIL
        assert found[name].remedy == remedy
        assert set(found[name].needed_by) == {Need.DEMO, Need.TALK}


@pytest.mark.model
def test_a_voice_that_is_not_understood_is_a_warning() -> None:
    hums = Settings(synthesizer=SynthesizerSettings(engine="scripted"))
    found = {check.name: check for check in checks.check_models(hums)}
    heard = found["recognizer whisper-tiny.en"]
    assert heard.state is State.WARN
    assert checks.SPOKEN in heard.detail


def test_a_chat_model_without_package_or_key_leaves_the_narrator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    brain = BrainSettings(kind="openai", model="m")
    settings = Settings(brain=brain)
    assert checks.check_brain(settings).state is State.WARN
    assert "narrator answers" in checks.check_brain(settings).remedy
    local = Settings(brain=replace(brain, base_url="http://localhost:11434/v1"))
    monkeypatch.setattr(checks, "_is_installed", lambda name: True)
    assert checks.check_brain(local).state is State.OK
    monkeypatch.setattr(checks, "_is_installed", lambda name: False)
    assert "jarvis-voice[chat]" in checks.check_brain(settings).remedy
    assert checks.check_brain(Settings()).state is State.OK


def test_a_folder_that_cannot_be_written_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("x", encoding="utf-8")
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(blocker / "cache"))
    settings = Settings(telemetry=TelemetrySettings(folder=str(blocker / "told")))
    cache, timelines = checks.check_folders(settings)
    assert (cache.state, timelines.state) == (State.WARN, State.WARN)
    assert "JARVIS_CACHE_DIR" in cache.remedy
    assert "telemetry.folder" in timelines.remedy
    assert not list(tmp_path.glob("**/told"))


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.check_packages().state is State.OK
    monkeypatch.setattr(checks, "_is_installed", lambda name: name != "numpy")
    found = checks.check_packages()
    assert found.state is State.FAIL
    assert found.remedy == "Run: pip install numpy"
