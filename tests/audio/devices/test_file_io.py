from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio import pcm
from audio.devices.file_io import EchoPath, FileCapture, FileRoom, NullPlayback, Utterance
from audio.errors import DeviceUnavailable, UnreadableAudio
from audio.wav import write_wav


def noise(samples: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-0.3, 0.3, samples).astype(np.float32)


def listen(room: FileRoom) -> list[np.ndarray]:
    heard: list[np.ndarray] = []
    room.capture.start(lambda block: heard.append(block.copy()), lambda reason: None)
    return heard


async def run_for(room: FileRoom, seconds: float) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(room.run())
        await asyncio.sleep(seconds)
        room.close()


def test_what_the_user_says_is_heard_at_the_sample_that_was_named() -> None:
    room = FileRoom()
    heard = listen(room)
    room.tick()
    speech = noise(1_000)
    start = room.say(speech)
    pause = room.silence(0.1)
    again = room.say(speech)
    assert (start, pause, again) == (320, 1_320, 2_920)
    assert room.user_speaking
    for _ in range(20):
        room.tick()
    assert not room.user_speaking
    sound = np.concatenate(heard)
    np.testing.assert_array_equal(sound[320:1_320], speech)
    np.testing.assert_array_equal(sound[2_920:3_920], speech)
    assert not sound[1_320:2_920].any()
    assert room.utterances == (Utterance(320, 1_320), Utterance(2_920, 3_920))


@given(st.lists(st.tuples(st.integers(1, 2_000), st.integers(0, 40)), max_size=6))
def test_whatever_is_said_whenever_is_heard_whole_and_in_order(
    script: list[tuple[int, int]],
) -> None:
    room = FileRoom(keep_s=0.0)
    heard = listen(room)
    spoken = [(room.say(noise(size, size)), size) for size, wait in script if not _wait(room, wait)]
    for _ in range(200):
        room.tick()
    sound = np.concatenate(heard)
    for start, size in spoken:
        np.testing.assert_array_equal(sound[start : start + size], noise(size, size))
    assert np.count_nonzero(sound) <= sum(size for _, size in spoken)


def _wait(room: FileRoom, ticks: int) -> bool:
    for _ in range(ticks):
        room.tick()
    return False


def test_a_user_who_is_hushed_stops_at_once() -> None:
    room = FileRoom()
    heard = listen(room)
    room.say(noise(3_200))
    room.say(noise(3_200))
    room.tick()
    room.hush()
    room.tick()
    assert np.concatenate(heard)[:320].any()
    assert not np.concatenate(heard)[320:].any()
    assert room.utterances == (Utterance(0, 320),)
    assert not room.user_speaking


def test_the_agent_is_heard_by_the_microphone_late_and_lower() -> None:
    room = FileRoom(echo=EchoPath(gain_db=-6.0, delay_s=0.1))
    heard = listen(room)
    sent: list[np.ndarray] = []
    at = np.arange(48_000) / 24_000
    sound = (0.5 * np.sin(2 * np.pi * (300 + 700 * at) * at)).astype(np.float32)

    def render(out: np.ndarray) -> None:
        out[:] = sound[len(sent) * 480 : (len(sent) + 1) * 480]
        sent.append(out.copy())

    room.playback.start(render, lambda reason: None)
    for _ in range(50):
        room.tick()
    mic = np.concatenate(heard)
    assert np.abs(mic[:1_590]).max() < 0.01  # 100 ms are 1,600 samples
    at = np.arange(14_400) / 16_000
    expected = 0.25 * np.sin(2 * np.pi * (300 + 700 * at) * at)
    assert np.corrcoef(mic[1_600:], expected)[0, 1] > 0.9999
    assert pcm.rms_dbfs(mic[1_600:]) == pytest.approx(pcm.rms_dbfs(sound) - 6.0, abs=0.3)


def test_with_headphones_nothing_leaks_and_noise_is_the_same_each_time() -> None:
    blocks = []
    for _ in range(2):
        room = FileRoom(noise_dbfs=-60.0)
        heard = listen(room)
        room.playback.start(lambda out: out.fill(0.9), lambda reason: None)
        for _ in range(50):
            room.tick()
        blocks.append(np.concatenate(heard))
    assert pcm.rms_dbfs(blocks[0]) == pytest.approx(-60.0, abs=0.2)
    np.testing.assert_array_equal(*blocks)


def test_the_recording_has_the_clean_user_left_and_the_agent_right_aligned() -> None:
    room = FileRoom(echo=EchoPath(), noise_dbfs=-40.0)
    click = np.zeros(160, np.float32)
    click[0] = 0.9
    ticks = 0

    def render(out: np.ndarray) -> None:
        if ticks == 10:
            out[0] = 0.9

    room.playback.start(render, lambda reason: None)
    room.silence(0.2)
    room.say(click)
    for ticks in range(25):  # noqa: B007 - read by render
        room.tick()
    sound = room.recording()
    assert sound.shape == (12_000, 2)
    assert sound.dtype == np.float32
    assert int(np.argmax(np.abs(sound[:, 0]))) == 4_800
    assert int(np.argmax(np.abs(sound[:, 1]))) == 4_800
    assert np.abs(sound[:4_000, 0]).max() < 1e-3  # neither echo nor noise
    assert room.recording_start_s == 0.0


