"""What is remembered while a pending text is judged word by word. Pure data."""

from __future__ import annotations

from dataclasses import dataclass, field

from audio.tts.text.open_spans import Block, OpenSpans


@dataclass(frozen=True, slots=True)
class Word:
    """A word in the pending text, the end of the gap behind it and the sign after that."""

    text: str
    start: int
    end: int
    gap_end: int
    following: str
    at_line_start: bool


@dataclass(frozen=True, slots=True)
class Cut:
    """A place in the pending text where a phrase may end."""

    at: int
    ends_sentence: bool = False


@dataclass(slots=True)
class Scan:
    """How far the pending text has been judged, and the places where it could be cut."""

    at: int = 0  # where the next word is looked for
    searched: int = 0  # no gap begins before this
    words: int = 0
    spoken: int = 0
    previous: str = ""
    line_start: int = 0
    line_words: int = 0
    fresh_line: bool = True
    spans: OpenSpans = field(default_factory=OpenSpans)
    block: Block | None = None
    so: Cut | None = None  # before a "so" that the next word may show to open a clause
    weak: Cut | None = None  # the best place if the first phrase becomes too long
    fallback: Cut | None = None  # the best place so far if the phrase becomes too long
    fallback_rank: int = 0
