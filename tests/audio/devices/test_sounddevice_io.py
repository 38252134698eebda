from __future__ import annotations

import numpy as np
import pytest

from audio.devices.portaudio import Direction
from audio.devices.scripted_portaudio import ScriptedDevice, ScriptedPortAudio
from audio.devices.settings import DeviceSettings
from audio.devices.sounddevice_io import SoundDeviceCapture, SoundDevicePlayback, SystemDevices
from audio.errors import DeviceUnavailable

SETTINGS = DeviceSettings()
HEADSET = ScriptedDevice("Headset", inputs=1, outputs=2)
STEREO_ONLY = ScriptedDevice("Box", inputs=2, outputs=2, channels=frozenset({2}))
FIXED_RATE = ScriptedDevice(
    "Card", inputs=1, outputs=1, rates=frozenset({44_100}), default_rate=44_100
)


def capture_from(
    library: ScriptedPortAudio, settings: DeviceSettings = SETTINGS
) -> tuple[SoundDeviceCapture, list[np.ndarray], list[str]]:
    port = SoundDeviceCapture(settings, library)
    heard: list[np.ndarray] = []
    lost: list[str] = []
    port.start(lambda block: heard.append(block.copy()), lost.append)
    return port, heard, lost


def playback_of(
    library: ScriptedPortAudio, level: float = 0.25
) -> tuple[SoundDevicePlayback, list[str]]:
    port = SoundDevicePlayback(SETTINGS, library)
    lost: list[str] = []
    port.start(lambda out: out.fill(level), lost.append)
    return port, lost


def test_a_microphone_is_asked_for_16_khz_mono_in_20_ms_blocks_at_low_latency() -> None:
    library = ScriptedPortAudio(HEADSET)
    port, heard, _ = capture_from(library)
    asked = library.stream.asked
    assert (asked["samplerate"], asked["channels"], asked["blocksize"]) == (16_000, 1, 320)
    assert (asked["latency"], asked["dtype"]) == ("low", "float32")
    library.stream.pump(np.full((320, 1), 0.5, np.float32))
    assert heard[0].shape == (320,)
    assert heard[0].dtype == np.float32
    assert port.info.name == "Headset"
    assert port.info.latency_s == pytest.approx(0.04)


def test_a_loudspeaker_is_asked_for_24_khz_with_100_ms_of_latency() -> None:
    library = ScriptedPortAudio(HEADSET)
    playback_of(library)
    asked = library.stream.asked
    assert (asked["samplerate"], asked["channels"], asked["blocksize"]) == (24_000, 1, 480)
    assert asked["latency"] == pytest.approx(0.1)


def test_before_it_is_opened_a_port_tells_what_it_will_ask_for() -> None:
    settings = DeviceSettings(output_device="Headset")
    port = SoundDevicePlayback(settings, ScriptedPortAudio(HEADSET))
    assert (port.info.name, port.info.rate, port.info.latency_s) == ("Headset", 24_000, 0.1)


def test_a_device_that_refuses_our_rate_is_opened_at_its_own() -> None:
    library = ScriptedPortAudio(FIXED_RATE)
    port, heard, _ = capture_from(library)
    assert port.info.rate == 44_100
    library.stream.pump(441)
    assert heard[0].shape == (441,)
    playback, _ = playback_of(library)
    assert playback.info.rate == 44_100
    assert library.stream.asked["blocksize"] == 882  # still a whole multiple of 10 ms


def test_a_stereo_only_device_is_averaged_and_played_on_both_sides() -> None:
    library = ScriptedPortAudio(STEREO_ONLY)
    port, heard, _ = capture_from(library)
    assert port.info.channels == 2
    library.stream.pump(np.array([[1.0, 0.0]] * 320, np.float32))
    np.testing.assert_allclose(heard[0], np.full(320, 0.5))
    playback, _ = playback_of(library, 0.25)
    assert playback.info.channels == 2
    np.testing.assert_allclose(library.stream.pump(480), np.full((480, 2), 0.25))


def test_a_device_with_many_channels_gives_its_first() -> None:
    library = ScriptedPortAudio(ScriptedDevice("Interface", inputs=8, channels=frozenset({8})))
    _, heard, _ = capture_from(library)
    library.stream.pump(np.tile(np.arange(1, 9, dtype=np.float32) / 10, (320, 1)))
    np.testing.assert_allclose(heard[0], np.full(320, 0.1))


def test_wasapi_is_let_convert_rates() -> None:
    library = ScriptedPortAudio(ScriptedDevice("Mic", inputs=1, host_api="Windows WASAPI"))
    capture_from(library)
    assert library.stream.asked["extra_settings"] == {"auto_convert": True}


@pytest.mark.parametrize(
    ("device", "problem", "remedy"),
    [
        (ScriptedDevice("Mic", inputs=1, busy=True), "Device unavailable", "Another program"),
        (
            ScriptedDevice("Mic", inputs=1, rates=frozenset({96_000})),
            "Invalid sample rate",
            "another device",
        ),
        (ScriptedDevice("Out", outputs=2), "No microphone was found", "jarvis doctor"),
    ],
)
def test_a_device_that_cannot_be_opened_says_why(
    device: ScriptedDevice, problem: str, remedy: str
) -> None:
    port = SoundDeviceCapture(SETTINGS, ScriptedPortAudio(device))
    with pytest.raises(DeviceUnavailable, match=problem) as caught:
        port.start(lambda block: None, lambda reason: None)
    assert remedy in caught.value.remedy
    port.stop()


