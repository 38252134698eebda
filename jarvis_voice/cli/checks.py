"""The checks of ``jarvis doctor``: each gives a verdict and raises nothing that it looks for."""

from __future__ import annotations

import platform
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.asr.registry import open_recognizer
from audio.devices.probe import probe_sound
from audio.devices.settings import DeviceSettings, device_choice
from audio.engine import CancelToken
from audio.errors import AudioError, EngineFailed
from audio.recording import transcribe
from audio.resample import resample
from audio.tts.registry import open_synthesizer
from audio.tts.spoken_text import speak
from audio.vad.base import FRAME_SAMPLES, SAMPLE_RATE
from audio.vad.silero import SileroVad
from audio.weights import cache_dir
from jarvis_voice import config
from jarvis_voice.clock import stopwatch
from jarvis_voice.config import Settings
from jarvis_voice.errors import SettingsError

SPOKEN = "Jarvis is ready when you are."
_HEARD = "ready when you are"  # the name itself is spelt in more than one way
_VAD_FRAMES = 200  # the median of so many is steady on a busy machine
_DISTRIBUTION = "jarvis-voice"
_REINSTALL = "Run: pip install --force-reinstall jarvis-voice"


class State(Enum):
    """How a check ended; the values are what the report prints."""

    OK = "ok"
    WARN = "warn"  # works, or is not known
    FAIL = "fail"


class Need(Enum):
    """What cannot run while a check fails."""

    DEMO = "demo"
    TALK = "talk"


