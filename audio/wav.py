"""Sound files: read anything that libsndfile knows, write 16-bit WAV and nothing half-written."""

from __future__ import annotations

import os
import struct
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import soundfile
from numpy.typing import NDArray

from audio.errors import UnreadableAudio, UnwritableOutput
from audio.pcm import RATE, to_int16, to_mono
from audio.resample import resample

_CONVERT = "Convert it to WAV or FLAC first, for example with `ffmpeg -i FILE out.wav`."
_CHECK = "Check the path."
# What a program that writes to a pipe puts for the length: 0, the largest number, or nearly half
# of it. No real file is that long.
_UNKNOWN_FROM = 0x7FFF_0000


@dataclass(frozen=True, slots=True)
class AudioInfo:
    """A sound file as it is on disk, before it was made mono and resampled."""

    rate: int  # Hz
    channels: int
    frames: int  # samples of each channel
    format: str  # such as "WAV PCM_24"

    @property
    def duration_s(self) -> float:
        return self.frames / self.rate


def read_audio(path: str | Path, rate: int = RATE) -> tuple[NDArray[np.float32], AudioInfo]:
    """Read a whole file as mono float32 at ``rate``, full scale 1.0.

    Raises UnreadableAudio, in one line, when the file is missing, a folder, empty, not sound, of
    no length, or shorter than its own header says.
    """
    path = Path(path)
    _check_file(path)
    _check_wav_length(path)
    try:
        with soundfile.SoundFile(path) as file:
            promised = file.frames
            samples = file.read(dtype="float32", always_2d=True)
            info = AudioInfo(
                rate=file.samplerate,
                channels=file.channels,
                frames=len(samples),
                format=f"{file.format} {file.subtype}",
            )
    except (soundfile.LibsndfileError, OSError) as error:
        raise _unreadable(path, error) from error
    if len(samples) == 0:
        raise UnreadableAudio(f"{path} holds no sound: its length is zero.", "Record it again.")
    if len(samples) < promised:
        raise _truncated(path, len(samples) / promised)
    mono = np.nan_to_num(to_mono(samples), nan=0.0, posinf=1.0, neginf=-1.0)
    return resample(mono, info.rate, rate), info


