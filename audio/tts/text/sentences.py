"""Where a sentence or a clause ends: judged by one word and the first sign behind its gap."""

# ruff: noqa: RUF001  (signs that look alike are what this module tells apart)

from __future__ import annotations

import re

from audio.tts.text.lists import word_set

_CLOSERS = ")]}\"'*_`”’»」』"
_NEVER = word_set(
    "mr mrs ms dr prof e.g i.e eg ie vs cf fig figs approx sec eq eqs incl excl resp viz ca nr "
    "vol pp"
)
# These end a sentence only where a new one plainly begins.
_SELDOM = word_set(
    "etc a.m p.m u.s u.k e.u inc ltd corp jr sr co min max al est dept no st avg ver rev jan "
    "feb mar apr jun jul aug sep sept oct nov dec"
)
CONJUNCTIONS = word_set("and but because or yet although though while whereas which")
_OPENERS = word_set(
    "that which who where when while if because although though unless until since before after "
    "in on at for with from into against during through under over about without within across "
    "between via by using"
)
# A pause right behind one of these tears apart what belongs together.
LEANING = word_set(
    "a an the this that these those my your his her its our their no some any each every all "
    "both of to in on at for with from into by as than and or but so if is are was were be been "
    "being am has have had do does did will would can could should may might must not very more "
    "most just only i you he she it we they who which when while because about after before "
    "between against over under via per until since new old same first last next one two three "
    "four five six seven eight nine ten version step line number file mr mrs ms dr prof"
)
_SUBJECTS = word_set(
    "i you he she it we they the this these there a an all no my your its their now"
)
_LIST_NUMBER = re.compile(r"\d{1,9}[.)]")


def core(word: str) -> str:
    """The word without the punctuation around it, in lower case."""
    return word.strip("([{.,;:!?…—–-" + _CLOSERS).lower()


def ends_sentence(word: str, following: str, *, at_line_start: bool) -> bool:
    """Whether a sentence ends with ``word``; ``following`` is the next visible sign, or ""."""
    bare = word.rstrip(_CLOSERS)
    last = bare[-1:]
    if last in ("。", "！", "？"):
        return True
    if last in ("!", "?"):
        return not following.islower()
    if last == "…" or bare.endswith(".."):
        return not following or following.isupper()
    if bare != word and following.islower():
        return False  # a quoted or bracketed sentence inside another one
    if last != "." or (at_line_start and _LIST_NUMBER.fullmatch(bare)):
        return False
    stem = bare[:-1].lstrip("([{\"'*_`“‘")
    if stem.lower() in _NEVER:
        return False
    if stem.lower() in _SELDOM:
        return not following or following.isupper()
    initial = len(stem) == 1 and stem.isupper() and stem != "I"
    return not (initial and following.isupper())


def ends_clause(word: str, following: str) -> bool:
    """Whether the voice may breathe after ``word``."""
    bare = word.rstrip(_CLOSERS)
    if bare in ("-", "–", "—", "--"):
        return True
    if bare[-1:] not in (",", ";", ":", "—", "–"):
        return False
    if bare[-1] == "," and bare[:-1][-1:].isdigit() and following.isdigit():
        return False  # "November 29, 2026"
    return core(bare) not in _NEVER and core(bare).rstrip(".") not in _NEVER


def opens_clause(word: str, before: str, following: str) -> bool:
    """Whether a conjunction begins a new clause, so that the voice may breathe before it."""
    if word not in CONJUNCTIONS:
        return False
    bare = core(before)
    numbers = bare[-1:].isdigit() and following.isdigit()  # "between 3 and 5"
    names = before.istitle() and following.isupper()  # "Smith and Jones"
    return bool(bare) and bare not in LEANING and not numbers and not names


def opens_clause_after_so(word: str) -> bool:
    """Whether the "so" before ``word`` began a clause, unlike in "so far" and "so good"."""
    return core(word) in _SUBJECTS


def opens_phrase(word: str, before: str) -> bool:
    """A weaker place: before a preposition or a relative clause."""
    return word in _OPENERS and may_break_after(before)


def may_break_after(word: str) -> bool:
    """Whether ``word`` does not lean on the next one."""
    bare = core(word)
    return bool(bare) and bare not in LEANING and not bare[-1].isdigit()
