"""What the records of the collaboration track come to, and how two results compare. Pure.

Figures are of one group: the runs of one kind of workers in one mode. Each controller is compared
with the baseline ``none`` run by run. *Tasks* are those that need the user's word, *controls* those
that do not; headline figures leave out runs that are invalid, degraded or ungraded, and count
them. Of ungraded runs it is still known what they asked.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final, NamedTuple

from bench.results import NONE, RunRecord, ungraded, valid
from bench.statistics import (
    Asking,
    Interval,
    asking,
    efficiency,
    hierarchical,
    least_effect,
    macro_mean,
    paired,
    permutation_test,
    sign_test,
)

IN_WINDOW: Final = 0.999  # of timeliness: within the decision window

Runs = dict[str, dict[str, float]]  # task -> run -> value


@dataclass(frozen=True, slots=True)
class Gain:
    """The difference to another controller over the same runs, in points."""

    interval: Interval
    sign_p: float | None
    permutation_p: float | None
    least_effect: float | None  # that this many tasks would show with a power of 0.8

    def as_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            **self.interval.as_json(),
            "sign_p": _rounded(self.sign_p, 6),
            "permutation_p": _rounded(self.permutation_p, 6),
            "least_effect": _rounded(self.least_effect),
        }


class Compared(NamedTuple):
    """How two results differ under a controller; ``ungraded`` shared runs are in no difference."""

    gain: Gain
    ungraded: int

    def as_json(self) -> dict[str, Any]:
        """For a program."""
        return {**self.gain.as_json(), "ungraded": self.ungraded}


@dataclass(frozen=True, slots=True)
class Ungraded:
    """The runs of tasks that nobody could grade: what they cost, without a score. Means a run."""

    runs: int
    tasks: int
    requests: float | None
    cost: float | None
    held_s: float | None

    def as_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "runs": self.runs,
            "tasks": self.tasks,
            "requests": _rounded(self.requests),
            "attention_cost": _rounded(self.cost),
            "held_s": _rounded(self.held_s, 1),
        }


@dataclass(frozen=True, slots=True)
class Set:
    """A controller on a set of tasks."""

    tasks: int
    score: float | None
    base: float | None
    gain: Gain
    requests: float | None  # a run
    efficiency: float | None

    def as_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "tasks": self.tasks,
            "score": _rounded(self.score),
            "base": _rounded(self.base),
            "gain": self.gain.as_json(),
            "requests": _rounded(self.requests),
            "efficiency": _rounded(self.efficiency),
        }


@dataclass(frozen=True, slots=True)
class Figures:
    """One controller in one group."""

    controller: str
    runs: int
    invalid: Mapping[str, int]  # kind of failure -> runs
    degraded: int
    ungraded: Ungraded
    sets: Mapping[str, Set]  # "tasks", "controls", "all", "single", "multi"
    asking: Asking
    asking_in_window: Asking
    timely: float | None  # mean over questions in tasks
    cost: float | None  # of attention, a run, over all
    gain_per_cost: float | None  # points over all, for one unit of attention
    held_s: float | None  # a run
    open_receipts: int  # runs in which a decision was not seen by the agent
    misunderstood: int  # answers that the app took for none
    by_mechanism: Mapping[str, float]  # mean gain
    categories: Mapping[str, float]  # mean share of each category over tasks

    def as_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "controller": self.controller,
            "runs": self.runs,
            "invalid": dict(self.invalid),
            "degraded": self.degraded,
            "ungraded": self.ungraded.as_json(),
            "sets": {name: part.as_json() for name, part in self.sets.items()},
            "asking": self.asking.as_json(),
            "asking_in_window": self.asking_in_window.as_json(),
            "timely": _rounded(self.timely),
            "attention_cost": _rounded(self.cost),
            "gain_per_cost": _rounded(self.gain_per_cost),
            "held_s": _rounded(self.held_s, 1),
            "open_receipts": self.open_receipts,
            "misunderstood": self.misunderstood,
            "gain_by_mechanism": {k: _rounded(v) for k, v in self.by_mechanism.items()},
            "categories": {k: _rounded(v) for k, v in self.categories.items()},
        }


_SETS: Mapping[str, Callable[[RunRecord], bool]] = {
    "tasks": lambda run: run.needed,
    "controls": lambda run: not run.needed,
    "all": lambda run: True,
    "single": lambda run: run.needed and run.topology == "single_agent",
    "multi": lambda run: run.needed and run.topology == "multi_agent",
}


def groups(records: Iterable[RunRecord]) -> dict[str, list[RunRecord]]:
    """The records by kind of workers, mode and budget, such as "scripted, paper"."""
    found: dict[str, list[RunRecord]] = defaultdict(list)
    for record in records:
        found[record.episode.group].append(record)
    return dict(found)


def figures(records: Sequence[RunRecord], seed: int = 0) -> list[Figures]:
    """The figures of every controller of one group, in the order in which they first appear."""
    names = list(dict.fromkeys(record.episode.controller for record in records))
    base = [record for record in records if record.episode.controller == NONE]
    return [
        _figures([run for run in records if run.episode.controller == name], base, seed)
        for name in names
    ]


def _figures(runs: list[RunRecord], base: list[RunRecord], seed: int) -> Figures:
    kept = list(valid(runs))
    base = list(valid(base))
    sets = {name: _set(kept, base, fits, seed) for name, fits in _SETS.items()}
    cost = macro_mean(_lists(_values(kept, lambda run: run.attention_cost)))
    gain = sets["all"].gain.interval.mean
    timely = [q.timely for run in kept for q in run.questions if q.timely is not None]
    return Figures(
        controller=runs[0].episode.controller,
        runs=len(runs),
        invalid=Counter(run.failure.kind for run in runs if run.failure is not None),
        degraded=sum(bool(run.degraded) for run in runs),
        ungraded=_ungraded(list(ungraded(runs))),
        sets={name: part for name, part in sets.items() if part.tasks},
        asking=asking([(run.needed, bool(run.questions)) for run in kept]),
        asking_in_window=asking(
            [(run.needed, _asked_in_time(run)) for run in kept if run.has_windows]
        ),
        timely=fmean(timely) if timely else None,
        cost=cost,
        gain_per_cost=gain / cost if gain is not None and cost else None,
        held_s=macro_mean(_lists(_values(kept, lambda run: run.held_s))),
        open_receipts=sum(not run.receipts.closed for run in kept),
        misunderstood=sum(q.misunderstood for run in kept for q in run.questions),
        by_mechanism=_by_mechanism(kept, base),
        categories=_categories(kept),
    )


def _ungraded(runs: list[RunRecord]) -> Ungraded:
    def mean(value: Callable[[RunRecord], float]) -> float | None:
        return macro_mean(_lists(_values(runs, value)))

    return Ungraded(
        runs=len(runs),
        tasks=len({run.episode.task for run in runs}),
        requests=mean(lambda run: len(run.questions)),
        cost=mean(lambda run: run.attention_cost),
        held_s=mean(lambda run: run.held_s),
    )


def _set(
    runs: list[RunRecord], base: list[RunRecord], fits: Callable[[RunRecord], bool], seed: int
) -> Set:
    mine = _values(filter(fits, runs), _points)
    theirs = _values(filter(fits, base), _points)
    pairs = paired(mine, theirs)
    shared = {task: theirs[task] for task in pairs}
    requests = macro_mean(_lists(_values(filter(fits, runs), lambda run: len(run.questions))))
    score = macro_mean(_lists({task: mine[task] for task in pairs} or mine))
    base_score = macro_mean(_lists(shared))
    return Set(
        tasks=len(mine),
        score=score,
        base=base_score,
        gain=gain_of(pairs, seed),
        requests=requests,
        efficiency=efficiency(score, base_score, requests),
    )


def gain_of(pairs: Mapping[str, Sequence[float]], seed: int = 0) -> Gain:
    """The mean difference over tasks, with its interval and tests."""
    means = [fmean(values) for values in pairs.values()]
    return Gain(
        hierarchical(pairs, seed), sign_test(means), permutation_test(means), least_effect(means)
    )


def compare(
    mine: Sequence[RunRecord], other: Sequence[RunRecord], seed: int = 0
) -> dict[str, dict[str, Compared]]:
    """Group and controller to the gain of the first result over the second, by shared runs."""
    found: dict[str, dict[str, Compared]] = {}
    theirs = groups(other)
    for name, records in groups(mine).items():
        for controller in dict.fromkeys(record.episode.controller for record in records):
            one, two = _of(records, controller), _of(theirs.get(name, ()), controller)
            pairs = paired(_values(valid(one), _points), _values(valid(two), _points))
            unknown = len(_named(ungraded(one)) & _named(two) | _named(ungraded(two)) & _named(one))
            if pairs or unknown:
                found.setdefault(name, {})[controller] = Compared(gain_of(pairs, seed), unknown)
    return found


def _of(records: Iterable[RunRecord], controller: str) -> list[RunRecord]:
    return [record for record in records if record.episode.controller == controller]


def _named(runs: Iterable[RunRecord]) -> set[tuple[str, str]]:
    return {(run.episode.task, run.episode.pair) for run in runs}


def _points(run: RunRecord) -> float:
    assert run.score is not None  # every valid run has one
    return run.score


def _values(runs: Iterable[RunRecord], value: Callable[[RunRecord], float]) -> Runs:
    found: Runs = defaultdict(dict)
    for run in runs:
        found[run.episode.task][run.episode.pair] = value(run)
    return dict(found)


def _lists(runs: Runs) -> dict[str, list[float]]:
    return {task: list(values.values()) for task, values in runs.items()}


def _asked_in_time(run: RunRecord) -> bool:
    if not run.needed:
        return bool(run.questions)
    return any(item.timely is not None and item.timely >= IN_WINDOW for item in run.questions)


def _by_mechanism(runs: list[RunRecord], base: list[RunRecord]) -> dict[str, float]:
    kinds = {run.episode.task: _kind(run) for run in runs}
    gains: dict[str, list[float]] = defaultdict(list)
    for task, values in paired(_values(runs, _points), _values(base, _points)).items():
        gains[kinds[task]].append(fmean(values))
    return {kind: fmean(values) for kind, values in sorted(gains.items())}


def _kind(run: RunRecord) -> str:
    return run.mechanism or (f"control: {run.control}" if run.control else "not known")


def _categories(runs: list[RunRecord]) -> dict[str, float]:
    shares: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        for name, share in run.categories.items() if run.needed else ():
            shares[name].append(share)
    return {name: fmean(values) for name, values in shares.items()}


def _rounded(value: float | None, places: int = 4) -> float | None:
    return None if value is None else round(value, places)
