from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.devices.base import CapturePort, PlaybackPort
from audio.devices.reopen import Attempt, Backoff, DuplexDevices, Reopened
from audio.devices.scripted import Script, ScriptedCapture, ScriptedPlayback
from audio.devices.scripted_portaudio import ScriptedDevice, ScriptedPortAudio
from audio.devices.settings import DeviceSettings
from audio.devices.sounddevice_io import SystemDevices
from audio.devices.watch import Verdict
from audio.errors import DeviceUnavailable


class ScriptedDevices:
    """A system with the given devices, of which some may be away."""

    def __init__(self, captures: Sequence[ScriptedCapture], playbacks: Sequence[ScriptedPlayback]):
        self._captures = captures
        self._playbacks = playbacks
        self.away: set[str] = set()
        self.refreshed_while: list[bool] = []  # whether a stream was open then

    def refresh(self) -> None:
        everything = [*self._captures, *self._playbacks]
        self.refreshed_while.append(any(port.running for port in everything))

    def captures(self, last: str | None) -> Sequence[CapturePort]:
        return [port for port in self._captures if port.info.name not in self.away]

    def playbacks(self, last: str | None) -> Sequence[PlaybackPort]:
        return [port for port in self._playbacks if port.info.name not in self.away]


class Talk:
    """A conversation that plays a counting signal and keeps what it hears."""

    def __init__(self, devices: DuplexDevices) -> None:
        self.devices = devices
        self.lost: list[str] = []
        self.heard: list[np.ndarray] = []
        self.rendered = 0
        devices.capture.start(lambda block: self.heard.append(block.copy()), self.lost.append)
        devices.playback.start(self.render, self.lost.append)

    def render(self, out: np.ndarray) -> None:
        out[:] = np.arange(self.rendered, self.rendered + out.size) / 1e6
        self.rendered += out.size

    def stop(self) -> None:
        self.devices.capture.stop()
        self.devices.playback.stop()


def named(name: str, script: Script | None = None) -> tuple[ScriptedCapture, ScriptedPlayback]:
    return (
        ScriptedCapture(name=name, script=script),
        ScriptedPlayback(name=name, script=script),
    )


async def test_a_loss_is_told_once_and_speech_resumes_at_the_sample_where_it_stopped() -> None:
    capture, playback = named("headset")
    source = ScriptedDevices([capture], [playback])
    talk = Talk(DuplexDevices(source))
    capture.advance(5)
    playback.advance(5)
    capture.lose("The device was unplugged.")
    playback.lose("The device was unplugged.")
    assert talk.lost == ["The device was unplugged."]
    result = await talk.devices.reopen()
    assert result == Reopened(talk.devices.capture.info, talk.devices.playback.info, 1, True)
    assert source.refreshed_while == [False]
    playback.advance(5)
    np.testing.assert_allclose(playback.played, np.arange(4_800) / 1e6, atol=1e-9)
    capture.advance(1)
    assert len(talk.heard) == 6
    capture.lose()
    assert len(talk.lost) == 2  # a second loss is told too
    talk.stop()


async def test_it_tries_again_with_growing_pauses_and_tells_of_each_attempt() -> None:
    capture, playback = named("headset", Script(refusals=4))
    capture.attempts = playback.attempts = 4  # the first opening works
    talk = Talk(DuplexDevices(ScriptedDevices([capture], [playback])))
    capture.attempts = playback.attempts = 0
    capture.lose()
    attempts: list[Attempt] = []
    began_s = asyncio.get_running_loop().time()
    result = await talk.devices.reopen(attempts.append)
    waited_s = asyncio.get_running_loop().time() - began_s
    # the loudspeaker is tried only once the microphone works
    assert [attempt.next_s for attempt in attempts] == [1.0, 2.0, 4.0, 5.0, 5.0, 5.0, 5.0, 5.0]
    assert result.attempts == 9
    assert waited_s == pytest.approx(0.5 + 1 + 2 + 4 + 5 * 5)
    assert result.capture is not None
    talk.stop()


async def test_another_device_is_taken_when_the_same_one_does_not_come_back() -> None:
    headset, desk = named("headset"), named("desk")
    source = ScriptedDevices([headset[0], desk[0]], [headset[1], desk[1]])
    talk = Talk(DuplexDevices(source))
    source.away.add("headset")
    headset[0].lose()
    attempts: list[Attempt] = []
    result = await talk.devices.reopen(attempts.append)
    assert [str(attempt.error) for attempt in attempts] == [
        "The microphone 'headset' is not back yet. Plug it in."
    ]
    assert not result.same
    assert result.capture is not None
    assert result.capture.name == "desk"
    assert desk[1].running
    talk.stop()


async def test_the_rates_never_change_though_the_devices_do() -> None:
    capture = ScriptedCapture(script=Script(rates=(16_000, 48_000)))
    playback = ScriptedPlayback(script=Script(rates=(24_000, 44_100)))
    talk = Talk(DuplexDevices(ScriptedDevices([capture], [playback])))
    capture.lose()
    await talk.devices.reopen()
    assert (capture.info.rate, playback.info.rate) == (48_000, 44_100)
    assert talk.devices.capture.info.rate == 16_000
    assert talk.devices.playback.info.rate == 24_000
    capture.advance(50)
    assert sum(block.size for block in talk.heard) == pytest.approx(16_000, abs=50)
    playback.advance(50)
    assert talk.rendered == pytest.approx(24_000, abs=500)
    talk.stop()


