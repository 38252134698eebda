"""Files of every kind are read, broken ones are named, and nothing is left half-written."""

from __future__ import annotations

import os
import signal
import stat
import struct
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from audio.errors import UnreadableAudio, UnwritableOutput
from audio.pcm import RATE, rms_dbfs
from audio.wav import WavRecorder, read_audio, write_wav

SHARED = Path(os.environ.get("JARVIS_SHARED", Path(__file__).parents[3] / "shared")) / "audio"


def tone(rate: int, seconds: float = 0.5) -> np.ndarray:
    at = np.arange(round(rate * seconds)) / rate
    return (0.5 * np.sin(2 * np.pi * 440 * at)).astype(np.float32)


# --- reading -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100, 48_000])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"])
def test_any_wav_becomes_mono_at_16_khz(
    tmp_path: Path, rate: int, channels: int, subtype: str
) -> None:
    file = tmp_path / "in.wav"
    soundfile.write(file, np.stack([tone(rate)] * channels, axis=1), rate, subtype=subtype)
    samples, info = read_audio(file)
    assert samples.dtype == np.float32
    assert samples.shape == (RATE // 2,)
    assert (info.rate, info.channels, info.format) == (rate, channels, f"WAV {subtype}")
    assert info.duration_s == 0.5
    np.testing.assert_allclose(samples[500:-500], tone(RATE)[500:-500], atol=0.02)


@pytest.mark.parametrize("name", ["in.flac", "in.ogg", "in.mp3", "in.aiff"])
def test_other_formats(tmp_path: Path, name: str) -> None:
    soundfile.write(tmp_path / name, tone(48_000, 2.0), 48_000)
    samples, info = read_audio(tmp_path / name)
    assert info.rate == 48_000
    assert len(samples) == pytest.approx(2 * RATE, abs=RATE // 10)
    assert rms_dbfs(samples) == pytest.approx(-9.0, abs=0.5)


def test_another_rate_can_be_asked_for(tmp_path: Path) -> None:
    write_wav(tmp_path / "in.wav", tone(RATE), RATE)
    samples, info = read_audio(tmp_path / "in.wav", rate=24_000)
    assert len(samples) == 12_000
    assert info.rate == RATE


def test_a_real_flac_of_24_bit_stereo() -> None:
    file = SHARED / "jfk_en.flac"
    if not file.is_file():
        pytest.skip("the shared recordings are not here")
    samples, info = read_audio(file)
    assert (info.rate, info.channels) == (44_100, 2)
    assert len(samples) / RATE == pytest.approx(11.0, abs=0.05)


def test_very_quiet_and_clipped_sound_is_read_as_it_is(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "quiet.wav", tone(RATE) * 1e-5, RATE, subtype="FLOAT")
    assert rms_dbfs(read_audio(tmp_path / "quiet.wav")[0]) == pytest.approx(-109.0, abs=0.5)
    soundfile.write(tmp_path / "loud.wav", tone(RATE) * 10, RATE, subtype="FLOAT")
    assert rms_dbfs(read_audio(tmp_path / "loud.wav")[0]) == pytest.approx(11.0, abs=0.5)


def test_a_float_file_with_nan_is_read_as_silence_there(tmp_path: Path) -> None:
    samples = tone(RATE)
    samples[100:200] = np.nan
    soundfile.write(tmp_path / "in.wav", samples, RATE, subtype="FLOAT")
    assert not read_audio(tmp_path / "in.wav")[0][100:200].any()


def whole_file(tmp_path: Path) -> bytes:
    file = tmp_path / "whole.wav"
    write_wav(file, tone(RATE), RATE)
    return file.read_bytes()


def broken(tmp_path: Path) -> dict[str, tuple[Path, str]]:
    whole = whole_file(tmp_path)
    contents = {
        "empty": (b"", "empty"),
        "header only": (whole[:30], "truncated"),
        "no data": (whole[:44], "truncated: it holds 0%"),
        "half": (whole[: len(whole) // 2], "truncated: it holds 50%"),
        "text": (b"hello, this is no sound\n" * 50, "not a sound file"),
        "zeros": (bytes(4000), "not a sound file"),
        "zero length": (whole[:4] + struct.pack("<I", 36) + whole[8:40] + bytes(4), "length is"),
    }
    cases = {}
    for name, (content, message) in contents.items():
        file = tmp_path / f"{name}.wav"
        file.write_bytes(content)
        cases[name] = (file, message)
    folder = tmp_path / "folder.wav"
    folder.mkdir()
    cases["folder"] = (folder, "is a folder")
    cases["missing"] = (tmp_path / "gone.wav", "no such file")
    cases["below a file"] = (tmp_path / "half.wav" / "x.wav", "not a directory")
    flac = tmp_path / "whole.flac"
    soundfile.write(flac, np.random.default_rng(0).standard_normal(RATE) * 0.1, RATE)
    cut = tmp_path / "cut.flac"
    cut.write_bytes(flac.read_bytes()[:9000])
    cases["cut flac"] = (cut, "cut.flac is")
    return cases


@pytest.mark.parametrize(
    "case",
    [
        *("empty", "header only", "no data", "half", "text", "zeros", "zero length"),
        *("folder", "missing", "below a file", "cut flac"),
    ],
)
def test_broken_files_are_named_in_one_line(tmp_path: Path, case: str) -> None:
    file, message = broken(tmp_path)[case]
    with pytest.raises(UnreadableAudio) as caught:
        read_audio(file)
    text = str(caught.value)
    assert message in text
    assert str(file) in text
    assert "\n" not in text
    assert caught.value.remedy


@pytest.mark.parametrize("length", [0xFFFFFFFF, 0x7FFFFFFF])
def test_a_wav_written_to_a_pipe_promises_no_length(tmp_path: Path, length: int) -> None:
    whole = whole_file(tmp_path)
    file = tmp_path / "piped.wav"
    file.write_bytes(whole[:40] + struct.pack("<I", length) + whole[44:])
    assert len(read_audio(file)[0]) == RATE // 2


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.booleans())
def test_arbitrary_bytes_raise_only_our_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, dressed: bool
) -> None:
    file = tmp_path_factory.mktemp("bytes") / "x.wav"
    file.write_bytes(b"RIFF\x00\x01\x00\x00WAVE" + content if dressed else content)
    with pytest.raises(UnreadableAudio):
        read_audio(file)


# --- writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("channels", [1, 2])
def test_what_was_written_can_be_read_by_others(tmp_path: Path, channels: int) -> None:
    file = tmp_path / "out.wav"
    sound = tone(24_000)
    samples = sound if channels == 1 else np.stack([sound, -sound], axis=1)
    write_wav(file, samples, 24_000)
    with wave.open(str(file)) as reader:
        assert reader.getparams()[:4] == (channels, 2, 24_000, 12_000)
        stored = np.frombuffer(reader.readframes(12_000), "<i2").reshape(-1, channels)
    np.testing.assert_allclose(stored[:, 0] / 32768, sound, atol=2e-5)
    assert list(tmp_path.iterdir()) == [file]


def test_an_older_file_is_replaced_with_the_usual_permissions(tmp_path: Path) -> None:
    file = tmp_path / "out.wav"
    file.write_bytes(b"old")
    write_wav(file, tone(RATE), RATE)
    assert len(read_audio(file)[0]) == RATE // 2
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~current_umask()


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def unwritable(tmp_path: Path) -> list[Path]:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "taken.wav").mkdir()
    return [
        tmp_path / "no such folder" / "out.wav",
        tmp_path / "file" / "out.wav",
        tmp_path / "taken.wav",
        Path("/proc/out.wav"),
    ]


@pytest.mark.parametrize("index", range(4))
@pytest.mark.parametrize(
    "write",
    [
        lambda file: write_wav(file, tone(RATE), RATE),
        lambda file: WavRecorder(file, RATE),
    ],
)
def test_an_unwritable_place_is_named(
    tmp_path: Path, index: int, write: Callable[[Path], object]
) -> None:
    file = unwritable(tmp_path)[index]
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UnwritableOutput) as caught:
        write(file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's full device")
def test_a_full_disk_is_named() -> None:
    with pytest.raises(UnwritableOutput, match="space"):
        WavRecorder("/dev/full", RATE)


def test_a_disk_that_fills_up_ends_the_recording_and_keeps_it(tmp_path: Path) -> None:
    """A file size limit of the process stands for the full disk."""
    resource = pytest.importorskip("resource")
    recorder = WavRecorder(tmp_path / "out.wav", RATE)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    failures = 0
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 * RATE * 3, limits[1]))
        for _ in range(6):
            try:
                recorder.add_user(np.full(RATE, 0.5, np.float32))
                recorder.add_agent(np.full(RATE, 0.5, np.float32))
            except UnwritableOutput:
                failures += 1
        recorder.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert failures == 1
    samples = recorded(tmp_path / "out.wav")
    assert 1.0 <= len(samples) / RATE <= 3.0
    assert set(samples.ravel()) == {0.5}


