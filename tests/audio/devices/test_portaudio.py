from __future__ import annotations

import platform
import sys

import pytest

from audio.devices import portaudio
from audio.devices.portaudio import Direction, choose, list_devices
from audio.devices.scripted_portaudio import (
    ScriptedDevice,
    ScriptedPortAudio,
    ScriptedPortAudioError,
)
from audio.errors import DeviceUnavailable

MIC = ScriptedDevice("USB Headset: Audio (hw:1,0)", inputs=1, outputs=2)
CARD = ScriptedDevice("HDA Intel PCH: Analog (hw:0,0)", inputs=2, outputs=2)
HDMI = ScriptedDevice("HDA Intel PCH: HDMI (hw:0,3)", outputs=8)


def test_the_list_tells_what_each_device_can_do() -> None:
    card, hdmi = list_devices(ScriptedPortAudio(CARD, HDMI))
    assert (card.index, card.input_channels, card.output_channels) == (0, 2, 2)
    assert (card.default_rate, card.host_api) == (48_000, "ALSA")
    assert (card.default_input, card.default_output) == (True, True)
    assert (hdmi.default_input, hdmi.default_output) == (False, False)
    assert list_devices(ScriptedPortAudio()) == []


@pytest.mark.parametrize(
    ("wanted", "index"),
    [(None, 1), (0, 0), (1, 1), ("headset", 0), ("ANALOG", 1), ("HDA Intel PCH", 1)],
)
def test_a_microphone_is_chosen_by_default_number_or_name(
    wanted: str | int | None, index: int
) -> None:
    devices = list_devices(ScriptedPortAudio(MIC, CARD, HDMI))
    if wanted is None:
        devices = list_devices(ScriptedPortAudio(HDMI, CARD, MIC))
    assert choose(devices, wanted, Direction.CAPTURE).index == index


@pytest.mark.parametrize("wanted", ["nothing of that name", 7, 2, "HDMI"])
def test_what_is_no_microphone_is_refused_with_the_names_of_those_that_are(
    wanted: str | int,
) -> None:
    devices = list_devices(ScriptedPortAudio(MIC, CARD, HDMI))
    with pytest.raises(DeviceUnavailable) as caught:
        choose(devices, wanted, Direction.CAPTURE)
    assert repr(wanted) in caught.value.problem
    assert "0 'USB Headset" in caught.value.remedy
    assert "HDMI (hw" not in caught.value.remedy


def test_without_a_device_the_remedy_says_what_to_do() -> None:
    with pytest.raises(DeviceUnavailable, match=r"No microphone was found\..*jarvis doctor"):
        choose(list_devices(ScriptedPortAudio(HDMI)), None, Direction.CAPTURE)


def test_an_exact_name_goes_before_a_part_of_one() -> None:
    pulse = [ScriptedDevice(name, inputs=2, outputs=2) for name in ("default: x", "default")]
    devices = list_devices(ScriptedPortAudio(*pulse))
    assert choose(devices, "default", Direction.PLAYBACK).index == 1


def test_on_windows_wasapi_goes_before_the_others() -> None:
    mme = ScriptedDevice("Headset", inputs=1, outputs=2, host_api="MME")
    wasapi = ScriptedDevice("Headset", inputs=1, outputs=2, host_api="Windows WASAPI")
    devices = list_devices(ScriptedPortAudio(mme, wasapi))
    assert choose(devices, "headset", Direction.CAPTURE).index == 1
    assert choose(devices, None, Direction.PLAYBACK).index == 1


def test_new_devices_are_seen_only_after_a_refresh() -> None:
    library = ScriptedPortAudio(CARD)
    library.change_devices(CARD, MIC)
    assert len(list_devices(library)) == 1
    portaudio.refresh(library)
    assert [device.name for device in list_devices(library)] == [CARD.name, MIC.name]


def test_a_refresh_that_fails_is_a_typed_error() -> None:
    class Broken(ScriptedPortAudio):
        def _initialize(self) -> None:
            raise ScriptedPortAudioError("Error initializing PortAudio", -9999)

    with pytest.raises(DeviceUnavailable, match=r"did not start again: .*initializing"):
        portaudio.refresh(Broken(CARD))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (portaudio.DEVICE_UNAVAILABLE, "Another program"),
        (portaudio.INVALID_SAMPLE_RATE, "rate"),
        (portaudio.INVALID_DEVICE, "jarvis doctor"),
        (-1, "jarvis doctor"),
    ],
)
def test_every_fault_says_what_to_do_on_one_line(code: int, words: str) -> None:
    fault = ScriptedPortAudioError("It is\nbroken.", code)
    error = portaudio.unavailable(fault, "USB", Direction.CAPTURE)
    assert "microphone 'USB' cannot be opened" in str(error)
    assert words in error.remedy
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("release", "line"),
    [
        ({"ID": "debian"}, "sudo apt install libportaudio2"),
        ({"ID": "ubuntu", "ID_LIKE": "debian"}, "sudo apt install libportaudio2"),
        ({"ID": "fedora"}, "sudo dnf install portaudio"),
        ({"ID": "manjaro", "ID_LIKE": "arch"}, "sudo pacman -S portaudio"),
        ({"ID": "opensuse-leap", "ID_LIKE": "suse opensuse"}, "zypper"),
        ({"ID": "alpine"}, "apk add"),
    ],
)
def test_the_install_line_fits_the_system(
    monkeypatch: pytest.MonkeyPatch, release: dict[str, str], line: str
) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: release)
    assert line in portaudio.install_line()


def test_a_wheel_carries_it_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    assert "pip install" in portaudio.install_line()


def test_a_machine_without_portaudio_is_told_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    with pytest.raises(DeviceUnavailable, match=r"PortAudio is not installed\. Run: sudo "):
        portaudio.load()


def test_a_machine_without_the_package_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(DeviceUnavailable, match="pip install sounddevice"):
        portaudio.load()
