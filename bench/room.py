"""A virtual room: PulseAudio as a plain process, to run the real device path without hardware.

    app's loudspeaker -> sink ``speaker`` (the echo's gain) --+
    user's voice -> sink ``user`` ------- loopback -----------+-> sink ``room`` -> source ``mic``

``speaker`` only forwards to ``room``: everything runs on one clock, the microphone hears the app
120 ms late and ``echo_db`` down, and what the app takes for its own reference is untouched. Gain
None is a user with headphones. It needs no session bus, no systemd and no login, and runs as root.

PortAudio reaches the room through ALSA's ``pulse`` plugin, which reads PULSE_SERVER whenever it
connects. ``with PulseRoom()`` sets the environment of this process and restores it afterwards; if
PortAudio was started before, its list of devices is refreshed on both occasions, so every stream
must be closed then. One room at a time per process. Another process joins with ``environment``.
"""

from __future__ import annotations

import contextlib
import ctypes.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import wave
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from audio.devices import portaudio
from audio.errors import DeviceUnavailable
from jarvis_voice.errors import JarvisError

SERVER_RATE = 48_000  # Hz, of every sink in the room
READY_S = 10.0  # the server answers after 0.1 s; a loaded machine gets a hundred times as long
POLL_S = 0.05
STOP_S = 5.0
CALL_S = 10.0  # one pactl call takes 10 ms
ECHO_DB = -6.0
PROGRAMS = ("pulseaudio", "pactl", "paplay", "parec")
PLUGIN = "alsa-lib/libasound_module_pcm_pulse.so"
INSTALL = "sudo apt install pulseaudio pulseaudio-utils libportaudio2 libasound2-plugins"

# norewinds keeps a null sink's buffer at 50 ms: it may be 2 s otherwise, and a microphone opened
# meanwhile hears nothing for that long. adjust_time=0 keeps the loopback from resampling, which
# would be a drifting echo. remix=no and one channel everywhere keep the gain exact.
RECIPE = """\
.fail
load-module module-native-protocol-unix auth-anonymous=1 socket={socket}
load-module module-null-sink sink_name=room rate={rate} channels=1 norewinds=1
load-module module-null-sink sink_name=user rate={rate} channels=1 norewinds=1
load-module module-remap-sink sink_name=speaker master=room channels=1 \
master_channel_map=mono channel_map=mono remix=no
load-module module-remap-source source_name=mic master=room.monitor
load-module module-loopback source=user.monitor sink=room latency_msec=20 adjust_time=0 \
source_dont_move=true sink_dont_move=true
set-default-sink speaker
set-default-source mic
"""


class RoomFailed(JarvisError):
    """PulseAudio did not do what the room needs; the message has its own words."""


