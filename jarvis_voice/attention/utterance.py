"""What the user said, made uniform for rules, with the way back to the words as they were. Pure.

Rules read ``words``: lower case, no punctuation, contractions as one word without apostrophe
("dont"), a recognizer's usual slips mended. What is passed on to an agent is taken from the text
as it was recognized, so that names keep their spelling ("use UTC").
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TEXT_CHARS = 1200  # of one utterance; a minute of fast speech

_TOKEN = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*(?:[./_+#-][^\W_]+)*[+#]*")

# whole tokens, as small recognizers spell them
_MENDED = {
    "aprove": "approve", "approves": "approve", "improve": "approve", "approov": "approve",
    "denied": "deny", "denies": "deny", "denny": "deny", "rejects": "reject", "ok": "okay",
    "yea": "yeah", "yah": "yeah", "ya": "yeah", "yup": "yep", "nah": "no", "nay": "no",
    "whatd": "what did", "wanna": "want to", "gonna": "going to", "lemme": "let me",
    "jervis": "jarvis", "javis": "jarvis", "charvis": "jarvis", "travis": "jarvis",
    "snoos": "snooze", "snooz": "snooze", "resumed": "resume", "paws": "pause", "pours": "pause",
}  # fmt: skip
# several tokens
_MENDED_TOGETHER = (
    (r"\b(?:a|uh|up) (?:prove|proof|proved)\b", "approve"),
    (r"^know\b(?! (?:what|how|that|if|when))", "no"),
    (r"\b(?:go (?:a head|had|ahed|the head)|got (?:ahead|a head))\b", "go ahead"),
    (r"\b(?:hold|whole|old) (?:of|off|on off)\b", "hold off"),
    (r"\bnot no\b|\bnot know\b", "not now"),
    (r"\byou (?:the side|besides|the sides|deside)\b", "you decide"),
    (r"\b(?:ask (?:may|mean|mi)|asked (?:me|may))\b", "ask me"),
    (r"\b(?:which|witch|what) (?:once|wants|one's) are\b", "which ones are"),
    (r"\bwitch\b", "which"),
    (r"\bmade (?:him|it) to\b", "make it"),
    (r"\bal?l write\b", "all right"),
)
_ASIDE = re.compile(
    r"^(?:(?:um+|uh+|erm?|ah|oh|hmm*|well|so|and|hey|hi|listen|look|jarvis|please|just|now|"
    r"(?:can|could|would|will) you(?: please)?|i (?:want|would like|d like|need) you to|"
    r"id like you to|you (?:can|should|may)|go and|then) )+"
)
_TRAIL = re.compile(r"(?: (?:please|jarvis|thanks|thank you|for me|now please))+$")


@dataclass(frozen=True, slots=True)
class Utterance:
    """``words`` for rules to read; ``original`` gives the recognized text of a part of them."""

    text: str
    words: str
    spans: tuple[tuple[int, int], ...]  # of each word in ``text``

    def original(self, start: int, end: int | None = None) -> str:
        """The recognized text of ``words[start:end]``."""
        end = len(self.words) if end is None else end
        first = self.words.count(" ", 0, start)
        last = self.words.count(" ", 0, end) if end > start else first - 1
        if last < first or first >= len(self.spans):
            return ""
        begin, finish = self.spans[first][0], self.spans[min(last, len(self.spans) - 1)][1]
        return self.text[begin:finish].strip(" ,;:-")

    def after(self, start: int) -> Utterance:
        """What follows a place in ``words``, as an utterance of its own."""
        return utterance(self.original(start))


def utterance(text: str) -> Utterance:
    """Take in what was recognized; any text is taken."""
    text = " ".join(text.split())[:TEXT_CHARS]
    tokens = [(found.group().lower(), found.span()) for found in _TOKEN.finditer(text)]
    pairs = [pair for token, span in tokens for pair in _mended(token, span)]
    words, spans = " ".join(word for word, _ in pairs), [span for _, span in pairs]
    for pattern, better in _MENDED_TOGETHER:
        words, spans = _replaced(words, spans, pattern, better)
    words, spans = _replaced(words, spans, _ASIDE.pattern, "")
    words, spans = _replaced(words, spans, _TRAIL.pattern, "")
    return Utterance(text, words, tuple(spans))


def _mended(token: str, span: tuple[int, int]) -> list[tuple[str, tuple[int, int]]]:
    plain = token.replace("'", "").replace("\u2019", "")
    return [(word, span) for word in _MENDED.get(plain, plain).split()]


def _replaced(
    words: str, spans: list[tuple[int, int]], pattern: str, better: str
) -> tuple[str, list[tuple[int, int]]]:
    """Replace the first match; the new words stand where the old ones stood."""
    found = re.search(pattern, words)
    if found is None or (not better and not words[found.end() :].strip() and not found.start()):
        return words, spans  # an aside that is all there is stays
    first = len(words[: found.start()].split())
    count = len(found.group().split())
    covered = spans[first : first + count]
    new = better.split()
    whole = (covered[0][0], covered[-1][1])
    spans = [*spans[:first], *([whole] * len(new)), *spans[first + count :]]
    return " ".join(f"{words[: found.start()]} {better} {words[found.end() :]}".split()), spans


_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": "30", "forty": "40", "forty-five": "45", "fifty": "50", "sixty": "60"}


def digits(words: str) -> str:
    """Number words as figures: "version two" as "version 2"."""
    return " ".join(_NUMBERS.get(word, word) for word in words.split())


def squashed(text: str) -> str:
    """Only letters and figures, so that "U T C", "u.t.c." and "UTC" are the same."""
    return re.sub(r"[^a-z0-9]", "", digits(re.sub(r"[^\w]", " ", text.lower())))


def one_apart(one: str, other: str) -> bool:
    """Whether at most one letter added, lost or changed tells two words apart."""
    if one == other or abs(len(one) - len(other)) > 1:
        return one == other
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return max(len(one), len(other)) - start - end <= 1


def is_nearly(words: str, phrases: frozenset[str]) -> bool:
    """One of the phrases, long words spelt with at most one letter wrong."""
    if words in phrases:
        return True
    spoken = words.split()
    if not any(len(word) >= 5 for word in spoken):
        return False
    return any(
        len(known) == len(spoken)
        and all(
            a == b or (len(a) >= 5 and len(b) >= 5 and one_apart(a, b))
            for a, b in zip(spoken, known, strict=True)
        )
        for known in (phrase.split() for phrase in phrases)
    )