EVERYTHING = (Need.DEMO, Need.TALK)


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report. ``needed_by`` says what a failure keeps from running."""

    name: str
    state: State
    detail: str
    remedy: str = ""
    needed_by: tuple[Need, ...] = EVERYTHING


def check_python() -> Check:
    """The interpreter, which the installer has checked already unless it was gone around."""
    detail = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    # not a comparison that a type checker may take for always true
    if tuple(sys.version_info) < (3, 11):
        return Check("Python", State.FAIL, detail, "Install Python 3.11 or newer.")
    return Check("Python", State.OK, detail)


def check_packages() -> Check:
    """The packages of the default install, by what the distribution says that it needs."""
    try:
        requirements = metadata.requires(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return Check(
            "packages", State.WARN, "Jarvis runs from a folder and is not installed.", _REINSTALL
        )
    names = [
        re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        for requirement in requirements
        if "extra ==" not in requirement
    ]
    missing = [name for name in names if not _is_installed(name)]
    if missing:
        return Check(
            "packages",
            State.FAIL,
            f"Missing: {', '.join(missing)}.",
            f"Run: pip install {' '.join(missing)}",
        )
    return Check("packages", State.OK, f"all {len(names)} that Jarvis needs are installed")


def _is_installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def check_settings(path: Path | None) -> tuple[Check, Settings]:
    """The settings file and variables; the defaults stand in for what cannot be read."""
    try:
        loaded = config.load(path)
    except SettingsError as error:
        return Check("settings", State.FAIL, error.problem, error.remedy), Settings()
    changed = [key for key, origin in loaded.origins.items() if origin != "default"]
    state = "read" if loaded.path.exists() else "not there, which is fine"
    own = f"; changed: {', '.join(changed)}" if changed else "; all defaults"
    return Check("settings", State.OK, f"{loaded.path} ({state}){own}"), loaded.settings


def check_folders(settings: Settings) -> Iterator[Check]:
    """Folders that are written to. Without the cache, joined weights cannot be made."""
    cache_remedy = "Make it writable, or set JARVIS_CACHE_DIR to a folder that is."
    yield _check_folder("cache folder", cache_dir(), cache_remedy)
    timelines = config.telemetry_folder(settings.telemetry)
    if timelines is not None:
        remedy = "Make it writable, or set telemetry.folder to a folder that is."
        yield _check_folder("timeline folder", timelines, remedy)


def _check_folder(name: str, folder: Path, remedy: str) -> Check:
    existing = next((each for each in (folder, *folder.parents) if each.exists()), folder)
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        detail = f"{folder} cannot be written ({(error.strerror or str(error)).lower()})"
        return Check(name, State.WARN, detail, remedy)
    return Check(name, State.OK, str(folder))


def check_models(settings: Settings) -> Iterator[Check]:
    """Load each model and use it once: say a sentence, and recognize what was said."""
    try:
        vad, speed = _try_vad()
    except AudioError as error:
        yield _failed("voice detector", error)
        vad = None
    else:
        yield Check("voice detector", State.OK, speed)
    try:
        yield _try_canceller(settings)
    except AudioError as error:
        yield _failed("echo canceller", error)
    sound = None
    try:
        sound, detail = _try_synthesizer(settings)
    except AudioError as error:
        yield _failed(f"synthesizer {settings.synthesizer.engine}", error)
    else:
        yield Check(f"synthesizer {settings.synthesizer.engine}", State.OK, detail)
    name = f"recognizer {settings.recognizer.engine}"
    try:
        yield _try_recognizer(name, settings, vad, sound)
    except AudioError as error:
        yield _failed(name, error)


def _failed(name: str, error: AudioError) -> Check:
    return Check(name, State.FAIL, error.problem, error.remedy)


def _try_vad() -> tuple[SileroVad, str]:
    began_s = stopwatch()
    vad = SileroVad()
    loaded_s = stopwatch() - began_s
    times_s = []
    for _ in range(_VAD_FRAMES):
        began_s = stopwatch()
        vad.probability(np.zeros(FRAME_SAMPLES, np.float32))
        times_s.append(stopwatch() - began_s)
    frame_ms = 1000 * statistics.median(times_s)
    return vad, f"loaded in {1000 * loaded_s:.0f} ms, {frame_ms:.2f} ms for a frame of 32 ms"


def _try_canceller(settings: Settings) -> Check:
    from audio.echo.base import FRAME_SAMPLES as ECHO_FRAME
    from audio.echo.webrtc import WebRtcEchoCanceller

    silence = np.zeros(ECHO_FRAME, np.float32)
    WebRtcEchoCanceller().process(silence, silence)
    used = "in use" if settings.devices.echo == "speaker" else "not in use: headphones"
    return Check("echo canceller", State.OK, f"works ({used})")


def _try_synthesizer(settings: Settings) -> tuple[NDArray[np.float32], str]:
    """What it says for SPOKEN, mono at 16 kHz, and how long that took."""
    wanted = settings.synthesizer
    began_s = stopwatch()
    synthesizer = open_synthesizer(wanted.engine, **wanted.options())
    loaded_s = stopwatch() - began_s
    try:
        began_s = stopwatch()
        chunks = list(synthesizer.synthesize(speak(SPOKEN), CancelToken()))
        took_s = stopwatch() - began_s
        if not chunks:
            raise EngineFailed("It said nothing.", "Run: jarvis models --verify")
        samples = np.concatenate([chunk.samples for chunk in chunks])
        length_s = len(samples) / synthesizer.rate
        detail = (
            f"loaded in {loaded_s:.1f} s, said {length_s:.1f} s of speech in {took_s:.1f} s "
            f"({took_s / length_s:.2f} of real time). {synthesizer.info.manner}"
        ).rstrip()
        return resample(samples, synthesizer.rate, SAMPLE_RATE), detail
    finally:
        synthesizer.close()


def _try_recognizer(
    name: str, settings: Settings, vad: SileroVad | None, sound: NDArray[np.float32] | None
) -> Check:
    began_s = stopwatch()
    recognizer = open_recognizer(settings.recognizer.engine)
    loaded_s = stopwatch() - began_s
    try:
        if vad is None or sound is None:
            return Check(name, State.WARN, f"loaded in {loaded_s:.1f} s; nothing to recognize")
        began_s = stopwatch()
        text = " ".join(passage.text for passage in transcribe(sound, vad, recognizer))
        took_s = stopwatch() - began_s
    finally:
        recognizer.close()
    detail = f"loaded in {loaded_s:.1f} s, heard {text!r} in {1000 * took_s:.0f} ms"
    if _HEARD not in text.lower():
        remedy = "Run 'jarvis models --verify', or choose another recognizer or voice."
        return Check(name, State.WARN, f"{detail}, but {SPOKEN!r} was said", remedy)
    return Check(name, State.OK, detail)


def check_brain(settings: Settings) -> Check:
    """Whether the chosen brain could be asked; the narrator stands in for one that cannot."""
    brain = settings.brain
    if brain.kind == "narrator":
        return Check("brain", State.OK, "narrator (built in)")
    if not _is_installed(brain.kind):
        remedy = "Run: pip install 'jarvis-voice[chat]'. Until then the narrator answers."
        return Check("brain", State.WARN, f"The package {brain.kind} is not installed.", remedy)
    if not config.api_key(brain) and not brain.base_url:
        remedy = (
            "Set the environment variable that holds it, or brain.api_key_env. Until then the "
            "narrator answers."
        )
        return Check("brain", State.WARN, f"No key for {brain.kind} was found.", remedy)
    return Check("brain", State.OK, f"{brain.model} through {brain.kind} (not asked anything)")


async def check_sound(settings: Settings) -> list[Check]:
    """PortAudio, devices, rates, permissions, echo delay; plays a short chirp."""
    devices = settings.devices
    wanted = DeviceSettings(
        input_device=device_choice(devices.input),
        output_device=device_choice(devices.output),
        output_latency_s=devices.output_latency_s,
    )
    states = {True: State.OK, None: State.WARN, False: State.FAIL}
    return [
        Check(found.name, states[found.ok], found.detail, found.remedy, (Need.TALK,))
        for found in await probe_sound(wanted)
    ]
