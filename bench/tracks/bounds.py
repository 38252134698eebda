"""The scores of a task under the controllers that bound all others, for the admission ladder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from bench.results import Episode
from bench.tracks.collaboration import Conditions, run_episode
from bench.tracks.hands import hands_of

BOUNDS = ("never", "placebo", "always-at-final", "jarvis", "oracle")


def policy_scores(suite: Path) -> Callable[[str], Mapping[str, float]]:
    """From the name of a task in this folder to its points by controller, the user at hand.

    A controller whose run is invalid has none. ``lost`` is how many results fewer the worker hands
    in when it is asked about its final record than when it is left alone.
    """

    def scores(task_id: str) -> Mapping[str, float]:
        runs = {
            name: run_episode(
                suite / task_id,
                Episode(task=task_id, controller=name, workers="scripted", mode="paper"),
                Conditions(hands_of, at_hand=True),
            )
            for name in BOUNDS
        }
        points = {name: run.score for name, run in runs.items() if run.score is not None}
        asked, alone = runs["always-at-final"].missing, runs["never"].missing
        return {**points, "lost": float(len(set(asked) - set(alone)))}

    return scores
