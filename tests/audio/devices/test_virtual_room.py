"""The real PortAudio path, full duplex, in a virtual room."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from audio import pcm
from audio.devices.echo_delay import chirp, find_chirp, measure_echo
from audio.devices.probe import ProbeResult, probe_sound
from audio.devices.reopen import Attempt, DuplexDevices
from audio.devices.settings import DeviceSettings
from audio.devices.sounddevice_io import SoundDeviceCapture, SoundDevicePlayback, SystemDevices
from audio.echo.webrtc import WebRtcEchoCanceller
from audio.near_end import NearEnd
from audio.ring import SampleRing
from audio.wav import write_wav
from bench.room import SERVER_RATE, PulseRoom, RoomFailed

pytestmark = [pytest.mark.room, pytest.mark.alone, pytest.mark.real_time]


def speech_like(seconds: float, rate: int, seed: int = 3, level_dbfs: float = -20.0) -> np.ndarray:
    """Noise with the spectrum and the syllables of speech."""
    rng = np.random.default_rng(seed)
    samples = round(seconds * rate)
    spectrum = np.fft.rfft(rng.standard_normal(samples))
    hz = np.fft.rfftfreq(samples, 1 / rate)
    spectrum *= (hz > 150) * (hz < 6_000) / np.sqrt(1 + (hz / 600) ** 2)
    sound = np.fft.irfft(spectrum, samples)
    syllables = np.repeat(rng.uniform(0.05, 1.0, samples // (rate // 5) + 1), rate // 5)[:samples]
    sound *= syllables
    return (sound * pcm.from_dbfs(level_dbfs) / np.sqrt(np.mean(sound**2))).astype(np.float32)


class Duplex:
    """Both devices open: what was heard, and what is to be played."""

    def __init__(self) -> None:
        self.heard: list[np.ndarray] = []
        self.lost: list[str] = []
        self.sound = np.zeros(0, np.float32)
        self._capture = SoundDeviceCapture(DeviceSettings())
        self._playback = SoundDevicePlayback(DeviceSettings())

    def __enter__(self) -> Duplex:
        self._playback.start(self._render, self.lost.append)
        self._capture.start(lambda block: self.heard.append(block.copy()), self.lost.append)
        return self

    def __exit__(self, *_: object) -> None:
        self._capture.stop()
        self._playback.stop()

    def _render(self, out: np.ndarray) -> None:
        piece, self.sound = self.sound[: out.size], self.sound[out.size :]
        out[: piece.size] = piece

    @property
    def microphone(self) -> np.ndarray:
        return np.concatenate([np.zeros(0, np.float32), *self.heard])


async def test_the_user_is_heard_as_loud_as_spoken(room: PulseRoom) -> None:
    with Duplex() as duplex:
        await asyncio.sleep(0.3)
        player = room.play_user(chirp(16_000), 16_000)
        await asyncio.sleep(1.2)
        assert player.wait(5.0) == 0
    mic = duplex.microphone
    first = find_chirp(mic, 16_000)
    assert first is not None
    said = chirp(16_000)
    heard = mic[first : first + said.size]
    assert pcm.rms_dbfs(heard) == pytest.approx(pcm.rms_dbfs(said), abs=0.5)
    assert np.corrcoef(heard, said)[0, 1] > 0.95
    assert duplex.lost == []


async def test_a_user_can_speak_from_a_file(room: PulseRoom, tmp_path: Path) -> None:
    write_wav(tmp_path / "user.wav", chirp(44_100), 44_100)
    recording = room.record("user")
    await asyncio.sleep(0.3)
    assert room.play_user(tmp_path / "user.wav").wait(5.0) == 0
    await asyncio.sleep(0.2)
    assert find_chirp(recording.stop(), SERVER_RATE) is not None


@pytest.mark.parametrize("echo_db", [-6.0, -20.0, None])
async def test_the_app_leaks_into_the_microphone_by_the_gain_of_the_room(
    room: PulseRoom, echo_db: float | None
) -> None:
    room.set_echo(echo_db)
    with Duplex() as duplex:
        duplex.sound = chirp(24_000)
        await asyncio.sleep(1.2)
    first = find_chirp(duplex.microphone, 16_000)
    if echo_db is None:
        assert first is None
        assert not duplex.microphone.any()
        return
    assert first is not None
    heard = duplex.microphone[first : first + 6_400]
    assert pcm.rms_dbfs(heard) - pcm.rms_dbfs(chirp(16_000)) == pytest.approx(echo_db, abs=0.7)


class NoVad:
    """Stands in for a VAD where only the sound matters."""

    def probability(self, frame: np.ndarray) -> float:
        return 0.0

    def reset(self) -> None:
        """Nothing is kept."""


async def test_the_echo_canceller_takes_the_app_out_and_leaves_the_user_in(
    room: PulseRoom,
) -> None:
    near_ring, far_ring = SampleRing(16_000 * 20), SampleRing(24_000 * 20)
    near_end = NearEnd(16_000, 24_000, WebRtcEchoCanceller(), NoVad())  # type: ignore[arg-type]
    sound = speech_like(6.5, 24_000)  # then the user speaks, and the app is silent
    at = 0

    def render(out: np.ndarray) -> None:
        nonlocal at
        piece = sound[at : at + out.size]
        out[: piece.size] = piece
        at += out.size
        far_ring.write(out)

    capture = SoundDeviceCapture(DeviceSettings())
    playback = SoundDevicePlayback(DeviceSettings())
    lost: list[str] = []
    frames = []
    playback.start(render, lost.append)
    capture.start(near_ring.write, lost.append)
    user = speech_like(1.0, 16_000, seed=9)
    try:
        for tick in range(450):
            await asyncio.sleep(0.02)
            near = near_ring.read(near_ring.available)
            frames += near_end.process(near, far_ring.read(far_ring.available))
            if tick == 340:
                room.play_user(user)
    finally:
        capture.stop()
        playback.stop()
    assert lost == []
    raw = np.concatenate([frame.raw for frame in frames])
    clean = np.concatenate([frame.samples for frame in frames])
    alone = slice(4 * 16_000, 6 * 16_000)
    assert pcm.rms_dbfs(raw[alone]) == pytest.approx(-26.0, abs=4.0)
    # 22 dB on a machine that was busy five times over; a reference that lags gives 7 to 10
    assert pcm.rms_dbfs(raw[alone]) - pcm.rms_dbfs(clean[alone]) > 15.0
    later = clean[
        int(6.8 * 16_000) :
    ]  # the user speaks somewhere in it, as soon as the machine lets them
    loudest = max(pcm.rms_dbfs(piece) for piece in np.array_split(later, later.size // 1600))
    assert loudest > -35.0


async def test_a_dead_server_is_known_within_a_second_and_the_talk_goes_on_after_it(
    room: PulseRoom,
) -> None:
    loop = asyncio.get_running_loop()
    gone = asyncio.Event()
    reasons: list[str] = []
    rendered: list[float] = []  # the first and last value of each block: a counting signal
    heard = 0

    def lost(reason: str) -> None:
        loop.call_soon_threadsafe(reasons.append, reason)
        loop.call_soon_threadsafe(gone.set)

    def deliver(block: np.ndarray) -> None:
        nonlocal heard
        heard += block.size

    devices = DuplexDevices(SystemDevices(DeviceSettings()))
    devices.playback.start(lambda out: rendered.append(out.size), lost)
    devices.capture.start(deliver, lost)
    attempts: list[Attempt] = []
    async with asyncio.TaskGroup() as group:
        watch = group.create_task(devices.watch())
        await asyncio.sleep(0.5)
        room.kill_server()
        async with asyncio.timeout(1.0):
            await gone.wait()
        blocks = len(rendered)
        group.create_task(_later(1.2, room.start_server))
        async with asyncio.timeout(15.0):
            reopened = await devices.reopen(attempts.append)
        watch.cancel()
    assert len(reasons) == 1
    assert reopened.same
    assert reopened.attempts == len(attempts) + 1 >= 2
    assert all("microphone" in attempt.error.problem for attempt in attempts)
    before = heard
    await asyncio.sleep(0.5)
    assert heard - before > 4_000
    assert len(rendered) > blocks
    devices.capture.stop()
    devices.playback.stop()
    assert len(reasons) == 1


async def _later(delay_s: float, call: object) -> None:
    await asyncio.sleep(delay_s)
    await asyncio.to_thread(call)  # type: ignore[arg-type]


async def test_a_sink_that_is_removed_does_not_end_the_streams(room: PulseRoom) -> None:
    with Duplex() as duplex:
        await asyncio.sleep(0.4)
        room.remove_sink("speaker")
        await asyncio.sleep(0.3)
        duplex.heard.clear()
        await asyncio.sleep(0.6)
        assert duplex.microphone.size > 6_400
        assert duplex.lost == []
    with pytest.raises(RoomFailed, match="no sink 'speaker'"):
        room.remove_sink("speaker")


async def test_the_doctor_finds_all_well_and_measures_the_echo(room: PulseRoom) -> None:
    voice = room.play_user(speech_like(3.0, 16_000, level_dbfs=-30.0))
    results = await probe_sound(DeviceSettings())
    voice.terminate()
    assert {result.name for result in results if result.ok is False} == set()
    found = {result.name: result for result in results}
    assert "default" in found["microphone"].detail
    assert found["loudspeaker rates"].detail == "opens at 16000, 24000, 44100, 48000 Hz"
    assert found["microphone test"].ok
    assert 50 <= int(found["echo"].detail.split()[0]) <= 400


async def test_the_delay_of_the_room_is_the_same_each_time_it_is_measured(room: PulseRoom) -> None:
    settings = DeviceSettings()
    delays = [
        await measure_echo(SoundDeviceCapture(settings), SoundDevicePlayback(settings))
        for _ in range(2)
    ]
    assert all(delay is not None and 0.05 < delay < 0.4 for delay in delays)


async def test_a_room_without_a_server_has_clear_faults(room: PulseRoom) -> None:
    room.kill_server()
    results = await probe_sound(DeviceSettings())
    faults = [result for result in results if result.ok is False]
    assert faults
    assert all(isinstance(fault, ProbeResult) and fault.remedy for fault in faults)


async def test_nothing_reaches_the_terminal_while_devices_are_opened(
    room: PulseRoom, capfd: pytest.CaptureFixture[str]
) -> None:
    with Duplex():
        await asyncio.sleep(0.1)
    await probe_sound(DeviceSettings(input_device="nothing of that name"))
    assert capfd.readouterr().err == ""


def test_another_process_can_join_the_room(room: PulseRoom) -> None:
    script = "from audio.devices.portaudio import list_devices; print(len(list_devices()))"
    environment = {
        name: value for name, value in os.environ.items() if name not in room.environment
    }
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment | room.environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert int(done.stdout) >= 1


def test_a_room_that_was_left_leaves_nothing_behind() -> None:
    reason = PulseRoom.available()
    if reason is not None:
        pytest.skip(reason)
    before = dict(os.environ)
    with PulseRoom() as room:
        folder = Path(room.environment["XDG_RUNTIME_DIR"])
        recording = room.record()
        player = room.play_user(speech_like(5.0, 16_000))
        assert os.environ["PULSE_SERVER"] == room.environment["PULSE_SERVER"]
    assert player.poll() is not None
    recording.stop()
    assert not folder.exists()
    assert dict(os.environ) == before
    with pytest.raises(RoomFailed, match="not open"):
        room.pactl("info")
