from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jarvis_voice.cli.run_table import age, table
from jarvis_voice.events import RunSnapshot, RunStatus

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "assets" / "runs" / "demo.jsonl"
SESSION = "a8d51c97-f821-43be-9691-f4da7d6d0cb6"


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No run of this machine is seen."""
    for variable in ("HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_a_recorded_run_is_recognized_and_shown(jarvis) -> None:
    ran = jarvis("watch", "--once", "--file", DEMO)
    assert (ran.status, ran.err) == (0, "")
    head, row, *rest = ran.out.splitlines()
    assert head.split() == ["RUN", "RUNTIME", "STATUS", "GOAL", "NOW", "WAITS", "FOR", "AGE"]
    assert row.startswith("Write hi into out/a.txt  claude-code  done")
    told = "\n".join(rest)
    for part in (f"run       {SESSION}", "cost      $", "denial ", "changed   out_v2/a.txt"):
        assert part in told
    shown = json.loads(jarvis("watch", "--once", "--file", DEMO, "--json").out)
    [run] = shown["runs"]
    assert (run["run_id"], run["status"], run["runtime"]) == (SESSION, "done", "claude-code")
    assert shown["projects"][0]["project_id"] == SESSION


def test_live_runs_are_found(jarvis, elsewhere: Path) -> None:
    assert jarvis("watch", "--once").out == "No agent run is going on that Jarvis can see.\n"
    project = elsewhere / "CLAUDE_CONFIG_DIR" / "projects" / "-w"
    project.mkdir(parents=True)
    (project / f"{SESSION}.jsonl").write_bytes(DEMO.read_bytes())
    assert "Write hi into out/a.txt" in jarvis("watch", "--once").out
    [run] = json.loads(jarvis("watch", "--once", "--json").out)["runs"]
    assert run["run_id"] == SESSION
    long_ago = time.time() - 3600  # noqa: TID251  # a file's age is counted from the real present
    os.utime(project / f"{SESSION}.jsonl", (long_ago, long_ago))
    assert json.loads(jarvis("watch", "--once", "--json").out)["runs"] == []
    assert "Write hi" in jarvis("watch", "--once", "--recent", 90).out


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("watch", "--json"), 2),
        (("watch", "--once", "--recent", 0), 2),
        (("watch", "--once", "--file", "/nowhere.jsonl"), 1),
        (("watch", "--once", "--file", ROOT / "pyproject.toml"), 1),
        (("replay", DEMO, "--speed", 0), 2),
        (("replay", "/nowhere.jsonl"), 1),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(jarvis, words, status) -> None:
    jarvis(*words).refused(status)


@pytest.fixture
def heeding_ctrl_c() -> Iterator[None]:
    """Programs that are started heed ctrl-C, also where a shell began the tests with "&"."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeding_ctrl_c")
def test_the_list_is_kept_up_to_date_until_ctrl_c(elsewhere: Path) -> None:
    events = elsewhere / "run.jsonl"
    watching = subprocess.Popen(
        [sys.executable, "-m", "jarvis_voice", "watch", "--file", str(events)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert watching.stdout is not None
    assert "No agent run" in watching.stdout.readline()
    event = {"schema": "jarvis.event/v1", "run": "r", "type": "waiting", "text": "Which zone?"}
    events.write_text(json.dumps(event) + "\n")
    assert watching.stdout.readline().startswith("RUN")
    assert "Which zone?" in watching.stdout.readline()
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate(timeout=20)
    assert (watching.returncode, err) == (130, "jarvis: Interrupted.\n")


def test_a_recording_is_told_as_it_happened(jarvis) -> None:
    lines = jarvis("replay", DEMO, "--speed", 100).out.splitlines()
    assert lines[0].endswith("starting")
    assert any("working  Write output `mkdir" in line for line in lines)
    assert lines[-1] == "Write hi into out/a.txt  done  All done."


def test_a_recording_is_played_into_a_watched_folder(jarvis, tmp_path: Path) -> None:
    ran = jarvis("replay", DEMO, "--speed", "inf", "--to", tmp_path / "live")
    assert ran.status == 0
    assert (tmp_path / "live" / "demo.jsonl").read_bytes() == DEMO.read_bytes()
    again = jarvis("replay", tmp_path / "live" / "demo.jsonl", "--to", tmp_path / "live")
    assert "is the recording itself" in again.refused()


def run(title: str, **more: object) -> RunSnapshot:
    return RunSnapshot(title, "codex", title, RunStatus.WORKING, 1, **more)  # type: ignore[arg-type]  # test data


def test_a_narrow_terminal_gets_whole_lines() -> None:
    runs = [run("x" * 80, goal="y" * 300, current_action="two\nlines " * 30), run("child")]
    for width in (60, 80, 200):
        lines = table(runs, 0.0, width)
        assert all(len(line) <= max(width, 70) for line in lines), width
        assert len(lines) == 3


def test_ages_are_short_and_never_negative() -> None:
    assert [age(at_s, 1e6) for at_s in (None, 1e6 + 50, 1e6 - 59, 1e6 - 3600, 1e6 - 200_000)] == [
        *("-", "0 s", "59 s", "1 h", "2 d"),
    ]
