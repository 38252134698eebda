from __future__ import annotations

import asyncio
import platform
from collections.abc import Awaitable, Callable

import numpy as np
import pytest

from audio import pcm
from audio.devices import portaudio, probe
from audio.devices.echo_delay import chirp, find_chirp, measure_echo
from audio.devices.file_io import EchoPath, FileRoom
from audio.devices.probe import ProbeResult, probe_sound
from audio.devices.scripted import Script, ScriptedCapture, ScriptedPlayback
from audio.devices.scripted_portaudio import ScriptedDevice, ScriptedPortAudio
from audio.devices.settings import DeviceSettings
from audio.errors import DeviceUnavailable


def no_portaudio() -> portaudio.PortAudio:
    raise DeviceUnavailable("PortAudio is not installed.", "Run: sudo apt install libportaudio2")


async def beside(beat: Callable[[], None], work: Awaitable[ProbeResult]) -> ProbeResult:
    """Let blocks of 20 ms pass while ``work`` is under way."""
    async with asyncio.TaskGroup() as group:

        async def drive() -> None:
            while True:
                await asyncio.sleep(0.02)
                beat()

        driver = group.create_task(drive())
        try:
            return await work
        finally:
            driver.cancel()


async def test_without_portaudio_there_is_one_result_with_the_install_line() -> None:
    assert await probe_sound(DeviceSettings(), no_portaudio) == [
        ProbeResult(
            "PortAudio",
            False,
            "PortAudio is not installed.",
            "Run: sudo apt install libportaudio2",
        )
    ]


async def test_without_a_device_every_fault_has_its_remedy() -> None:
    results = await probe_sound(DeviceSettings(), ScriptedPortAudio)
    assert [(result.name, result.ok) for result in results] == [
        ("PortAudio", True),
        ("devices", False),
        ("microphone", False),
        ("loudspeaker", False),
    ]
    assert all(result.remedy for result in results if result.ok is False)


async def test_a_wrong_name_in_the_settings_names_the_right_ones() -> None:
    library = ScriptedPortAudio(ScriptedDevice("USB", inputs=1, outputs=1))
    results = await probe_sound(DeviceSettings(input_device="Blue"), lambda: library)
    (fault,) = [result for result in results if result.ok is False]
    assert fault.detail == "There is no microphone 'Blue'."
    assert "0 'USB'" in fault.remedy


def test_the_rates_that_open_are_told_and_that_ours_is_converted() -> None:
    card = ScriptedDevice("Card", inputs=2, default_rate=48_000, rates=frozenset({44_100, 48_000}))
    library = ScriptedPortAudio(card)
    devices = portaudio.list_devices(library)
    _, rates = probe.probe_device(library, devices, None, portaudio.Direction.CAPTURE)
    assert rates.ok
    assert rates.detail == "opens at 44100, 48000 Hz; 16000 Hz is converted to 48000 Hz"


def test_a_device_that_opens_at_no_rate_is_a_fault() -> None:
    library = ScriptedPortAudio(ScriptedDevice("Card", outputs=2, busy=True))
    devices = portaudio.list_devices(library)
    _, rates = probe.probe_device(library, devices, None, portaudio.Direction.PLAYBACK)
    assert (rates.ok, rates.detail) == (False, "No usual rate opens.")


@pytest.mark.parametrize(
    ("level", "ok", "words"),
    [(0.0, False, "zeros"), (3e-5, None, "very quiet"), (0.05, True, "dBFS"), (1.0, None, "full")],
)
async def test_the_microphone_is_judged_by_its_level(
    level: float, ok: bool | None, words: str
) -> None:
    sound = np.random.default_rng(1).uniform(-level, level, 48_000).astype(np.float32)
    if level == 1.0:
        sound[::100] = 1.0
    port = ScriptedCapture(sound)
    result = await beside(port.advance, probe.probe_capture(port))
    assert result.ok is ok
    assert words in result.detail
    assert bool(result.remedy) is (ok is not True)
    assert not port.running


