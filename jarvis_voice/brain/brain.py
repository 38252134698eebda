"""What answers a turn: the narrator alone, or a chat model with the narrator behind it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from jarvis_voice.brain.lookup import RunLookup
from jarvis_voice.brain.narrator import narrate
from jarvis_voice.clock import session_now, unix_now
from jarvis_voice.events import Exchange, Question

LIKELY = (
    "How is it going?",
    "What is it doing right now?",
    "What did it find so far?",
    "What failed?",
    "What changed since I last asked?",
    "Is it waiting for me?",
    "Is it done?",
)
"""What people ask of a run that goes on, the likeliest first."""

MANY_RUNS = 50  # 5 ms for all LIKELY questions; with more, working them out would hold up the sound


class Brain(Protocol):
    """One reply per question, as text in pieces. A reply may be closed at any time (``aclose``)."""

    @property
    def name(self) -> str:
        """What the timeline calls it."""
        ...

    def reply(self, question: Question) -> AsyncGenerator[str, None]:
        """Pieces of the answer; joined they are the whole. Never empty, and never raises."""
        ...

    def versions(self) -> dict[str, int]:
        """Run id to version, as the newest reply told about them."""
        ...

    def committed(self, question: Question) -> bool:
        """The question is really asked: do what it commands, once. True when something was done."""
        ...


class NarratorBrain:
    """Answers from the watched runs, sentence by sentence, without a model."""

    name = "narrator"

    def __init__(self, lookup: RunLookup) -> None:
        self._lookup = lookup
        self._versions: dict[str, int] = {}

    async def reply(self, question: Question) -> AsyncGenerator[str, None]:
        """One piece per sentence."""
        told = narrate(question, self._lookup)
        self._versions = dict(told.versions)
        last = len(told.sentences) - 1
        for place, line in enumerate(told.sentences):
            yield line if place == last else f"{line} "

    def anticipated(self, history: tuple[Exchange, ...]) -> tuple[str, ...]:
        """What it would answer now to each of the LIKELY questions.

        Nothing while no run is seen, or more than MANY_RUNS.
        """
        if not 0 < len(self._lookup.snapshots()) <= MANY_RUNS:
            return ()
        asked = (Question(0, text, session_now(), unix_now(), history) for text in LIKELY)
        return tuple(" ".join(narrate(question, self._lookup).sentences) for question in asked)

    def committed(self, question: Question) -> bool:
        """Nothing is done: this brain only tells."""
        return False

    def versions(self) -> dict[str, int]:
        """Run id to version, as the newest reply told about them."""
        return dict(self._versions)
