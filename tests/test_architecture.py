"""What a tool can check about the whole project: style, types, layers, budgets, licences, words."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("audio", "jarvis_voice", "bench")
# May stand at the top level beside the packages; everything else has a folder where it belongs.
TOP_LEVEL = {*PACKAGES, "assets", "tests", "pyproject.toml", "README.md", "LICENSE", "NOTICE"}

FILE_LINES = 500
FUNCTION_LINES = 50

# Callbacks that C code calls: an exception there is lost, so it must be caught and kept.
CATCHES_ALL = {"audio/devices/sounddevice_io.py"}

READS_ENVIRONMENT = {
    "jarvis_voice/config.py",  # the settings
    "jarvis_voice/cli/__init__.py",  # JARVIS_DEBUG, also when there are no settings
    "jarvis_voice/cli/attaching.py",  # where other programs keep their settings
    "audio/weights.py",  # JARVIS_CACHE_DIR, below the settings
    "bench/episodes.py",  # tells Ray to send nothing home
    "bench/real_agents.py",  # which agent programs there are, and their PATH
    "bench/room.py",  # hands a child process its own, and the sound server's address
}


# Every engine and SDK has its edge: the only files that may import it.
EDGES = {
    "sounddevice": {"audio/devices/portaudio.py"},
    "soundfile": {"audio/wav.py", "audio/asr/openai_http.py"},
    "samplerate": {"audio/resample.py"},
    "pywebrtc_audio": {"audio/echo/webrtc.py"},
    "onnxruntime": {
        "audio/vad/silero.py",
        "audio/tts/kokoro_model.py",
        "audio/controllers/smart_turn.py",
    },
    "ctranslate2": {"audio/asr/whisper_model.py"},
    "openai": {
        "audio/asr/openai_http.py",
        "audio/tts/openai_http.py",
        "jarvis_voice/brain/openai_model.py",
    },
    "anthropic": {"jarvis_voice/brain/anthropic_model.py"},
    "aiohttp": {"jarvis_voice/wire/", "jarvis_voice/runs/live/", "bench/model_server.py"},
    "websockets": {
        "audio/controllers/soulx.py",
        "bench/probes/websocket.py",
        "jarvis_voice/wire/",
        "jarvis_voice/runs/live/",
    },
    "ray": {"bench/episodes.py"},
    "PIL": {"bench/workers/pictures.py"},
    "pipecat": {"bench/foreign/pipecat_server.py"},  # run by another interpreter, see below
    "loguru": {"bench/foreign/pipecat_server.py"},
    "sqlite3": {"jarvis_voice/attention/store.py", "jarvis_voice/attention/salvage.py"},
}


def _tracked() -> list[Path]:
    """The project's files: those that git knows or would add, or all in a bare copy."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
        )
        found = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        found = [path for path in ROOT.rglob("*") if not _is_ignored(path)]
    return sorted(path for path in found if path.is_file())


