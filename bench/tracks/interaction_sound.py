"""What sound does to the interaction track: its cost in points, errors of hearing, waiting. Pure.

The cost is paired by task: the score aloud minus the score of the same task without any sound. The
score *as worded* is that of the spoken answers before they became sound, so that the cost can be
told apart: from text to worded is what misheard questions cost, from worded to aloud what misheard
answers cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.report.intervals import Estimate, quantile
from bench.statistics import Interval, hierarchical
from bench.tracks.interaction_records import Sound, Trajectory

POINTS = 50.0  # of one grade step


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """Word errors over all that was said."""

    count: int  # texts
    errors: int
    words: int

    @property
    def rate(self) -> float | None:
        """Errors per word said; None when nothing was said."""
        return self.errors / self.words if self.words else None

    def as_json(self) -> dict[str, Any]:
        """With what it is made of."""
        rate = {} if self.rate is None else {"rate": round(self.rate, 4)}
        return {"count": self.count, "errors": self.errors, "words": self.words, **rate}


@dataclass(frozen=True, slots=True)
class Waiting:
    """Seconds from the end of a question to the first audio."""

    p50: Estimate
    p95: Estimate

    def as_json(self) -> dict[str, Any]:
        """Both quantiles with their counts."""
        return {"p50_s": self.p50.as_record(), "p95_s": self.p95.as_record()}


@dataclass(frozen=True, slots=True)
class SoundFigures:
    """What was spoken by one answerer."""

    text: Interval  # scores, on 0 to 100
    worded: Interval
    aloud: Interval
    cost: Interval  # aloud - text, paired by task
    questions: ErrorRate
    answers: ErrorRate
    lost: int  # questions of which nothing was heard
    made: Waiting  # answers whose first phrase was made for them
    kept: Waiting  # answers whose first phrase had been said before

    def as_json(self) -> dict[str, Any]:
        """For a program; what was not measured is not there."""
        waiting = {"first_phrase_made": self.made, "first_phrase_kept": self.kept}
        return {
            "scores": {
                "text": self.text.as_json(),
                "worded": self.worded.as_json(),
                "aloud": self.aloud.as_json(),
                "aloud_minus_text": self.cost.as_json(),
            },
            "question_word_errors": self.questions.as_json(),
            "answer_word_errors": self.answers.as_json(),
            "questions_lost": self.lost,
            "first_audio": {
                name: times.as_json() for name, times in waiting.items() if times.p50.count
            },
        }


def sound_figures(graded: Sequence[Trajectory], seed: int = 0) -> SoundFigures:
    """The figures of trajectories that were spoken, all of one answerer."""
    sounds = [answer.sound for record in graded for answer in record.responses if answer.sound]
    text = {record.task: _points(record.text_grades) for record in graded}
    aloud = {record.task: _points(answer.grade for answer in record.responses) for record in graded}
    worded = {record.task: _points(_worded(record)) for record in graded}
    cost = {task: [_mean(aloud[task]) - _mean(marks)] for task, marks in text.items() if marks}
    return SoundFigures(
        hierarchical(text, seed),
        hierarchical(worded, seed),
        hierarchical(aloud, seed),
        hierarchical(cost, seed),
        _rate((item.question_errors, item.question_words) for item in sounds),
        _rate(
            (item.answer_errors, item.answer_words)
            for item in sounds
            if item.answer_errors is not None and item.answer_words is not None
        ),
        sum(not item.question_heard for item in sounds),
        _waiting([item for item in sounds if not item.kept], seed),
        _waiting([item for item in sounds if item.kept], seed),
    )


def _worded(record: Trajectory) -> list[int]:
    """The grades of the answers as they were worded; of one that did not come, its own."""
    if record.leaked:
        return [0] * len(record.responses)
    return [
        item.grade
        if item.sound is None or item.sound.worded_grade is None
        else item.sound.worded_grade
        for item in record.responses
    ]


def _points(grades: Iterable[int]) -> list[float]:
    return [POINTS * grade for grade in grades]


def _mean(marks: Sequence[float]) -> float:
    return sum(marks) / len(marks)


def _rate(counted: Iterable[tuple[int, int]]) -> ErrorRate:
    pairs = list(counted)
    return ErrorRate(len(pairs), sum(e for e, _ in pairs), sum(words for _, words in pairs))


def _waiting(sounds: Sequence[Sound], seed: int) -> Waiting:
    times = [item.first_audio_s for item in sounds if item.first_audio_s is not None]
    return Waiting(quantile(times, 0.5, seed), quantile(times, 0.95, seed))
