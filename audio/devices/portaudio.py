"""PortAudio through ``sounddevice``: loading it, its devices, and its faults as typed errors."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from audio.devices.quiet import quiet_stderr
from audio.errors import DeviceUnavailable

# PaErrorCode values of portaudio.h that tell a refused format from an unusable device.
UNANTICIPATED_HOST_ERROR = -9999
INVALID_CHANNEL_COUNT = -9998
INVALID_SAMPLE_RATE = -9997
INVALID_DEVICE = -9996
SAMPLE_FORMAT_NOT_SUPPORTED = -9994
INTERNAL_ERROR = -9986
DEVICE_UNAVAILABLE = -9985

# Another rate or channel count is worth a try after these. The host and internal errors are among
# them because Core Audio and some ALSA drivers report a refused format as one of the two.
FORMAT_REFUSED = frozenset(
    {
        UNANTICIPATED_HOST_ERROR,
        INVALID_CHANNEL_COUNT,
        INVALID_SAMPLE_RATE,
        SAMPLE_FORMAT_NOT_SUPPORTED,
        INTERNAL_ERROR,
    }
)
WASAPI = "Windows WASAPI"


class Direction(Enum):
    """Which way the sound goes; the values are PortAudio's words."""

    CAPTURE = "input"
    PLAYBACK = "output"

    @property
    def noun(self) -> str:
        """What a user calls the device."""
        return "microphone" if self is Direction.CAPTURE else "loudspeaker"


class PortAudio(Protocol):
    """The part of the ``sounddevice`` module that is used here."""

    PortAudioError: Any  # the exception class
    InputStream: Any
    OutputStream: Any
    WasapiSettings: Any

    def query_devices(self, device: Any = None, kind: str | None = None) -> Any: ...

    def query_hostapis(self, index: int | None = None) -> Any: ...

    def get_portaudio_version(self) -> tuple[int, str]: ...

    def check_input_settings(self, **settings: Any) -> None: ...

    def check_output_settings(self, **settings: Any) -> None: ...

    def _initialize(self) -> None: ...

    def _terminate(self) -> None: ...


@dataclass(frozen=True, slots=True)
class DeviceSummary:
    """A device as the system lists it."""

    index: int
    name: str
    host_api: str  # "ALSA", "Core Audio", "Windows WASAPI", ...
    input_channels: int
    output_channels: int
    default_rate: int  # Hz
    default_input: bool
    default_output: bool

    def channels(self, direction: Direction) -> int:
        """How many channels it has that way."""
        return self.input_channels if direction is Direction.CAPTURE else self.output_channels


def load() -> PortAudio:
    """Import ``sounddevice``, which starts PortAudio.

    Raises DeviceUnavailable with the install line for this system when the library is missing.
    """
    try:
        with quiet_stderr():
            import sounddevice
    except ImportError as error:
        raise DeviceUnavailable(
            "The Python package sounddevice is not installed.", "Run: pip install sounddevice"
        ) from error
    except OSError as error:
        raise DeviceUnavailable("PortAudio is not installed.", install_line()) from error
    except Exception as error:
        # Its own error class cannot be named before the import has succeeded.
        if type(error).__name__ != "PortAudioError":
            raise
        raise DeviceUnavailable(
            f"PortAudio did not start: {_words(error)}.", _sound_server_hint()
        ) from error
    library: PortAudio = sounddevice
    return library


def refresh(library: PortAudio) -> None:
    """Make PortAudio look at the system's devices afresh.

    It reads them once when it starts, on every system, and has no public call to read them again.
    Every open stream ends: stop the ports first. Raises DeviceUnavailable.
    """
    try:
        with quiet_stderr():
            # sounddevice offers these two without the underscore of a public name, and PortAudio
            # offers no other way to see a device that was plugged in later.
            library._terminate()  # noqa: SLF001 - see above
            library._initialize()  # noqa: SLF001 - see above
    except library.PortAudioError as error:
        raise DeviceUnavailable(
            f"PortAudio did not start again: {_words(error)}.", _sound_server_hint()
        ) from error


def list_devices(library: PortAudio | None = None) -> list[DeviceSummary]:
    """Every device of the system; empty when there is none. Raises DeviceUnavailable."""
    found = library or load()
    try:
        with quiet_stderr():
            raw: Sequence[Mapping[str, Any]] = list(found.query_devices())
            apis: Sequence[Mapping[str, Any]] = list(found.query_hostapis())
    except found.PortAudioError as error:
        raise DeviceUnavailable(
            f"The sound devices cannot be listed: {_words(error)}.", _sound_server_hint()
        ) from error
    defaults_in = _default(apis, raw, Direction.CAPTURE)
    defaults_out = _default(apis, raw, Direction.PLAYBACK)
    return [
        DeviceSummary(
            index=index,
            name=str(device["name"]),
            host_api=str(apis[device["hostapi"]]["name"]),
            input_channels=int(device["max_input_channels"]),
            output_channels=int(device["max_output_channels"]),
            default_rate=int(device["default_samplerate"]),
            default_input=index == defaults_in,
            default_output=index == defaults_out,
        )
        for index, device in enumerate(raw)
    ]


