"""Kokoro's phoneme alphabet, and the small sound rules that build words from it.

The alphabet is the model's own: A, I, O, W, Y stand for the diphthongs of "bay", "buy", "bow"
(archery), "cow" and "boy"; stress marks stand before the vowel.
"""

from __future__ import annotations

import functools
import json

from audio.resources import asset

VOWELS = frozenset("AIOQWYaeiouyæɐɑɒɔəɚɛɜɨɪɯʊʌᵊᵻ")
STRESS = "ˈˌ"
PAUSES = ";:,.!?—…"  # the punctuation that the model turns into pauses and intonation

LETTERS = {
    "a": "ˈA", "b": "bˈi", "c": "sˈi", "d": "dˈi", "e": "ˈi", "f": "ˈɛf", "g": "ʤˈi",
    "h": "ˈAʧ", "i": "ˈI", "j": "ʤˈA", "k": "kˈA", "l": "ˈɛl", "m": "ˈɛm", "n": "ˈɛn",
    "o": "ˈO", "p": "pˈi", "q": "kjˈu", "r": "ˈɑɹ", "s": "ˈɛs", "t": "tˈi", "u": "jˈu",
    "v": "vˈi", "w": "dˈʌbᵊlju", "x": "ˈɛks", "y": "wˈI", "z": "zˈi",
}  # fmt: skip
DIGITS = {
    "0": "zˈɪɹO", "1": "wˈʌn", "2": "tˈu", "3": "θɹˈi", "4": "fˈɔɹ",
    "5": "fˈIv", "6": "sˈɪks", "7": "sˈɛvən", "8": "ˈAt", "9": "nˈIn",
}  # fmt: skip

PREFIXES = {
    "un": "ˌʌn", "re": "ɹˌi", "pre": "pɹˌi", "non": "nˌɑn", "sub": "sˌʌb", "multi": "mˌʌlti",
    "auto": "ˌɔɾO", "over": "ˌOvəɹ", "mis": "mˌɪs", "de": "dˌi", "dis": "dˌɪs", "co": "kˌO",
    "pseudo": "sˌudO", "micro": "mˌIkɹO", "meta": "mˌɛɾə", "hyper": "hˌIpəɹ", "inter": "ˌɪntəɹ",
    "anti": "ˌænti", "super": "sˌupəɹ",
}  # fmt: skip
ENDINGS = {"ly": "li", "ness": "nəs", "less": "ləs", "ful": "fᵊl", "ment": "mənt"}
VOWEL_ENDINGS = {
    "er": "əɹ", "ers": "əɹz", "or": "əɹ", "est": "əst", "able": "əbᵊl", "ize": "Iz",
    "ized": "Izd", "izes": "Izᵻz", "izing": "Izɪŋ", "izer": "Izəɹ",
}  # fmt: skip

WEAK_A = "ɐ"
WEAK_AN = "ɐn"
WEAK_I = "ˌI"
STRONG_TO = "tˈu"

_ARPABET = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "W", "AY": "I", "B": "b", "CH": "ʧ",
    "D": "d", "DH": "ð", "EH": "ɛ", "ER": "ɜɹ", "EY": "A", "F": "f", "G": "ɡ", "HH": "h",
    "IH": "ɪ", "IY": "i", "JH": "ʤ", "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ŋ",
    "OW": "O", "OY": "Y", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t", "TH": "θ",
    "UH": "ʊ", "UW": "u", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip
_ARPABET_REDUCED = {"AH": "ə", "ER": "əɹ"}  # without stress these two have sounds of their own
_ARPABET_STRESS = {"1": "ˈ", "2": "ˌ"}
_IPA = (  # espeak's sounds in the order of replacement: longer ones first
    ("eɪ", "A"), ("aɪ", "I"), ("oʊ", "O"), ("aʊ", "W"), ("ɔɪ", "Y"), ("əʊ", "O"), ("tʃ", "ʧ"),
    ("dʒ", "ʤ"), ("ɜːɹ", "ɜɹ"), ("ɜː", "ɜɹ"), ("ɚɹ", "əɹ"), ("ɚ", "əɹ"),
    ("l\u0329", "ᵊl"), ("n\u0329", "ᵊn"), ("əl", "ᵊl"),
    ("r", "ɹ"), ("ɬ", "l"), ("x", "k"), ("ʔ", "t"), ("ɐ", "ə"), ("e", "A"), ("o", "O"), ("ː", ""),
)  # fmt: skip
_VOICELESS = frozenset("ptkfθ")
_SIBILANTS = frozenset("szʃʒʧʤ")