def test_an_old_part_of_the_recording_is_let_go_and_the_start_says_so() -> None:
    room = FileRoom(keep_s=1.0)
    for _ in range(150):
        room.tick()
    assert room.recording().shape == (24_000, 2)
    assert room.recording_start_s == pytest.approx(2.0)
    assert FileRoom(keep_s=0.0).recording().shape == (0, 2)


def test_a_room_that_is_too_loud_is_clipped_like_a_converter() -> None:
    room = FileRoom()
    heard = listen(room)
    room.say(np.full(320, 3.0, np.float32))
    room.tick()
    assert np.abs(heard[0]).max() == 1.0


@pytest.mark.parametrize(
    "speech", [np.zeros((10, 2), np.float32), np.zeros(10, np.int16), np.zeros(10)]
)
def test_speech_of_another_shape_is_refused(speech: np.ndarray) -> None:
    with pytest.raises(ValueError, match="1-D float32"):
        FileRoom().say(speech)


@pytest.mark.parametrize(("capture", "playback"), [(16_000, 22_050), (11_025, 24_000)])
def test_a_block_must_be_whole_at_both_rates(capture: int, playback: int) -> None:
    with pytest.raises(ValueError, match="whole samples"):
        FileRoom(capture, playback, block_s=0.01)


async def test_an_hour_passes_to_the_sample() -> None:
    room = FileRoom(block_s=0.1, keep_s=0.0)
    began_s = asyncio.get_running_loop().time()
    await run_for(room, 3_600.0)
    assert asyncio.get_running_loop().time() - began_s == pytest.approx(3_600.0, abs=0.2)
    assert room.position == pytest.approx(3_600 * 16_000, abs=3_200)


@pytest.mark.real_time
async def test_in_real_time_a_late_loop_loses_no_sample() -> None:
    room = FileRoom()
    heard = listen(room)
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        group.create_task(room.run())
        began_s = loop.time()
        await asyncio.sleep(0.05)
        while loop.time() - began_s < 0.2:
            pass  # hold the loop up, as a slow callback would
        await asyncio.sleep(0.1)
        passed_s = loop.time() - began_s
        room.close()
    assert sum(block.size for block in heard) / 16_000 == pytest.approx(passed_s, abs=0.045)


async def test_a_room_that_is_unplugged_loses_both_devices_and_goes_on() -> None:
    room = FileRoom()
    lost: list[str] = []
    heard: list[np.ndarray] = []
    room.capture.start(lambda block: heard.append(block), lost.append)
    room.playback.start(lambda out: None, lost.append)
    room.unplug("gone")
    assert lost == ["gone", "gone"]
    with pytest.raises(DeviceUnavailable, match="No microphone"):
        room.capture.start(lambda block: None, lost.append)
    with pytest.raises(DeviceUnavailable, match="No loudspeaker"):
        room.playback.start(lambda out: None, lost.append)
    room.tick()
    assert heard == []
    assert room.position == 320
    room.plug_in()
    room.capture.start(lambda block: heard.append(block), lost.append)
    room.tick()
    assert len(heard) == 1


async def test_a_file_is_heard_whole_then_silence_then_the_microphone_is_lost(
    tmp_path: Path,
) -> None:
    speech = noise(8_000)
    write_wav(tmp_path / "speech.wav", speech, 16_000)
    port = FileCapture(tmp_path / "speech.wav", silence_s=0.5)
    heard: list[np.ndarray] = []
    lost: list[str] = []
    port.start(lambda block: heard.append(block.copy()), lost.append)
    await port.run()
    sound = np.concatenate(heard)
    assert sound.size == 16_000
    np.testing.assert_allclose(sound[:8_000], speech, atol=1 / 32_000)
    assert not sound[8_000:].any()
    assert lost == ["The file has ended."]
    assert port.info.name == "speech.wav"


def test_a_file_that_is_not_there_is_a_typed_error(tmp_path: Path) -> None:
    with pytest.raises(UnreadableAudio):
        FileCapture(tmp_path / "no.wav")


async def test_a_loudspeaker_that_nobody_hears_keeps_the_pace() -> None:
    port = NullPlayback(24_000)
    asked: list[int] = []
    port.start(lambda out: asked.append(out.size), lambda reason: None)
    async with asyncio.TaskGroup() as group:
        beat = group.create_task(port.run())
        await asyncio.sleep(1.01)
        port.stop()
        await asyncio.sleep(1.0)
        beat.cancel()
    assert sum(asked) == 24_000