def _is_ignored(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return any(
        part == "__pycache__" or part in {".venv", "build", "dist"} or part.endswith("_cache")
        for part in parts
    ) or parts[0] in {".hypothesis", ".coverage"}


def _is_material(path: Path) -> bool:
    """It is of the public half of a benchmark's task, where code may be at fault on purpose."""
    parts = path.relative_to(ROOT).parts
    return parts[:2] == ("bench", "tasks") and "public" in parts[3:4]


def _modules(*folders: str) -> list[Path]:
    return [
        path
        for path in _tracked()
        if path.suffix == ".py"
        and path.relative_to(ROOT).parts[0] in folders
        and not _is_material(path)
    ]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "format", "--check", "."],
        ["ruff", "check", "."],
        ["mypy"],
        ["codespell", *PACKAGES, "README.md", "assets/default.toml", ".ci/run", "tests"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_the_tool_finds_nothing(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *_as_module(command)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _as_module(command: list[str]) -> list[str]:
    # codespell is a package without __main__; its command is in this module
    return ["codespell_lib", *command[1:]] if command[0] == "codespell" else command


def test_the_layers_hold() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_only_what_belongs_there_is_at_the_top_level() -> None:
    top = {path.relative_to(ROOT).parts[0] for path in _tracked()}
    assert {name for name in top if not name.startswith(".")} <= TOP_LEVEL


def test_no_file_is_over_its_budget() -> None:
    lengths = {
        _name(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in _modules(*PACKAGES, "tests")
    }
    assert {name: lines for name, lines in lengths.items() if lines > FILE_LINES} == {}


def test_no_function_is_over_its_budget() -> None:
    long = {
        f"{_name(path)}:{node.lineno} {node.name}": lines
        for path in _modules(*PACKAGES)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := _body_lines(node)) > FUNCTION_LINES
    }
    assert long == {}


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from ``def`` to the end, without the docstring, which is welcome to be long."""
    first = node.body[0]
    is_docstring = ast.get_docstring(node) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if is_docstring else 0
    return (node.end_lineno or 0) - node.lineno + 1 - docstring


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        _name(path)
        for path in _modules(*PACKAGES)
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []


def test_every_exported_name_exists() -> None:
    wrong = []
    for path in _modules(*PACKAGES):
        if "__all__" not in path.read_text(encoding="utf-8"):
            continue
        name = _name(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        module = importlib.import_module(name)
        wrong += [f"{name}.{item}" for item in module.__all__ if not hasattr(module, item)]
    assert wrong == []


def test_every_exception_to_a_rule_has_its_reason() -> None:
    # the code, then the reason, which has at least a word or two
    directive = re.compile(r"#\s*(?:noqa\b(?::\s*[A-Z0-9, ]+)?|type:\s*ignore(?:\[[\w, -]+\])?)")
    bare = []
    for path in _modules(*PACKAGES):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = directive.search(line)
            if found and (len(line[found.end() :].strip(" #-")) < 8 or "BLE001" in line):
                bare.append(f"{_name(path)}:{number} {line.strip()}")
    assert bare == []


def test_the_environment_is_read_in_few_places() -> None:
    readers = {
        _name(path)
        for path in _modules(*PACKAGES)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
    }
    assert readers <= READS_ENVIRONMENT


def _texts() -> Iterator[tuple[str, str]]:
    for path in _tracked():
        try:
            yield _name(path), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # sound, weights


def test_engines_are_imported_only_at_their_edges() -> None:
    strays = [
        f"{_name(path)} imports {engine}"
        for path in _modules(*PACKAGES)
        for engine in _imported(path) & EDGES.keys()
        if not any(_name(path).startswith(edge) for edge in EDGES[engine])
    ]
    assert strays == []


def test_nothing_imports_what_another_interpreter_runs() -> None:
    importing = re.compile(r"^\s*(?:from|import)\b.*\bpipecat_server\b", re.MULTILINE)
    found = [
        _name(path)
        for path in _modules(*PACKAGES, "tests")
        if importing.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def _imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


def test_no_file_names_a_package_registry_or_this_machine() -> None:
    # written in pieces, or this file would name them itself
    forbidden = [
        "pypi" + ".org",
        "python" + "hosted",
        "npm" + "js",
        "deb." + "debian",
        "/tmp" + "/dev/",
        "/work" + "/main",
        "/work" + "/shared",
        "/work" + "/.library",
    ]
    found = [
        f"{name}: {word}" for name, text in _texts() for word in forbidden if word in text.lower()
    ]
    assert found == []


def test_nothing_is_left_undone() -> None:
    unfinished = re.compile(r"raise NotImplementedError|\b(?:TODO|FIXME|XXX)\b")
    found = [
        f"{_name(path)}: {match.group()}"
        for path in _modules(*PACKAGES)
        for match in [unfinished.search(path.read_text(encoding="utf-8"))]
        if match
    ]
    assert found == []


def test_the_constraints_are_exact_and_name_no_address() -> None:
    lines = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert len(pins) > 20
    for pin in pins:
        assert pin.url is None
        assert [specifier.operator for specifier in pin.specifier] == ["=="], str(pin)
    assert not any(line.startswith("-") for line in lines)


def test_the_constraints_cover_every_requirement() -> None:
    lines = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {
        _canonical(Requirement(line).name) for line in lines if line and not line.startswith("#")
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted = {_canonical(Requirement(text).name) for texts in stated for text in texts}
    assert wanted - pinned - {"jarvis-voice"} == set()


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _requirements(distribution: str, extras: set[str]) -> list[Requirement]:
    """What a distribution needs here with these extras."""
    return [
        requirement
        for requirement in map(Requirement, metadata.requires(distribution) or [])
        if requirement.marker is None
        or any(requirement.marker.evaluate({"extra": extra}) for extra in {"", *extras})
    ]


def _default_install() -> set[str]:
    """The distributions that ``pip install jarvis-voice`` brings, with what they need in turn."""
    seen: set[str] = set()
    open_: list[tuple[str, set[str]]] = [("jarvis-voice", set())]
    while open_:
        name, extras = open_.pop()
        if name in seen:
            continue
        seen.add(name)
        open_ += [
            (_canonical(requirement.name), set(requirement.extras))
            for requirement in _requirements(name, extras)
        ]
    return seen


def _licence_of(distribution: str) -> str:
    about = metadata.metadata(distribution)
    classifiers = [item for item in about.get_all("Classifier", []) if "License" in item]
    # an old "License" field may hold a whole text, of which the first line is the title
    named = [about.get("License-Expression") or "", (about.get("License") or "").split("\n")[0]]
    return " | ".join(filter(None, [*named, *classifiers]))


def test_the_default_install_holds_no_gpl_package() -> None:
    licences = {name: _licence_of(name) for name in _default_install()}
    assert {"jarvis-voice", "numpy", "onnxruntime"} <= set(licences)
    assert [name for name, text in licences.items() if not text] == []
    gpl = re.compile(r"(?<!L)(?<!Lesser )\bA?GPL|(?<!Lesser )General Public License", re.IGNORECASE)
    assert {name: text for name, text in licences.items() if gpl.search(text)} == {}


def test_the_gpl_check_can_tell_the_two_apart() -> None:
    gpl = re.compile(r"(?<!L)(?<!Lesser )\bA?GPL|(?<!Lesser )General Public License", re.IGNORECASE)
    for text in ("GPL-3.0-or-later", "GNU General Public License v3 (GPLv3)", "AGPL-3.0"):
        assert gpl.search(text), text
    for text in ("LGPL", "GNU Lesser General Public License v3", "MIT", "LGPLv2+"):
        assert not gpl.search(text), text


def test_the_licence_and_every_shipped_source_are_named() -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert "Apache License" in licence
    assert "Version 2.0" in licence
    data = {
        path.relative_to(ROOT).parts[1]
        for path in _tracked()
        if path.relative_to(ROOT).parts[0] == "assets" and len(path.relative_to(ROOT).parts) > 2
    }
    assert {folder for folder in data if f"assets/{folder}/" not in notice} == set()
