"""What an answer about a run claims, and what of it the run bears out. PURE.

An answer is taken sentence by sentence. What a sentence claims is compared with the task's table of
facts, with the run's state, and with all numbers and words that could be seen at the time. What
none of these decides stays *undecided*, for model graders or for nobody; it is never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from bench.grading.prose import NUMBER_WORDS
from bench.suite.leaks import claims
from bench.suite.sealed import Fact
from bench.workers.base import Happening

SHARE = 0.6  # of a sentence's content words that must have been seen for it to be supported
LEAST_WORDS = 2  # content words that a sentence must bring in to say anything


class Verdict(Enum):
    """What became of one claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    UNCERTAIN = "uncertain"  # it says that it does not know
    UNDECIDED = "undecided"
    EMPTY = "empty"  # it claims nothing


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence: what became of it, and what that rests on."""

    text: str
    verdict: Verdict
    ref: str = ""  # "fact:id", "status", "seen", or the number that was nowhere


@dataclass(frozen=True, slots=True)
class Seen:
    """What could be seen at a checkpoint."""

    text: str
    over: Mapping[str, bool]  # by the title of a session: whether it has come to its end
    counts: frozenset[int]  # that follow from the state: calls, files, sessions, minutes
    known: frozenset[str]  # ids of the facts that were true by then
    facts: Sequence[Fact]
    heard: bool = False  # the answer was recognized from sound: names in it may be misheard

    def is_over(self, sentence: str) -> bool | None:
        """The session that the sentence names has ended; when it names none, all have.

        None when it was heard to name one that is not known, and some have ended and some have not.
        """
        named = self._named(sentence)
        if self.heard and not named and len(set(self.over.values())) > 1:
            before = _ITSELF.split(sentence, maxsplit=1)
            if len(before) > 1 and content(before[0]):
                return None
        return all(named or self.over.values())

    def _named(self, sentence: str) -> list[bool]:
        low = sentence.casefold()
        return [over for title, over in self.over.items() if f"{title.casefold()}:" in low]

    @property
    def words(self) -> frozenset[str]:
        """All content words."""
        return content(self.text)


_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\S)[^.!?\n]*)*[.!?]?")
_WORD = re.compile(r"[^\W\d_]{4,}")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")
_COMMON = frozenset(
    """about after again also been before being both could does doing done each else even ever every
    from have having here into itself just know last like made make many more most much need next
    only other over said same should some still such than that their them then there these they
    thing things this those through under until upon very want well were what when where which while
    will with work working would your asking tell told says""".split()
)
_UNCERTAIN = re.compile(
    r"(?i)\b(?:i (?:do not|don't|cannot|can't|could not) (?:know|say|tell|see)"
    r"|i (?:have not|haven't) (?:seen|heard)|not (?:yet )?known|nothing (?:more )?that i see"
    r"|(?:keeps )?no plan that i see|i see no|it has not said|it does not say|unclear to me)"
)
_OVER = re.compile(
    r"(?i)\b(?:(?:it|everything|all|the (?:work|run|task|job)) (?:is|was|has been) (?:all )?"
    r"(?:done|finished|complete|completed|over|delivered)|(?:it )?has finished|it finished"
    r"|nothing is (?:left|open))\b"
)
_ON = re.compile(
    r"(?i)\b(?:still (?:working|running|going|at work|busy)|the action under ?way|work goes on"
    r"|(?:it|work|run|task) (?:is|has) not (?:yet )?(?:done|finished|complete)"
    r"|(?:it|agent|run) is (?:working|at work|waiting))\b"
)
_ITSELF = re.compile(r"(?i)\bit (?:is|was|has|finished)\b")
_DENIED = re.compile(r"(?i)\b(?:not|no|never|isn't|hasn't|nothing)\b")


def sentences(answer: str) -> list[str]:
    """The sentences of an answer."""
    return [match.group().strip() for match in _SENTENCE.finditer(answer) if match.group().strip()]


def content(text: str) -> frozenset[str]:
    """The words of a text that carry something, in one form for singular and plural."""
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(word.removesuffix("s") for word in words if word not in _COMMON)


def numbers(text: str) -> frozenset[str]:
    """All numbers of a text as plain digits, small ones also where they are words."""
    found = {_plain(number) for number in _NUMBER.findall(text)}
    for word in re.findall(r"[a-z]+", text.casefold()):
        if word in NUMBER_WORDS:
            found.add(str(NUMBER_WORDS.index(word)))
    return frozenset(found)


def weigh(answer: str, question: str, seen: Seen) -> list[Claim]:
    """Every sentence of the answer with what became of it."""
    asked = content(question)
    return [_weighed(sentence, asked, seen) for sentence in sentences(answer)]


def _weighed(sentence: str, asked: frozenset[str], seen: Seen) -> Claim:
    by_fact = _by_facts(sentence, seen)
    if by_fact is not None:
        return by_fact
    if _UNCERTAIN.search(sentence):
        return Claim(sentence, Verdict.UNCERTAIN)
    if _OVER.search(sentence) and not _DENIED.search(_OVER.sub("", sentence)):
        return _of_status(sentence, seen.is_over(sentence), is_over=True)
    unseen = _unseen_number(sentence, seen)
    if unseen:
        return Claim(sentence, Verdict.UNSUPPORTED, unseen)
    if _ON.search(sentence):
        return _of_status(sentence, seen.is_over(sentence), is_over=False)
    return _by_words(sentence, asked, seen)


def _of_status(sentence: str, over: bool | None, *, is_over: bool) -> Claim:
    """What becomes of a claim that something is over, or that it is not."""
    if over is None:
        return Claim(sentence, Verdict.UNDECIDED, "status")
    verdict = Verdict.SUPPORTED if over is is_over else Verdict.CONTRADICTED
    return Claim(sentence, verdict, "status")


def _by_facts(sentence: str, seen: Seen) -> Claim | None:
    """What the table of facts says; a claim of what is not known yet is a leak, found elsewhere."""
    for fact in seen.facts:
        if claims(sentence, fact.true):
            verdict = Verdict.SUPPORTED if fact.id in seen.known else Verdict.UNSUPPORTED
            return Claim(sentence, verdict, f"fact:{fact.id}")
        if fact.false and claims(sentence, fact.false):
            known = fact.id in seen.known
            verdict = Verdict.CONTRADICTED if known else Verdict.UNSUPPORTED
            return Claim(sentence, verdict, f"fact:{fact.id}")
    return None


def _by_words(sentence: str, asked: frozenset[str], seen: Seen) -> Claim:
    words = content(sentence)
    brought = words - asked
    if len(brought) < LEAST_WORDS and not (numbers(sentence) and brought):
        return Claim(sentence, Verdict.EMPTY)
    share = len(words & seen.words) / len(words)
    return Claim(sentence, Verdict.SUPPORTED if share >= SHARE else Verdict.UNDECIDED, "seen")


def _unseen_number(sentence: str, seen: Seen) -> str:
    """A number that stands nowhere in what could be seen, and follows from nothing there."""
    visible = numbers(seen.text) | {str(count) for count in seen.counts}
    return next((number for number in sorted(numbers(sentence)) if number not in visible), "")


def _plain(number: str) -> str:
    number = re.sub(r",(?=\d{3}\b)", "", number).replace(",", ".")
    return number.rstrip("0").rstrip(".") if "." in number else number


def known_facts(facts: Iterable[Fact], happened: Iterable[Happening]) -> frozenset[str]:
    """The ids of the facts that have become true by what has happened."""
    events = list(happened)
    return frozenset(
        fact.id for fact in facts if any(fact.known_when.met_by(event) for event in events)
    )
