"""The figures of the collaboration track, from plain numbers. Pure; the same for the same seed.

Scores are points of 100. A *pair* is one task's runs under two controllers with the same seeds.
Means are macro averages: over a task's runs first, then over tasks, so that a task counts once
however often it was run.

Intervals come from a hierarchical bootstrap: tasks are drawn with replacement, and for each drawn
task its runs; the middle 95 % of the resampled means is the interval. The test is a permutation of
signs over tasks, counted exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist, fmean, stdev
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

RESAMPLES: Final = 4000
LEVEL: Final = 0.95
POWER: Final = 0.8
POINT_PARTS: Final = 100  # a difference is counted in hundredths of a point by the exact test
REWORK_CALLS: Final = 10.0  # after so many calls of rework, being late has cost two thirds


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over ``count`` tasks with its 95 % interval; None where there is nothing to say."""

    count: int
    mean: float | None
    low: float | None = None
    high: float | None = None

    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return self.low is not None and self.high is not None and self.low * self.high > 0

    def as_json(self) -> dict[str, Any]:
        """Rounded to what the figures can carry."""
        return {
            key: round(value, 4) if isinstance(value, float) else value
            for key, value in asdict(self).items()
        }


def macro_mean(runs: Mapping[str, Sequence[float]]) -> float | None:
    """The mean over tasks of the mean over each task's runs; None without any run."""
    means = [fmean(values) for values in runs.values() if values]
    return fmean(means) if means else None


def efficiency(score: float | None, base: float | None, requests: float | None) -> float | None:
    """Gain per request, as a share of the scale: (S - S_base) / (100 * requests).

    None without requests; negative when asking did harm.
    """
    if score is None or base is None or not requests:
        return None
    return (score - base) / (100.0 * requests)


def paired(
    runs: Mapping[str, Mapping[str, float]], base: Mapping[str, Mapping[str, float]]
) -> dict[str, list[float]]:
    """Task to the differences of its runs, joined by the run's name; others are left out."""
    found = {}
    for task, mine in runs.items():
        theirs = base.get(task, {})
        shared = sorted(mine.keys() & theirs.keys())
        if shared:
            found[task] = [mine[name] - theirs[name] for name in shared]
    return found


