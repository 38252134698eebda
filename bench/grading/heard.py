"""What was heard of a spoken answer, in the spelling in which it would have been written. PURE.

A recognizer spells by ear: "eighty two", "1930" for 19:30, "results slash a dot csv". Graders of
text would call that wrong although it was said rightly. ``written`` undoes it, for answers that
were heard and for nothing else, by rules that never guess what was meant:

- words that sound *exactly* like something that could be seen take its spelling; both are put into
  the words that a synthesizer says, so another number, letter or name never becomes it;
- other number words become digits, one number for one number ("one" stays after "no" or "each");
- "slash" between words and "dot" before a file ending that could be seen become signs, and the
  pause between a session's whole title and "it" a colon, which is how an answer names its subject.

What was misheard stays misheard: that is what the sound costs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from audio.tts.spoken_text import speak
from bench.grading.spoken_numbers import in_digits, joined_digits, number_at
from bench.word_errors import errors_between

SPAN_WORDS = 16  # heard words that may stand for one written one: a long path
NUMBER_WORDS = 8  # around a cut that are looked at: longer numbers are not said
LEAST_KEY = 3  # letters of a sound that is compared: shorter ones are like too many others
KEPT_WORDS = 4096
_EDGES = ".,;:!?()[]{}<>\"'`\u2018\u2019\u201c\u201d"
_STOP = re.compile(r"[.,;:!?][\"')\]\u201d\u2019]*$")
# Not what only has "_" or "-" between words: it is heard as the words, which say the same.
_ODD = re.compile(r"[\d/\\.@#+=:]|[a-z][A-Z]|^[A-Z]{2,}$")
_ENDING = re.compile(r"(?<=\w)\.([A-Za-z]\w{0,4})\b")
_SOUNDS_LIKE = {"pi": "py", "pie": "py", "jason": "json"}  # of file endings
_PRONOUN_AFTER = frozenset("no any every each some this that which the other".split())
_WORD = re.compile(r"\S+")
_PIECE = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?")


def said_words(text: str) -> list[str]:
    """The words that it takes to say a text, in one form for all spellings of the same sound.

    Lower case, no punctuation, numbers as digits, letters that are spelled out in one word.
    """
    said = [word for item in _WORD.findall(text) for word in _spoken(item)]
    return _letters_joined(joined_digits(said))


def errors_of_hearing(said: str, heard: str) -> tuple[int, int]:
    """Word errors of what was heard, and how many words were said; spelling is no error.

    Nor is a compound that is written in one word: "underway".
    """
    words, found = said_words(said), said_words(heard)
    found = _compounds_joined(found, set(words))
    joined = _compounds_joined(words, set(found))
    return errors_between(joined, found), len(joined)


def written(heard: str, visible: str, titles: Iterable[str] = ()) -> str:
    """The heard text as it would be written.

    ``visible`` is all that could be seen, ``titles`` are those of the sessions.
    """
    endings = {found.lower() for found in _ENDING.findall(visible)}
    text = _titled(heard, titles)
    text = _like_seen(text, _sounds(visible), endings)
    return _signs(_digits(text), endings)


class _Piece(NamedTuple):
    start: int
    end: int
    said: tuple[str, ...]
    stops: bool  # a pause follows: no written word goes on across it


@lru_cache(maxsize=8)  # each view is looked at several times
def _sounds(visible: str) -> dict[str, str]:
    """Sound to spelling, of all that is not spelled as it sounds; "" where two sound the same."""
    found: dict[str, str] = {}
    for item in dict.fromkeys(_WORD.findall(visible)):
        word = item.strip(_EDGES).rstrip("/\\")
        if not _ODD.search(word):
            continue
        sound = "".join(said_words(word))
        if len(sound) >= LEAST_KEY:
            found[sound] = word if found.get(sound, word) == word else ""
    return {sound: word for sound, word in found.items() if word}


def _titled(text: str, titles: Iterable[str]) -> str:
    """With a colon between a title and "it" in one sentence.

    A full stop between them is heard like a comma, but after a title that is a sentence of its own.
    """
    for title in sorted(titles, key=len, reverse=True):
        words = r"\W+".join(map(re.escape, re.findall(r"\w+", title)))
        if words:
            colon = title.replace("\\", r"\\") + ": "
            inside, alone = rf"(?<=[\w,;:] ){words}[\s.,;:]+", rf"\b{words}[\s,;:]+"
            text = re.sub(rf"(?i)(?:{inside}|{alone})(?=it\b)", colon, text)
    return text


def _like_seen(heard: str, sounds: dict[str, str], endings: set[str]) -> str:
    pieces = [_piece(match) for match in _WORD.finditer(heard)]
    parts: list[str] = []
    at = place = 0
    while place < len(pieces):
        count, word = _longest(pieces, place, sounds, endings)
        if count:
            first, last = pieces[place], pieces[place + count - 1]
            as_heard = heard[first.start : last.end]
            same = as_heard.casefold() == word.casefold()  # "The" is no acronym
            parts += [heard[at : first.start], as_heard if same else word]
            at = last.end
        place += count or 1
    return "".join(parts) + heard[at:]


def _longest(
    pieces: Sequence[_Piece], place: int, sounds: dict[str, str], endings: set[str]
) -> tuple[int, str]:
    """How many pieces from a place on sound like something that was seen, and its spelling."""
    best = (0, "")
    if not _parts(pieces, place):
        return best
    said: list[str] = []
    for count, piece in enumerate(pieces[place : place + SPAN_WORDS], 1):
        said += piece.said
        word = sounds.get("".join(_letters_joined(joined_digits(_endings(said, endings)))))
        if word and _parts(pieces, place + count):
            best = (count, word)
        if piece.stops:
            break
    return best


def _parts(pieces: Sequence[_Piece], place: int) -> bool:
    """No number goes on across the gap before a place: "nineteen thirty" is not in "1931"."""
    if not 0 < place < len(pieces) or pieces[place - 1].stops:
        return True
    before = [word for item in pieces[max(0, place - NUMBER_WORDS) : place] for word in item.said]
    after = [word for item in pieces[place : place + NUMBER_WORDS] for word in item.said]
    apart = joined_digits(before) + joined_digits(after)
    return joined_digits(before + after) == apart


def _piece(match: re.Match[str]) -> _Piece:
    """A heard word; its span leaves the punctuation around it alone."""
    item = match.group()
    core = item.strip(_EDGES)
    start = match.start() + (item.find(core) if core else 0)
    end = start + len(core) if core else match.end()
    return _Piece(start, end, _spoken(item), _STOP.search(item) is not None)


@lru_cache(maxsize=KEPT_WORDS)
def _spoken(word: str) -> tuple[str, ...]:
    said = (item.spoken.strip(_EDGES).lower() for item in speak(word.strip(_EDGES)).words)
    return tuple(item.replace("'", "") for item in said if item)  # "its" and "it's" sound the same


def _endings(said: Sequence[str], endings: set[str]) -> list[str]:
    """With file endings as they are written: "dot pi" is ".py" where there are such files."""
    return [
        _ending(word, endings) if place and said[place - 1] == "dot" else word
        for place, word in enumerate(said)
    ]


def _ending(word: str, endings: set[str]) -> str:
    like = _SOUNDS_LIKE.get(word.lower(), "")
    return like if like in endings else word


def _letters_joined(words: Sequence[str]) -> list[str]:
    """With single letters in a row in one word: C S V and CSV are the same sound."""
    found: list[str] = []
    open_ = False
    for word in words:
        letter = len(word) == 1 and word.isalpha()
        if letter and open_:
            found[-1] += word
        else:
            found.append(word)
        open_ = letter
    return found


def _compounds_joined(words: Sequence[str], known: set[str]) -> list[str]:
    """With two words in one where the other side has them so."""
    found: list[str] = []
    for word in words:
        if found and found[-1] + word in known and word not in known:
            found[-1] += word
        else:
            found.append(word)
    return found


def _digits(text: str) -> str:
    """With number words as digits."""
    return "".join(_with_digits(text))


def _with_digits(text: str) -> Iterator[str]:
    words = list(_PIECE.finditer(text))
    low = [match.group().lower() for match in words]
    at = place = 0
    while place < len(words):
        count = _number_words(text, words, low, place)
        if count:
            yield text[at : words[place].start()]
            yield in_digits(low[place : place + count])
            at = words[place + count - 1].end()
        place += count or 1
    yield text[at:]


def _number_words(text: str, words: Sequence[re.Match[str]], low: Sequence[str], place: int) -> int:
    """How many words from a place on are one number; 0 when none is there."""
    if text[words[place].start() - 1 : words[place].start()].strip("-(\"'/ \n\u201c"):
        return 0  # the middle of a word such as x.one
    last = place
    while last + 1 < len(words) and re.fullmatch(
        r"[ \n-]+", text[words[last].end() : words[last + 1].start()]
    ):
        last += 1
    count = number_at(low[place : last + 1])
    before = low[place - 1] if place else ""
    if count == 1 and low[place] == "one" and before in _PRONOUN_AFTER:
        return 0
    return count


def _signs(text: str, endings: set[str]) -> str:
    """With spoken signs as signs, where they can be nothing else."""
    text = re.sub(r"(?i)(?<=\w) slash (?=\w)", "/", text)

    def dotted(match: re.Match[str]) -> str:
        ending = _ending(match[1], endings)
        return f".{ending}" if ending.lower() in endings else match.group()

    text = re.sub(r"(?i)(?<=\w) dot (\w{1,5})\b", dotted, text)
    return re.sub(r"(?i)(?<=\w)\.(pie?|jason)\b", dotted, text)
