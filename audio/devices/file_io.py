"""Files and arrays as devices.

``FileRoom`` is a whole room: a microphone and a loudspeaker that one loop drives, so that both
sides share a clock to the sample, with the user's speech, the loudspeaker's echo and a noise floor
at the microphone. It runs in real time on a normal event loop and as fast as the program allows on
a loop with virtual time.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.devices.base import CapturePort, Deliver, DeviceInfo, Lost, PlaybackPort, Render
from audio.devices.echo_path import EchoLeak, EchoPath
from audio.devices.pacing import pace
from audio.devices.settings import CAPTURE_RATE, PLAYBACK_RATE
from audio.devices.speech_queue import SpeechQueue, Utterance
from audio.errors import DeviceUnavailable
from audio.resample import resample
from audio.wav import read_audio

BLOCK_S = 0.02
KEEP_S = 600.0  # of the recording: 96 MB at 16 and 24 kHz
NOISE_SEED = 7

__all__ = ["EchoPath", "FileCapture", "FileRoom", "NullPlayback", "Utterance"]


class _RoomPort:
    """The room's microphone or loudspeaker: both hand a block over."""

    def __init__(self, room: FileRoom, noun: str, info: DeviceInfo) -> None:
        self._room = room
        self._noun = noun
        self._info = info
        self._handle: Deliver | Render | None = None
        self._lost: Lost | None = None

    @property
    def info(self) -> DeviceInfo:
        return self._info

    def start(self, handle: Deliver | Render, lost: Lost) -> None:
        """Begin. Raises DeviceUnavailable while the room is unplugged."""
        if self._room.unplugged:
            raise DeviceUnavailable(f"No {self._noun} was found.", "Plug one in.")
        self._handle, self._lost = handle, lost

    def stop(self) -> None:
        """Stop; calling it twice is fine. ``lost`` is not called."""
        self._handle = self._lost = None

    def hand_over(self, block: NDArray[np.float32]) -> None:
        """Deliver a block, or have it rendered, if anybody is there."""
        if self._handle is not None:
            self._handle(block)

    def lose(self, reason: str) -> None:
        """End the stream as a driver would."""
        lost = self._lost
        self.stop()
        if lost is not None:
            lost(reason)


class FileRoom:
    """A room with a user in it, whose two devices are driven by ``run``.

    All calls are made on the event loop that runs it. ``deliver`` and ``render`` are called there
    too, playback first, so the far end is always known before its echo is heard.
    """

    def __init__(
        self,
        capture_rate: int = CAPTURE_RATE,
        playback_rate: int = PLAYBACK_RATE,
        block_s: float = BLOCK_S,
        echo: EchoPath | None = None,
        noise_dbfs: float | None = None,
        keep_s: float = KEEP_S,
    ) -> None:
        """``echo`` None is a user with headphones, ``noise_dbfs`` None a silent room.

        The newest ``keep_s`` seconds are kept for ``recording``; 0 keeps none. Raises ValueError
        when a block is no whole number of samples at both rates.
        """
        self._block_s = block_s
        self._capture_samples = _whole(block_s * capture_rate, "capture_rate")
        self._playback_samples = _whole(block_s * playback_rate, "playback_rate")
        self._voice = SpeechQueue()
        self._capture = _RoomPort(self, "microphone", DeviceInfo("room", capture_rate, 1, block_s))
        self._playback = _RoomPort(self, "loudspeaker", DeviceInfo("room", playback_rate, 1, 0.0))
        self._echo = EchoLeak(echo, self._playback.info.rate, capture_rate, self._capture_samples)
        self._noise_level = 0.0 if noise_dbfs is None else 10.0 ** (noise_dbfs / 20.0)
        self._noise = np.random.default_rng(NOISE_SEED)
        blocks = round(keep_s / block_s)
        self._user_side: deque[NDArray[np.float32]] = deque(maxlen=blocks)
        self._agent_side: deque[NDArray[np.float32]] = deque(maxlen=blocks)
        self._unplugged = False
        self._closed = False

    @property
    def capture(self) -> CapturePort:
        """The microphone."""
        return self._capture

    @property
    def playback(self) -> PlaybackPort:
        """The loudspeaker."""
        return self._playback

    async def run(self) -> None:
        """Drive both devices until ``close``; this coroutine is the room's device thread."""
        await pace(self._block_s, self.tick)

    def tick(self) -> bool:
        """Let one block of time pass; False once the room is closed."""
        if self._closed:
            return False
        agent = np.zeros(self._playback_samples, np.float32)
        self._playback.hand_over(agent)
        user = self._voice.take(self._capture_samples)
        near = user + self._echo.process(agent)
        if self._noise_level:
            noise = self._noise.standard_normal(near.size, np.float32)
            near += noise * np.float32(self._noise_level)
        self._capture.hand_over(np.clip(near, -1.0, 1.0))
        self._user_side.append(user)
        self._agent_side.append(agent)
        return True

    def close(self) -> None:
        """End ``run`` at its next beat."""
        self._closed = True

    # --- the user ------------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """Samples of the microphone since the start; the next one is heard next."""
        return self._voice.position

    @property
    def user_speaking(self) -> bool:
        """Whether the user still has something to say."""
        return self._voice.speaking

    @property
    def utterances(self) -> tuple[Utterance, ...]:
        """All that the user was given to say, in order."""
        return tuple(self._voice.utterances)

    def say(self, samples: NDArray[np.float32]) -> int:
        """Speak after all that is queued; returns the microphone sample at which it begins.

        ``samples`` is float32 mono at the capture rate. Raises ValueError for another shape.
        """
        if samples.ndim != 1 or samples.dtype != np.float32:
            raise ValueError(f"speech must be 1-D float32, not {samples.ndim}-D {samples.dtype}")
        return self._voice.add(samples.copy())

    def silence(self, duration_s: float) -> int:
        """Be silent after all that is queued; returns the sample at which the silence begins."""
        return self._voice.add_silence(round(duration_s * self._capture.info.rate))

    def hush(self) -> None:
        """Stop speaking at once and forget what is queued."""
        self._voice.drop()

    # --- faults --------------------------------------------------------------------------------

    def unplug(self, reason: str = "The device was unplugged.") -> None:
        """Lose both devices; they cannot be opened until ``plug_in``. Time goes on."""
        self._unplugged = True
        self._capture.lose(reason)
        self._playback.lose(reason)

    def plug_in(self) -> None:
        """Let the devices be opened again."""
        self._unplugged = False

    @property
    def unplugged(self) -> bool:
        """Whether the devices are away."""
        return self._unplugged

    # --- the recording -------------------------------------------------------------------------

    @property
    def recording_start_s(self) -> float:
        """Where ``recording`` begins, in the room's seconds: over 0 once older sound was let go."""
        kept = len(self._user_side) * self._capture_samples
        return (self._voice.position - kept) / self._capture.info.rate

    def recording(self) -> NDArray[np.float32]:
        """What was said, shape (n, 2) at the playback rate: the user left, the agent right.

        The user's side is the clean speech, without echo and noise. Both are aligned to the sample.
        """
        if not self._user_side:
            return np.zeros((0, 2), np.float32)
        user = np.concatenate(self._user_side)
        agent = np.concatenate(self._agent_side)
        rates = self._capture.info.rate, self._playback.info.rate
        left = resample(user, *rates)
        both = np.zeros((agent.size, 2), np.float32)
        both[: left.size, 0] = left[: agent.size]
        both[:, 1] = agent
        return both