class Recording:
    """What a sink plays, from now until ``stop``."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._data = bytearray()
        self._reader = threading.Thread(target=self._read, name="recording", daemon=True)
        self._reader.start()

    def since(self, sample: int) -> NDArray[np.float32]:
        """What has come from this sample on; float32 mono at SERVER_RATE."""
        whole = len(self._data) // 4
        return np.frombuffer(bytes(self._data[4 * sample : 4 * whole]), np.float32)

    def stop(self) -> NDArray[np.float32]:
        """End it; float32 mono at SERVER_RATE."""
        _end(self._process)
        self._reader.join(STOP_S)
        whole = len(self._data) // 4 * 4
        return np.frombuffer(bytes(self._data[:whole]), np.float32)

    def _read(self) -> None:
        if self._process.stdout is None:
            return
        with self._process.stdout as pipe:
            while data := os.read(pipe.fileno(), 65_536):
                self._data += data


class PulseRoom:
    """The room as a context manager; calls are made from one thread."""

    def __init__(self, echo_db: float | None = ECHO_DB) -> None:
        """``echo_db`` is the loudspeaker's level at the microphone, None for headphones."""
        self._echo_db = echo_db
        self._folder: Path | None = None
        self._server: subprocess.Popen[bytes] | None = None
        self._children: list[subprocess.Popen[bytes]] = []
        self._kept: dict[str, str | None] = {}

    @staticmethod
    def available() -> str | None:
        """Why there can be no room on this machine, None when there can be one."""
        if sys.platform != "linux":
            return "the virtual room needs Linux"
        missing = [program for program in PROGRAMS if shutil.which(program) is None]
        if missing:
            return f"not installed: {', '.join(missing)} ({INSTALL})"
        if ctypes.util.find_library("portaudio") is None:
            return f"PortAudio is not installed ({INSTALL})"
        if not any(Path("/usr").glob(f"lib*/**/{PLUGIN}")):
            return f"ALSA's pulse plugin is not installed ({INSTALL})"
        return None

    @property
    def environment(self) -> dict[str, str]:
        """What another process needs in its environment to be in this room."""
        folder = str(self._in_folder())
        return {
            "PULSE_SERVER": f"unix:{folder}/native",
            "PULSE_RUNTIME_PATH": folder,
            "PULSE_STATE_PATH": folder,
            "XDG_RUNTIME_DIR": folder,
            "XDG_CONFIG_HOME": f"{folder}/config",
        }

    def __enter__(self) -> Self:
        """Start the server and put this process into the room. Raises RoomFailed."""
        reason = self.available()
        if reason is not None:
            raise RoomFailed(f"There can be no virtual room here: {reason}.")
        self._folder = Path(tempfile.mkdtemp(prefix="room-"))  # 0700, as PulseAudio demands
        try:
            self.start_server()
            self._kept = {name: os.environ.get(name) for name in self.environment}
            os.environ.update(self.environment)
            _refresh_portaudio()
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()

    # --- the server ----------------------------------------------------------------------------

    def start_server(self) -> None:
        """Start PulseAudio and wait until it answers, as after ``kill_server``."""
        folder = self._in_folder()
        recipe = folder / "room.pa"
        recipe.write_text(RECIPE.format(socket=folder / "native", rate=SERVER_RATE))
        with (folder / "server.log").open("wb") as log:
            self._server = subprocess.Popen(
                [
                    *("pulseaudio", "-n", "-F", str(recipe), "--daemonize=no"),
                    *("--exit-idle-time=-1", "--use-pid-file=no", "--realtime=no"),
                    *("--high-priority=no", "--log-target=stderr", "--log-level=error"),
                ],
                env=os.environ | self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        self._wait_until_ready(self._server)
        self.set_echo(self._echo_db)

    def kill_server(self) -> None:
        """Let the sound server die at once, as in a crash."""
        if self._server is not None:
            self._server.send_signal(signal.SIGKILL)
            self._server.wait(STOP_S)
            self._server = None
        with contextlib.suppress(FileNotFoundError):
            (self._in_folder() / "native").unlink()  # a crashed server leaves its socket behind

    def set_echo(self, echo_db: float | None) -> None:
        """How loud the microphone hears the app from now on; None: not at all."""
        self._echo_db = echo_db
        if echo_db is not None:
            # As a number: pactl takes "-6dB" for a change. Its scale is the cube root of the gain.
            self.pactl("set-sink-volume", "speaker", str(round(65_536 * 10 ** (echo_db / 60))))
        self.pactl("set-sink-mute", "speaker", "1" if echo_db is None else "0")

    def remove_sink(self, name: str) -> None:
        """Unplug a sink; PulseAudio moves its streams elsewhere, without a word to the app."""
        for line in self.pactl("list", "short", "modules").splitlines():
            number, _, rest = line.partition("\t")
            if f"sink_name={name} " in f"{rest} ":
                self.pactl("unload-module", number)
                return
        raise RoomFailed(f"There is no sink {name!r} in the room.")

    def pactl(self, *words: str) -> str:
        """Run pactl in the room; returns what it printed. Raises RoomFailed."""
        try:
            done = subprocess.run(
                ["pactl", *words],
                env=os.environ | self.environment,
                capture_output=True,
                text=True,
                timeout=CALL_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise RoomFailed(f"pactl {' '.join(words)} did not answer.") from error
        if done.returncode:
            raise RoomFailed(f"pactl {' '.join(words)} failed: {done.stderr.strip()}")
        return done.stdout

    # --- sound ---------------------------------------------------------------------------------

    def play_user(
        self, sound: Path | NDArray[np.float32], rate: int = 16_000
    ) -> subprocess.Popen[bytes]:
        """Let the user speak: a WAV file, or float32 mono at ``rate``. Ends when it was played."""
        path = sound if isinstance(sound, Path) else self._as_file(sound, rate)
        return self._child(["paplay", "-d", "user", "--latency-msec=30", str(path)])

    def record(self, sink: str = "room") -> Recording:
        """Record what a sink plays: ``room`` is all, ``user`` and ``speaker`` are one side each."""
        return Recording(
            self._child(
                [
                    *("parec", "-d", f"{sink}.monitor", "--format=float32le"),
                    *(f"--rate={SERVER_RATE}", "--channels=1", "--latency-msec=20"),
                ]
            )
        )

    # --- inside --------------------------------------------------------------------------------

    def _child(self, command: list[str]) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command,
            env=os.environ | self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if command[0] == "parec" else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._children = [child for child in self._children if child.poll() is None]
        self._children.append(process)
        return process

    def _as_file(self, sound: NDArray[np.float32], rate: int) -> Path:
        handle, name = tempfile.mkstemp(suffix=".wav", dir=self._in_folder())
        os.close(handle)
        path = Path(name)
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(rate)
            file.writeframes((np.clip(sound, -1.0, 1.0) * 32767.0).astype("<i2").tobytes())
        return path

    def _wait_until_ready(self, server: subprocess.Popen[bytes]) -> None:
        for _ in range(round(READY_S / POLL_S)):
            with contextlib.suppress(RoomFailed):
                self.pactl("info")
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(POLL_S)
                break  # it ended instead
        words = (self._in_folder() / "server.log").read_text(errors="replace").strip()
        self._stop_server()
        raise RoomFailed(f"PulseAudio did not start. {words}")

    def _in_folder(self) -> Path:
        if self._folder is None:
            raise RoomFailed("The room is not open.")
        return self._folder

    def _stop_server(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            _end(server)

    def _leave(self) -> None:
        for child in self._children:
            _end(child)
        self._children.clear()
        self._stop_server()
        for name, value in self._kept.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if self._kept:
            self._kept = {}
            _refresh_portaudio()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(STOP_S)


def _refresh_portaudio() -> None:
    if "sounddevice" not in sys.modules:
        return  # it will look at the environment of its first use
    with contextlib.suppress(DeviceUnavailable):
        portaudio.refresh(portaudio.load())
