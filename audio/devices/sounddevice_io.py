"""The real microphone and loudspeaker, through PortAudio.

Two separate streams, one per direction: a machine may have them on different devices, and a
duplex stream of PortAudio cannot be opened on two. ``sounddevice`` is imported when a stream is
opened, so a machine without PortAudio can run everything else.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audio.devices import portaudio
from audio.devices.base import Deliver, DeviceInfo, Lost, Render
from audio.devices.portaudio import DeviceSummary, Direction, PortAudio
from audio.devices.quiet import quiet_stderr
from audio.devices.settings import DeviceSettings

__all__ = ["DeviceSettings", "SoundDeviceCapture", "SoundDevicePlayback", "SystemDevices"]


class _Run:
    """One opening of a stream: what the device thread and the caller both touch."""

    def __init__(self, direction: Direction, lost: Lost) -> None:
        self.stopping = False
        self.failed = False
        self._noun = direction.noun
        self._lost = lost
        self._told = threading.Lock()  # taken once and never given back

    def ended(self) -> None:
        """The driver ended the stream."""
        self.end(f"The {self._noun} was lost: its stream ended.")

    def end(self, reason: str) -> None:
        """Report the loss, unless it was reported or the stream is being stopped on purpose."""
        if self.stopping or not self._told.acquire(blocking=False):
            return
        # The callee wakes an event loop; that raises RuntimeError once the loop is closed, and
        # then nobody is left to tell.
        with contextlib.suppress(RuntimeError):
            self._lost(reason)

    def __enter__(self) -> None:
        """Enter what the device thread calls: whatever it raises must not reach the C code."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Keep an exception, report it as a loss, and stay silent from then on."""
        if not isinstance(error, Exception):
            return False
        self.failed = True
        self.end(f"The {self._noun} was given up: {type(error).__name__}: {error}")
        return True


class _Format(NamedTuple):
    rate: int
    channels: int


class _DevicePort:
    """What both directions have in common."""

    def __init__(
        self, direction: Direction, settings: DeviceSettings, library: PortAudio | None
    ) -> None:
        self._direction = direction
        self._settings = settings
        self._library = library
        self._stream: Any = None
        self._run: _Run | None = None
        wanted = settings.input_device
        self._rate, latency = settings.capture_rate, settings.input_latency
        if direction is Direction.PLAYBACK:
            wanted = settings.output_device
            self._rate, latency = settings.playback_rate, settings.output_latency_s
        self._wanted = wanted
        self._latency = latency
        self._info = DeviceInfo(
            name="default" if wanted is None else str(wanted),
            rate=self._rate,
            channels=1,
            latency_s=latency if isinstance(latency, float) else settings.block_s,
        )

    @property
    def info(self) -> DeviceInfo:
        return self._info

    def _open(self, run: _Run, body: Callable[[_Run, _Format], Callable[..., None]]) -> None:
        """Open and start a stream whose callback ``body`` makes for the format that was got."""
        if self._stream is not None:
            raise RuntimeError("the port has been started already")
        library = self._library = self._library or portaudio.load()
        device = portaudio.choose(portaudio.list_devices(library), self._wanted, self._direction)
        stream, got = self._first_stream(library, device, run, body)
        self._info = DeviceInfo(
            name=device.name,
            rate=got.rate,
            channels=got.channels,
            latency_s=float(stream.latency),
        )
        self._stream, self._run = stream, run
        try:
            with quiet_stderr():
                stream.start()
        except library.PortAudioError as error:
            self.stop()
            raise portaudio.unavailable(error, device.name, self._direction) from error

    def _first_stream(
        self,
        library: PortAudio,
        device: DeviceSummary,
        run: _Run,
        body: Callable[[_Run, _Format], Callable[..., None]],
    ) -> tuple[Any, _Format]:
        refusals: list[Exception] = []
        for wanted in self._formats(device):
            try:
                with quiet_stderr():
                    return self._make(library, device, wanted, run, body(run, wanted)), wanted
            except (library.PortAudioError, ValueError) as error:
                refusals.append(error)
                if portaudio.error_code(error) not in portaudio.FORMAT_REFUSED:
                    break
        # What was said about our own rate tells more than what was said about a substitute.
        raise portaudio.unavailable(refusals[0], device.name, self._direction) from refusals[0]

    def _formats(self, device: DeviceSummary) -> Iterator[_Format]:
        """What to ask for, best first: our rate before the device's, few channels before many."""
        most = device.channels(self._direction)
        channels = sorted({1, min(2, most), most})
        rates = dict.fromkeys((self._rate, device.default_rate))
        return itertools.starmap(_Format, itertools.product(rates, channels))

    def _make(
        self,
        library: PortAudio,
        device: DeviceSummary,
        wanted: _Format,
        run: _Run,
        callback: Callable[..., None],
    ) -> Any:
        capture = self._direction is Direction.CAPTURE
        make = library.InputStream if capture else library.OutputStream
        extra = None
        if device.host_api == portaudio.WASAPI:
            # Shared mode runs at the mixer's rate; this lets Windows convert ours to it.
            extra = library.WasapiSettings(auto_convert=True)
        return make(
            device=device.index,
            samplerate=wanted.rate,
            channels=wanted.channels,
            blocksize=self._settings.block_samples(wanted.rate),
            dtype="float32",
            latency=self._latency,
            extra_settings=extra,
            callback=callback,
            finished_callback=run.ended,
        )

    def stop(self) -> None:
        """Stop and release the device; calling it twice is fine. ``lost`` is not called."""
        stream, self._stream = self._stream, None
        if stream is None or self._library is None:
            return
        if self._run is not None:
            self._run.stopping = True
        # What was rendered last is played to its end; what was captured last nobody waits for.
        end = stream.stop if self._direction is Direction.PLAYBACK else stream.abort
        for step in (end, stream.close):
            # A device that is gone refuses to be stopped or closed, and that is no news by now.
            with contextlib.suppress(self._library.PortAudioError), quiet_stderr():
                step()