async def test_on_macos_zeros_point_to_the_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    port = ScriptedCapture()
    result = await beside(port.advance, probe.probe_capture(port))
    assert "Privacy & Security > Microphone" in result.remedy


async def test_a_microphone_that_refuses_stays_silent_or_is_lost_is_a_fault() -> None:
    refusing = ScriptedCapture(script=Script(refusals=1))
    assert not (await probe.probe_capture(refusing)).ok
    silent = ScriptedCapture()
    result = await probe.probe_capture(silent)
    assert (result.ok, result.detail) == (False, "It opens but nothing came for 4 s.")
    lost = ScriptedCapture(script=Script(lost_at=1_600))
    result = await beside(lost.advance, probe.probe_capture(lost))
    assert (result.ok, result.detail) == (False, "The device was unplugged.")
    assert not any(port.running for port in (refusing, silent, lost))


async def test_the_loudspeaker_is_asked_for_silence_only() -> None:
    port = ScriptedPlayback()
    result = await beside(port.advance, probe.probe_playback(port))
    assert result == ProbeResult("loudspeaker test", True, "opens at 24000 Hz, 1 channel(s), 20 ms")
    assert not port.played.any()
    assert not (await probe.probe_playback(ScriptedPlayback(script=Script(refusals=1)))).ok


@pytest.mark.parametrize("delay_s", [0.05, 0.12, 0.3])
@pytest.mark.parametrize("reverb_s", [0.0, 0.3])
async def test_the_delay_of_the_echo_is_measured_in_a_noisy_room(
    delay_s: float, reverb_s: float
) -> None:
    echo = EchoPath(gain_db=-20.0, delay_s=delay_s, reverb_s=reverb_s)
    room = FileRoom(echo=echo, noise_dbfs=-50.0)
    async with asyncio.TaskGroup() as group:
        group.create_task(room.run())
        measured_s = await measure_echo(room.capture, room.playback)
        room.close()
    assert measured_s is not None
    assert measured_s == pytest.approx(delay_s, abs=0.003)


async def test_headphones_give_no_echo_and_no_false_one() -> None:
    room = FileRoom(noise_dbfs=-40.0)
    async with asyncio.TaskGroup() as group:
        group.create_task(room.run())
        result = await probe.probe_echo(room.capture, room.playback)
        room.close()
    assert result.ok is None
    assert "headphones" in result.detail


async def test_an_echo_that_cannot_be_cancelled_is_a_fault() -> None:
    room = FileRoom(echo=EchoPath(delay_s=0.7))
    async with asyncio.TaskGroup() as group:
        group.create_task(room.run())
        result = await probe.probe_echo(room.capture, room.playback)
        room.close()
    assert result.ok is False
    assert "700 ms" in result.detail


async def test_an_echo_test_that_loses_a_device_leaves_none_open() -> None:
    capture, playback = ScriptedCapture(), ScriptedPlayback(script=Script(refusals=1))
    result = await probe.probe_echo(capture, playback)
    assert not result.ok
    assert not capture.running


def test_the_chirp_is_quiet_and_begins_and_ends_softly() -> None:
    for rate in (16_000, 24_000, 44_100):
        sound = chirp(rate)
        assert pcm.rms_dbfs(sound) == pytest.approx(-26.0, abs=1.0)
        assert abs(sound[0]) < 1e-3
        assert abs(sound[-1]) < 1e-3


@pytest.mark.parametrize("seed", range(20))
def test_noise_alone_is_no_chirp(seed: int) -> None:
    noise = np.random.default_rng(seed).standard_normal(32_000).astype(np.float32) * 0.1
    assert find_chirp(noise, 16_000) is None
    assert find_chirp(noise[:100], 16_000) is None
    assert find_chirp(np.zeros(32_000, np.float32), 16_000) is None
