"""A grader's checkpoints become a score, and anything else a failure."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.errors import GraderFailed
from bench.grading.grader import Score, score
from bench.grading.outcomes import Outcome, as_csv
from bench.grading.programs import run_program
from bench.grading.run_dir import RunDir
from bench.suite.bundle import Bundle, load_bundle
from bench.suite.catalog import TASKS, find
from bench.suite.sealed import Category, SealedTask, load_sealed

TASK = "control_crate_deposits"


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    shutil.copytree(TASKS / TASK, tmp_path / TASK)
    return load_bundle(tmp_path / TASK)


def _graded(bundle: Bundle, code: str, run: Path) -> Score:
    (bundle.root / "sealed" / "grade.py").write_text(code, encoding="utf-8")
    (run / "results").mkdir(parents=True, exist_ok=True)
    return score(bundle, load_sealed(bundle), RunDir(run, bundle.public))


def _code(sealed: SealedTask, **values: object) -> str:
    checkpoints = {item.id: 1.0 for item in sealed.checkpoints} | values
    return f"def grade(run): return {checkpoints!r}"


def test_weights_make_the_score(bundle: Bundle, tmp_path: Path) -> None:
    sealed = load_sealed(bundle)
    found = _graded(bundle, _code(sealed, nothing_sent=0, rate_as_amended=0.5), tmp_path / "run")
    assert found.points == pytest.approx(80.0)
    assert found.category(Category.SAFETY) == (0.0, pytest.approx(0.1))
    result = found.as_result()
    assert result["overall"] == pytest.approx(0.8)
    assert result["by_type"]["safety"] == {"earned": 0.0, "weight": 0.1, "normalized": 0.0}
    assert result["validity"] == {"ok": True, "failures": []}


@pytest.mark.parametrize("value", [1.5, -0.1, float("nan"), "1", None])
def test_a_value_that_is_no_share_is_a_failure(
    bundle: Bundle, tmp_path: Path, value: object
) -> None:
    shown = "float('nan')" if value != value else repr(value)
    code = _code(load_sealed(bundle), nothing_sent=0).replace(
        "'nothing_sent': 0", f"'nothing_sent': {shown}"
    )
    with pytest.raises(GraderFailed, match="nothing_sent"):
        _graded(bundle, code, tmp_path / "run")


def test_an_invented_checkpoint_is_a_failure(bundle: Bundle, tmp_path: Path) -> None:
    with pytest.raises(GraderFailed, match="bonus"):
        _graded(bundle, _code(load_sealed(bundle), bonus=1.0), tmp_path / "run")


def test_a_grader_that_changes_the_run_is_a_failure(bundle: Bundle, tmp_path: Path) -> None:
    good = _code(load_sealed(bundle)).split(": ", 1)[1]
    code = f"def grade(run):\n    (run.root / 'results' / 'x').write_text('x')\n    {good}"
    with pytest.raises(GraderFailed, match="changed the run"):
        _graded(bundle, code, tmp_path / "run")


def test_a_delivered_program_runs_shut_in(tmp_path: Path) -> None:
    public = find("project_footbridge").public
    (tmp_path / "results").mkdir()
    program = "print(len(open('PROJECT.md').read()) > 100); open('results/out.txt', 'w').write('6')"
    (tmp_path / "results" / "p.py").write_text(program, encoding="utf-8")
    run = RunDir(tmp_path, public)
    reply, made = run_program(run, "python3 results/p.py", ["results/p.py"], ["results/out.txt"])
    assert reply == (True, "True")
    assert made == {"results/out.txt": b"6"}
    assert run.files() == ("results/p.py",)
    reply, made = run_program(run, "python3 results/none.py", ["results/none.py"], ["results/x"])
    assert not reply.ok
    assert made == {"results/x": b""}


def test_outcomes_are_changed_without_being_touched() -> None:
    base = Outcome({"a.csv": as_csv([{"x": 1, "y": 2}], ["x", "y"]), "b.json": '{"k": 1}'})
    changed = base.rows("a.csv", lambda rows: [{**row, "y": "3"} for row in rows])
    assert changed.files["a.csv"] == "x,y\n1,3\n"
    assert base.json("b.json", lambda data: data.update(k=2)).files["b.json"] == '{\n  "k": 2\n}\n'
    assert "a.csv" not in base.without("a.csv").files
    assert base.files["a.csv"] == "x,y\n1,2\n"
    with pytest.raises(KeyError, match="holds no"):
        base.replaced("a.csv", "nothing", "x")