@functools.cache
def vocabulary() -> dict[str, int]:
    """The model's symbols and their token numbers; token 0 pads both ends."""
    table: dict[str, int] = json.loads(asset("kokoro", "vocabulary.json").read_text("utf-8"))
    return table


def pronounceable(phonemes: str) -> str:
    """``phonemes`` without any symbol that the model does not know."""
    known = vocabulary()
    return "".join(symbol for symbol in phonemes if symbol in known)


def starts_with_vowel(phonemes: str) -> bool:
    """Whether a word with these phonemes makes a preceding "the" sound like "thee"."""
    return phonemes.lstrip(STRESS)[:1] in VOWELS


def from_arpabet(phones: list[str]) -> str:
    """Write ARPAbet phones such as ``["K", "AE1", "T"]`` in the model's alphabet."""
    sounds = []
    for position, phone in enumerate(phones):
        base, stress = phone.rstrip("012"), phone[-1:]
        if base == "T" and _is_flapped(phones, position):
            sounds.append("ɾ")
            continue
        sound = _ARPABET.get(base, "")
        if stress == "0":
            sound = _ARPABET_REDUCED.get(base, sound)
        sounds.append(_ARPABET_STRESS.get(stress, "") + sound)
    return "".join(sounds)


def from_ipa(phones: str) -> str:
    """Write what espeak-ng says of American English in the model's alphabet."""
    for phone, symbol in _IPA:
        phones = phones.replace(phone, symbol)
    return " ".join(phones.split())


def _is_flapped(phones: list[str], position: int) -> bool:
    """An American T between a vowel and an unstressed vowel sounds like a quick D."""
    if not 0 < position < len(phones) - 1:
        return False
    before, after = phones[position - 1], phones[position + 1]
    return (before[-1:].isdigit() or before == "R") and after[-1:] == "0"


def spell(text: str) -> str:
    """The names of the letters and digits of ``text``, said as one acronym."""
    names = [LETTERS.get(c) or DIGITS.get(c, "") for c in text.lower()]
    names = [name for name in names if name]
    if not names:
        return ""
    return "".join(name.replace("ˈ", "ˌ") for name in names[:-1]) + names[-1]


def weak_the(*, before_vowel: bool) -> str:
    """ "The" before another word."""
    return "ði" if before_vowel else "ðə"


def weak_to(*, before_vowel: bool) -> str:
    """ "To" before another word."""
    return "tʊ" if before_vowel else "tə"


def compound(first: str, last: str) -> str:
    """Two words said as one, with the stress of the first."""
    return first + last.replace("ˈ", "ˌ")


def plural(stem: str) -> str:
    """``stem`` with the ending of a plural, a possessive or a third person."""
    if not stem:
        return ""
    if stem[-1] in _SIBILANTS:
        return stem + "ᵻz"
    return stem + ("s" if stem[-1] in _VOICELESS else "z")


def past(stem: str) -> str:
    """``stem`` with the ending of a regular past tense."""
    if not stem:
        return ""
    if stem[-1] in "td":
        return _flapped(stem) + "ᵻd"
    return stem + ("t" if stem[-1] in _VOICELESS or stem[-1] in "sʃʧ" else "d")


def participle(stem: str) -> str:
    """``stem`` with "-ing"."""
    return _flapped(stem) + "ɪŋ" if stem else ""


def extended(stem: str, ending: str) -> str:
    """``stem`` with an unstressed ending that begins with a vowel, such as "-er"."""
    return _flapped(stem) + ending if stem else ""


def _flapped(stem: str) -> str:
    if len(stem) > 1 and stem[-1] == "t" and (stem[-2] in VOWELS or stem[-2] == "ɹ"):
        return stem[:-1] + "ɾ"
    return stem