# --- recording ---------------------------------------------------------------------------------


def recorded(file: Path) -> np.ndarray:
    samples, rate = soundfile.read(file, dtype="float32", always_2d=True)
    assert rate == RATE
    return samples


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 3000)), max_size=30),
)
def test_both_sides_are_recorded_whole(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[tuple[bool, int]]
) -> None:
    file = tmp_path_factory.mktemp("recording") / "out.wav"
    sides: tuple[list[float], list[float]] = ([], [])
    with WavRecorder(file, RATE) as recorder:
        for agent, count in pieces:
            values = (np.arange(count) % 1000 + 1) / 2048
            sides[agent].extend(values)
            (recorder.add_agent if agent else recorder.add_user)(values.astype(np.float32))
    samples = recorded(file)
    assert len(samples) == max(map(len, sides))
    for channel, side in enumerate(sides):
        np.testing.assert_allclose(samples[: len(side), channel], side, atol=2e-5)
        assert not samples[len(side) :, channel].any()


def test_the_file_is_whole_while_it_is_being_recorded(tmp_path: Path) -> None:
    file = tmp_path / "out.wav"
    recorder = WavRecorder(file, RATE)
    for _ in range(35):
        recorder.add_user(np.full(1600, 0.25, np.float32))
        recorder.add_agent(np.full(1600, -0.25, np.float32))
    samples = recorded(file)  # as if the process had been killed here
    assert 2.0 <= len(samples) / RATE <= 3.5
    assert set(samples[:, 0]) == {0.25}
    assert set(samples[:, 1]) == {-0.25}
    recorder.close()
    recorder.close()
    recorder.add_user(np.zeros(5, np.float32))  # after the end: nothing happens
    assert len(recorded(file)) / RATE == 3.5
    assert recorder.duration_s == 3.5


