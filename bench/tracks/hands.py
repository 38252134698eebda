"""Finds the worker that a run names: a bundle's own script in three styles, or a chat model."""

from __future__ import annotations

from bench.errors import WorkerFailed
from bench.suite.bundle import Bundle
from bench.tracks.collaboration import Hands
from bench.workers.base import Style
from bench.workers.scripted import load_worker

STYLES = {
    "scripted": Style.GOOD,
    "careless": Style.CARELESS,
    "overconfident": Style.OVERCONFIDENT,
}
NAMES = tuple(STYLES)


def hands_of(bundle: Bundle, name: str) -> Hands:
    """Who does this task. Raises WorkerFailed when there is no such worker, or it is at fault."""
    style = STYLES.get(name)
    if style is None:
        raise WorkerFailed(f'There is no worker "{name}".', f"Known are {', '.join(NAMES)}.")
    return Hands(load_worker(bundle), style)
