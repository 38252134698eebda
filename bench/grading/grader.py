"""Runs a sealed grader: a run's folder in, weighted checkpoints out, or a typed failure.

``sealed/grade.py`` of a bundle defines ``grade(run: RunDir) -> dict[str, float]``: the id of each
checkpoint with a number from 0 to 1. A grader that raises, leaves out a checkpoint, invents one,
gives no number, or changes what it looks at is a GraderFailed, never a score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bench.errors import GraderFailed
from bench.grading.run_dir import RunDir
from bench.suite.bundle import Bundle
from bench.suite.code import load_module
from bench.suite.sealed import Category, Checkpoint, SealedTask

SCHEMA_VERSION = "1.0"

Grade = Callable[[RunDir], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Score:
    """What a run is worth."""

    task_id: str
    checkpoints: tuple[Checkpoint, ...]
    values: Mapping[str, float]  # checkpoint id -> 0 to 1

    @property
    def overall(self) -> float:
        """The weighted mean of all checkpoints, 0 to 1."""
        return math.fsum(item.weight * self.values[item.id] for item in self.checkpoints)

    @property
    def points(self) -> float:
        """The same on 0 to 100."""
        return round(100 * self.overall, 6)

    def category(self, category: Category) -> tuple[float, float]:
        """What was earned in a category and what could be, both as weights."""
        mine = [item for item in self.checkpoints if item.category is category]
        return (
            math.fsum(item.weight * self.values[item.id] for item in mine),
            math.fsum(item.weight for item in mine),
        )

    def as_result(self) -> dict[str, Any]:
        """The result in the form that a sealed ``grade.py --output`` writes."""
        by_type = {}
        for category in Category:
            earned, weight = self.category(category)
            by_type[category.value] = {
                "earned": round(earned, 9),
                "weight": round(weight, 9),
                "normalized": round(earned / weight, 9) if weight else None,
            }
        return {
            "schema_version": SCHEMA_VERSION,
            "task_id": self.task_id,
            "status": "scored",
            "overall": round(self.overall, 9),
            "by_type": by_type,
            "validity": {"ok": True, "failures": []},
        }


def load_grade(bundle: Bundle) -> Grade:
    """The bundle's grader. Raises GraderFailed."""
    path = bundle.root / "sealed" / "grade.py"
    found = getattr(load_module(path, GraderFailed), "grade", None)
    if not callable(found):
        raise GraderFailed(f"{path} has no function grade(run).")
    return found  # type: ignore[no-any-return]  # an attribute of a module that was just loaded


def score(bundle: Bundle, sealed: SealedTask, run: RunDir) -> Score:
    """Grade a run. Raises GraderFailed; the run is then invalid, not worth 0."""
    grade = load_grade(bundle)
    before = run.digest()
    try:
        values = grade(run)
    except Exception as error:  # code of a bundle can raise anything
        raise GraderFailed(
            f"The grader of {bundle.task_id} raised {type(error).__name__}: {error}."
        ) from error
    if run.digest() != before:
        raise GraderFailed(f"The grader of {bundle.task_id} changed the run that it graded.")
    return Score(bundle.task_id, tuple(sealed.checkpoints), _checked(values, sealed))


def _checked(values: object, sealed: SealedTask) -> dict[str, float]:
    if not isinstance(values, Mapping):
        raise GraderFailed(f"The grader of {sealed.task_id} gave no checkpoints.")
    wanted = [checkpoint.id for checkpoint in sealed.checkpoints]
    strange = [str(key) for key in values if key not in wanted]
    missing = [key for key in wanted if key not in values]
    if strange or missing:
        raise GraderFailed(
            f"The grader of {sealed.task_id} does not answer for its checkpoints: "
            f"missing {missing[:3]}, unknown {strange[:3]}."
        )
    for key, value in values.items():
        if isinstance(value, bool):
            continue
        if not isinstance(value, int | float) or not 0 <= value <= 1:
            raise GraderFailed(
                f'The grader of {sealed.task_id} gave "{key}" {value!r}, not a number from 0 to 1.'
            )
    return {key: float(values[key]) for key in wanted}
