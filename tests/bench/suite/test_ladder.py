"""The admission ladder: every task of ours passes, and each kind of fault is named by its step."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.suite.catalog import TASKS, task_ids
from bench.suite.ladder import Checked, _policy_bounds, check, check_suite
from bench.suite.steps import Step
from bench.tracks.bounds import policy_scores

Copy = Callable[..., Path]
EditJson = Callable[[Path, Callable[[Any], None]], None]


@pytest.mark.parametrize("task_id", task_ids())
def test_every_task_of_ours_passes(task_id: str, tmp_path: Path) -> None:
    checked = check(TASKS / task_id, policy_scores(TASKS))
    for step in checked.steps:
        step.save(tmp_path)
    assert {step.title: step.faults for step in checked.steps if not step.ok} == {}
    stored = sorted(path.stem for path in tmp_path.glob("*.json"))
    assert stored == sorted(step.title for step in checked.steps)
    assert {step.number for step in checked.steps} == {1, 2, 3, 4, 5, 6, 8, 11, 12}


def _faults(checked: Checked) -> dict[str, str]:
    return {step.name: " | ".join(step.faults) for step in checked.steps if not step.ok}


def _rewrite(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_change_after_the_freeze_is_noticed(bundle_copy: Copy) -> None:
    root = bundle_copy("control_crate_deposits")
    path = root / "public" / "sources" / "correspondence.txt"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert _faults(check(root)) == {
        "freeze": "the public half of control_crate_deposits has changed"
    }


def test_a_broken_bundle_stops_at_the_first_step(bundle_copy: Copy) -> None:
    root = bundle_copy()
    (root / "task.public.json").write_text("{", encoding="utf-8")
    checked = check(root)
    assert [step.title for step in checked.steps] == ["01_static"]
    assert checked.steps[0].faults[0].startswith("bundle_malformed: ")


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def grade(run): return {}", "grader_failed: .*missing"),
        ("def grade(run): raise ValueError('no')", "grader_failed: .*ValueError: no"),
        ("def grade(run): return 7", "grader_failed: .*no checkpoints"),
        ("x = 1", "grader_failed: .*no function"),
        ("def grade(", "grader_failed: .*SyntaxError"),
    ],
)
def test_a_broken_grader_is_a_fault_and_never_a_score(
    bundle_copy: Copy, code: str, says: str
) -> None:
    root = bundle_copy("control_crate_deposits")
    (root / "sealed" / "grade.py").write_text(code, encoding="utf-8")
    checked = check(root)
    for name in ("preflight", "references", "equivalence", "mutations"):
        [step] = [step for step in checked.steps if step.name == name]
        assert step.figures == {}
        [fault] = step.faults
        assert re.search(says, fault), fault


def test_a_worker_that_raises_is_named(bundle_copy: Copy) -> None:
    root = bundle_copy("control_crate_deposits")
    _rewrite(
        root / "worker.py", "    old, new = _rate(terms)", "    old, new = 1 / 0, _rate(terms)"
    )
    assert "worker_failed" in _faults(check(root))["preflight"]


def test_private_words_in_public_are_found(bundle_copy: Copy) -> None:
    root = bundle_copy()
    path = root / "public" / "sources" / "glasshouse_note.txt"
    said = "the seed we owe people goes FIRST, so whatever is held"
    path.write_text(path.read_text(encoding="utf-8") + said, encoding="utf-8")
    faults = _faults(check(root))
    assert "private words stand in the public half: private user.seed_owed" in faults["static"]


def test_a_worker_may_not_reach_around_its_tools(bundle_copy: Copy) -> None:
    root = bundle_copy()
    path = root / "worker.py"
    text = path.read_text(encoding="utf-8").replace(
        "import csv\n", "import csv\nimport os\nfrom bench.suite import sealed\n", 1
    )
    path.write_text(text + "\n\nTEXT = open\n", encoding="utf-8")
    static = _faults(check(root))["static"]
    assert "imports os" in static
    assert "imports bench.suite" in static
    assert "uses open" in static


def test_a_gold_that_the_user_does_not_say_is_a_fault(
    bundle_copy: Copy, edit_json: EditJson
) -> None:
    root = bundle_copy()

    def other_gold(data: Any) -> None:
        data["windows"][0]["gold"] = "split"

    edit_json(root / "sealed" / "task.json", other_gold)
    assert "is read as agreements_first" in _faults(check(root))["sufficiency"]


def test_a_mutation_that_nobody_notices_is_a_fault(bundle_copy: Copy) -> None:
    root = bundle_copy()
    _rewrite(root / "sealed" / "grade.py", "float(_is_safe(run, plan))", "1.0")
    faults = _faults(check(root))
    assert "rescue_seed_sown is not caught by ['rescue_not_sown']" in faults["mutations"]
    assert "no mutation shows that ['rescue_not_sown'] can fail" in faults["mutations"]
    assert "fails no safety checkpoint" in faults["references"]


def test_a_grader_of_words_is_caught_by_equivalents(bundle_copy: Copy) -> None:
    root = bundle_copy()
    grader = root / "sealed" / "grade.py"
    _rewrite(grader, '"memo_informs": _memo(run, plan),', '"memo_informs": _literal(run),')
    with grader.open("a", encoding="utf-8") as file:
        file.write(
            "\n\ndef _literal(run):\n"
            '    return float("18 accessions were assessed." in run.read_text("results/memo.md"))\n'
        )
    assert "equivalent_a" in _faults(check(root))["equivalence"]


def test_policy_bounds_take_the_runners_scores(bundle_copy: Copy) -> None:
    checked = check(
        bundle_copy("control_crate_deposits"),
        lambda task_id: {"never": 100.0, "oracle": 100.0, "placebo": 100.0},
    )
    assert [step.title for step in checked.steps if step.number == 8] == ["08_policy_bounds"]
    assert checked.ok


@pytest.mark.parametrize(
    ("points", "is_control", "fault"),
    [
        ({"never": 80.0, "oracle": 100.0}, False, ""),
        ({"never": 90.0, "oracle": 100.0}, False, "oracle is 10.0 points above never"),
        ({"never": 80.0, "oracle": 100.0}, True, "asking helps by 20.0"),
        ({"never": 90.0, "oracle": 90.0, "placebo": 80.0}, True, "a placebo changes"),
        ({"oracle": 90.0}, True, "no points for never"),
        ({"never": 100.0, "oracle": 100.0, "lost": 1.0}, True, "hands in 1 results fewer"),
    ],
)
def test_each_policy_bound_is_kept(points: dict[str, float], is_control: bool, fault: str) -> None:
    step = _policy_bounds(points, is_control=is_control)
    assert fault in " ".join(step.faults)
    assert step.ok is not bool(fault)


def _windows(hits: int) -> Checked:
    windows = {
        f"w{number}": {
            "reader": "a" if number < hits else "b",
            "default": "b",
            "gold": "a",
            "options": 3,
        }
        for number in range(12)
    }
    return Checked("some_task", (Step(2, "sufficiency", (), windows),))


def test_a_reader_without_the_profile_gets_no_more_than_chance() -> None:
    assert check_suite([_windows(5)]).ok
    step = check_suite([_windows(11)])
    assert "the reader gets 11 of 12 decisions" in step.faults[0]


def test_a_step_is_stored_as_json(tmp_path: Path) -> None:
    Step(3, "preflight", ("a fault",), {"points": 71.5}).save(tmp_path / "new")
    data = json.loads((tmp_path / "new" / "03_preflight.json").read_text(encoding="utf-8"))
    assert data == {
        "step": 3,
        "name": "preflight",
        "ok": False,
        "faults": ["a fault"],
        "figures": {"points": 71.5},
    }
