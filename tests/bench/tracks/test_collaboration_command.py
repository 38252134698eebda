"""``jarvis bench collab`` and ``compare``, end to end on tiny tasks."""

from __future__ import annotations

import importlib.util
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import real_agents
from bench.results import FILE_NAME, read
from bench.suite.catalog import TASKS
from bench.tracks.collaboration_command import PAGE_NAME
from bench.tracks.hands import is_able
from jarvis_voice.brain.scripted import ScriptedModel
from jarvis_voice.cli import main
from jarvis_voice.cli.io import Io

Tiny = Callable[..., Path]


@pytest.fixture
def suite(tiny: Tiny) -> Path:
    """A task, a control and a project."""
    roots = [tiny(name) for name in ("gifts", "control_gifts", "project_gifts")]
    return roots[0].parent


def jarvis(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status = main(["bench", *words], Io(out, err))
    return status, out.getvalue(), err.getvalue()


def collab(suite: Path, *words: str) -> tuple[int, str, str]:
    return jarvis("collab", "--suite", str(suite), *words)


def test_a_table_compares_every_controller_with_no_jarvis(suite: Path) -> None:
    status, out, err = collab(suite, "--controller", "all")
    assert status == 0, err
    lines = {line.split()[0]: line for line in out.splitlines() if line.strip()}
    assert "2 tasks and 1 controls, 21 runs" in out
    assert "+25.0 [+25.0, +25.0]" in lines["jarvis"]
    assert "+0.0 [+0.0, +0.0]" in lines["placebo"]
    assert "21/21" in err


def test_the_record_is_the_same_bytes_here_and_in_two_processes(
    suite: Path, tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    options = ("--controller", "random", "--repeats", "2", "--tasks", "gifts,project_gifts")
    assert collab(suite, *options, "--out", str(here))[0] == 0
    assert collab(suite, *options, "--out", str(there), "--jobs", "2")[0] == 0
    assert (here / FILE_NAME).read_bytes() == (there / FILE_NAME).read_bytes()
    assert (here / PAGE_NAME).read_bytes() == (there / PAGE_NAME).read_bytes()
    status, out, _ = jarvis("compare", str(here), str(there))
    assert status == 0
    assert "+0.0 [+0.0, +0.0]" in out


def test_an_interrupted_benchmark_goes_on_to_the_same_bytes(suite: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert collab(suite, "--out", str(out))[0] == 0
    whole = (out / FILE_NAME).read_bytes()
    (out / FILE_NAME).write_bytes(whole[: len(whole) // 2])
    status, _, err = collab(suite, "--out", str(out))
    assert status == 0
    assert "of 6 runs are there already" in err
    assert (out / FILE_NAME).read_bytes() == whole


def test_the_page_holds_all_it_shows(suite: Path, tmp_path: Path) -> None:
    assert collab(suite, "--out", str(tmp_path / "out"), "--controller", "oracle")[0] == 0
    page = (tmp_path / "out" / PAGE_NAME).read_text(encoding="utf-8")
    for part in ("Quality against attention", "Score by task: oracle", "A run: ", "Nameless gifts"):
        assert part in page
    assert "75.0 → 100.0" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert "<script" not in page


def test_budgets_draw_the_frontier(suite: Path, tmp_path: Path) -> None:
    options = ("--mode", "strict", "--budget", "0,1,2", "--tasks", "gifts", "--json")
    status, out, _ = collab(suite, *options, "--out", str(tmp_path / "out"))
    assert status == 0
    scores = [found[1]["sets"]["all"]["score"] for found in json.loads(out)["groups"].values()]
    assert scores == [75.0, 100.0, 100.0]
    assert ">Budgets</h2>" in (tmp_path / "out" / PAGE_NAME).read_text(encoding="utf-8")


def test_figures_for_a_program(suite: Path) -> None:
    options = ("--json", "--workers", "overconfident", "--tasks", "gifts", "--mode", "both")
    status, out, _ = collab(suite, *options)
    assert status == 0
    by_group = json.loads(out)["groups"]
    assert list(by_group) == ["overconfident, paper", "overconfident, strict with 4 requests"]
    found = by_group["overconfident, strict with 4 requests"]
    assert [item["controller"] for item in found] == ["none", "jarvis"]
    assert found[1]["sets"]["tasks"]["gain"]["mean"] == 0.0


def test_a_broken_task_stops_no_other_and_makes_the_command_fail(suite: Path) -> None:
    (suite / "gifts/sealed/grade.py").write_text("def grade(run):\n    return 5\n")
    (suite / "control_gifts/public/stray").write_text("x")
    status, out, _ = collab(suite)
    assert status == 1
    left_out = "Left out of all figures: 2 invalid (bundle_malformed), 2 invalid (grader_failed)."
    assert left_out in out
    assert "1 tasks and 0 controls" not in out  # what they are is still known
    assert "+25.0" in out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--tasks", "nothing"), 'no task "nothing"'),
        (("--workers", "elves"), 'no workers "elves"'),
        (("--controller", "psychic"), 'no controller "psychic"'),
        (("--controller", "json:dumps"), '"json:dumps" is no controller'),
        (("--repeats", "0"), "--repeats 0 is too small"),
        (("--jobs", "0"), "--jobs 0 is too small"),
        (("--budget", "1,-1"), "no list of numbers from 0 up"),
    ],
)
def test_wrong_options_are_one_line(suite: Path, words: tuple[str, ...], problem: str) -> None:
    status, out, err = collab(suite, *words)
    assert (status, out) == (2, "")
    assert problem in err


def test_an_agent_program_that_is_not_there_is_named_before_anything_runs(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(real_agents, "program", lambda name: None)
    status, out, err = collab(suite, "--workers", "scripted,codex")
    assert (status, out) == (2, "")
    assert "codex is not installed" in err
    assert "npm install -g @openai/codex" in err


def test_tasks_that_act_on_an_app_are_left_out_for_agent_programs(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(real_agents, "program", lambda name: Path("/nowhere/codex"))
    monkeypatch.setattr(
        "bench.tracks.collaboration_command.is_able",
        lambda worker, folder: worker != "codex" or folder.name == "project_gifts",
    )
    status, out, err = collab(suite, "--workers", "codex", "--tasks", "gifts,project_gifts")
    assert (status, out) == (2, "")
    assert "codex cannot do gifts, which acts on an app" in err
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    status, out, err = collab(suite, "--workers", "codex")
    assert status == 1
    assert "Left out for codex, because they act on an app: control_gifts, gifts." in err
    assert "2 invalid (provider_failed)" in out


def test_which_worker_can_do_an_app_is_told_from_the_task() -> None:
    assert not is_able("claude-code", TASKS / "storm_claim")
    assert is_able("scripted", TASKS / "storm_claim")
    assert is_able("claude-code", TASKS / "clinic_rota_swap")


def test_a_model_without_settings_is_named_before_anything_runs(suite: Path) -> None:
    status, _, err = collab(suite, "--user", "model")
    assert status != 0
    assert "brain" in err


def test_what_cannot_be_compared_is_said(suite: Path, tmp_path: Path) -> None:
    assert jarvis("compare", str(tmp_path), str(tmp_path))[0] == 1
    for name, seed in (("a", "1"), ("b", "2")):
        assert collab(suite, "--out", str(tmp_path / name), "--seed", seed)[0] == 0
    status, _, err = jarvis("compare", str(tmp_path / "a"), str(tmp_path / "b"))
    assert status == 2
    assert "no run in common" in err
    other = ("--out", str(tmp_path / "a"), "--seed", "2")
    assert "another plan (seed differs)" in collab(suite, *other)[2]


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the package ray")
def test_two_ray_workers_make_the_same_bytes(suite: Path, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    assert collab(suite, "--out", str(here))[0] == 0
    # in a process of its own: Ray leaves threads, sockets and warnings behind
    options = ["bench", "collab", "--suite", suite, "--out", there, "--jobs", "2", "--ray", "local"]
    done = subprocess.run(
        [sys.executable, "-m", "jarvis_voice", *map(str, options)],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    assert (here / FILE_NAME).read_bytes() == (there / FILE_NAME).read_bytes()
    assert len(read(there)[1]) == 6


# --- somebody else's tasks


@pytest.fixture
def checkout(tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two public halves deep in a checkout, and a chat model that writes one record and is done."""
    place = tmp_path / "checkout" / "data" / "tasks"
    for name in ("gifts", "parcels"):
        shutil.copytree(tiny(name), place / name)
        shutil.rmtree(place / name / "sealed")
        (place / name / "worker.py").unlink()
    write = {"tool": "write", "path": "results/final.json", "text": '{"fund": "roof"}'}
    turns = ((json.dumps(write),), ('{"tool": "done"}',))
    monkeypatch.setattr(
        "bench.tracks.collaboration_command.chat_model", lambda settings: ScriptedModel(*turns)
    )
    return tmp_path / "checkout"


def test_tasks_without_a_grader_are_run_and_counted_apart(checkout: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ("--workers", "chat", "--controller", "always-at-final")
    status, text, err = collab(checkout, *options, "--out", str(out))
    assert status == 0, err
    assert "2 tasks and 0 controls, 4 runs, 4 of them ungraded" in text
    table, _, apart = text.partition("Ungraded, because there is no grader")
    assert [line.split()[:4] for line in apart.splitlines() if line.startswith("always")] == [
        ["always-at-final", "2", "2", "1.00"]
    ]
    assert "0.0" not in table  # nothing there is a score of 0
    assert "Ungraded (chat, paper)" in (out / PAGE_NAME).read_text(encoding="utf-8")
    _, records = read(out)
    assert {(record.status, record.score) for record in records} == {("ungraded", None)}
    whole = (out / FILE_NAME).read_bytes()
    (out / FILE_NAME).write_bytes(whole[: len(whole) // 2])
    status, text, _ = collab(checkout, *options, "--out", str(out), "--json")
    found = json.loads(text)["groups"]["chat, paper"]
    assert [(item["ungraded"]["runs"], item["sets"]) for item in found] == [(2, {}), (2, {})]
    assert (out / FILE_NAME).read_bytes() == whole
    status, text, _ = jarvis("compare", str(out), str(out), "--json")
    assert status == 0
    compared = json.loads(text)["chat, paper"]["always-at-final"]
    assert (compared["count"], compared["mean"], compared["ungraded"]) == (0, None, 2)


def test_graders_of_ones_own_make_another_plan(checkout: Path, tmp_path: Path) -> None:
    options = ("--workers", "chat", "--tasks", "gifts", "--out", str(tmp_path / "out"))
    assert collab(checkout, *options)[0] == 0
    sealed = tmp_path / "sealed"
    (sealed / "gifts").mkdir(parents=True)
    (sealed / "gifts" / "grade.py").write_text("raise SystemExit(1)", encoding="utf-8")
    assert "graders differs" in collab(checkout, *options, "--graders", str(sealed))[2]
    status, text, _ = collab(checkout, *options[:-2], "--graders", str(sealed))
    assert status == 1
    assert "2 invalid (grader_failed)" in text
    missing = str(tmp_path / "nowhere")
    assert "no folder" in collab(checkout, *options, "--graders", missing)[2]


def test_scripted_workers_know_no_foreign_task(checkout: Path) -> None:
    status, text, _ = collab(checkout, "--tasks", "gifts")
    assert status == 1
    assert "2 invalid (worker_failed)" in text
