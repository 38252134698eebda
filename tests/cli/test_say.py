"""``jarvis say``: a WAV file or the loudspeaker; whatever fails leaves nothing behind."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from audio.devices.base import DeviceInfo, Lost, Render
from audio.errors import DeviceLost, EngineFailed, UnwritableOutput
from audio.tts.scripted import ScriptedSynthesizer
from jarvis_voice.cli import speaking
from jarvis_voice.config import DeviceSettings, SynthesizerSettings

SCRIPTED = ("--engine", "scripted")


class Loudspeaker:
    """A loudspeaker of 48 kHz that asks as fast as it can, and may be lost."""

    def __init__(self, lost_after: int | None = None, silent_after: int | None = None) -> None:
        self.info = DeviceInfo("test", 48_000, 2, 0.01)
        self.heard: list[np.ndarray] = []
        self.stopped = threading.Event()
        self._lost_after = lost_after
        self._silent_after = silent_after
        self._thread: threading.Thread | None = None

    def start(self, render: Render, lost: Lost) -> None:
        def run() -> None:
            while not self.stopped.wait(0.0005):
                if self._lost_after is not None and len(self.heard) >= self._lost_after:
                    lost("The loudspeaker was lost: its stream ended.")
                    return
                if self._silent_after is not None and len(self.heard) >= self._silent_after:
                    return
                block = np.zeros(480, np.float32)
                render(block)
                self.heard.append(block)

        self._thread = threading.Thread(target=run)
        self._thread.start()

    def stop(self) -> None:
        self.stopped.set()
        if self._thread is not None:
            self._thread.join()


@pytest.fixture
def speaking_to(monkeypatch: pytest.MonkeyPatch) -> Callable[[Loudspeaker, str], None]:
    """Say a text with the scripted synthesizer to a loudspeaker of ours."""

    def say(loudspeaker: Loudspeaker, text: str) -> None:
        monkeypatch.setattr(speaking, "SoundDevicePlayback", lambda settings: loudspeaker)
        with speaking.Speaking(text, SynthesizerSettings(engine="scripted")) as voice:
            voice.to_loudspeaker(DeviceSettings())

    return say


def test_a_file_holds_all_that_was_said(jarvis: Callable[..., object], tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    ran = jarvis("say", *SCRIPTED, "--out", out, "One two three. Four five.")
    assert (ran.status, ran.out) == (0, "")
    assert str(out) in ran.err
    samples, rate = soundfile.read(out)
    assert len(samples) / rate > 1.0
    assert np.abs(samples).max() > 0.01
    assert list(tmp_path.glob(".*")) == []


def test_json_tells_what_was_said_and_how_long_it_took(
    jarvis: Callable[..., object], tmp_path: Path
) -> None:
    out = tmp_path / "out.wav"
    ran = jarvis("say", *SCRIPTED, "--out", out, "--json", "3 of 4 tests in utils/io.py")
    assert (ran.status, ran.err) == (0, "")
    told = json.loads(ran.out)
    assert told["file"] == str(out)
    assert "three of four tests" in told["spoken"].lower()
    assert told["duration_s"] == pytest.approx(len(soundfile.read(out)[0]) / told["rate"], abs=1e-3)
    assert 0 <= told["first_audio_s"] <= told["synthesis_s"]


def test_the_text_may_come_from_standard_input(
    jarvis: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Hello from a pipe."))
    ran = jarvis("say", *SCRIPTED, "-", "--json", "--out", tmp_path / "out.wav")
    assert "hello from a pipe" in json.loads(ran.out)["spoken"].lower()


@pytest.mark.parametrize("text", ["", "  \n", "***\n---", "\u200b"])
def test_a_text_with_nothing_to_say_is_refused(
    jarvis: Callable[..., object], tmp_path: Path, text: str
) -> None:
    out = tmp_path / "out.wav"
    jarvis("say", *SCRIPTED, "--out", out, text).refused(2)
    assert not out.exists()


def test_an_output_that_cannot_be_written_is_refused_and_leaves_nothing(
    jarvis: Callable[..., object], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for out in (tmp_path, tmp_path / "none" / "out.wav", tmp_path / "file" / "out.wav"):
        jarvis("say", *SCRIPTED, "--out", out, "Hello.").refused(1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "settings.toml"]


def test_a_failure_on_the_way_keeps_the_file_that_was_there(
    jarvis: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.wav"
    out.write_bytes(b"precious")

    def fail(*_: object) -> object:
        raise EngineFailed("The voice failed.", "Try again.")

    monkeypatch.setattr(ScriptedSynthesizer, "synthesize", fail)
    assert "The voice failed." in jarvis("say", *SCRIPTED, "--out", out, "Hello.").refused(1)
    assert out.read_bytes() == b"precious"
    assert list(tmp_path.glob(".*")) == []


def test_an_unknown_voice_engine_and_speed_are_refused(
    jarvis: Callable[..., object], tmp_path: Path
) -> None:
    out = tmp_path / "out.wav"
    assert "am_michael" in jarvis("say", "--voice", "bob", "--out", out, "Hi.").refused(1)
    assert "kokoro" in jarvis("say", "--engine", "bob", "--out", out, "Hi.").refused(1)
    assert "0.5 to 2" in jarvis("say", "--speed", "9", "--out", out, "Hi.").refused(2)
    assert not out.exists()


def test_a_device_that_is_not_there_is_one_line(
    program: Callable[..., object], tmp_path: Path
) -> None:
    environment = {"JARVIS_DEVICES_OUTPUT": "no such loudspeaker", "JARVIS_CONFIG": ""}
    program("say", *SCRIPTED, "Hello.", **environment).refused(1)


def test_the_loudspeaker_gets_all_of_it_at_its_own_rate(
    speaking_to: Callable[[Loudspeaker, str], None],
) -> None:
    loudspeaker = Loudspeaker()
    speaking_to(loudspeaker, "One two three.")
    heard = np.concatenate(loudspeaker.heard)
    audible = np.flatnonzero(np.abs(heard) > 1e-3)
    # three words of 0.3 s, as the scripted synthesizer speaks them
    assert (audible[-1] - audible[0]) / 48_000 == pytest.approx(0.9, abs=0.35)
    assert loudspeaker.stopped.is_set()


def test_a_lost_loudspeaker_ends_it_with_what_had_been_said(
    speaking_to: Callable[[Loudspeaker, str], None],
) -> None:
    loudspeaker = Loudspeaker(lost_after=30)
    with pytest.raises(DeviceLost, match=r"lost: its stream ended\. 0\.\d s had been said"):
        speaking_to(loudspeaker, "One two three four five six seven eight nine ten.")
    assert loudspeaker.stopped.is_set()


def test_a_loudspeaker_that_asks_no_more_is_given_up(
    speaking_to: Callable[[Loudspeaker, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speaking, "_STALL_S", 0.1)
    with pytest.raises(DeviceLost, match="takes no more sound"):
        speaking_to(Loudspeaker(silent_after=5), "One two three four five six.")


@pytest.mark.model
def test_what_is_said_is_understood(jarvis: Callable[..., object], tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    assert jarvis("say", "--out", out, "The second test is red.").status == 0
    assert "second test" in jarvis("transcribe", out).out.lower()


@pytest.mark.model
def test_speaking_and_understanding_use_no_network(tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    code = (
        "import socket, sys\n"
        "def refuse(*_, **__): raise AssertionError('the network was asked')\n"
        "socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse\n"
        "from jarvis_voice.cli import main\n"
        f"status = main(['say', '--out', {str(out)!r}, 'The second test is red.'])\n"
        f"sys.exit(status or main(['transcribe', {str(out)!r}]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "second test" in done.stdout.lower()


def test_a_file_that_is_named_as_no_wav_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnwritableOutput, match=r"Name it \.wav"):
        speaking.check_output(tmp_path / "speech.mp3")
    speaking.check_output(tmp_path / "speech.wav")
