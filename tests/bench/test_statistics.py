"""Means, intervals, tests and costs against values that were worked out by hand."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.statistics import (
    Asked,
    CostSettings,
    Interval,
    Span,
    asking,
    attention_cost,
    busy,
    efficiency,
    hierarchical,
    least_effect,
    macro_mean,
    paired,
    permutation_test,
    sign_test,
    timeliness,
)


def test_a_task_counts_once_however_often_it_was_run() -> None:
    assert macro_mean({"a": [100.0, 100.0, 100.0], "b": [0.0], "c": []}) == 50.0
    assert macro_mean({}) is None


def test_efficiency_is_undefined_without_requests_and_negative_for_harm() -> None:
    assert efficiency(80.0, 60.0, 2.0) == pytest.approx(0.1)
    assert efficiency(50.0, 60.0, 1.0) == pytest.approx(-0.1)
    assert efficiency(80.0, 60.0, 0.0) is None
    assert efficiency(None, 60.0, 1.0) is None


def test_pairs_join_by_run_and_leave_out_what_has_no_partner() -> None:
    mine = {"a": {"1": 70.0, "2": 90.0}, "b": {"1": 50.0}, "c": {"1": 1.0}}
    base = {"a": {"1": 60.0, "2": 60.0, "3": 0.0}, "b": {"2": 50.0}}
    assert paired(mine, base) == {"a": [10.0, 30.0]}


def test_the_bootstrap_covers_the_mean_and_is_the_same_for_a_seed() -> None:
    numbers = random.Random(4)
    values = {f"t{n}": [numbers.gauss(10, 5) for _ in range(3)] for n in range(30)}
    interval = hierarchical(values, seed=1)
    assert interval == hierarchical(dict(reversed(values.items())), seed=1)
    assert interval != hierarchical(values, seed=2)
    assert interval.count == 30
    assert interval.low is not None
    assert interval.high is not None
    assert interval.mean is not None
    assert interval.low < interval.mean < interval.high
    # tasks of mean 10 whose means spread by 5/sqrt(3), and again by the runs within each
    assert 1.0 < interval.high - interval.low < 4.0
    assert interval.excludes_zero()


def test_the_interval_is_a_point_when_nothing_varies_and_wide_with_the_runs() -> None:
    assert hierarchical({"a": [5.0, 5.0], "b": [5.0]}) == Interval(2, 5.0, 5.0, 5.0)
    one_task = hierarchical({"a": [0.0, 10.0]})
    assert (one_task.low, one_task.high) == (0.0, 10.0)  # only its runs can be drawn anew
    assert hierarchical({}) == Interval(0, None)
    assert not hierarchical({"a": [-1.0], "b": [1.0]}).excludes_zero()


def test_the_sign_test_is_the_binomial() -> None:
    assert sign_test([1.0] * 5) == pytest.approx(2 / 32)
    assert sign_test([1.0, 1.0, 1.0, -1.0, 0.0]) == pytest.approx(2 * 5 / 16)
    assert sign_test([1.0, -1.0]) == 1.0
    assert sign_test([0.0, 0.0]) is None


@given(st.lists(st.integers(-3000, 3000), min_size=1, max_size=9))
def test_the_permutation_test_counts_what_listing_all_signs_gives(parts: list[int]) -> None:
    differences = [part / 100 for part in parts]
    seen = abs(sum(parts))
    sums = [
        abs(sum(sign * part for sign, part in zip(signs, parts, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(parts))
    ]
    listed = sum(value >= seen for value in sums) / len(sums)
    found = permutation_test(differences)
    if not any(parts):
        assert found is None
    else:
        assert found == pytest.approx(listed)


def test_forty_tasks_are_no_more_work_than_few() -> None:
    found = permutation_test([20.0] * 30 + [-1.0] * 10)
    assert found is not None
    assert 0 < found < 1e-6


def test_the_least_effect_falls_with_the_root_of_the_tasks() -> None:
    few, many = [0.0, 40.0] * 10, [0.0, 40.0] * 40
    small, large = least_effect(few), least_effect(many)
    assert small is not None
    assert large is not None
    assert small == pytest.approx(2.8016 * 20.52 / math.sqrt(20), rel=1e-3)
    assert small / large == pytest.approx(2.0, rel=0.05)
    assert least_effect([1.0]) is None


def test_asking_is_scored_on_tasks_and_controls() -> None:
    found = asking(
        [(True, True)] * 6 + [(True, False)] * 2 + [(False, True)] + [(False, False)] * 3
    )
    assert (found.precision, found.recall) == (pytest.approx(6 / 7), 0.75)
    assert found.f1 == pytest.approx(12 / 15)
    assert found.false_share == 0.25
    always = asking([(True, True)] * 3 + [(False, True)])
    assert always.as_json()["precision"] == 0.75
    never = asking([(True, False), (False, False)])
    assert (never.precision, never.recall, never.f1) == (None, 0.0, 0.0)


@pytest.mark.parametrize(
    ("asked", "opens", "closes", "rework", "score"),
    [
        (10.0, 5.0, 20.0, 0, 1.0),
        (5.0, 5.0, None, 0, 1.0),
        (4.0, 5.0, 20.0, 0, 0.5),
        (4.0, None, None, 0, 0.5),
        (21.0, 5.0, 20.0, 0, 1.0),
        (30.0, 5.0, 20.0, 10, math.exp(-1)),
    ],
)
def test_a_question_is_timely_in_its_window(
    asked: float, opens: float | None, closes: float | None, rework: float, score: float
) -> None:
    assert timeliness(asked, opens, closes, rework) == pytest.approx(score)


def test_attention_costs_more_when_it_is_long_repeated_busy_or_idle() -> None:
    short = Asked(10, 5, 1, 0.0)
    assert attention_cost([short]) == pytest.approx(1 + 0.5 + 0.5)
    assert attention_cost([short, short]) == pytest.approx(4.0)
    assert attention_cost([Asked(10, 5, 2, 600.0, 1.0)]) == pytest.approx(2 + 0.5 + 1 + 1)
    assert attention_cost([]) == 0.0
    assert attention_cost([short], CostSettings(each=3.0)) == pytest.approx(4.0)


def test_a_calendar_tells_how_busy_the_user_is_at_a_time() -> None:
    calendar = [Span(60.0, 300.0, 0.5), Span(200.0, 260.0)]
    times = (0.0, 60.0, 199.0, 200.0, 259.9, 260.0, 300.0)
    assert [busy(at_s, calendar) for at_s in times] == [0.0, 0.5, 0.5, 1.0, 1.0, 0.5, 0.0]
    assert busy(60.0, []) == 0.0


def test_each_putting_costs_what_the_user_was_busy_with() -> None:
    calendar = [Span(0.0, 100.0, 0.8), Span(150.0, 200.0, 0.4)]
    disturbed = sum(busy(at_s, calendar) for at_s in (50.0, 170.0))
    free = attention_cost([Asked(10, 5, 2, 0.0)])
    assert attention_cost([Asked(10, 5, 2, 0.0, disturbed)]) == pytest.approx(free + 1.2)
    halved = CostSettings(busy=0.5)
    assert attention_cost([Asked(10, 5, 2, 0.0, disturbed)], halved) == pytest.approx(free + 0.6)