class SoundDeviceCapture(_DevicePort):
    """A microphone. Several channels are averaged into one, more than two give their first."""

    def __init__(self, settings: DeviceSettings, library: PortAudio | None = None) -> None:
        """``library`` stands in for ``sounddevice``; None imports it at ``start``."""
        super().__init__(Direction.CAPTURE, settings, library)

    def start(self, deliver: Deliver, lost: Lost) -> None:
        """Begin to deliver. When the device refuses our rate, ``info.rate`` is the device's own.

        Raises DeviceUnavailable.
        """

        def body(run: _Run, got: _Format) -> Callable[..., None]:
            def callback(block: NDArray[np.float32], *_: object) -> None:
                if run.failed:
                    return
                with run:
                    deliver(block.mean(axis=1) if got.channels == 2 else block[:, 0])

            return callback

        self._open(_Run(Direction.CAPTURE, lost), body)


class SoundDevicePlayback(_DevicePort):
    """A loudspeaker. What is rendered goes to all of its channels."""

    def __init__(self, settings: DeviceSettings, library: PortAudio | None = None) -> None:
        """``library`` stands in for ``sounddevice``; None imports it at ``start``."""
        super().__init__(Direction.PLAYBACK, settings, library)

    def start(self, render: Render, lost: Lost) -> None:
        """Begin to ask. When the device refuses our rate, ``info.rate`` is the device's own.

        Raises DeviceUnavailable.
        """

        def body(run: _Run, got: _Format) -> Callable[..., None]:
            def callback(block: NDArray[np.float32], frames: int, *_: object) -> None:
                block.fill(0.0)
                if run.failed:
                    return
                mono = np.zeros(frames, np.float32)
                with run:
                    render(mono)
                    block[:] = mono[:, np.newaxis]

            return callback

        self._open(_Run(Direction.PLAYBACK, lost), body)


class SystemDevices:
    """The system's microphones and loudspeakers, as ``reopen`` asks for them."""

    def __init__(self, settings: DeviceSettings, library: PortAudio | None = None) -> None:
        self._settings = settings
        self._library = library

    def refresh(self) -> None:
        """Look at the devices afresh; every stream must be closed. Raises DeviceUnavailable."""
        if self._library is None:
            self._library = portaudio.load()
        portaudio.refresh(self._library)

    def captures(self, last: str | None) -> Sequence[SoundDeviceCapture]:
        """The microphone of the settings; with ``last`` that one, the default, then the others."""
        if last is None:
            return [SoundDeviceCapture(self._settings, self._library)]
        return [
            SoundDeviceCapture(replace(self._settings, input_device=name), self._library)
            for name in self._names(last, Direction.CAPTURE)
        ]

    def playbacks(self, last: str | None) -> Sequence[SoundDevicePlayback]:
        """The loudspeaker of the settings; with ``last`` that one, the default, then the others."""
        if last is None:
            return [SoundDevicePlayback(self._settings, self._library)]
        return [
            SoundDevicePlayback(replace(self._settings, output_device=name), self._library)
            for name in self._names(last, Direction.PLAYBACK)
        ]

    def _names(self, last: str, direction: Direction) -> list[str]:
        """Names, not numbers: numbers change when a device comes or goes."""
        usable = [
            device
            for device in portaudio.list_devices(self._library)
            if device.channels(direction) > 0
        ]
        if not usable:
            return []
        default = portaudio.choose(usable, None, direction)
        ordered = [device.name for device in usable if device.name == last]
        ordered.append(default.name)
        ordered.extend(device.name for device in usable if device.host_api == default.host_api)
        return list(dict.fromkeys(ordered))
