"""A stand-in for the ``sounddevice`` module: devices that refuse, vanish and come back as told.

It shows what no sound server does: a rate that is refused, a device that only opens in stereo, one
that another program holds, a list of devices that changes only when PortAudio is started anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.devices import portaudio


class ScriptedPortAudioError(Exception):
    """As PortAudio's own: a sentence, then the PaErrorCode."""


@dataclass(frozen=True, slots=True)
class ScriptedDevice:
    """A device of the script; what it lacks is refused with PortAudio's own code."""

    name: str
    inputs: int = 0  # channels
    outputs: int = 0
    default_rate: int = 48_000
    rates: frozenset[int] | None = None  # Hz that it opens at; None: any
    channels: frozenset[int] | None = None  # counts that it opens with; None: any up to its own
    busy: bool = False  # another program holds it
    host_api: str = "ALSA"


class ScriptedStream:
    """A stream whose callback is called by ``pump``."""

    def __init__(
        self,
        callback: Callable[..., None],
        finished_callback: Callable[[], None],
        asked: dict[str, Any],
        channels: int,
        playback: bool,
    ) -> None:
        self.asked = asked  # the keywords that it was opened with
        self.latency = 0.04
        self.active = False
        self.closed = False
        self._callback = callback
        self._finished = finished_callback
        self._channels = channels
        self._playback = playback

    def start(self) -> None:
        """Begin; ``pump`` then calls the callback."""
        self.active = True

    def stop(self) -> None:
        """End on purpose; PortAudio calls the finished callback here too."""
        self.end()

    def abort(self) -> None:
        """End on purpose, without playing what is queued."""
        self.end()

    def close(self) -> None:
        """Release it."""
        self.closed = True

    def end(self) -> None:
        """End, as when the device is gone."""
        if self.active:
            self.active = False
            self._finished()

    def pump(self, block: NDArray[np.float32] | int) -> NDArray[np.float32]:
        """Call the callback with captured frames, shape (n, channels), or for n frames.

        Returns the block as the callback left it.
        """
        if isinstance(block, int):
            # What the callback does not overwrite is noticed: a driver's buffer is not clean.
            block = np.full((block, self._channels), 0.0 if not self._playback else 0.5, np.float32)
        if self.active:
            self._callback(block, len(block), None, 0)
        return block


class ScriptedPortAudio:
    """The part of ``sounddevice`` that is used, with the devices of a script."""

    PortAudioError = ScriptedPortAudioError

    def __init__(self, *devices: ScriptedDevice) -> None:
        """The first device of each direction is the default one."""
        self._devices: Sequence[ScriptedDevice] = devices
        self._coming: Sequence[ScriptedDevice] = devices
        self.streams: list[ScriptedStream] = []
        self.starts = 1  # of PortAudio

    # --- the script ------------------------------------------------------------------------------

    def change_devices(self, *devices: ScriptedDevice) -> None:
        """Plug in and out; seen only once PortAudio has been started anew."""
        self._coming = devices

    @property
    def stream(self) -> ScriptedStream:
        """The stream that was opened last."""
        return self.streams[-1]

    # --- sounddevice -----------------------------------------------------------------------------

    def query_devices(self, device: Any = None, kind: str | None = None) -> Any:
        """The devices as dictionaries."""
        apis = self._api_names()
        return [
            {
                "name": entry.name,
                "hostapi": apis.index(entry.host_api),
                "max_input_channels": entry.inputs,
                "max_output_channels": entry.outputs,
                "default_samplerate": float(entry.default_rate),
            }
            for entry in self._devices
        ]

    def query_hostapis(self, index: int | None = None) -> Any:
        """The host APIs as dictionaries."""
        return [
            {
                "name": name,
                "default_input_device": self._first(name, lambda entry: entry.inputs),
                "default_output_device": self._first(name, lambda entry: entry.outputs),
            }
            for name in self._api_names()
        ]

    def get_portaudio_version(self) -> tuple[int, str]:
        """Its number and its words."""
        return 1_246_720, "PortAudio V19.7.0-scripted, revision unknown"

    def check_input_settings(self, **settings: Any) -> None:
        """Raise as opening an input would."""
        self._check(settings, self._devices[settings["device"]].inputs)

    def check_output_settings(self, **settings: Any) -> None:
        """Raise as opening an output would."""
        self._check(settings, self._devices[settings["device"]].outputs)

    def InputStream(self, **settings: Any) -> ScriptedStream:
        """Open an input."""
        self.check_input_settings(**settings)
        return self._opened(settings, playback=False)

    def OutputStream(self, **settings: Any) -> ScriptedStream:
        """Open an output."""
        self.check_output_settings(**settings)
        return self._opened(settings, playback=True)

    def WasapiSettings(self, auto_convert: bool) -> dict[str, bool]:
        """What Windows is asked for."""
        return {"auto_convert": auto_convert}

    def _initialize(self) -> None:
        self.starts += 1
        self._devices = self._coming

    def _terminate(self) -> None:
        for stream in self.streams:
            stream.active = False  # without a word, as PortAudio does

    # --- inside ----------------------------------------------------------------------------------

    def _api_names(self) -> list[str]:
        return list(dict.fromkeys(entry.host_api for entry in self._devices))

    def _first(self, api: str, channels: Callable[[ScriptedDevice], int]) -> int:
        for index, entry in enumerate(self._devices):
            if entry.host_api == api and channels(entry) > 0:
                return index
        return -1

    def _check(self, settings: dict[str, Any], most: int) -> None:
        entry = self._devices[settings["device"]]
        channels, rate = settings["channels"], settings["samplerate"]
        if entry.busy:
            raise ScriptedPortAudioError("Device unavailable", portaudio.DEVICE_UNAVAILABLE)
        if channels > most or (entry.channels is not None and channels not in entry.channels):
            raise ScriptedPortAudioError(
                "Invalid number of channels", portaudio.INVALID_CHANNEL_COUNT
            )
        if entry.rates is not None and rate not in entry.rates:
            raise ScriptedPortAudioError("Invalid sample rate", portaudio.INVALID_SAMPLE_RATE)

    def _opened(self, settings: dict[str, Any], playback: bool) -> ScriptedStream:
        stream = ScriptedStream(
            settings["callback"],
            settings["finished_callback"],
            settings,
            settings["channels"],
            playback,
        )
        self.streams.append(stream)
        return stream
