"""What can be said about this machine's sound, for ``jarvis doctor``.

Every check gives results and raises nothing: a machine without a device gets as clear an answer as
one where all is well.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio import pcm
from audio.devices import portaudio
from audio.devices.base import CapturePort, PlaybackPort
from audio.devices.echo_delay import GRACE_S, StreamTest, measure_echo
from audio.devices.portaudio import DeviceSummary, Direction, PortAudio
from audio.devices.quiet import quiet_stderr
from audio.devices.settings import CAPTURE_RATE, PLAYBACK_RATE, DeviceSettings
from audio.devices.sounddevice_io import SoundDeviceCapture, SoundDevicePlayback
from audio.errors import AudioError, DeviceUnavailable

RATES = (CAPTURE_RATE, PLAYBACK_RATE, 44_100, 48_000)
LISTEN_S = 1.0
QUIET_DBFS = -75.0  # below this a microphone is muted or turned down; a quiet room gives -60
AEC_REACH_S = 0.5  # the echo canceller finds echoes up to this delay
ZEROS = "It opens but gives nothing but zeros."


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One line of the doctor's report."""

    name: str
    ok: bool | None  # None: not known, or nothing to judge
    detail: str
    remedy: str = ""


async def probe_sound(
    settings: DeviceSettings, load: Callable[[], PortAudio] = portaudio.load
) -> list[ProbeResult]:
    """Every check, in the order in which a user would go about it; plays a short chirp."""
    try:
        library = load()
    except DeviceUnavailable as error:
        return [ProbeResult("PortAudio", False, error.problem, error.remedy)]
    results = [ProbeResult("PortAudio", True, _version(library))]
    try:
        devices = portaudio.list_devices(library)
    except DeviceUnavailable as error:
        return [*results, ProbeResult("devices", False, error.problem, error.remedy)]
    results.append(probe_devices(devices))
    for direction, wanted in (
        (Direction.CAPTURE, settings.input_device),
        (Direction.PLAYBACK, settings.output_device),
    ):
        results.extend(probe_device(library, devices, wanted, direction))
    if any(result.ok is False for result in results):
        return results
    capture = SoundDeviceCapture(settings, library)
    playback = SoundDevicePlayback(settings, library)
    results.append(await probe_capture(capture))
    results.append(await probe_playback(playback))
    # A microphone that gave zeros in a silent moment may still hear the chirp.
    if all(result.ok is not False or result.detail == ZEROS for result in results[-2:]):
        results.append(await probe_echo(capture, playback))
    return results


def probe_devices(devices: Sequence[DeviceSummary]) -> ProbeResult:
    """What the system lists."""
    listed = ", ".join(
        f"{device.index} {device.name} "
        f"({device.input_channels} in, {device.output_channels} out, {device.host_api})"
        for device in devices
    )
    if not listed:
        remedy = "Plug a headset in, or start the sound server, then run `jarvis doctor` again."
        return ProbeResult("devices", False, "The system lists no sound device.", remedy)
    return ProbeResult("devices", True, listed)


def probe_device(
    library: PortAudio,
    devices: Sequence[DeviceSummary],
    wanted: str | int | None,
    direction: Direction,
) -> list[ProbeResult]:
    """Which device is used for one direction, and the rates that it opens at."""
    try:
        device = portaudio.choose(devices, wanted, direction)
    except DeviceUnavailable as error:
        return [ProbeResult(direction.noun, False, error.problem, error.remedy)]
    opens = [rate for rate in RATES if _opens(library, device, rate, direction)]
    chosen = ProbeResult(
        direction.noun, True, f"{device.index} {device.name}, {device.default_rate} Hz by default"
    )
    name = f"{direction.noun} rates"
    if not opens:
        remedy = "Close other programs that use it, or choose another device."
        return [chosen, ProbeResult(name, False, "No usual rate opens.", remedy)]
    ours = CAPTURE_RATE if direction is Direction.CAPTURE else PLAYBACK_RATE
    detail = f"opens at {', '.join(str(rate) for rate in opens)} Hz"
    if ours not in opens:
        detail += f"; {ours} Hz is converted to {device.default_rate} Hz"
    return [chosen, ProbeResult(name, True, detail)]


