"""Word marks for engines that do not tell when a word sounds. PURE."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from audio.tts.base import WordMark

_SECONDS_PER_LETTER = 0.065  # English at 2.7 words a second, 4.7 letters a word and its gap
_WORD_S = 0.06  # what each word takes besides its letters
_PAUSE_S = {",": 0.2, ";": 0.25, ":": 0.25, ".": 0.4, "!": 0.4, "?": 0.4}


class EstimatedMarks:
    """Guesses marks while audio arrives, by letters and pauses; exact only at the end.

    Marks come when their estimated end has arrived; at the end of the audio the words that are left
    share what is left of the sound, so that marks are monotone and inside it for any guess.
    """

    def __init__(self, spoken: Sequence[str], rate: int, speed: float) -> None:
        self._weights_s = [_sound_s(word) / speed for word in spoken]
        self._pauses_s = [_PAUSE_S.get(word[-1:], 0.0) / speed for word in spoken]
        self._rate = rate
        self._next = 0
        self._at = 0  # sample where the next word is thought to begin

    def through(self, samples: int) -> tuple[WordMark, ...]:
        """The marks of the words that are thought to have ended when ``samples`` have arrived."""
        marks = []
        while self._next < len(self._weights_s) - 1:  # the last word ends with the sound
            end = self._at + round(self._weights_s[self._next] * self._rate)
            if end > samples:
                break
            marks.append(WordMark(self._next, self._at, end))
            self._at = end + round(self._pauses_s[self._next] * self._rate)
            self._next += 1
        return tuple(marks)

    def rest(self, samples: int) -> tuple[WordMark, ...]:
        """The marks of all other words, of which the last ends at ``samples``."""
        weights_s = self._weights_s[self._next :]
        start = begin = min(self._at, samples)
        total_s = sum(weights_s) or 1.0
        marks = []
        for word, passed_s in enumerate(itertools.accumulate(weights_s), start=self._next):
            end = begin + int((samples - begin) * min(1.0, passed_s / total_s))
            marks.append(WordMark(word, start, end))
            start = end
        self._next = len(self._weights_s)
        return tuple(marks)


def _sound_s(word: str) -> float:
    letters = sum(character.isalnum() for character in word)
    return _WORD_S + letters * _SECONDS_PER_LETTER if letters else 0.0
