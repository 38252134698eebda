"""Finds the worker that a run names: a bundle's script in three styles, a chat model, a runtime."""

from __future__ import annotations

from pathlib import Path

from bench import real_agents
from bench.errors import BundleMalformed, WorkerFailed
from bench.suite.bundle import Bundle, load_bundle
from bench.tracks.crew import Crew
from bench.tracks.sessions import Hands
from bench.workers.base import UNPACED, Style
from bench.workers.chat import chat_worker
from bench.workers.scripted import load_worker
from jarvis_voice.brain.chat_model import ChatModel

STYLES = {
    "scripted": Style.GOOD,
    "careless": Style.CARELESS,
    "overconfident": Style.OVERCONFIDENT,
}
CHAT = "chat"
EXTERNAL = real_agents.NAMES
NAMES = (*STYLES, CHAT, *EXTERNAL)


def hands_of(bundle: Bundle, name: str, model: ChatModel | None = None) -> Crew:
    """Who does this task. Raises WorkerFailed when there is no such worker, or it is at fault."""
    if name in EXTERNAL:
        from bench.tracks.external import External  # the gate and its server, for no one else

        return External(name, bundle)
    if name == CHAT:
        if model is None:
            raise WorkerFailed("There is no chat model to work.", "Name one in the settings.")
        return Hands(chat_worker(bundle, model), pace=UNPACED)
    style = STYLES.get(name)
    if style is None:
        raise WorkerFailed(f'There is no worker "{name}".', f"Known are {', '.join(NAMES)}.")
    return Hands(load_worker(bundle), style)


def is_able(name: str, folder: Path) -> bool:
    """This worker can do the task in the folder: an app is out of a runtime's reach.

    Of a task that cannot be read, the run itself says why.
    """
    if name not in EXTERNAL:
        return True
    try:
        return not load_bundle(folder).is_app
    except BundleMalformed:
        return True
