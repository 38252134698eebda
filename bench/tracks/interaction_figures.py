"""What the trajectories of the interaction track come to. Pure.

Scores are on 0 to 100: the mean grade times 50. Answers that failed count 0 and stay in the
denominator; trajectories whose worker, grader or engine was at fault are left out and counted.
What was spoken and what was not are never counted together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.grading.judges import DISPUTED
from bench.statistics import Interval, hierarchical
from bench.tracks.interaction_records import Response, Trajectory
from bench.tracks.interaction_sound import POINTS, SoundFigures, sound_figures


@dataclass(frozen=True, slots=True)
class Figures:
    """One answerer, aloud or not."""

    answerer: str
    aloud: bool
    trajectories: int
    invalid: int
    leaked: int
    failed: int  # answers that did not come
    scores: Mapping[str, Interval]  # general, follow-up, single, multi, overall
    grades: Mapping[int, int]  # grade to how many answers have it
    tags: Mapping[str, int]
    undecided: int  # claims that no rule decides
    judged: int  # of these, decided by model graders
    divided: int  # of these, with judges of different opinions
    disputed: int  # of these, without a majority
    sound: SoundFigures | None = None  # when it was spoken

    @property
    def label(self) -> str:
        """As it is called in tables."""
        return f"{self.answerer}, aloud" if self.aloud else self.answerer

    def as_json(self) -> dict[str, Any]:
        """For a program; what was not measured is not there."""
        sound = {"sound": self.sound.as_json()} if self.sound is not None else {}
        return {
            "answerer": self.answerer,
            "aloud": self.aloud,
            "trajectories": self.trajectories,
            "invalid": self.invalid,
            "leaked": self.leaked,
            "failed": self.failed,
            "scores": {name: value.as_json() for name, value in self.scores.items()},
            "grades": {str(grade): count for grade, count in self.grades.items()},
            "tags": dict(self.tags),
            "undecided": self.undecided,
            "judged": self.judged,
            "divided": self.divided,
            "disputed": self.disputed,
            **sound,
        }


def figures(records: Sequence[Trajectory], seed: int = 0) -> list[Figures]:
    """The figures of each answerer, aloud and not, in the order in which they come."""
    groups: dict[tuple[str, bool], list[Trajectory]] = {}
    for record in records:
        groups.setdefault((record.answerer, record.aloud), []).append(record)
    return [_figures(group, seed) for group in groups.values()]


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
        records[0].aloud,
        len(graded),
        len(records) - len(graded),
        sum(record.leaked for record in graded),
        sum(answer.failure is not None for answer in answers),
        {name: _score(graded, wanted, seed) for name, wanted in sets.items()},
        {grade: sum(answer.grade == grade for answer in answers) for grade in (2, 1, 0)},
        dict(sorted(Counter(tag for answer in answers for tag in answer.tags).items())),
        sum(len(answer.undecided) for answer in answers),
        sum(len(answer.judged) for answer in answers),
        sum(len(set(votes.values())) > 1 for answer in answers for votes in answer.votes),
        sum(verdict == DISPUTED for answer in answers for verdict in answer.judged),
        sound_figures(graded, seed) if records[0].aloud and graded else None,
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
