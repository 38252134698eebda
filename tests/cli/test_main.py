"""The command as a whole: help, usage, exit status, and how failures are worded."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import jarvis_voice
from audio.errors import DeviceUnavailable
from jarvis_voice import cli
from jarvis_voice.errors import RunSourceError

COMMANDS = sorted(cli.COMMANDS)


@pytest.fixture
def fake_command(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Make ``jarvis config`` raise."""

    def install(error: BaseException) -> None:
        def run(args: object, io: object) -> int:
            raise error

        module = ModuleType("jarvis_voice.cli.config")
        module.add_parser = lambda subparsers: subparsers.add_parser("config")
        module.run = run
        monkeypatch.setitem(sys.modules, "jarvis_voice.cli.config", module)

    return install


def test_help_tells_a_newcomer_what_to_do_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    text = capsys.readouterr().out
    for command in COMMANDS:
        assert f"  {command} " in text
    assert "examples:" in text
    assert max(len(line) for line in text.splitlines()) <= 100


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_examples(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"usage: jarvis {command}" in text
    assert "examples:" in text
    assert "--config FILE" in text


@pytest.mark.parametrize("words", [[], ["--run", "FILE"], ["--config", "x.toml", "--run", "y"]])
def test_without_a_command_it_talks(
    words: list[str], monkeypatch: pytest.MonkeyPatch, jarvis: Callable[..., object]
) -> None:
    seen: list[object] = []

    def run(args: object, io: object) -> int:
        seen.append(args)
        return 0

    monkeypatch.setattr("jarvis_voice.cli.talk.run", run)
    assert jarvis(*words).status == 0
    assert len(seen) == 1
    assert seen[0].command == "talk"


def test_help_after_an_option_of_the_default_command_explains_that_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["--run", "FILE", "--help"]) == 0
    assert "usage: jarvis talk" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["config", "doctor", "models", "say", "transcribe"])
