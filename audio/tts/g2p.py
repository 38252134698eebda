"""Spoken words to Kokoro's phonemes, for US English, without any GPL part.

A word is looked up in the trade list, then in the general dictionary, then taken apart (endings,
prefixes, compounds), then spelled when it is an acronym, and only then guessed by the small
network of ``oov.py``.
"""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from audio.tts.heteronyms import Neighbours, choose
from audio.tts.lexicon import Lexicon, Senses, default_lexicon
from audio.tts.oov import UnknownWords
from audio.tts.phonemes import (
    DIGITS,
    ENDINGS,
    LETTERS,
    PAUSES,
    PREFIXES,
    STRONG_TO,
    VOWEL_ENDINGS,
    WEAK_A,
    WEAK_AN,
    WEAK_I,
    compound,
    extended,
    participle,
    past,
    plural,
    pronounceable,
    spell,
    starts_with_vowel,
    weak_the,
    weak_to,
)

_ATOM = re.compile(r"[A-Za-z][A-Za-z']*|[0-9]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CONSONANTS_ONLY = re.compile(r"[^aeiouy]+", re.IGNORECASE)
_AFTER_A_LETTER = frozenset({"dot", "slash", "dash", "underscore", "plus", "equals"})
_CACHED_WORDS = 2048
_SHORT_COMPOUND_PART = 3  # letters; shorter parts are found in almost any word

# In capitals these are shouted words; any other word of two or three capitals is an acronym.
_SHOUTED = frozenset(
    "NO ON OFF OK AND OR NOT IN IS IT TO THE ALL NEW OLD YES RUN END GET SET PUT ADD LET "
    "MAX MIN FOR YOU CAN WAS HAS BUG FIX OUT LOW BIG TOP LOG KEY MAP RAW TAG ANY ARE BUT "
    "NOW SEE USE TRY IF SO DO GO MY WE HE BE BY AT AS OF UP AN AM".split()
)


@dataclass(frozen=True, slots=True)
class _Atom:
    """A run of letters or one digit inside a spoken word."""

    text: str
    word: int  # index of the spoken word that it belongs to
    pause: str  # the punctuation that the model hears after it
    is_alone: bool  # the whole of its spoken word, so that "a" is the article and not a letter
    is_prefix: bool  # joined by a hyphen to what follows, as the "re" of "re-index"


class EnglishG2P:
    """Turns the words of a phrase into phonemes. One object for one thread."""

    def __init__(self, lexicon: Lexicon, guess: Callable[[str], str]) -> None:
        self._lexicon = lexicon
        self._guess = guess
        self._known = functools.lru_cache(_CACHED_WORDS)(self._find_known)
        self._unknown = functools.lru_cache(_CACHED_WORDS)(self._take_apart)

    def phonemize(self, words: Sequence[str]) -> list[str]:
        """The phonemes of each word with the punctuation after it, empty when it has no sound.

        The result has one entry per word and holds only symbols of the model's vocabulary.
        """
        atoms = [atom for index, word in enumerate(words) for atom in _atoms(index, word)]
        sounds: list[str] = []
        following = ""
        for position in reversed(range(len(atoms))):
            following = self._sound(atoms, position, following)
            sounds.append(following)
        sounds.reverse()
        spoken = [""] * len(words)
        for atom, sound in zip(atoms, sounds, strict=True):
            joint = " " if spoken[atom.word] else ""
            spoken[atom.word] += joint + pronounceable(sound) + atom.pause
        return spoken

    def _sound(self, atoms: Sequence[_Atom], position: int, following: str) -> str:
        """The phonemes of one atom; ``following`` are those of the atom after it."""
        atom = atoms[position]
        ends_clause = bool(atom.pause) or position == len(atoms) - 1
        before = atoms[position - 1] if position else None
        around = Neighbours(
            before="" if before is None or before.pause else before.text.lower(),
            after="" if ends_clause else atoms[position + 1].text.lower(),
        )
        if atom.text in DIGITS:
            return DIGITS[atom.text]
        if atom.is_prefix and atom.text.lower() in PREFIXES:
            return PREFIXES[atom.text.lower()]
        if atom.is_alone:
            weak = _weak_form(atom.text, around, following, is_first=before is None)
            return weak or self._word(atom.text, around)
        return self._word(atom.text, around)

    def _word(self, word: str, around: Neighbours) -> str:
        known = self._known(word)
        if isinstance(known, str):
            return known
        if known is not None:
            return choose(word, known, around)
        return self._unknown(word)

    def _find_known(self, word: str) -> str | Senses | None:
        """What the lists say of a word as it stands: phonemes, or senses to choose from."""
        trade = self._lexicon.trade(word)
        if trade is not None:
            return trade
        if len(word) == 1:
            return LETTERS.get(word.lower(), "")
        senses = self._lexicon.general(word)
        if word.isupper() and _is_acronym(word, senses):
            return spell(word)
        return senses

    def _simple(self, word: str, part: str = "DEFAULT") -> str:
        """The phonemes of a part of a word when the lists have it, else nothing."""
        if len(word) < 2:
            return ""
        known = self._known(word)
        if isinstance(known, str):
            return known
        return "" if known is None else known.get(part) or known["DEFAULT"]

    def _take_apart(self, word: str) -> str:
        humps = _HUMP.split(word)
        if len(humps) > 1 and not self._simple(word.lower()):
            return " ".join(self._word(hump, Neighbours()) for hump in humps)
        readings = itertools.chain(
            self._with_ending(word), self._with_prefix(word), self._as_compound(word)
        )
        found = next((reading for reading in readings if reading), "")
        if found:
            return found
        letters = word.replace("'", "")
        if _CONSONANTS_ONLY.fullmatch(letters):
            return spell(letters)
        return self._guess(letters.lower())

    def _with_ending(self, word: str) -> Iterator[str]:
        lower = word.lower()
        if lower.endswith("'s"):
            yield plural(self._any(word[:-2]))
        elif lower.endswith("'"):
            yield self._any(word[:-1])
        elif lower.endswith("s") and not lower.endswith("ss"):
            yield from (plural(self._simple(stem)) for stem in _stems(word, "s"))
        if lower.endswith("ed"):
            yield from (past(self._simple(stem, "VERB")) for stem in _stems(word, "ed"))
        if lower.endswith("ing"):
            yield from (participle(self._simple(stem, "VERB")) for stem in _stems(word, "ing"))
        for ending, sound in VOWEL_ENDINGS.items():
            if lower.endswith(ending):
                yield from (extended(self._simple(s, "VERB"), sound) for s in _stems(word, ending))
        for ending, sound in ENDINGS.items():
            stem = self._simple(word[: -len(ending)]) if lower.endswith(ending) else ""
            yield stem and stem + sound

    def _any(self, word: str) -> str:
        return self._word(word, Neighbours()) if word else ""

    def _with_prefix(self, word: str) -> Iterator[str]:
        for prefix, sound in PREFIXES.items():
            rest = word[len(prefix) :]
            if word.lower().startswith(prefix) and len(rest) > _SHORT_COMPOUND_PART:
                stem = self._simple(rest) or next(filter(None, self._with_ending(rest)), "")
                yield stem and sound + stem

    def _as_compound(self, word: str) -> Iterator[str]:
        """Two known words written as one; the most even cut first, as in "data|base"."""
        cuts = range(_SHORT_COMPOUND_PART, len(word) - _SHORT_COMPOUND_PART + 1)
        for cut in sorted(cuts, key=lambda place: abs(2 * place - len(word))):
            first = self._simple(word[:cut])
            last = self._simple(word[cut:]) or next(filter(None, self._with_ending(word[cut:])), "")
            if first and last:
                yield compound(first, last)


def _atoms(index: int, word: str) -> list[_Atom]:
    """Cut a spoken word at hyphens, dots, digits and the like."""
    text = unicodedata.normalize("NFKD", word.replace("\u2019", "'"))
    text = "".join(c for c in text if not unicodedata.combining(c))
    found = list(_ATOM.finditer(text))
    atoms = []
    for position, match in enumerate(found):
        is_last = position == len(found) - 1
        between = text[match.end() : None if is_last else found[position + 1].start()]
        pause = _pause(between) if is_last or " " in between else _inner_pause(between)
        stripped = match.group().strip("'") if len(match.group()) > 1 else match.group()
        ending = "'" if match.group().lower().endswith("s'") else ""
        if stripped:
            is_prefix = between == "-" and not is_last
            atoms.append(_Atom(stripped + ending, index, pause, len(found) == 1, is_prefix))
    return atoms


def word_and_pause(word: str) -> tuple[str, str]:
    """A spoken word without the marks around it, and the pause that the model hears after it."""
    first = next((i for i, character in enumerate(word) if character.isalnum()), len(word))
    last = next((i for i in reversed(range(len(word))) if word[i].isalnum()), -1)
    return word[first : last + 1], _pause(word[last + 1 :])


def _pause(marks: str) -> str:
    """The one mark out of ``marks`` that the model should hear: the strongest, else the first."""
    heard = [mark for mark in marks.replace("...", "…") if mark in PAUSES]
    strongest = [mark for mark in heard if mark in "?!."]
    return (strongest or heard or [""])[0]


def _inner_pause(marks: str) -> str:
    return "—" if "—" in marks else ""  # a dot or colon inside a word is no end of a clause


def _stems(word: str, ending: str) -> Iterator[str]:
    """Words that may have been given ``ending``: as they are, with -y, with -e, undoubled."""
    stem = word[: -len(ending)]
    if ending in {"s", "ed", "er", "ers", "est"} and stem.endswith("i"):
        yield stem[:-1] + "y"
    if ending == "s":
        if stem.endswith("ie"):
            yield stem[:-2] + "y"
        yield stem
        if stem.endswith("e"):
            yield stem[:-1]
        return
    if len(stem) > 2 and stem[-1] == stem[-2]:
        yield stem[:-1]
    yield stem + "e"
    yield stem


def _is_acronym(word: str, senses: Senses | None) -> bool:
    if word in _SHOUTED:
        return False
    if len(word) <= 3 or senses is None:
        return len(word) <= 5
    return "NOUN" in senses and not senses["NOUN"]


def _weak_form(word: str, around: Neighbours, following: str, *, is_first: bool) -> str:
    """How the little words sound between others; empty for every other word."""
    lower = word.lower()
    if word == "I" and around.after:
        return WEAK_I
    if lower == "a" and around.after and (word == "a" or is_first):
        return "" if around.after in _AFTER_A_LETTER else WEAK_A
    if lower not in {"an", "the", "to"} or (word.isupper() and not is_first):
        return ""
    if not around.after:
        return STRONG_TO if lower == "to" else ""
    if lower == "an":
        return WEAK_AN
    before_vowel = starts_with_vowel(following)
    return (
        weak_the(before_vowel=before_vowel)
        if lower == "the"
        else weak_to(before_vowel=before_vowel)
    )


def english_g2p() -> EnglishG2P:
    """The G2P that ships, with its lists open. Raises EngineMissing or EngineCorrupt."""
    return EnglishG2P(default_lexicon(), UnknownWords().pronounce)
