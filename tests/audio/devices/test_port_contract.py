"""What every microphone and every loudspeaker does, checked on all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import numpy as np
import pytest

from audio.devices.base import CapturePort, PlaybackPort
from audio.devices.file_io import FileRoom
from audio.devices.reopen import DuplexDevices
from audio.devices.scripted import ScriptedCapture, ScriptedPlayback
from audio.devices.scripted_portaudio import ScriptedDevice, ScriptedPortAudio, ScriptedStream
from audio.devices.settings import DeviceSettings
from audio.devices.sounddevice_io import SoundDeviceCapture, SoundDevicePlayback, SystemDevices


@dataclass
class Rig:
    """A pair of ports, how time passes for them, and how they are lost."""

    capture: CapturePort
    playback: PlaybackPort
    pass_s: Callable[[float], Awaitable[None]]
    lose: Callable[[], Awaitable[None]]


def file_rig(request: pytest.FixtureRequest) -> Rig:
    room = FileRoom(noise_dbfs=-60.0)

    async def pass_s(seconds: float) -> None:
        for _ in range(round(seconds / 0.02)):
            room.tick()

    async def lose() -> None:
        room.unplug()

    return Rig(room.capture, room.playback, pass_s, lose)


def scripted_rig(request: pytest.FixtureRequest) -> Rig:
    capture, playback = ScriptedCapture(), ScriptedPlayback()

    async def pass_s(seconds: float) -> None:
        blocks = round(seconds / 0.02)
        capture.advance(blocks)
        playback.advance(blocks)

    async def lose() -> None:
        capture.lose()
        playback.lose()

    return Rig(capture, playback, pass_s, lose)


def _portaudio() -> tuple[ScriptedPortAudio, Rig]:
    library = ScriptedPortAudio(ScriptedDevice("card", inputs=1, outputs=2))
    settings = DeviceSettings()

    def active() -> list[ScriptedStream]:
        return [stream for stream in library.streams if stream.active]

    async def pass_s(seconds: float) -> None:
        for _ in range(round(seconds / 0.02)):
            for stream in active():
                stream.pump(int(stream.asked["blocksize"]))

    async def lose() -> None:
        for stream in active():
            stream.end()

    capture = SoundDeviceCapture(settings, library)
    playback = SoundDevicePlayback(settings, library)
    return library, Rig(capture, playback, pass_s, lose)


def portaudio_rig(request: pytest.FixtureRequest) -> Rig:
    return _portaudio()[1]


def duplex_rig(request: pytest.FixtureRequest) -> Rig:
    library, rig = _portaudio()
    devices = DuplexDevices(SystemDevices(DeviceSettings(), library))
    return Rig(devices.capture, devices.playback, rig.pass_s, rig.lose)


def pulse_rig(request: pytest.FixtureRequest) -> Rig:
    room = request.getfixturevalue("room")

    async def lose() -> None:
        room.kill_server()
        await asyncio.sleep(1.0)

    settings = DeviceSettings()
    return Rig(SoundDeviceCapture(settings), SoundDevicePlayback(settings), asyncio.sleep, lose)


@pytest.fixture(
    params=[
        pytest.param(file_rig, id="file"),
        pytest.param(scripted_rig, id="scripted"),
        pytest.param(portaudio_rig, id="portaudio"),
        pytest.param(duplex_rig, id="duplex"),
        pytest.param(
            pulse_rig,
            id="pulse",
            marks=[pytest.mark.room, pytest.mark.alone, pytest.mark.real_time],
        ),
    ]
)
def rig(request: pytest.FixtureRequest) -> Rig:
    return request.param(request)


async def check_capture_port(rig: Rig) -> None:
    """A microphone: what it delivers, stopping, starting again, and its loss."""
    heard: list[np.ndarray] = []
    lost: list[str] = []
    assert rig.capture.info.rate == 16_000
    for _ in range(2):  # it can be started again after it was stopped
        heard.clear()
        rig.capture.start(lambda block: heard.append(block.copy()), lost.append)
        await rig.pass_s(1.0)
        assert rig.capture.info.rate == 16_000
        assert rig.capture.info.name
        assert all(block.dtype == np.float32 and block.ndim == 1 for block in heard)
        sound = np.concatenate(heard)
        assert sound.size == pytest.approx(16_000, abs=4_000)
        assert np.isfinite(sound).all()
        rig.capture.stop()
        rig.capture.stop()
        heard.clear()
        await rig.pass_s(0.2)
        assert heard == []
        assert lost == []
    rig.capture.start(lambda block: heard.append(block.copy()), lost.append)
    await rig.pass_s(0.2)
    await rig.lose()
    assert len(lost) == 1
    assert lost[0]
    heard.clear()
    await rig.pass_s(0.2)
    assert heard == []
    rig.capture.stop()
    assert len(lost) == 1


async def check_playback_port(rig: Rig) -> None:
    """A loudspeaker: what it asks for, stopping, starting again, and its loss."""
    asked: list[int] = []
    lost: list[str] = []

    def render(out: np.ndarray) -> None:
        assert out.dtype == np.float32
        assert out.ndim == 1
        out[:] = 0.1
        asked.append(out.size)

    assert rig.playback.info.rate == 24_000
    for _ in range(2):
        asked.clear()
        rig.playback.start(render, lost.append)
        await rig.pass_s(1.0)
        assert rig.playback.info.rate == 24_000
        assert sum(asked) == pytest.approx(24_000, abs=6_000)
        rig.playback.stop()
        rig.playback.stop()
        asked.clear()
        await rig.pass_s(0.2)
        assert asked == []
        assert lost == []
    rig.playback.start(render, lost.append)
    await rig.pass_s(0.2)
    await rig.lose()
    assert len(lost) == 1
    assert lost[0]
    asked.clear()
    await rig.pass_s(0.2)
    assert asked == []
    rig.playback.stop()
    assert len(lost) == 1


async def test_a_microphone_keeps_its_contract(rig: Rig) -> None:
    await check_capture_port(rig)


async def test_a_loudspeaker_keeps_its_contract(rig: Rig) -> None:
    await check_playback_port(rig)
