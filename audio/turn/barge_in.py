"""The words of speech over the agent: an interruption, or only a sign that the user listens?

What is made of them is decided in ``overlap.py``.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from enum import Enum

from audio.turn.lexicon import BACKCHANNELS, LONGEST_PHRASE, STOP_PHRASES
from audio.turn.segmenter import TOLERANCE_S

_ASIDE = re.compile(r"\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|<[^>]*>")  # "[laughs]", "(coughing)", "*sigh*"
_APOSTROPHE = re.compile("['\u2019\u02bc`]")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")  # "mmmm", "sooo"; never digits
_BEGINNINGS = frozenset(
    " ".join(phrase.split()[:count])
    for phrase in BACKCHANNELS
    for count in range(1, len(phrase.split()))
) | frozenset({"god", "got", "hey", "make"})  # "got it", "makes sense"; "hey" whom?
_WORD = re.compile(r"[^\W_]+")


class Overlap(Enum):
    """What speech over the agent turned out to be."""

    NOISE = "noise"  # no word in it
    BACKCHANNEL = "backchannel"
    STOP = "stop"  # it begins with a stop phrase
    WORDS = "words"


def words_of(text: str) -> list[str]:
    """The spoken words in the form of the lexicon; asides such as "[laughs]" are left out."""
    plain = _ASIDE.sub(" ", unicodedata.normalize("NFKC", text).lower())
    return _WORD.findall(_DRAWN_OUT.sub(r"\1", _APOSTROPHE.sub("", plain)))


def classify(text: str) -> Overlap:
    """What a transcript of speech over the agent amounts to."""
    words = words_of(text)
    if not words:
        return Overlap.NOISE
    rest = _after_backchannels(words)
    if not rest:
        return Overlap.BACKCHANNEL
    if _leading(words, STOP_PHRASES) or _leading(rest, STOP_PHRASES):
        return Overlap.STOP
    return Overlap.WORDS


def stop_phrase(text: str) -> str:
    """The stop phrase that ``text`` begins with, backchannels before it skipped; or nothing."""
    words = words_of(text)
    rest = _after_backchannels(words)
    if not rest:
        return ""
    count = _leading(words, STOP_PHRASES)
    if count:
        return " ".join(words[:count])
    return " ".join(rest[: _leading(rest, STOP_PHRASES)])


def real_words(text: str) -> int:
    """How many words follow the backchannels that ``text`` begins with."""
    return len(_after_backchannels(words_of(text)))


def may_become_backchannel(text: str) -> bool:
    """Whether it, or what follows its first backchannels, may be the beginning of one: "all"."""
    rest = " ".join(_after_backchannels(words_of(text)))
    return bool(rest) and rest in _BEGINNINGS


def _leading(words: Sequence[str], phrases: frozenset[str]) -> int:
    """How many words the longest phrase at the start takes, 0 when there is none."""
    for count in range(min(LONGEST_PHRASE, len(words)), 0, -1):
        if " ".join(words[:count]) in phrases:
            return count
    return 0


def _after_backchannels(words: Sequence[str]) -> Sequence[str]:
    while words:
        count = _leading(words, BACKCHANNELS)
        if not count:
            break
        words = words[count:]
    return words


class SustainedSpeech:
    """How long the user has been speaking, gaps up to ``gap_s`` included."""

    def __init__(self, gap_s: float) -> None:
        self._gap_s = gap_s
        self._onset_s = math.inf
        self._until_s = -math.inf

    def voiced(self, from_s: float, until_s: float) -> None:
        """Speech was heard between the two times; the ends never go back."""
        if from_s - self._until_s > self._gap_s + TOLERANCE_S:
            self._onset_s = from_s
        self._until_s = max(until_s, self._until_s)

    @property
    def onset_s(self) -> float:
        """Where the speech without longer gaps began."""
        return self._onset_s

    @property
    def seconds(self) -> float:
        """From its onset to the end of its last frame; 0 before the first."""
        return max(self._until_s - self._onset_s, 0.0)
