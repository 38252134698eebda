"""What a run is called aloud. Pure."""

from __future__ import annotations

from jarvis_voice.events import RunSnapshot

_WORDS = 7


def name_of(run: RunSnapshot) -> str:
    """A few words of its title, or else of what it was asked for."""
    words = (run.title or run.goal or run.run_id).split()
    return " ".join(words[:_WORDS]).strip("….,;: ")
