"""Tells from a transcript itself whether the decoder ran into a loop. Pure.

A decoder that sees too little sound after the speech repeats itself, with high confidence. The
measures were set on 66 recordings decoded in short windows: they find every loop there and raise
one false alarm in 60 right transcripts.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter

_MAX_COMPRESSION = 2.0
_MAX_WORDS_PER_S = 5.0
_MIN_RATE_WORDS = 5  # fewer words than this can be said in any time
_GRAM = 4  # words that must not come twice
_SHORT_WORDS = 6  # so few words are a loop when they are all the same

_HOPELESS_COMPRESSION = 2.4  # the limit that Whisper's authors give for whole windows
_HOPELESS_WORDS_PER_S = 7.0
_HOPELESS_TIMES = 3

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case, without punctuation."""
    return _WORD.findall(text.lower())


def compression_ratio(text: str) -> float:
    """How many times smaller zlib makes the text; repetition raises it."""
    raw = text.encode()
    return len(raw) / len(zlib.compress(raw)) if raw else 0.0


def loop_in(text: str, speech_s: float) -> str:
    """What looks like a loop in the text for ``speech_s`` seconds of sound; "" when nothing."""
    words = words_of(text)
    if 2 <= len(words) <= _SHORT_WORDS and len(set(words)) == 1:
        return "one word over and over"
    return repeats_in(text, speech_s)


def repeats_in(text: str, speech_s: float) -> str:
    """As ``loop_in``, but a single word may be said again: "no, no"."""
    words = words_of(text)
    if compression_ratio(text) > _MAX_COMPRESSION:
        return "text that compresses too well"
    if len(words) >= _MIN_RATE_WORDS and len(words) > _MAX_WORDS_PER_S * max(speech_s, 0.1):
        return "more words than can be said"
    if len(set(words)) > 1 and _most_often(words) > 1:
        return "the same four words twice"
    return ""


def stuck(text: str, speech_s: float) -> str:
    """As ``loop_in``, but only what nobody would say: people do repeat themselves.

    For a text that was decoded as well as the engine can.
    """
    words = words_of(text)
    if compression_ratio(text) > _HOPELESS_COMPRESSION:
        return "text that compresses too well"
    if len(words) >= _MIN_RATE_WORDS and len(words) > _HOPELESS_WORDS_PER_S * max(speech_s, 0.1):
        return "more words than can be said"
    if len(set(words)) > 1 and _most_often(words) > _HOPELESS_TIMES:
        return "the same four words over and over"  # "no no no no no no no" can be meant
    return ""


def _most_often(words: list[str]) -> int:
    grams = Counter(tuple(words[i : i + _GRAM]) for i in range(len(words) - _GRAM + 1))
    return max(grams.values(), default=0)