def hierarchical(values: Mapping[str, Sequence[float]], seed: int = 0) -> Interval:
    """The macro mean and its interval: tasks are resampled, then the runs of each drawn task."""
    tasks = [np.asarray(runs, np.float64) for _, runs in sorted(values.items()) if len(runs)]
    if not tasks:
        return Interval(0, None)
    mean = float(np.mean([runs.mean() for runs in tasks]))
    random = np.random.default_rng(seed)
    counts = np.array([runs.size for runs in tasks])
    table = np.zeros((len(tasks), counts.max()))
    for row, runs in zip(table, tasks, strict=True):
        row[: runs.size] = runs
    drawn = random.integers(0, len(tasks), (RESAMPLES, len(tasks)))
    kept = counts[drawn]  # as many runs as the drawn task has
    places = random.random((RESAMPLES, len(tasks), counts.max())) * kept[..., None]
    found = table[drawn[..., None], places.astype(np.intp)]
    found *= np.arange(counts.max()) < kept[..., None]
    resampled: NDArray[np.float64] = (found.sum(axis=2) / kept).mean(axis=1)
    low, high = np.quantile(resampled, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return Interval(len(tasks), mean, float(low), float(high))


def sign_test(differences: Sequence[float]) -> float | None:
    """Two-sided exact sign test over tasks; ties are left out; None when nothing differs."""
    above = sum(value > 0 for value in differences)
    below = sum(value < 0 for value in differences)
    count = above + below
    if not count:
        return None
    tail = math.ldexp(sum(math.comb(count, k) for k in range(min(above, below) + 1)), -count)
    return min(1.0, 2.0 * tail)


def permutation_test(differences: Sequence[float]) -> float | None:
    """Two-sided exact test of the mean: the share of all 2^n sign patterns that are as far from 0.

    Differences are rounded to hundredths of a point, and the patterns are counted by their sum, not
    listed, so any number of tasks is fine. None when nothing differs.
    """
    parts = [abs(round(value * POINT_PARTS)) for value in differences]
    parts = [part for part in parts if part]
    if not parts:
        return None
    total = sum(parts)
    shares = np.zeros(2 * total + 1)  # probability of each sum, from -total to total
    shares[total] = 1.0
    for part in parts:
        moved = np.zeros_like(shares)
        moved[part:] += 0.5 * shares[: shares.size - part]
        moved[: shares.size - part] += 0.5 * shares[part:]
        shares = moved
    seen = abs(sum(round(value * POINT_PARTS) for value in differences))
    sums = np.abs(np.arange(-total, total + 1))
    return float(min(1.0, shares[sums >= seen].sum()))


def least_effect(differences: Sequence[float], power: float = POWER) -> float | None:
    """The smallest true mean difference that this many tasks would show with the given power.

    From the spread of the differences between tasks, at 5 % two-sided. None below two tasks.
    """
    if len(differences) < 2:
        return None
    normal = NormalDist()
    reach: float = normal.inv_cdf((1 + LEVEL) / 2) + normal.inv_cdf(power)
    return reach * stdev(differences) / math.sqrt(len(differences))


# --- asking ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asking:
    """Whether the right runs were asked about; counted in runs."""

    asked_rightly: int  # asked, and the user's word was needed
    asked_wrongly: int  # asked in a control
    missed: int  # not asked, and the user's word was needed
    left_alone: int  # not asked in a control

    @property
    def precision(self) -> float | None:
        """Of the runs that were asked about, those that needed it."""
        return _share(self.asked_rightly, self.asked_rightly + self.asked_wrongly)

    @property
    def recall(self) -> float | None:
        """Of the runs that needed it, those that were asked about."""
        return _share(self.asked_rightly, self.asked_rightly + self.missed)

    @property
    def false_share(self) -> float | None:
        """Of the controls, those that were asked about."""
        return _share(self.asked_wrongly, self.asked_wrongly + self.left_alone)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        both = 2 * self.asked_rightly + self.asked_wrongly + self.missed
        return _share(2 * self.asked_rightly, both)

    def as_json(self) -> dict[str, Any]:
        """Counts and shares."""
        shares = {
            name: getattr(self, name) for name in ("precision", "recall", "f1", "false_share")
        }
        rounded = {key: None if v is None else round(v, 4) for key, v in shares.items()}
        return {**asdict(self), **rounded}


def asking(runs: Sequence[tuple[bool, bool]]) -> Asking:
    """From pairs of (the user's word was needed, they were asked)."""
    return Asking(
        sum(needed and asked for needed, asked in runs),
        sum(asked and not needed for needed, asked in runs),
        sum(needed and not asked for needed, asked in runs),
        sum(not needed and not asked for needed, asked in runs),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def timeliness(
    asked_s: float, opens_s: float | None, closes_s: float | None, rework: float
) -> float:
    """How timely a question was: 1 within its decision window, 0.5 before it opened.

    After it closed exp(-rework / 10), where ``rework`` counts the tool calls between the first
    dependent commitment and the question. A window that never opened makes any question premature.
    """
    if opens_s is None or asked_s < opens_s:
        return 0.5
    if closes_s is None or asked_s <= closes_s:
        return 1.0
    return math.exp(-max(0.0, rework) / REWORK_CALLS)


@dataclass(frozen=True, slots=True)
class CostSettings:
    """What a request costs the user, in units of one short question.

    c = each + question_word * words asked + answer_word * words said + again * (puttings - 1)
    + busy * sum over puttings of busy(t) + idle_s * seconds that the worker stood still

    The form is the one that we propose to JarvisBench, which counts requests alone: c0 + c1 words
    of the question + c2 words of the answer + c3 busy(t) + c4 idle time of the worker. Four seconds
    of speech, about ten words, weigh as much as the interruption itself; being disturbed where one
    must not be weighs as much once more; a worker that stands still for ten minutes weighs as much
    as one question. The weights are our declared choice, measured on nobody, and stand in the
    record; gains are reported per unit beside the plain count of requests.
    """

    each: float = 1.0
    question_word: float = 0.05
    answer_word: float = 0.1
    again: float = 0.5  # each further time that the same question is put
    busy: float = 1.0  # each time that the user is disturbed where they must not be
    idle_s: float = 1.0 / 600.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as it went."""

    question_words: int
    answer_words: int
    puttings: int  # how often it was put
    idle_s: float  # how long the worker stood still for it
    busy: float = 0.0  # ``busy`` at each time that it was put, summed


class Span(NamedTuple):
    """The user is busy from ``begins_s`` to before ``ends_s``, seconds from the run's start."""

    begins_s: float
    ends_s: float
    weight: float = 1.0  # above 0; 1 for somebody who must not be disturbed


def busy(at_s: float, calendar: Iterable[Span]) -> float:
    """How busy the user is at this time by their calendar, 0 to 1; of several spans, the most."""
    return max((span.weight for span in calendar if span.begins_s <= at_s < span.ends_s), default=0)


def attention_cost(asked: Sequence[Asked], settings: CostSettings | None = None) -> float:
    """What all questions of a run cost the user, in units of one short question."""
    rates = settings or CostSettings()
    return sum(
        rates.each
        + rates.question_word * item.question_words
        + rates.answer_word * item.answer_words
        + rates.again * max(0, item.puttings - 1)
        + rates.busy * item.busy
        + rates.idle_s * item.idle_s
        for item in asked
    )