def write_wav(path: str | Path, samples: NDArray[np.float32], rate: int) -> None:
    """Write 16-bit WAV, mono from shape (n,) or stereo from (n, 2); all of it or nothing.

    A file that was there before stays as it was until the new one is whole. Raises
    UnwritableOutput, also for a device or a pipe: the new file would take its place.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise UnwritableOutput(f"{path} is not an ordinary file.", "Name another file.")
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    data = to_int16(samples).astype("<i2").tobytes()
    with _unwritable(path):
        # In the same folder, so that it can be renamed; with the user's own umask.
        part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
        try:
            part.write_bytes(_header(len(data), rate, channels) + data)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


class WavRecorder:
    """Records a conversation while it runs: stereo 16-bit WAV, user left, agent right.

    The file is valid at any moment but the last second may be missing: its header is brought up
    to date about once a second, so even a killed process leaves a recording that plays.

    Each side is added by itself, in pieces of any size. Sound is written once both sides have
    reached it; a side that lags more than ``_PATIENCE_S`` is taken to be silent.
    """

    _PATIENCE_S = 5.0

    def __init__(self, path: str | Path, rate: int) -> None:
        """Open the file. Raises UnwritableOutput."""
        self.path = Path(path)
        self.rate = rate
        self._sides = (_Side(), _Side())
        self._frames = 0
        self._since_header = 0
        with _unwritable(self.path):
            self._file: BinaryIO | None = open(self.path, "wb")  # noqa: SIM115 - closed by close
        with self._ending_on_failure():
            self._update_header(self._file)

    @property
    def duration_s(self) -> float:
        """What is in the file by now."""
        return self._frames / self.rate

    def add_user(self, samples: NDArray[np.float32], start_sample: int | None = None) -> None:
        """Add sound of the user, mono float32 at the recorder's rate.

        It goes where the last piece ended, or at ``start_sample`` of the recording: a gap becomes
        silence, and what lies before the end of the last piece is dropped. Raises
        UnwritableOutput, as when the disk is full: the recording ends there, what was written
        before is kept, and later sound is ignored, as it is after ``close``.
        """
        self._add(0, samples, start_sample)

    def add_agent(self, samples: NDArray[np.float32], start_sample: int | None = None) -> None:
        """Add sound of the agent; see ``add_user``."""
        self._add(1, samples, start_sample)

    def close(self) -> None:
        """Write what is left, the shorter side ending in silence. Calling it twice is fine."""
        if self._file is None:
            return
        self._write_until(max(side.end for side in self._sides))
        with self._ending_on_failure():
            self._update_header(self._file)
            self._file.close()
        self._file = None

    def __enter__(self) -> WavRecorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _add(self, index: int, samples: NDArray[np.float32], start_sample: int | None) -> None:
        if self._file is None:
            return
        side = self._sides[index]
        side.add(samples, side.end if start_sample is None else start_sample)
        ends = [side.end for side in self._sides]
        patient = max(ends) - round(self._PATIENCE_S * self.rate)
        self._write_until(max(min(ends), patient))

    def _write_until(self, end: int) -> None:
        count = end - self._frames
        if count <= 0 or self._file is None:
            return
        block = np.stack([side.take(end) for side in self._sides], axis=1)
        with self._ending_on_failure():
            self._file.write(to_int16(block).astype("<i2").tobytes())
            self._frames = end
            self._since_header += count
            if self._since_header >= self.rate:
                self._update_header(self._file)

    @contextmanager
    def _ending_on_failure(self) -> Iterator[None]:
        with _unwritable(self.path):
            try:
                yield
            except OSError:
                file, self._file = self._file, None
                with suppress(OSError):  # closing tries to write once more
                    if file is not None:
                        file.close()
                raise

    def _update_header(self, file: BinaryIO) -> None:
        file.seek(0)
        file.write(_header(self._frames * 4, self.rate, 2))
        file.seek(0, os.SEEK_END)
        file.flush()
        self._since_header = 0


class _Side:
    """What one side said and was not written yet."""

    def __init__(self) -> None:
        self._pending: list[NDArray[np.float32]] = []
        self._taken = 0  # position of the first pending sample
        self.end = 0  # one past the last sample

    def add(self, samples: NDArray[np.float32], start: int) -> None:
        if start > self.end:
            self._pending.append(np.zeros(start - self.end, np.float32))
            self.end = start
        fresh = samples[self.end - start :]
        self._pending.append(np.array(fresh, np.float32))
        self.end += len(fresh)

    def take(self, end: int) -> NDArray[np.float32]:
        """The samples up to a position, with silence for those that never came."""
        joined = np.concatenate([np.zeros(0, np.float32), *self._pending])
        count = end - self._taken
        out = np.zeros(count, np.float32)
        have = joined[:count]
        out[: len(have)] = have
        self._pending = [joined[count:]]
        self._taken = end
        self.end = max(self.end, end)
        return out


def _header(data_bytes: int, rate: int, channels: int) -> bytes:
    """The 44 bytes before 16-bit PCM: RIFF, WAVE, one fmt chunk, the head of one data chunk."""
    frame = 2 * channels
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", 36 + data_bytes, b"WAVE"),
        *(b"fmt ", 16, 1, channels, rate, rate * frame, frame, 16),
        *(b"data", data_bytes),
    )


@contextmanager
def _unwritable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnwritableOutput(
            f"{path} cannot be written ({_reason(error)}).",
            "Choose a folder that exists, that you may write to, and that has space left.",
        ) from error


def _check_file(path: Path) -> None:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise UnreadableAudio(f"{path} cannot be read ({_reason(error)}).", _CHECK) from error
    if path.is_dir():
        raise UnreadableAudio(f"{path} is a folder, not a sound file.", "Name a file in it.")
    if size == 0:
        raise UnreadableAudio(f"{path} is empty (0 bytes).", "Copy or record it again.")


def _check_wav_length(path: Path) -> None:
    """libsndfile silently reads what is left of a truncated WAV, so compare the lengths here."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            head = file.read(12)
            if len(head) < 12 or head[:4] != b"RIFF" or head[8:] != b"WAVE":
                return
            promised = _data_bytes(file)
            held = size - file.tell()
    except OSError as error:
        raise _unreadable(path, error) from error
    if promised is None:
        raise UnreadableAudio(
            f"{path} is truncated: it ends before its sound begins.", "Copy or record it again."
        )
    if promised < _UNKNOWN_FROM and held < promised:
        raise _truncated(path, held / promised)


def _data_bytes(file: BinaryIO) -> int | None:
    """The length that the data chunk promises, leaving ``file`` at its first byte."""
    while len(head := file.read(8)) == 8:
        name, length = struct.unpack("<4sI", head)
        if name == b"data":
            return int(length)
        file.seek(length + length % 2, os.SEEK_CUR)
    return None


def _truncated(path: Path, share: float) -> UnreadableAudio:
    return UnreadableAudio(
        f"{path} is truncated: it holds {share:.0%} of the sound that its header promises.",
        "Copy or record it again.",
    )


def _unreadable(path: Path, error: Exception) -> UnreadableAudio:
    if isinstance(error, OSError) and not isinstance(error, soundfile.LibsndfileError):
        return UnreadableAudio(f"{path} cannot be read ({_reason(error)}).", _CHECK)
    detail = getattr(error, "error_string", str(error)).rstrip(". ")
    return UnreadableAudio(f"{path} is damaged or not a sound file ({detail}).", _CONVERT)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
