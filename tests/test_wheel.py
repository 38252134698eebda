"""The built wheel, installed elsewhere and run from outside the checkout, is complete."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with the tools that are here: nothing is downloaded."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's content; dependencies are those of this environment."""
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, "--target", folder, wheel], check=True)
    return folder


def _run(installed: Path, cwd: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "PYTHONPATH": str(installed),
        "JARVIS_CACHE_DIR": str(cwd / "cache"),
    }
    return subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_holds_packages_assets_and_licences(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("audio/py.typed", "jarvis_voice/py.typed", "jarvis_voice/assets/default.toml"):
        assert wanted in names
    shipped = {
        f"jarvis_voice/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / "assets").rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }
    assert shipped <= set(names)
    tasks = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "bench" / "tasks").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert any(name.endswith("sealed/task.json") for name in tasks)
    assert tasks <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert any(name.endswith("licenses/NOTICE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "assets/"))]


def test_the_installed_packages_are_used_and_find_their_assets(
    installed: Path, tmp_path: Path
) -> None:
    code = (
        "import audio, jarvis_voice, bench; from jarvis_voice.resources import asset;"
        "print(audio.__file__, jarvis_voice.__file__, bench.__file__, asset('default.toml'))"
    )
    done = _run(installed, tmp_path, "-c", code)
    assert done.returncode == 0, done.stderr
    for path in done.stdout.split():
        assert path.startswith(str(installed)), path


def test_the_commands_work_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    helped = _run(installed, tmp_path, "-m", "jarvis_voice", "--help")
    assert helped.returncode == 0
    assert "jarvis demo" in helped.stdout
    script = next(installed.glob("bin/jarvis*"), None) or next(installed.glob("Scripts/jarvis*"))
    environment = os.environ | {"PYTHONPATH": str(installed)}
    version = subprocess.run(
        [str(script), "--version"], env=environment, capture_output=True, text=True, check=True
    )
    assert version.stdout.startswith("jarvis ")
    listed = _run(installed, tmp_path, "-m", "jarvis_voice", "models", "--json")
    assert listed.returncode == 0, listed.stderr
    engines = json.loads(listed.stdout)["engines"]
    chosen = {engine["kind"]: engine for engine in engines if engine["chosen"]}
    assert {"vad", "recognizer", "synthesizer"} <= set(chosen)
    assert all(engine["installed"] for engine in chosen.values())


@pytest.mark.model
def test_it_speaks_and_understands_itself_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    text = "The second test is red."
    said = _run(installed, tmp_path, "-m", "jarvis_voice", "say", text, "--out", "said.wav")
    assert said.returncode == 0, said.stderr
    heard = _run(installed, tmp_path, "-m", "jarvis_voice", "transcribe", "said.wav")
    assert heard.returncode == 0, heard.stderr
    assert "second test" in heard.stdout.lower()
