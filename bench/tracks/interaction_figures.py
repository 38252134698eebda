"""What the trajectories of the interaction track come to. Pure.

Scores are on 0 to 100: the mean grade times 50. Answers that failed count 0 and stay in the
denominator; trajectories whose worker or grader was at fault are left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.statistics import Interval, hierarchical
from bench.tracks.interaction import Response, Trajectory

POINTS = 50.0  # of one grade step


@dataclass(frozen=True, slots=True)
class Figures:
    """One answerer."""

    answerer: str
    trajectories: int
    invalid: int
    leaked: int
    failed: int  # answers that did not come
    scores: Mapping[str, Interval]  # general, follow-up, single, multi, overall
    grades: Mapping[int, int]  # grade to how many answers have it
    tags: Mapping[str, int]
    undecided: int  # claims that no rule decides
    judged: int  # of these, decided by model graders
    disputed: int  # of these, without agreement

    def as_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "answerer": self.answerer,
            "trajectories": self.trajectories,
            "invalid": self.invalid,
            "leaked": self.leaked,
            "failed": self.failed,
            "scores": {name: _interval(value) for name, value in self.scores.items()},
            "grades": {str(grade): count for grade, count in self.grades.items()},
            "tags": dict(self.tags),
            "undecided": self.undecided,
            "judged": self.judged,
            "disputed": self.disputed,
        }


def figures(records: Sequence[Trajectory], seed: int = 0) -> list[Figures]:
    """The figures of each answerer, in the order in which they come."""
    names = dict.fromkeys(record.answerer for record in records)
    return [_figures([r for r in records if r.answerer == name], seed) for name in names]


def _figures(records: Sequence[Trajectory], seed: int) -> Figures:
    graded = [record for record in records if record.status == "graded"]
    answers = [answer for record in graded for answer in record.responses]
    sets: dict[str, Callable[[Trajectory, Response], bool]] = {
        "general": lambda _, answer: answer.kind != "follow-up",
        "follow-up": lambda _, answer: answer.kind == "follow-up",
        "single": lambda record, _: record.topology == "single_agent",
        "multi": lambda record, _: record.topology == "multi_agent",
        "overall": lambda _, __: True,
    }
    return Figures(
        records[0].answerer,
        len(graded),
        len(records) - len(graded),
        sum(record.leaked for record in graded),
        sum(answer.failure is not None for answer in answers),
        {name: _score(graded, wanted, seed) for name, wanted in sets.items()},
        {grade: sum(answer.grade == grade for answer in answers) for grade in (2, 1, 0)},
        dict(sorted(Counter(tag for answer in answers for tag in answer.tags).items())),
        sum(len(answer.undecided) for answer in answers),
        sum(len(answer.judged) for answer in answers),
        sum(verdict == "disputed" for answer in answers for verdict in answer.judged),
    )


def _score(
    graded: Sequence[Trajectory], wanted: Callable[[Trajectory, Response], bool], seed: int
) -> Interval:
    """The mean over trajectories, each the mean of its answers; trajectories are resampled."""
    values = {
        record.task: [
            POINTS * answer.grade for answer in record.responses if wanted(record, answer)
        ]
        for record in graded
    }
    return hierarchical({task: marks for task, marks in values.items() if marks}, seed)


def _interval(value: Interval) -> dict[str, float | int | None]:
    return {
        "count": value.count,
        "mean": _rounded(value.mean),
        "low": _rounded(value.low),
        "high": _rounded(value.high),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
