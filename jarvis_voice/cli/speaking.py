"""One text to speech, outside a conversation: to a file, or to the loudspeaker."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from audio.devices.settings import DeviceSettings as PortSettings
from audio.devices.settings import device_choice
from audio.devices.sounddevice_io import SoundDevicePlayback
from audio.engine import CancelToken
from audio.errors import DeviceLost, UnwritableOutput
from audio.playback import Playback
from audio.resample import StreamResampler
from audio.tts.base import SpokenPhrase
from audio.tts.phrasing import Phraser, PhrasingSettings
from audio.tts.registry import open_synthesizer
from audio.tts.spoken_text import speak
from audio.wav import write_wav
from jarvis_voice.clock import stopwatch
from jarvis_voice.config import DeviceSettings, SynthesizerSettings
from jarvis_voice.errors import UsageError

_STALL_S = 3.0  # a loudspeaker that asks for nothing for so long is gone
_REPLY = 1  # the queue numbers replies; here there is only one


def check_output(path: Path) -> None:
    """Refuse an output that cannot be written before time is spent on it."""
    if path.is_dir():
        raise UnwritableOutput(f"{path} is a folder.", "Name a file in it.")
    if path.suffix.lower() not in {"", ".wav", ".wave"}:
        raise UnwritableOutput(
            f"Only WAV files are written, and {path} is named otherwise.", "Name it .wav."
        )
    if path.exists() and not path.is_file():
        raise UnwritableOutput(f"{path} is not an ordinary file.", "Name another file.")
    if not path.absolute().parent.is_dir():
        raise UnwritableOutput(
            f"The folder of {path} does not exist.", "Make it first, or choose another."
        )


class Speaking:
    """Says one text. Use it as a context manager: it holds the loaded synthesizer."""

    def __init__(self, text: str, settings: SynthesizerSettings) -> None:
        """Load the synthesizer. Raises UsageError when nothing of the text can be said."""
        phraser = Phraser(PhrasingSettings())
        phrases = [*phraser.feed(text), *phraser.finish()]
        spoken = [speak(phrase.text, phrase.offset) for phrase in phrases]
        self._phrases: list[SpokenPhrase] = [phrase for phrase in spoken if phrase.words]
        if not self._phrases:
            raise UsageError("Nothing in the text can be said.", "Give some words.")
        self._settings = settings
        self._synthesizer = open_synthesizer(settings.engine, **settings.options())
        self._cancel = CancelToken()
        self._samples = 0
        self._first_s: float | None = None
        self._synthesis_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._cancel.cancel()
        self._synthesizer.close()

    def to_file(self, path: Path) -> None:
        """Write all of it as a WAV file, or nothing. Raises UnwritableOutput."""
        write_wav(path, np.concatenate(list(self._chunks())), self._synthesizer.rate)

    def to_loudspeaker(self, settings: DeviceSettings) -> None:
        """Play it while it is made; returns when all has sounded.

        Raises DeviceUnavailable, and DeviceLost when the loudspeaker goes away meanwhile.
        """
        port = SoundDevicePlayback(
            PortSettings(
                output_device=device_choice(settings.output),
                playback_rate=self._synthesizer.rate,
                output_latency_s=settings.output_latency_s,
            )
        )
        asyncio.run(self._play(port))

    def told(self) -> dict[str, object]:
        """What was said, for a program."""
        rate = self._synthesizer.rate
        return {
            "engine": self._settings.engine,
            "voice": self._settings.voice or None,
            "spoken": " ".join(phrase.text for phrase in self._phrases),
            "rate": rate,
            "duration_s": round(self._samples / rate, 3),
            "first_audio_s": None if self._first_s is None else round(self._first_s, 3),
            "synthesis_s": round(self._synthesis_s, 3),
        }

    def _chunks(self) -> Iterator[NDArray[np.float32]]:
        """The audio in order, with the time that it took kept aside."""
        for phrase in self._phrases:
            began_s = stopwatch()
            for chunk in self._synthesizer.synthesize(phrase, self._cancel):
                self._synthesis_s += stopwatch() - began_s
                if self._first_s is None:
                    self._first_s = self._synthesis_s
                self._samples += len(chunk.samples)
                yield chunk.samples
                began_s = stopwatch()
            self._synthesis_s += stopwatch() - began_s

    async def _play(self, port: SoundDevicePlayback) -> None:
        ear = _Ear()
        port.start(ear.render, ear.lost)
        rate = port.info.rate
        playback = Playback(rate, latency_samples=round(port.info.latency_s * rate))
        resampler = StreamResampler(self._synthesizer.rate, rate)
        playback.begin(_REPLY)
        ear.playback = playback
        chunks = self._chunks()
        try:
            while ear.reason is None:
                chunk = await asyncio.to_thread(next, chunks, None)
                if chunk is None:
                    break
                playback.enqueue(_REPLY, resampler.process(chunk))
            playback.enqueue(_REPLY, resampler.flush())
            playback.finish(_REPLY)
            await ear.heard_all()
        finally:
            self._cancel.cancel()
            port.stop()
        if ear.reason is not None:
            said_s = playback.progress(_REPLY).played_samples / rate
            raise DeviceLost(
                f"{ear.reason} {said_s:.1f} s had been said.",
                "Plug it in again, or write a file with --out.",
            )


class _Ear:
    """Stands between the device's thread and the loop that waits for the end."""

    def __init__(self) -> None:
        self.playback: Playback | None = None
        self.reason: str | None = None  # why the loudspeaker was lost
        self._loop = asyncio.get_running_loop()
        self._moved = asyncio.Event()

    def render(self, block: NDArray[np.float32]) -> None:
        """On the device's thread."""
        if self.playback is not None:
            self.playback.render(block)
        self._loop.call_soon_threadsafe(self._moved.set)

    def lost(self, reason: str) -> None:
        """On any thread."""
        self.reason = reason
        self._loop.call_soon_threadsafe(self._moved.set)

    async def heard_all(self) -> None:
        """Wait until all has sounded, the device is lost, or it asks for nothing any more."""
        while self.reason is None and self.playback is not None:
            if self.playback.progress(_REPLY).finished:
                return
            self._moved.clear()
            try:
                async with asyncio.timeout(_STALL_S):
                    await self._moved.wait()
            except TimeoutError:
                self.reason = "The loudspeaker was lost: it takes no more sound."