def test_positions_place_sound_and_gaps_are_silent(tmp_path: Path) -> None:
    file = tmp_path / "out.wav"
    with WavRecorder(file, RATE) as recorder:
        recorder.add_user(np.full(100, 0.5, np.float32))
        recorder.add_user(np.full(100, 0.25, np.float32), start_sample=150)
        recorder.add_user(np.full(100, 0.125, np.float32), start_sample=200)  # overlaps by 50
        recorder.add_user(np.full(10, 1.0, np.float32), start_sample=0)  # all in the past
        recorder.add_agent(np.full(10, 0.5, np.float32), start_sample=40)
    samples = recorded(file)
    user = [0.5] * 100 + [0.0] * 50 + [0.25] * 100 + [0.125] * 50
    assert samples[:, 0].tolist() == user
    assert samples[:, 1].tolist() == [0.0] * 40 + [0.5] * 10 + [0.0] * 250


def test_a_side_that_is_silent_for_long_does_not_hold_the_other_back(tmp_path: Path) -> None:
    file = tmp_path / "out.wav"
    recorder = WavRecorder(file, RATE)
    for _ in range(20):
        recorder.add_user(np.full(RATE, 0.5, np.float32))
    assert recorder.duration_s == pytest.approx(15.0)
    recorder.add_agent(np.full(RATE, 0.25, np.float32), start_sample=16 * RATE)
    recorder.close()
    samples = recorded(file)
    assert not samples[: 16 * RATE, 1].any()
    assert set(samples[16 * RATE : 17 * RATE, 1]) == {0.25}


def test_a_pipe_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UnwritableOutput, match="not an ordinary file"):
        write_wav(pipe, np.zeros(10, np.float32), 16_000)
    assert pipe.is_fifo()