async def probe_capture(port: CapturePort, listen_s: float = LISTEN_S) -> ProbeResult:
    """Open the microphone, listen for a moment and judge what it gives."""
    name = "microphone test"
    try:
        heard = await _listen(port, listen_s)
    except AudioError as error:
        return ProbeResult(name, False, error.problem, error.remedy)
    if not heard.any():
        return ProbeResult(name, False, ZEROS, _permission())
    rms, peak = pcm.rms_dbfs(heard), pcm.peak_dbfs(heard)
    detail = f"level {rms:.0f} dBFS, peak {peak:.0f} dBFS, {port.info.rate} Hz"
    if peak < QUIET_DBFS:
        remedy = "Check that it is not muted and raise its level in the system's sound settings."
        return ProbeResult(name, None, f"very quiet: {detail}", remedy)
    if peak > -0.1:
        remedy = "If nobody spoke loudly, lower its level in the system's sound settings."
        return ProbeResult(name, None, f"at full scale: {detail}", remedy)
    return ProbeResult(name, True, detail)


async def probe_playback(port: PlaybackPort, play_s: float = LISTEN_S / 2) -> ProbeResult:
    """Open the loudspeaker and let it ask for silence for a moment."""
    name = "loudspeaker test"
    asked = 0
    stream = StreamTest()

    def render(block: NDArray[np.float32]) -> None:
        nonlocal asked
        asked += block.size
        if asked >= play_s * port.info.rate:
            stream.done()

    try:
        port.start(render, stream.lost)
        await stream.wait(play_s + GRACE_S)
    except AudioError as error:
        return ProbeResult(name, False, error.problem, error.remedy)
    finally:
        port.stop()
    latency_ms = 1000.0 * port.info.latency_s
    detail = f"opens at {port.info.rate} Hz, {port.info.channels} channel(s), {latency_ms:.0f} ms"
    return ProbeResult(name, True, detail)


async def probe_echo(capture: CapturePort, playback: PlaybackPort) -> ProbeResult:
    """Play a chirp and look for it at the microphone; gives the delay between the two."""
    name = "echo"
    try:
        delay_s = await measure_echo(capture, playback)
    except AudioError as error:
        return ProbeResult(name, False, error.problem, error.remedy)
    if delay_s is None:
        return ProbeResult(
            name,
            None,
            "No echo was heard: headphones, or the loudspeaker is turned down.",
            "With headphones leave the echo setting at headphones.",
        )
    detail = f"{1000.0 * delay_s:.0f} ms from loudspeaker to microphone"
    if not 0.0 < delay_s <= AEC_REACH_S:
        remedy = "Use headphones, or a wired loudspeaker: this delay cannot be cancelled."
        return ProbeResult(name, False, detail, remedy)
    return ProbeResult(name, True, detail, "Without headphones set the echo setting to speaker.")


async def _listen(port: CapturePort, listen_s: float) -> NDArray[np.float32]:
    blocks: list[NDArray[np.float32]] = []
    heard = 0
    stream = StreamTest()

    def deliver(block: NDArray[np.float32]) -> None:
        nonlocal heard
        blocks.append(block.copy())
        heard += block.size
        if heard >= listen_s * port.info.rate:
            stream.done()

    try:
        port.start(deliver, stream.lost)
        await stream.wait(listen_s + GRACE_S)
    finally:
        port.stop()
    return np.concatenate(blocks)


def _opens(library: PortAudio, device: DeviceSummary, rate: int, direction: Direction) -> bool:
    capture = direction is Direction.CAPTURE
    check = library.check_input_settings if capture else library.check_output_settings
    most = device.channels(direction)
    for channels in dict.fromkeys((1, min(2, most))):
        try:
            with quiet_stderr():
                check(device=device.index, channels=channels, dtype="float32", samplerate=rate)
        except (library.PortAudioError, ValueError):
            continue
        return True
    return False


def _version(library: PortAudio) -> str:
    return library.get_portaudio_version()[1].split(",")[0]


def _permission() -> str:
    system = platform.system()
    if system == "Darwin":
        return (
            "Allow the terminal in System Settings > Privacy & Security > Microphone, "
            "restart the terminal, then try again."
        )
    if system == "Windows":
        return (
            "Allow desktop apps in Settings > Privacy & security > Microphone, and check that "
            "the microphone is not muted."
        )
    return "Check that the microphone is not muted and is the system's input (`pactl info`)."
