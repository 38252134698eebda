"""The scores that the admission ladder takes from real runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.results import Episode
from bench.suite.catalog import TASKS
from bench.tracks.bounds import BOUNDS, policy_scores
from bench.tracks.collaboration import Conditions, run_episode
from bench.tracks.hands import hands_of
from bench.workers.shell import Shell

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


def test_bounds_are_of_a_user_at_hand_also_where_the_task_has_none(tiny: Tiny) -> None:
    points = policy_scores(tiny(sealed={"availability": {"absent": True}}).parent)("gifts")
    assert points["oracle"] - points["never"] == 25.0


@pytest.mark.skipif(not Shell().isolated, reason="commands cannot be tried out here")
def test_a_worker_that_clears_up_after_itself_disturbs_nobody() -> None:
    """It copies a test beside its program, runs it, and removes the copy with ``rm -rf``."""
    episode = Episode(
        task="control_tariff_code", controller="jarvis", workers="scripted", mode="paper"
    )
    record = run_episode(TASKS / episode.task, episode, Conditions(hands_of))
    assert (record.score, record.questions) == (100.0, [])


def test_what_a_user_says_while_the_papers_are_written_is_not_missed() -> None:
    """The cook of this task rings the guests after the first answer."""
    episode = Episode(task="wedding_kitchen", controller="jarvis", workers="scripted", mode="paper")
    record = run_episode(TASKS / episode.task, episode, Conditions(hands_of))
    assert record.score == 100.0
    assert [item.cited for item in record.questions] == [["user.no_dear_flour"]]
    assert (record.receipts.sent, record.receipts.closed) == (2, True)