async def test_only_what_was_in_use_is_reopened() -> None:
    capture, playback = named("headset")
    devices = DuplexDevices(ScriptedDevices([capture], [playback]))
    devices.capture.start(lambda block: None, lambda reason: None)
    capture.lose()
    result = await devices.reopen()
    assert result.playback is None
    assert not playback.running
    devices.capture.stop()
    assert not capture.running


async def test_giving_up_leaves_nothing_open() -> None:
    capture, playback = named("headset", Script(refusals=3))
    capture.attempts = playback.attempts = 3
    talk = Talk(DuplexDevices(ScriptedDevices([capture], [playback])))
    capture.attempts = playback.attempts = 0
    capture.lose()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1.0):
            await talk.devices.reopen()
    talk.stop()
    assert not capture.running
    assert not playback.running


def test_the_device_of_the_settings_and_no_other_is_opened_at_first() -> None:
    refusing = ScriptedCapture(name="headset", script=Script(refusals=1))
    other = ScriptedCapture(name="desk")
    devices = DuplexDevices(ScriptedDevices([refusing, other], []))
    with pytest.raises(DeviceUnavailable, match="'headset' cannot be opened"):
        devices.capture.start(lambda block: None, lambda reason: None)
    assert other.attempts == 0
    devices.capture.start(lambda block: None, lambda reason: None)  # it may be tried again
    with pytest.raises(RuntimeError, match="started already"):
        devices.capture.start(lambda block: None, lambda reason: None)
    devices.capture.stop()


async def advance_for(capture: ScriptedCapture, playback: ScriptedPlayback, seconds: float) -> None:
    for _ in range(round(seconds / 0.02)):
        await asyncio.sleep(0.02)
        capture.advance()
        playback.advance()


async def test_a_stream_that_stalls_is_reported_as_lost_within_a_second() -> None:
    capture, playback = named("headset")
    talk = Talk(DuplexDevices(ScriptedDevices([capture], [playback])))
    late: list[tuple[str, Verdict]] = []
    async with asyncio.TaskGroup() as group:
        watch = group.create_task(talk.devices.watch(lambda *news: late.append(news)))
        await advance_for(capture, playback, 60.0)
        assert talk.lost == []
        for _ in range(50):  # the microphone falls silent
            await asyncio.sleep(0.02)
            playback.advance()
        assert talk.lost == ["The microphone was lost: no sound came for 0.5 s."]
        await talk.devices.reopen()
        await advance_for(capture, playback, 5.0)
        assert len(talk.lost) == 1
        watch.cancel()
    assert late == []
    talk.stop()


async def test_a_stream_that_stays_behind_is_told_of_once() -> None:
    capture, playback = named("headset")
    talk = Talk(DuplexDevices(ScriptedDevices([capture], [playback])))
    late: list[tuple[str, Verdict]] = []
    async with asyncio.TaskGroup() as group:
        watch = group.create_task(talk.devices.watch(lambda *news: late.append(news)))
        await advance_for(capture, playback, 5.0)
        for _ in range(20):  # 0.4 s of the microphone never come
            await asyncio.sleep(0.02)
            playback.advance()
        await advance_for(capture, playback, 30.0)
        watch.cancel()
    assert [noun for noun, _ in late] == ["microphone"]
    assert late[0][1].backlog_samples == pytest.approx(6_400, abs=700)
    assert talk.lost == []
    talk.stop()


async def test_over_portaudio_a_device_that_comes_back_later_is_found_by_name() -> None:
    usb = ScriptedDevice("usb", inputs=1, outputs=2)
    desk = ScriptedDevice("desk", 1, 2, default_rate=44_100, rates=frozenset({44_100}))
    library = ScriptedPortAudio(desk, usb)
    settings = DeviceSettings(input_device="usb", output_device="usb")
    talk = Talk(DuplexDevices(SystemDevices(settings, library), settings))
    for stream in library.streams:
        stream.end()
    assert len(talk.lost) == 1
    library.change_devices(usb, desk)  # it has another number now
    assert (await talk.devices.reopen()).same
    library.change_devices(desk)
    library.stream.end()
    result = await talk.devices.reopen()
    assert not result.same
    assert result.playback is not None
    assert (result.playback.name, result.playback.rate) == ("desk", 24_000)
    before = talk.rendered
    library.stream.pump(882)
    assert talk.rendered - before == pytest.approx(480, abs=300)
    talk.stop()
    assert all(stream.closed for stream in library.streams)


@given(st.integers(1, 200))
def test_pauses_grow_from_half_a_second_to_five(attempt: int) -> None:
    backoff = Backoff()
    assert 0.5 <= backoff.delay_s(attempt) <= backoff.delay_s(attempt + 1) <= 5.0
