"""What a person would say for anything that an agent or a model writes.

``speak`` turns written text into words that any synthesizer can say, each with the span of source
text that it stands for. The rules by topic are in ``audio.tts.text``. What holds for every input:

- a spoken word is ASCII letters and inner apostrophes, with at most one of ``. , ? ! : ;`` behind;
- capitals that are not a word (API, a single letter) are left for the voice to spell, and the
  article is always "a", the letter always "A";
- no digit is lost: each is said, or lies in the span of what is said instead of it. The latter are
  link and image targets, and code blocks of several lines, which are only announced;
- emphasis, rules, borders, escapes, unknown emoji and other decoration are silent;
- text in another script is said to be there ("some Chinese text"), as an English voice has no
  sounds for it and silence would hide it.
"""

from __future__ import annotations

from audio.tts.base import SpokenPhrase
from audio.tts.text.characters import plain
from audio.tts.text.markdown import read_blocks
from audio.tts.text.voice import Voice

_CLOSING = frozenset(".,;:!?)]}\"'*_`~|\N{HORIZONTAL ELLIPSIS}\u201d\u2019\u00bb")


def speak(text: str, offset: int = 0) -> SpokenPhrase:
    """The words to be said for ``text``, which begins at ``offset`` in the whole reply."""
    voice = Voice()
    read_blocks(plain(text), voice)
    return SpokenPhrase(text, voice.words(), offset)


def spoken_length(text: str) -> int:
    """How many words it takes to say ``text``."""
    return len(speak(text).words)


def heard_source(phrase: SpokenPhrase, words_heard: int) -> str:
    """The part of the source that was heard when the first ``words_heard`` words have sounded.

    Source counts as heard when the last of the words that stand for it has sounded. Punctuation
    right behind it belongs to it. All words heard means all of the source.
    """
    words = phrase.words
    if words_heard >= len(words):
        return phrase.source
    heard = words_heard
    while heard > 0 and words[heard].start < words[heard - 1].end:
        heard -= 1
    if heard <= 0:
        return ""
    end, following = words[heard - 1].end, words[heard].start
    while end < following and phrase.source[end] in _CLOSING:
        end += 1
    return phrase.source[:end]