def test_a_busy_device_is_not_asked_again_with_other_formats() -> None:
    class Counting(ScriptedPortAudio):
        opened = 0

        def InputStream(self, **settings: object) -> object:
            self.opened += 1
            return super().InputStream(**settings)

    library = Counting(ScriptedDevice("Mic", inputs=2, busy=True))
    with pytest.raises(DeviceUnavailable):
        capture_from(library)
    assert library.opened == 1


def test_a_name_that_nothing_has_is_refused() -> None:
    with pytest.raises(DeviceUnavailable, match=r"no microphone 'Nope'.*0 'Headset'"):
        capture_from(ScriptedPortAudio(HEADSET), DeviceSettings(input_device="Nope"))


def test_the_end_of_a_stream_is_told_once() -> None:
    library = ScriptedPortAudio(HEADSET)
    _, _, lost = capture_from(library)
    library.stream.end()
    library.stream.active = True
    library.stream.end()
    assert lost == ["The microphone was lost: its stream ended."]


def test_a_stream_that_is_stopped_on_purpose_is_not_lost() -> None:
    library = ScriptedPortAudio(HEADSET)
    port, _, lost = capture_from(library)
    port.stop()
    port.stop()
    assert library.stream.closed
    assert lost == []


def test_a_stopped_port_can_be_started_again_and_a_late_end_of_the_old_stream_is_no_loss() -> None:
    library = ScriptedPortAudio(HEADSET)
    port, _, lost = capture_from(library)
    old = library.stream
    port.stop()
    port.start(lambda block: None, lost.append)
    old.active = True
    old.end()
    assert lost == []
    assert library.stream is not old


def test_a_port_that_runs_cannot_be_started() -> None:
    port, _, _ = capture_from(ScriptedPortAudio(HEADSET))
    with pytest.raises(RuntimeError, match="started already"):
        port.start(lambda block: None, lambda reason: None)


def test_an_exception_in_deliver_is_a_loss_and_never_reaches_the_driver() -> None:
    library = ScriptedPortAudio(HEADSET)
    port = SoundDeviceCapture(SETTINGS, library)
    lost: list[str] = []
    calls = 0

    def deliver(block: np.ndarray) -> None:
        nonlocal calls
        calls += 1
        raise ZeroDivisionError("no")

    port.start(deliver, lost.append)
    library.stream.pump(320)
    library.stream.pump(320)
    assert calls == 1
    assert lost == ["The microphone was given up: ZeroDivisionError: no"]


def test_an_exception_in_render_is_silence_and_a_loss() -> None:
    library = ScriptedPortAudio(HEADSET)
    port = SoundDevicePlayback(SETTINGS, library)
    lost: list[str] = []

    def render(out: np.ndarray) -> None:
        out.fill(1.0)
        raise ZeroDivisionError("no")

    port.start(render, lost.append)
    assert not library.stream.pump(480).any()
    assert not library.stream.pump(480).any()
    library.stream.end()
    assert lost == ["The loudspeaker was given up: ZeroDivisionError: no"]


def test_a_loop_that_is_closed_when_the_loss_comes_does_no_harm() -> None:
    library = ScriptedPortAudio(HEADSET)
    port = SoundDeviceCapture(SETTINGS, library)

    def lost(reason: str) -> None:
        raise RuntimeError("Event loop is closed")

    port.start(lambda block: None, lost)
    library.stream.end()
    port.stop()


def test_what_is_not_rendered_is_silent_though_the_buffer_was_dirty() -> None:
    library = ScriptedPortAudio(HEADSET)
    port = SoundDevicePlayback(SETTINGS, library)
    port.start(lambda out: None, lambda reason: None)
    assert not library.stream.pump(480).any()


def test_the_system_gives_the_device_of_the_settings_first() -> None:
    library = ScriptedPortAudio(HEADSET, STEREO_ONLY)
    devices = SystemDevices(DeviceSettings(input_device="Box"), library)
    (port,) = devices.captures(None)
    port.start(lambda block: None, lambda reason: None)
    assert port.info.name == "Box"


@pytest.mark.parametrize("direction", list(Direction))
def test_after_a_loss_the_system_offers_the_same_one_then_the_default_then_the_others(
    direction: Direction,
) -> None:
    first, second, third = (ScriptedDevice(name, inputs=1, outputs=1) for name in "abc")
    devices = SystemDevices(SETTINGS, ScriptedPortAudio(first, second, third))
    offered = devices.captures("c") if direction is Direction.CAPTURE else devices.playbacks("c")
    assert [port.info.name for port in offered] == ["c", "a", "b"]
    gone = devices.captures("z") if direction is Direction.CAPTURE else devices.playbacks("z")
    assert [port.info.name for port in gone] == ["a", "b", "c"]


def test_a_system_without_devices_offers_none_after_a_loss() -> None:
    assert list(SystemDevices(SETTINGS, ScriptedPortAudio()).captures("a")) == []
