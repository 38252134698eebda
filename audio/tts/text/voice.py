"""Collects spoken words with their source spans, and keeps what every synthesizer may rely on.

A spoken word is ASCII letters with inner apostrophes and at most one mark of ``. , ? ! : ;``
behind. Spans are in order: two neighbours have the same span or do not overlap.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from audio.tts.base import SpokenWord
from audio.tts.text.characters import TWO_LETTERS

_SPEAKABLE = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)*|[.,?!:;]")
_TWO_LETTERS = re.compile("|".join(TWO_LETTERS))
_STRENGTH = {"": 0, ",": 1, ";": 2, ":": 2, ".": 3, "!": 4, "?": 5}


@dataclass(slots=True)
class _Said:
    letters: str
    mark: str
    start: int
    end: int


class Voice:
    """The words so far. Positions only grow."""

    def __init__(self) -> None:
        self._said: list[_Said] = []
        self._skipped_from: int | None = None

    def __len__(self) -> int:
        return len(self._said)

    @property
    def at_sentence_start(self) -> bool:
        """Whether the next word begins a sentence."""
        return not self._said or self._said[-1].mark in (".", "!", "?", ":")

    def say(self, speakable: str, start: int, end: int) -> None:
        """Add the words and marks of ``speakable``; all words stand for [start, end)."""
        if self._skipped_from is not None:
            start, self._skipped_from = self._skipped_from, None
        if speakable.isascii() and speakable.isalpha():
            self._said.append(_Said(speakable, "", start, end))
            return
        ascii_only = _TWO_LETTERS.sub(lambda match: TWO_LETTERS[match.group()], speakable)
        before = len(self._said)
        for part in _SPEAKABLE.findall(ascii_only.replace("\u00ad", "")):
            if part[0].isalpha():
                self._said.append(_Said(part, "", start, end))
            else:
                self.pause(part)
        if len(self._said) == before:
            self._skipped_from = start

    def pause(self, mark: str) -> None:
        """Put a mark behind the last word unless a stronger one is there."""
        if self._said and _STRENGTH[mark] > _STRENGTH[self._said[-1].mark]:
            self._said[-1].mark = mark

    def close(self) -> None:
        """End the sentence where a line ends, unless its own punctuation says enough."""
        if self._said and self._said[-1].mark in ("", ","):
            self._said[-1].mark = "."

    def skip(self, start: int) -> None:
        """From here on something is not said; the next word's span begins here."""
        if self._skipped_from is None:
            self._skipped_from = start

    def cover(self, first: int, start: int, end: int, *, whole: bool = False) -> None:
        """Make the words from index ``first`` on stand for [start, end) as well.

        ``whole`` gives them all that span; else only the first and last groups grow outwards.
        """
        if first >= len(self._said):
            return
        head, tail = self._said[first], self._said[-1]
        old_head, old_tail = (head.start, head.end), (tail.start, tail.end)
        start = min(start, head.start)
        for said in self._said[first:]:
            span = (said.start, said.end)
            if whole or span == old_head:
                said.start = start
            if whole or span == old_tail:
                said.end = end
        self._skipped_from = None

    def words(self) -> tuple[SpokenWord, ...]:
        """All words, each with its mark."""
        return tuple(SpokenWord(s.letters + s.mark, s.start, s.end) for s in self._said)
