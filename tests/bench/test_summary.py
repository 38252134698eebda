"""Figures of made-up records, against values worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bench.results import Episode, Failure, Question, Receipts, RunRecord
from bench.summary import compare, figures, groups


def run(task: str, controller: str, score: float | None, **changes: Any) -> RunRecord:
    episode = Episode(
        task=task,
        controller=controller,
        workers=changes.pop("workers", "scripted"),
        mode="paper",
        repeat=changes.pop("repeat", 0),
    )
    kind = {"control": "irrelevant"} if task.startswith("control_") else {"mechanism": "latent"}
    failure = None if score is not None else Failure(kind="worker_failed", problem="It raised.")
    status = "scored" if failure is None else "invalid"
    given = {"topology": "single_agent", **kind, **changes}
    return RunRecord(episode=episode, status=status, score=score, failure=failure, **given)


def asked(timely: float | None = 1.0) -> list[Question]:
    return [Question(at_s=1.0, session="main", question="Which?", timely=timely)]


def suite() -> Iterator[RunRecord]:
    for repeat in range(2):
        for task, base, gain in (("one", 60.0, 40.0), ("two", 70.0, 20.0)):
            yield run(task, "none", base, repeat=repeat)
            yield run(
                task,
                "jarvis",
                base + gain,
                repeat=repeat,
                questions=asked(),
                attention_cost=2.0,
                held_s=30.0,
                categories={"alignment": 1.0},
            )
        yield run("control_x", "none", 100.0, repeat=repeat)
        yield run("control_x", "jarvis", 97.0, repeat=repeat, questions=asked(None))


def test_the_figures_of_a_controller_are_of_its_pairs_with_the_baseline() -> None:
    none, jarvis = figures(list(suite()))
    tasks, controls, both = (jarvis.sets[name] for name in ("tasks", "controls", "all"))
    assert (tasks.tasks, tasks.score, tasks.base) == (2, 95.0, 65.0)
    assert tasks.gain.interval.mean == 30.0
    assert tasks.gain.interval.excludes_zero()
    assert tasks.efficiency == pytest.approx(0.3)
    assert controls.gain.interval.mean == -3.0
    assert both.gain.interval.mean == pytest.approx(19.0)
    assert both.requests == 1.0
    assert both.efficiency == pytest.approx(0.19)
    assert (jarvis.asking.precision, jarvis.asking.recall) == (pytest.approx(2 / 3), 1.0)
    assert (jarvis.timely, jarvis.held_s) == (1.0, pytest.approx(20.0))
    assert jarvis.cost == pytest.approx(4 / 3)
    assert jarvis.gain_per_cost == pytest.approx(19.0 / (4 / 3))
    assert jarvis.by_mechanism == {"control: irrelevant": -3.0, "latent": 30.0}
    assert "multi" not in jarvis.sets
    assert none.sets["tasks"].gain.interval.mean == 0.0
    assert none.sets["all"].efficiency is None


def test_invalid_and_degraded_runs_are_counted_and_in_no_figure() -> None:
    records = [
        run("one", "none", 60.0),
        run("one", "jarvis", 80.0),
        run("two", "none", 60.0),
        run("two", "jarvis", None),
        run("three", "none", 60.0),
        run("three", "jarvis", 0.0, degraded=["the decision could not be written down"]),
    ]
    _, jarvis = figures(records)
    assert jarvis.sets["tasks"].tasks == 1
    assert jarvis.sets["tasks"].gain.interval.mean == 20.0
    assert jarvis.invalid == {"worker_failed": 1}
    assert (jarvis.runs, jarvis.degraded) == (3, 1)


def unknown(task: str, controller: str, **changes: Any) -> RunRecord:
    """A run of somebody else's task that nobody can grade."""
    episode = Episode(task=task, controller=controller, workers="scripted", mode="paper")
    return RunRecord(episode=episode, status="ungraded", **changes)


def test_ungraded_runs_are_counted_apart_with_what_they_asked() -> None:
    records = [
        run("one", "none", 60.0),
        run("one", "jarvis", 80.0),
        unknown("their", "none"),
        unknown("their", "jarvis", questions=asked(None) * 2, attention_cost=3.0, held_s=10.0),
    ]
    _, jarvis = figures(records)
    assert jarvis.sets["all"].tasks == 1
    assert jarvis.sets["all"].gain.interval.mean == 20.0
    assert (jarvis.sets["all"].requests, jarvis.cost) == (0.0, 0.0)
    assert jarvis.asking.asked_rightly == 0
    assert jarvis.as_json()["ungraded"] == {
        "runs": 1,
        "tasks": 1,
        "requests": 2.0,
        "attention_cost": 3.0,
        "held_s": 10.0,
    }


def test_a_graded_task_without_windows_says_nothing_on_asking_in_time() -> None:
    records = [run("their", "jarvis", 80.0, mechanism="", questions=asked(None))]
    (jarvis,) = figures(records)
    assert jarvis.asking.asked_rightly == 1
    assert jarvis.asking_in_window.recall is None
    assert jarvis.timely is None


def test_shared_runs_that_one_side_could_not_grade_are_counted_and_in_no_difference() -> None:
    before = [run("one", "jarvis", 70.0), unknown("their", "jarvis"), unknown("gone", "jarvis")]
    after = [run("one", "jarvis", 80.0), run("their", "jarvis", 90.0)]
    gain, ungraded = compare(after, before)["scripted, paper"]["jarvis"]
    assert (gain.interval.count, gain.interval.mean, ungraded) == (1, 10.0, 1)
    alone = compare(before[1:], before[1:])["scripted, paper"]["jarvis"]
    assert (alone.gain.interval.mean, alone.ungraded) == (None, 2)


def test_a_question_outside_its_window_is_asked_and_not_asked_in_time() -> None:
    records = [run("one", "jarvis", 80.0, questions=asked(0.5)), run("two", "jarvis", 80.0)]
    (jarvis,) = figures(records)
    assert jarvis.asking.asked_rightly == 1
    assert jarvis.asking_in_window.asked_rightly == 0
    assert jarvis.timely == 0.5
    assert jarvis.sets["tasks"].gain.interval.mean is None  # nothing to compare with


def test_open_receipts_and_misunderstandings_are_counted() -> None:
    missed = [asked()[0].model_copy(update={"misunderstood": True})]
    receipts = Receipts(sent=1, applied=0, closed=False)
    (jarvis,) = figures([run("one", "jarvis", 80.0, questions=missed, receipts=receipts)])
    assert (jarvis.open_receipts, jarvis.misunderstood) == (1, 1)
    assert jarvis.as_json()["open_receipts"] == 1


def test_kinds_of_workers_are_groups_of_their_own() -> None:
    records = [run("one", "none", 50.0), run("one", "none", 40.0, workers="careless")]
    assert list(groups(records)) == ["scripted, paper", "careless, paper"]


def test_two_results_are_compared_over_what_both_hold() -> None:
    before = [run("one", "jarvis", 70.0), run("two", "jarvis", 70.0), run("two", "none", 1.0)]
    after = [run("one", "jarvis", 80.0), run("two", "jarvis", 76.0), run("new", "jarvis", 0.0)]
    found = compare(after, before)
    assert list(found) == ["scripted, paper"]
    assert list(found["scripted, paper"]) == ["jarvis"]
    gain, ungraded = found["scripted, paper"]["jarvis"]
    assert ungraded == 0
    assert (gain.interval.count, gain.interval.mean) == (2, 8.0)
    assert gain.sign_p == 0.5
    assert compare(after, []) == {}
