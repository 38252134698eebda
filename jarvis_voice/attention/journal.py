"""Where facts are kept before anything is done about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from jarvis_voice.attention.facts import Fact, decode, encode
from jarvis_voice.errors import JarvisError


class Journal(Protocol):
    """An append-only record. Called from one thread."""

    def append(self, fact: Fact) -> int:
        """Keep the fact for good before returning; raises a JarvisError when it cannot be kept."""
        ...

    def facts(self) -> Iterable[Fact]:
        """All facts, oldest first."""
        ...


class ScriptedJournal:
    """Keeps facts in memory, as they would be written down; can be told to fail."""

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self.failure: JarvisError | None = None
        self._written = [encode(fact) for fact in facts]

    def append(self, fact: Fact) -> int:
        """The number of facts so far. Raises ``failure`` while one is set."""
        if self.failure is not None:
            raise self.failure
        self._written.append(encode(fact))
        return len(self._written)

    def facts(self) -> Iterable[Fact]:
        """All facts, read back from what was written."""
        return [decode(written) for written in self._written]
