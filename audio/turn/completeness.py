"""Does what was said read as complete?

A hypothesis lags and is often unpunctuated, and Whisper puts a full stop behind everything. So a
full stop counts for nothing, a question mark for little, and what a sentence still needs counts for
much: an object, a clause, the rest of a list or of a number. The rules know English function words
and the frames of requests; they parse nothing. What none of them knows is left undecided.
"""

from __future__ import annotations

from collections.abc import Callable

from audio.turn import completeness_lists as lists
from audio.turn import completeness_open as more
from audio.turn import completeness_whole as whole
from audio.turn import completeness_words as lexicon
from audio.turn.barge_in import words_of
from audio.turn.events import TurnState
from audio.turn.reading import EVEN, EXCLUDED, SENTENCE, Reading, Said, core_of

_NOTHING = Reading(TurnState.UNKNOWN, EVEN, "no words yet")
_SAID_AFTER_ALL = 5  # words: who says more after "let me see" did not ask for time


def read(text: str) -> Reading:
    """Whether the turn seems over with these words; a pure function of them."""
    words = words_of(text)
    if not words:
        return _NOTHING
    sentence = words_of(SENTENCE.split(text.strip())[-1])
    said = Said(text.strip(), words, core_of(sentence))
    for rule in _RULES:
        if found := rule(said):
            return found
    return Reading(TurnState.UNKNOWN, EVEN, "the words do not tell")


def _waits(said: Said) -> Reading | None:
    """The user asks for time."""
    words = said.words
    while words and words[0] in lexicon.FILLERS | {"no", "yes", "yeah", "oh", "sorry", "please"}:
        words = words[1:]
    for count in range(min(lexicon.LONGEST_WAIT, len(words)), 0, -1):
        phrase = " ".join(words[:count])
        if phrase in lexicon.WAIT_PHRASES:
            rest = words[count:]
            if len(rest) > _SAID_AFTER_ALL:
                return None
            if not rest or rest[0] in lexicon.WAIT_TAILS or rest[0] in lexicon.FILLERS:
                return Reading(TurnState.WAIT, EXCLUDED, f'asks for time: "{phrase}"')
            return None
    return None


_RULES: tuple[Callable[[Said], Reading | None], ...] = (
    _waits,
    whole.short_answer,
    more.filler,
    more.trails_off,
    more.function_word,
    more.preposition,
    more.auxiliary,
    more.that,
    lists.misheard_to,
    lists.number,
    more.wh_word,
    more.open_verb,
    more.frame,
    more.open_clause,
    more.noun_to_come,
    more.no_predicate,
    more.unit,
    more.subordinate,
    lists.series,
    whole.question,
    whole.command,
    whole.statement,
)
