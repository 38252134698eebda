"""The scores that the admission ladder takes from real runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench.tracks.bounds import BOUNDS, policy_scores

Tiny = Callable[..., Path]


def test_every_bound_has_its_points(tiny: Tiny) -> None:
    points = policy_scores(tiny().parent)("gifts")
    assert set(points) == {*BOUNDS, "lost"}
    assert points["oracle"] - points["never"] == 25.0
    assert points["placebo"] == points["never"]
    assert points["lost"] == 0.0


def test_a_worker_that_gives_up_its_record_when_asked_is_counted(tiny: Tiny) -> None:
    worker = (
        "DECISIONS = {}\nasync def work(tools, style):\n"
        "    await tools.write('results/final.json', '{\"fund\": \"school\"}')"
    )
    assert policy_scores(tiny(worker=worker).parent)("gifts")["lost"] == 1.0


def test_a_run_that_is_no_score_has_no_points(tiny: Tiny) -> None:
    points = policy_scores(tiny(grade="grade = 5").parent)("gifts")
    assert points == {"lost": 0.0}
