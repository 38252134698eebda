"""Is it said to somebody else in the room? English; data and one question.

Only what opens or ends with an address is told apart by its words alone: "honey, can you get the
door". Names are those that many people have and that are no common words ("will", "mark", "grace"
are left out).
"""

from __future__ import annotations

from typing import Final

from audio.turn.barge_in import words_of

KIN: Final = frozenset(
    "honey sweetheart sweetie darling dear babe baby mom mum mommy mummy dad daddy grandma grandpa "
    "granny kids kiddo guys buddy mate boy girl".split()
)

NAMES: Final = frozenset(
    "adam alan alex alice amanda amy andrea andrew andy angela anna anne anthony barbara ben "
    "betty bob brian carol caroline catherine charles charlie chris christine claire daniel "
    "david debbie deborah diana donna dorothy edward elizabeth emily emma eric ethan eva evan "
    "felix fiona frank gary george hannah harry heather helen henry ian isabel jack jacob james "
    "jane janet jason jennifer jenny jeremy jessica jim joan joe john jonathan joseph joshua "
    "julia julie karen kate kathy katie keith kelly ken kevin kim kyle larry laura lauren leo "
    "linda lisa liz louis lucas lucy luke margaret maria marie martha martin mary matt matthew "
    "megan melissa michael michelle mike nancy nathan nicholas nick nicole noah oliver olivia "
    "pam pamela patricia patrick paul paula peter phil philip rachel rebecca richard robert "
    "roger ron ruth ryan sally sam samantha samuel sandra sara sarah scott sean sharon simon "
    "sophia sophie stephanie stephen steve steven susan teresa thomas tim tom tommy tony tracy "
    "valerie victor victoria vincent walter wendy zoe".split()
)

_BEFORE: Final = frozenset({"hey", "hi", "hello", "oh", "yes", "yeah", "sorry", "okay", "ok"})
_TO_US: Final = frozenset({"jarvis"})
_ELSEWHERE: Final = ("good boy", "good girl", "on a call", "on the phone")
_TO_US_TOO: Final = frozenset({"buddy", "mate", "guys", "boy", "girl"})  # "thanks, buddy"
_GREETINGS: Final = frozenset({"hello", "hi"})


def to_somebody_else(text: str) -> bool:
    """Whether the words address somebody who is not Jarvis, or answer a telephone."""
    words = words_of(text)
    if not words or _TO_US & set(words):
        return False
    first = 0
    while first < min(2, len(words) - 1) and words[first] in _BEFORE:
        first += 1
    if words[first] in KIN or words[first] in NAMES or words[-1] in KIN - _TO_US_TOO:
        return True
    plain = " ".join(words)
    if words[0] in _GREETINGS and "this is" in plain:
        return True
    return any(phrase in plain for phrase in _ELSEWHERE)