def choose(
    devices: Sequence[DeviceSummary], wanted: str | int | None, direction: Direction
) -> DeviceSummary:
    """The device meant by a number, a part of a name, or None for the default.

    A name that fits several devices takes the exact one, then the first of the best host API.
    Raises DeviceUnavailable, naming what there is.
    """
    usable = [device for device in devices if device.channels(direction) > 0]
    if not usable:
        raise DeviceUnavailable(f"No {direction.noun} was found.", _no_device_hint(direction))
    if wanted is None:
        return next((device for device in usable if _is_default(device, direction)), usable[0])
    if isinstance(wanted, int):
        fitting = [device for device in usable if device.index == wanted]
    else:
        fitting = _named(usable, wanted)
    if not fitting:
        names = ", ".join(f"{device.index} {device.name!r}" for device in usable)
        raise DeviceUnavailable(
            f"There is no {direction.noun} {wanted!r}.", f"Choose one of: {names}."
        )
    return fitting[0]


def unavailable(error: Exception, name: str, direction: Direction) -> DeviceUnavailable:
    """What PortAudio said when a device was opened, as the typed error."""
    code = error_code(error)
    remedy = {
        INVALID_SAMPLE_RATE: "Choose another device, or set its rate in the system's settings.",
        INVALID_CHANNEL_COUNT: "Choose another device.",
        INVALID_DEVICE: "Choose another device; `jarvis doctor` lists them.",
        DEVICE_UNAVAILABLE: "Another program may be using it: close that program, then try again.",
    }.get(code, _sound_server_hint())
    return DeviceUnavailable(
        f"The {direction.noun} {name!r} cannot be opened: {_words(error)}.", remedy
    )


def error_code(error: Exception) -> int:
    """The PaErrorCode of a PortAudioError, 0 when it carries none."""
    if len(error.args) > 1 and isinstance(error.args[1], int):
        return error.args[1]
    return 0


def install_line() -> str:
    """How PortAudio is installed on this system."""
    system = platform.system()
    if system != "Linux":
        return "Run: pip install --force-reinstall sounddevice (its wheel carries PortAudio)"
    family = _linux_family()
    if "fedora" in family or "rhel" in family:
        return "Run: sudo dnf install portaudio"
    if "arch" in family:
        return "Run: sudo pacman -S portaudio"
    if "suse" in family:
        return "Run: sudo zypper install libportaudio2"
    if "alpine" in family:
        return "Run: sudo apk add portaudio"
    return "Run: sudo apt install libportaudio2"


def _linux_family() -> str:
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return ""
    return f"{release.get('ID', '')} {release.get('ID_LIKE', '')}".lower()


def _named(usable: Sequence[DeviceSummary], wanted: str) -> list[DeviceSummary]:
    words = wanted.casefold()
    exact = [
        device
        for device in usable
        if words in (device.name.casefold(), f"{device.name}, {device.host_api}".casefold())
    ]
    fitting = exact or [device for device in usable if words in device.name.casefold()]
    # Windows lists each device once per host API; WASAPI has the least delay of those.
    return sorted(fitting, key=lambda device: device.host_api != WASAPI)


def _default(
    apis: Sequence[Mapping[str, Any]], devices: Sequence[Mapping[str, Any]], direction: Direction
) -> int:
    """Index of the default device, -1 when there is none: WASAPI's before any other's."""
    key = f"default_{direction.value}_device"
    ordered = sorted(apis, key=lambda api: str(api["name"]) != WASAPI)
    for api in ordered:
        index = int(api[key])
        if 0 <= index < len(devices):
            return index
    return -1


def _is_default(device: DeviceSummary, direction: Direction) -> bool:
    return device.default_input if direction is Direction.CAPTURE else device.default_output


def _words(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text.rstrip(".") or type(error).__name__


def _sound_server_hint() -> str:
    if platform.system() == "Linux":
        return "Check that the sound server runs (`pactl info`), then run `jarvis doctor`."
    return "Check the system's sound settings, then run `jarvis doctor`."


def _no_device_hint(direction: Direction) -> str:
    if platform.system() == "Linux":
        return "Plug one in, or start the sound server, then run `jarvis doctor`."
    if platform.system() == "Darwin" and direction is Direction.CAPTURE:
        return (
            "Plug one in, or allow the terminal in System Settings > Privacy & Security > "
            "Microphone, then run `jarvis doctor`."
        )
    return "Plug one in, then run `jarvis doctor`."
