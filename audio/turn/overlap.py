"""Speech over the agent: what it is worth at this moment.

Asked anew with every frame, hypothesis, final and opinion of a controller, until it is decided. The
first rule that applies gives the verdict::

    a final   without words                                   PASS
    a final   of backchannels only                            PASS
    a final   said to somebody else                           PASS
    a final   that begins with a stop phrase                  YIELD
    a final   of a short sound that claims nothing            PASS
    a final   that a hum is heard as, when it claims little   PASS
    a final   with words                                      YIELD
    words     said to somebody else                           PASS
    words     that begin with a stop phrase                   YIELD
    words     of backchannels only, not yet twice barge_in_s  PASS
    words     that may become a backchannel ("all")           UNDECIDED for barge_in_s
    words     two or more beside backchannels                 YIELD
    words     of any other kind                               PAUSE
    far away                                                  UNDECIDED
    a controller takes it for a backchannel, or for nothing   PASS
    speech    for barge_in_s                                  YIELD
    sound     that claims the floor, for pause_s              PAUSE
    sound     that does not, or no longer                     PASS

*Claim* is how surely the sound itself, whatever its words, asks for the floor; None where nobody
listens to the sound. Words that the sound speaks against do not count until they are final, or
speech has lasted ``barge_in_s``: recognizers make words of hums. That is a claim under DOUBT_CLAIM,
for a single word under DOUBT_WORD_CLAIM, and for words that a hum is heard as under HUM_CLAIM.

*Far away* is a voice much weaker than this user's: the user who has turned away, somebody else in
the room, or what a canceller has left of the agent. Its words are said to somebody else unless they
begin with a stop phrase and sound like one.

PASS before a final is no last word: the agent goes on, and what comes next is weighed again.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from audio.turn.barge_in import (
    Overlap,
    classify,
    may_become_backchannel,
    real_words,
    stop_phrase,
    words_of,
)
from audio.turn.events import TurnState
from audio.turn.lexicon import HUM_WORDS, SAID_ALONE
from audio.turn.segmenter import TOLERANCE_S
from audio.turn.settings import TurnSettings
from audio.turn.side_talk import to_somebody_else

# Chosen on one half of the cases of ``bench/overlap_cases.py``; the other half reports.
PAUSE_CLAIM = 0.85  # of the sound alone, at which the agent pauses
DOUBT_CLAIM = 0.15  # under it the sound speaks against an interruption
DOUBT_WORD_CLAIM = 0.4  # under it a single word is doubted: hums are taken for "no"
IGNORED_CLAIM = 0.2  # under it a short sound is none, whatever words were found in it
# Chosen while looking at the cases of ``jarvis bench duplex`` and at conversations in the virtual
# room, which report on themselves here.
NO_CLAIM = 0.5  # under it an agent that paused for the sound goes on
HUM_CLAIM = 0.75  # under it a brief sound may be a hum, whatever word was found in it
# Below usual: two and a half times as far away. A canceller takes 2 to 6 dB from a user who speaks
# over the agent, and leaves of the agent what is 9 to 15 dB below the user.
FAR_DB = 8.0
_SHORT_S = 0.6  # hums and laughs last no longer
_ENOUGH_WORDS = 2  # a single one of a hypothesis is often a syllable that was cut off


@dataclass(frozen=True, slots=True)
class Overheard:
    """What is known of the speech over the agent."""

    speech_s: float  # how long it has lasted, short gaps included
    words: str  # the newest known, empty when none are
    settled: bool  # they are a final
    claim: float | None = None  # 0 to 1, by the sound alone
    below_db: float = 0.0  # its loudest part, below the level at which this user speaks to us
    judged: TurnState | None = None  # by a turn controller, of this pause


class Verdict(Enum):
    """What to do about it."""

    UNDECIDED = auto()
    PASS = auto()  # it is no interruption: the agent goes on
    PAUSE = auto()  # it may be one: fall silent, and keep the place
    YIELD = auto()  # it is one


@dataclass(frozen=True, slots=True)
class Opinion:
    """A verdict and why, for people."""

    verdict: Verdict
    reason: str
    to_us: bool = True  # False when it was said to somebody else


_UNDECIDED = Opinion(Verdict.UNDECIDED, "")


def weigh(heard: Overheard, settings: TurnSettings) -> Opinion:
    """The first rule of the table that applies."""
    by_words = _settled(heard, settings) if heard.settled else _rolling(heard, settings)
    return by_words or _by_sound(heard, settings)


def _settled(heard: Overheard, settings: TurnSettings) -> Opinion:
    kind = classify(heard.words)
    said = f'"{heard.words.strip()}"'
    if kind is Overlap.NOISE:
        return Opinion(Verdict.PASS, "nothing was said")
    if kind is Overlap.BACKCHANNEL:
        return Opinion(Verdict.PASS, f"backchannel {said}")
    if _elsewhere(heard):
        return Opinion(Verdict.PASS, f"said to somebody else: {said}", to_us=False)
    if kind is Overlap.STOP:
        return Opinion(Verdict.YIELD, f'stop phrase "{stop_phrase(heard.words)}"')
    short = heard.speech_s < _SHORT_S - TOLERANCE_S
    if short and heard.claim is not None and heard.claim < IGNORED_CLAIM:
        return Opinion(Verdict.PASS, f"a sound that asks for nothing ({heard.claim:.2f}): {said}")
    if _hum(heard, settings):
        return Opinion(Verdict.PASS, f"a hum ({heard.claim:.2f}), heard as {said}")
    return Opinion(Verdict.YIELD, "words over the agent")


def _rolling(heard: Overheard, settings: TurnSettings) -> Opinion | None:
    kind = classify(heard.words)
    if kind is Overlap.NOISE:
        return None
    said = f'"{heard.words.strip()}"'
    if _elsewhere(heard):
        return Opinion(Verdict.PASS, f"said to somebody else: {said}", to_us=False)
    lasting = _lasting(heard, settings)
    single = real_words(heard.words) < _ENOUGH_WORDS
    doubt_claim = DOUBT_WORD_CLAIM if single else DOUBT_CLAIM
    if _like_a_hum(heard.words):
        doubt_claim = HUM_CLAIM
    doubted = heard.claim is not None and heard.claim < doubt_claim and not lasting
    if kind is Overlap.STOP:
        phrase = f'stop phrase "{stop_phrase(heard.words)}"'
        return None if doubted else Opinion(Verdict.YIELD, phrase)
    if kind is Overlap.BACKCHANNEL:
        if heard.speech_s < 2 * settings.barge_in_s - TOLERANCE_S:
            return Opinion(Verdict.PASS, f"backchannel {said}")
        return None
    if may_become_backchannel(heard.words):
        return None if lasting else _UNDECIDED
    if doubted or heard.claim is None:
        return None
    if single:
        return Opinion(Verdict.PAUSE, f"a word over the agent: {said}")
    return Opinion(Verdict.YIELD, f"words over the agent: {said}")


def _by_sound(heard: Overheard, settings: TurnSettings) -> Opinion:
    if heard.below_db >= FAR_DB:
        return _UNDECIDED
    if heard.judged is TurnState.BACKCHANNEL or heard.judged is TurnState.IDLE:
        return Opinion(Verdict.PASS, f"the turn controller says {heard.judged.value}")
    claim = heard.claim
    if _lasting(heard, settings) and (claim is None or claim >= DOUBT_CLAIM):
        return Opinion(Verdict.YIELD, f"{heard.speech_s:.2f} s of speech over the agent")
    long_enough = heard.speech_s >= settings.pause_s - TOLERANCE_S
    if long_enough and claim is not None and claim >= PAUSE_CLAIM:
        return Opinion(Verdict.PAUSE, f"the sound asks for the floor ({claim:.2f})")
    if claim is not None and claim < NO_CLAIM:
        return Opinion(Verdict.PASS, f"the sound does not ask for the floor ({claim:.2f})")
    return _UNDECIDED


def _lasting(heard: Overheard, settings: TurnSettings) -> bool:
    return heard.speech_s >= settings.barge_in_s - TOLERANCE_S


def _hum(heard: Overheard, settings: TurnSettings) -> bool:
    """A brief sound that hardly asks for the floor, and words that a hum is heard as."""
    quiet = heard.claim is not None and heard.claim < HUM_CLAIM
    return quiet and not _lasting(heard, settings) and _like_a_hum(heard.words)


def _like_a_hum(text: str) -> bool:
    """What recognizers write for hums, or a single word that nobody says alone to take the floor.

    The smallest of them write "Amen" and "Emma".
    """
    words = set(words_of(text))
    if not words or stop_phrase(text) or words & SAID_ALONE:
        return False
    return words <= HUM_WORDS or real_words(text) == 1


def _elsewhere(heard: Overheard) -> bool:
    if to_somebody_else(heard.words):
        return True
    if heard.below_db < FAR_DB:
        return False
    asks = heard.claim is None or heard.claim >= DOUBT_WORD_CLAIM
    return not (asks and stop_phrase(heard.words))