class FileCapture:
    """A microphone that hears one file, then silence, then is lost. ``run`` drives it."""

    def __init__(
        self, path: Path, rate: int = CAPTURE_RATE, block_s: float = BLOCK_S, silence_s: float = 1.0
    ) -> None:
        """Reads the whole file. Raises UnreadableAudio."""
        samples, _ = read_audio(path, rate)
        tail = np.zeros(round(silence_s * rate), np.float32)
        self._samples = np.concatenate((samples, tail))
        self._block_s = block_s
        self._block = _whole(block_s * rate, "rate")
        self._info = DeviceInfo(path.name, rate, 1, block_s)
        self._deliver: Deliver | None = None
        self._lost: Lost | None = None
        self._position = 0

    @property
    def info(self) -> DeviceInfo:
        return self._info

    def start(self, deliver: Deliver, lost: Lost) -> None:
        """Deliver from where it stopped, while ``run`` runs."""
        self._deliver, self._lost = deliver, lost

    def stop(self) -> None:
        self._deliver = self._lost = None

    async def run(self) -> None:
        """Play the file until its end, in the running loop's time."""
        await pace(self._block_s, self._tick)

    def _tick(self) -> bool:
        if self._deliver is None:
            return True
        if self._position >= self._samples.size:
            lost = self._lost
            self.stop()
            if lost is not None:
                lost("The file has ended.")
            return False
        block = self._samples[self._position : self._position + self._block]
        self._position += block.size
        self._deliver(block)
        return True


class NullPlayback:
    """A loudspeaker that nobody hears, asked for sound at the right pace. ``run`` drives it."""

    def __init__(self, rate: int = PLAYBACK_RATE, block_s: float = BLOCK_S) -> None:
        self._block_s = block_s
        self._block = np.zeros(_whole(block_s * rate, "rate"), np.float32)
        self._info = DeviceInfo("nobody", rate, 1, 0.0)
        self._render: Render | None = None

    @property
    def info(self) -> DeviceInfo:
        return self._info

    def start(self, render: Render, lost: Lost) -> None:
        """Ask for sound while ``run`` runs; it is never lost."""
        self._render = render

    def stop(self) -> None:
        self._render = None

    async def run(self) -> None:
        """Ask for blocks until cancelled, in the running loop's time."""
        await pace(self._block_s, self._tick)

    def _tick(self) -> bool:
        if self._render is not None:
            self._block.fill(0.0)
            self._render(self._block)
        return True


def _whole(samples: float, name: str) -> int:
    if samples < 1 or abs(samples - round(samples)) > 1e-6:
        raise ValueError(f"a block must be whole samples at {name}, not {samples}")
    return round(samples)
