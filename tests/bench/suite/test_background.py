"""Runs on somebody else's tasks: graded by their grader, ungraded without, never worth 0."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.model_requester import ModelRequester
from bench.requester import Answerability
from bench.results import Episode, RunRecord
from bench.suite.background import background_of, is_ours, marks
from bench.suite.bundle import Bundle, load_bundle
from bench.tracks.collaboration import Conditions, run_episode
from bench.tracks.sessions import Hands
from bench.workers.base import Style
from bench.workers.scripted import load_worker
from jarvis_voice.brain.scripted import ScriptedModel

GRADER = """
import argparse, json, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--run-dir"); parser.add_argument("--output")
args = parser.parse_args()
final = json.loads((pathlib.Path(args.run_dir) / "results/final.json").read_text())
right = 0.5 if final["fund"] == "school" else 0.1
by_type = {
    "objective": {"earned": 0.4, "weight": 0.5, "normalized": 0.8},
    "alignment": {"earned": right, "weight": 0.5, "normalized": right / 0.5},
}
pathlib.Path(args.output).write_text(json.dumps({
    "schema_version": "1.0", "task_id": "gifts", "status": "scored", "overall": 0.4 + right,
    "by_type": by_type, "validity": {"ok": True, "failures": []},
}))
"""
PROFILE = {"nameless gifts": {"fund": "The school fund takes nameless gifts."}}


@pytest.fixture
def theirs(tiny: Callable[..., Path], tmp_path: Path) -> Path:
    """A task as in a checkout: only its public half."""
    root = tiny()
    shutil.move(root / "worker.py", tmp_path / "worker.py")
    shutil.rmtree(root / "sealed")
    return root


@pytest.fixture
def run(theirs: Path, tmp_path: Path) -> Callable[..., RunRecord]:
    """Runs it with a worker that stands elsewhere."""

    def hands(bundle: Bundle, name: str) -> Hands:
        there = tmp_path / "hands" / "gifts"
        there.mkdir(parents=True, exist_ok=True)
        shutil.copy(tmp_path / "worker.py", there)
        return Hands(load_worker(Bundle(there, bundle.manifest)), Style.GOOD)

    def go(controller: str, **changes: Any) -> RunRecord:
        episode = Episode(task="gifts", controller=controller, workers="good", mode="paper")
        return run_episode(theirs, episode, Conditions(hands, **changes))

    return go


def put(tmp_path: Path, **files: object) -> Path:
    folder = tmp_path / "graders" / "gifts"
    folder.mkdir(parents=True)
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return tmp_path / "graders"


def test_without_a_grader_a_run_is_ungraded_and_tells_what_was_asked(
    run: Callable[..., RunRecord],
) -> None:
    record = run("jarvis")
    assert (record.status, record.score, record.failure) == ("ungraded", None, None)
    assert (record.categories, record.checkpoints) == ({}, {})
    (question,) = record.questions
    assert question.answerability == Answerability.INSUFFICIENT.value
    assert (question.cited, question.verdict) == ([], "allow")
    assert (question.window, question.timely) == ("", None)
    assert record.missing == []
    assert record.needed


def test_a_user_who_knows_nothing_is_not_played_by_a_model(run: Callable[..., RunRecord]) -> None:
    model = ScriptedModel(("The roof, I would say.",))
    record = run("jarvis", requester=ModelRequester(model))
    assert record.failure is None
    assert model.asked == []


def test_with_a_grader_and_a_profile_asking_makes_the_difference(
    run: Callable[..., RunRecord], tmp_path: Path
) -> None:
    graders = put(tmp_path, grade_py=GRADER, profile_json=PROFILE)
    alone, asked = run("none", graders=graders), run("jarvis", graders=graders)
    assert (alone.status, alone.score) == ("scored", 50.0)
    assert (asked.status, asked.score) == ("scored", 90.0)
    assert asked.categories == {"objective": 0.8, "alignment": 1.0}
    assert asked.checkpoints == {}
    assert [item.cited for item in asked.questions] == [["user.nameless_gifts.fund"]]
    assert [item.timely for item in asked.questions] == [None]


def test_the_oracle_has_nothing_to_go_by(run: Callable[..., RunRecord]) -> None:
    record = run("oracle")
    assert record.failure is not None
    assert record.failure.kind == "controller_failed"
    assert "sealed decision windows" in record.failure.problem
    assert record.calls == 0  # it was refused before anybody worked


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"grade_py": "raise SystemExit(3)"}, "grader_failed"),
        ({"profile_json": []}, "sealed_malformed"),
        ({"profile_json": "{"}, "bundle_malformed"),
    ],
)
def test_sealed_parts_at_fault_make_a_run_invalid(
    run: Callable[..., RunRecord], tmp_path: Path, files: dict[str, object], kind: str
) -> None:
    record = run("none", graders=put(tmp_path, **files))
    assert (record.status, record.score) == ("invalid", None)
    assert record.failure is not None
    assert record.failure.kind == kind


def test_sealed_parts_are_found_beside_the_task_too(theirs: Path) -> None:
    assert background_of(load_bundle(theirs)).grade is None
    (theirs / "sealed").mkdir()
    (theirs / "sealed" / "grade.py").write_text(GRADER, encoding="utf-8")
    (theirs / "profile.json").write_text(json.dumps(PROFILE), encoding="utf-8")
    found = background_of(load_bundle(theirs))
    assert found.grade is not None
    assert [memory.field for memory in found.memories] == ["nameless gifts.fund"]
    assert (found.windows, found.final_record_path) == (None, "results/final.json")


def test_a_plan_is_another_when_the_sealed_parts_are(
    theirs: Path, tiny: Callable[..., Path], tmp_path: Path
) -> None:
    folders = {"gifts": theirs, "own": tiny("own")}
    assert is_ours(folders["own"])
    assert marks(folders, None) == {}
    graders = put(tmp_path, grade_py=GRADER)
    first = marks(folders, graders)
    assert list(first) == ["gifts"]
    (graders / "gifts" / "profile.json").write_text(json.dumps(PROFILE), encoding="utf-8")
    assert marks(folders, graders) != first
