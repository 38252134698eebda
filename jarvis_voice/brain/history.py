"""The dialogue as it was heard, within bounds. Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from jarvis_voice.events import Exchange

EXCHANGES = 12
"""Exchanges that are kept: a follow-up refers to the last one or two, a model needs few more."""

TEXT_CHARS = 2000  # of each text; an answer that is spoken for two minutes has about this many


class Dialogue:
    """What was asked and what the user heard of each answer, oldest first."""

    def __init__(self, exchanges: int = EXCHANGES) -> None:
        self._exchanges: deque[Exchange] = deque(maxlen=exchanges)

    def add(self, exchange: Exchange) -> None:
        """Keeps an exchange; one about the same turn is replaced, so a cut can be noted late."""
        if self._exchanges and self._exchanges[-1].turn == exchange.turn:
            self._exchanges.pop()
        self._exchanges.append(
            replace(
                exchange,
                user_text=exchange.user_text[:TEXT_CHARS],
                said=exchange.said[:TEXT_CHARS],
                heard=exchange.heard[:TEXT_CHARS],
            )
        )

    def recent(self) -> tuple[Exchange, ...]:
        """The kept exchanges, oldest first, as ``Question.history`` takes them."""
        return tuple(self._exchanges)
