"""Finds the worker that a run names: a bundle's script in three styles, a chat model, a runtime."""

from __future__ import annotations

from bench import real_agents
from bench.errors import WorkerFailed
from bench.suite.bundle import Bundle
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