def test_what_a_program_would_read_has_json(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([command, "--help"]) == 0
    assert "--json" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"jarvis {jarvis_voice.__version__}\n"


def test_help_loads_no_engine_and_no_array_library() -> None:
    code = (
        "import sys\n"
        "from jarvis_voice.cli import main\n"
        "main(['--help'])\n"
        "heavy = {'numpy', 'onnxruntime', 'ctranslate2', 'pydantic', 'sounddevice', 'asyncio'}\n"
        "sys.stderr.write(' '.join(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_loads_no_engine(command: str) -> None:
    code = (
        "import sys\n"
        "from jarvis_voice.cli import main\n"
        f"main(['{command}', '--help'])\n"
        "heavy = {'numpy', 'onnxruntime', 'ctranslate2', 'sounddevice'}\n"
        "sys.stderr.write(' '.join(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["sing"], "invalid choice: 'sing'"),
        (["config", "--loud"], "--loud"),
        (["transcribe"], "FILE"),
        (["say", "hello", "--speed", "fast"], "--speed"),
        (["config", "--path", "--json"], "not allowed with"),
        (["--config"], "--config"),
    ],
)
def test_a_wrong_call_is_one_line_and_status_2(
    jarvis: Callable[..., object], words: list[str], says: str
) -> None:
    line = jarvis(*words).refused(2)
    assert says in line
    assert "--help' shows how to call it" in line


def test_the_settings_file_may_be_named_before_and_after_the_command(
    jarvis: Callable[..., object], tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[synthesizer]\nvoice = "mine"\n', encoding="utf-8")
    for words in (
        ["--config", file, "config", "--json"],
        ["config", "--json", "--config", file],
        [f"--config={file}", "config", "--json"],
    ):
        ran = jarvis(*words)
        assert ran.status == 0, ran
        shown = json.loads(ran.out)
        assert shown["file"] == str(file)
        assert shown["settings"]["synthesizer"]["voice"]["value"] == "mine"


def test_an_unknown_setting_fails_every_command_that_needs_settings(
    jarvis: Callable[..., object], tmp_path: Path, hum_file: Path
) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("[turn]\nend = 1\n", encoding="utf-8")
    out = tmp_path / "out.wav"
    for words in (["config"], ["models"], ["transcribe", hum_file], ["say", "hi", "--out", out]):
        line = jarvis("--config", bad, *words).refused(2)
        assert str(bad) in line
        assert "end_s" in line
    assert not out.exists()


def test_errors_of_both_trees_are_worded_and_give_their_status(
    jarvis: Callable[..., object], fake_command: Callable[[BaseException], None]
) -> None:
    for error in (
        DeviceUnavailable("No microphone was found.", "Plug one in."),
        RunSourceError("The run cannot be\nread.", "Name another."),
    ):
        fake_command(error)
        assert str(error) in jarvis("config").refused(1)


def test_the_explaining_error_of_a_group_is_shown(
    jarvis: Callable[..., object], fake_command: Callable[[BaseException], None]
) -> None:
    inner = ExceptionGroup("parts", [ValueError("x"), DeviceUnavailable("Gone.", "Look.")])
    fake_command(ExceptionGroup("all", [inner]))
    assert jarvis("config").refused(1) == "jarvis: Gone. Look."


def test_ctrl_c_is_no_failure_with_a_traceback(
    jarvis: Callable[..., object], fake_command: Callable[[BaseException], None]
) -> None:
    fake_command(KeyboardInterrupt())
    ran = jarvis("config")
    assert (ran.status, ran.err) == (130, "jarvis: Interrupted.\n")
    fake_command(BaseExceptionGroup("all", [KeyboardInterrupt()]))
    assert jarvis("config").status == 130


def test_our_own_fault_is_not_hidden_from_callers(
    jarvis: Callable[..., object], fake_command: Callable[[BaseException], None]
) -> None:
    fake_command(ZeroDivisionError("ours"))
    with pytest.raises(ZeroDivisionError):
        jarvis("config")
    fake_command(ExceptionGroup("all", [ZeroDivisionError("ours")]))
    with pytest.raises(ExceptionGroup):
        jarvis("config")


def test_a_traceback_is_shown_only_on_request(
    jarvis: Callable[..., object],
    fake_command: Callable[[BaseException], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake_command(RunSourceError("It broke.", "Mend it."))
    monkeypatch.setenv("JARVIS_DEBUG", "1")
    ran = jarvis("config")
    assert "Traceback" in ran.err
    assert ran.err.splitlines()[-1] == "jarvis: It broke. Mend it."


def test_a_reader_that_goes_away_is_no_fault() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "jarvis_voice", "config", "--default"],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_the_module_runs_as_a_program(program: Callable[..., object]) -> None:
    ran = program("config", "--path", JARVIS_CONFIG="/somewhere/else.toml")
    assert (ran.status, ran.err) == (0, "")
    assert Path(ran.out.strip()) == Path("/somewhere/else.toml")
    assert program("config", "--json", JARVIS_TURN_END_S="99").refused(2)


def test_every_command_has_its_module() -> None:
    for command in COMMANDS:
        module = importlib.import_module(f"jarvis_voice.cli.{command}")
        assert callable(module.add_parser)
        assert callable(module.run)


def test_the_shown_settings_are_themselves_a_settings_file(
    jarvis: Callable[..., object], tmp_path: Path
) -> None:
    for words in (["config"], ["config", "--default"]):
        file = tmp_path / "printed.toml"
        file.write_text(jarvis(*words).out, encoding="utf-8")
        ran = jarvis("config", "--json", "--config", file)
        assert ran.status == 0, ran


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_a_result_that_cannot_be_written_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "jarvis_voice", "config", "--path"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("jarvis: The result cannot be written: No space left on device.")


def test_a_closed_standard_output_is_no_fault() -> None:
    command = f"exec {sys.executable} -m jarvis_voice config --path >&-"
    done = subprocess.run(
        ["/bin/sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
