"""What a run is called aloud. Pure."""

from __future__ import annotations

from jarvis_voice.events import RunSnapshot
from jarvis_voice.titles import shortened

_WORDS = 7  # that are said as they stand, with their punctuation


def name_of(run: RunSnapshot) -> str:
    """Its title, or else what it was asked for: a few words, to the end of a phrase."""
    title = run.title or run.goal or run.run_id
    words = title.split()
    said = title if len(words) <= _WORDS else shortened(title, _WORDS)
    return " ".join(said.split()).strip("….,;: ") or " ".join(words[:_WORDS])
