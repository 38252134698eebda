"""Takes a model's thoughts out of its stream. Pure.

Local reasoning models put them into the text itself, between ``<think>`` and ``</think>``; they are
not meant to be heard.
"""

from __future__ import annotations

_OPEN, _CLOSE = "<think>", "</think>"


class ThoughtFilter:
    """Feed it pieces; it gives back what may be spoken, whatever way the tags are split."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False

    def feed(self, piece: str) -> str:
        """The part of the stream that is now known to be speech."""
        self._held += piece
        spoken = ""
        while True:
            tag = _CLOSE if self._thinking else _OPEN
            before, found, after = self._held.partition(tag)
            if not found:
                break
            spoken += "" if self._thinking else before
            self._held, self._thinking = after, not self._thinking
        keep = _overlap(self._held, _CLOSE if self._thinking else _OPEN)
        ready = self._held[: len(self._held) - keep]
        self._held = self._held[len(self._held) - keep :]
        return spoken + ("" if self._thinking else ready)

    def flush(self) -> str:
        """What was held back as the possible start of a tag; the stream is over."""
        held, self._held = self._held, ""
        return "" if self._thinking else held


def _overlap(text: str, tag: str) -> int:
    """Length of the longest end of ``text`` that begins ``tag``."""
    return next(
        (
            size
            for size in range(min(len(text), len(tag) - 1), 0, -1)
            if tag.startswith(text[-size:])
        ),
        0,
    )
