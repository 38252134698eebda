"""Was that the user, or the agent's own voice that came back through the microphone?

A canceller removes most of an echo, not all of it on every loudspeaker. What is left may still be
recognized, and then it says what the agent is saying: so the words give it away.
"""

from __future__ import annotations

from collections.abc import Sequence

from audio.turn.barge_in import words_of

SHARE = 0.8  # of the heard words that the agent said too, in the same order
LEAST_WORDS = 2  # a single word proves nothing: "stop" may be in the agent's sentence
# An answer's first word that is heard first: so long a one is no coincidence. What is left of an
# echo is loudest where an answer begins, and there the rest of it is often misheard.
FIRST_WORD_LETTERS = 6


def is_own_voice(heard: str, spoken: str) -> bool:
    """Whether ``heard``, recognized while the agent said ``spoken``, is likely its echo."""
    words = words_of(heard)
    if len(words) < LEAST_WORDS:
        return False
    said = words_of(spoken)
    if words[0] in said[:1] and len(words[0]) >= FIRST_WORD_LETTERS:
        return True
    return _common(words, said) >= SHARE * len(words)


def _common(some: Sequence[str], others: Sequence[str]) -> int:
    """Length of the longest common subsequence of words."""
    best = [0] * (len(others) + 1)
    for word in some:
        diagonal = 0
        for place, other in enumerate(others, 1):
            above = best[place]
            best[place] = diagonal + 1 if word == other else max(above, best[place - 1])
            diagonal = above
    return best[-1]
