"""The admission ladder: the steps that a bundle must pass, in order, each with a stored result.

    1 static        format, allow-list, links, private words, weights, anchors, bounds
    2 sufficiency   with the user's answer the decision can be had, without it it cannot
    3 preflight     the worker runs; idle, alone and told the answers it scores as declared
    4 references    full > partial > wrong > unsafe, each in its band
    5 equivalence   two other solutions are worth the same
    6 mutations     every fault is caught where it should be, and only there
    8 policy bounds never, oracle and the rest keep their distance (scores come from the runner),
                    with a user at hand: what the word is worth, not whether it can be had
    11 leaks        planted private words and facts of the future are found
    12 freeze       digests of what was admitted

Steps 7, 9 and 10 of the protocol need models, an event track or people, and are not automatic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.errors import BenchError
from bench.suite import freeze, static, trials
from bench.suite.bundle import load_bundle
from bench.suite.sealed import load_sealed
from bench.suite.steps import Step, broken
from bench.workers.scripted import load_worker

PolicyScores = Callable[[str], Mapping[str, float]]
"""Task id -> points by controller; "never" and "oracle" must be there."""

ORACLE_GAIN = 15.0
PLACEBO_CHANGE = 0.01


@dataclass(frozen=True, slots=True)
class Checked:
    """What the ladder says of one bundle."""

    task_id: str
    steps: tuple[Step, ...]

    @property
    def ok(self) -> bool:
        """Every step passed."""
        return all(step.ok for step in self.steps)


def check(root: Path, policy_scores: PolicyScores | None = None) -> Checked:
    """Take the bundle in ``root`` up the ladder. Never raises a BenchError: that is a fault."""
    try:
        bundle = load_bundle(root)
        sealed = load_sealed(bundle)
        worker = load_worker(bundle)
        first = static.check(bundle, sealed, worker)
        outcomes, mutations = trials.load_outcomes(bundle, sealed)
    except BenchError as error:
        return Checked(root.name, (broken(1, "static", error),))
    subject = trials.Subject(bundle, sealed, worker, outcomes, mutations)
    steps = [first]
    steps += [trials.attempt(number, name, subject) for number, name in trials.STEPS]
    if policy_scores is not None:
        steps.append(_policy_bounds(policy_scores(bundle.task_id), is_control=bundle.is_control))
    steps += [freeze.leaks(bundle, sealed), freeze.frozen(bundle)]
    return Checked(bundle.task_id, tuple(steps))


def _policy_bounds(points: Mapping[str, float], *, is_control: bool) -> Step:
    faults = []
    if not {"never", "oracle"} <= set(points):
        return Step(8, "policy_bounds", ("there are no points for never and oracle",), dict(points))
    gain = points["oracle"] - points["never"]
    if not is_control and gain < ORACLE_GAIN:
        faults.append(f"oracle is {gain:.1f} points above never, not {ORACLE_GAIN}")
    if is_control and gain > PLACEBO_CHANGE:
        faults.append(f"asking helps by {gain:.1f} points where it should not")
    if abs(points.get("placebo", points["never"]) - points["never"]) > PLACEBO_CHANGE:
        faults.append("a placebo changes the result")
    if points.get("lost"):
        faults.append(
            f"asked about its record, the worker hands in {points['lost']:.0f} results fewer: it "
            "must write the record again when that was refused (scripted.settle or hand_in)"
        )
    return Step(8, "policy_bounds", tuple(faults), dict(points))


def check_suite(checked: Sequence[Checked]) -> Step:
    """Over all bundles: a reader without the profile gets the decisions no more often than chance.

    The bound is two standard errors above the mean of guessing each window's options evenly.
    """
    windows = [
        window
        for item in checked
        if not item.task_id.startswith("control_")
        for step in item.steps
        if step.name == "sufficiency"
        for window in step.figures.values()
    ]
    chances = [1 / window["options"] for window in windows]
    expected = math.fsum(chances)
    bound = expected + 2 * math.sqrt(math.fsum(p * (1 - p) for p in chances))
    hits = {
        name: sum(window[name] == window["gold"] for window in windows)
        for name in ("reader", "default")
    }
    faults = [
        f"the {name} gets {count} of {len(windows)} decisions, chance allows {bound:.1f}"
        for name, count in hits.items()
        if count > bound
    ]
    figures = {"windows": len(windows), "hits": hits, "expected": expected, "bound": bound}
    return Step(2, "sufficiency_of_the_suite", tuple(faults), figures)
