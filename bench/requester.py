"""The user of a benchmark task, simulated from their memories and nothing else.

``answer`` is deterministic: the question's words are compared with what each memory is about, the
memories that fit are told in the user's own words, and their ids are cited. A user who knows
nothing that settles the question says so and never guesses. Whatever simulates the user, by rules
or by a model, keeps to the contract that ``broken_rule`` checks.

Availability is apart from knowledge: ``Manner`` says when an answer comes, and whether it comes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, Protocol, TypeVar

TEXT_CHARS: Final = 1400  # of one answer
CITED: Final = 12  # memories of one answer
EXCHANGES: Final = 4  # earlier questions that the user still has in mind
MEMORIES: Final = 128


class Answerability(Enum):
    """How far the user could answer; the values are those of the protocol."""

    ANSWERED = "answered"
    PARTIAL = "partially_answered"
    INSUFFICIENT = "insufficient_information"
    UNCLEAR = "question_unclear"


@dataclass(frozen=True, slots=True)
class RequesterAnswer:
    """What the user says, and the memories that it rests on."""

    answerability: Answerability
    user_text: str
    disclosed_memory_ids: tuple[str, ...] = ()


class Exchange(NamedTuple):
    """An earlier question, and what the user said to it."""

    question: str
    answer: str


class Memory(Protocol):
    """Something that the user knows. ``about`` are words by which they are reminded of it."""

    @property
    def memory_id(self) -> str: ...
    @property
    def field(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def about(self) -> Sequence[str]: ...


class Requester(Protocol):
    """Whoever answers in the user's place."""

    async def answer(
        self, question: str, memories: Sequence[Memory], exchanges: Sequence[Exchange]
    ) -> RequesterAnswer:
        """Answer once. Raises a BrainError when there is no answer that keeps to the contract."""
        ...


GUESSING = re.compile(
    r"\b(?:i guess|i suppose|i assume|i imagine|i would think|i think so|probably|presumably|"
    r"perhaps|maybe|most likely|likely|my guess|if i had to (?:guess|choose)|not sure but)\b",
    re.IGNORECASE,
)
"""Words of someone who answers without knowing."""

KNOWS_NOTHING = "I cannot say. Nothing that I know settles that."
UNCLEAR = "I do not understand what you are asking me. What is it about?"
THE_REST_IS_OPEN = "I have settled nothing beyond that."
DELEGATES = "You decide."


def broken_rule(answer: RequesterAnswer, memories: Sequence[Memory]) -> str:
    """The rule of the contract that the answer breaks, in words; empty when it keeps to all."""
    known = {memory.memory_id for memory in memories}
    cited = answer.disclosed_memory_ids
    text = answer.user_text
    knows = answer.answerability in (Answerability.ANSWERED, Answerability.PARTIAL)
    rules = (
        (bool(text.strip()), "user_text must not be empty"),
        (len(text) <= TEXT_CHARS, f"user_text must not be longer than {TEXT_CHARS} characters"),
        (len(cited) <= CITED, f"at most {CITED} memories may be cited"),
        (len(set(cited)) == len(cited), "no memory may be cited twice"),
        (set(cited) <= known, "only ids of the memories that were given may be cited"),
        (bool(cited) or not knows, "an answer must cite the memory that it rests on"),
        (knows or not cited, "who does not answer must cite no memory"),
        (knows or not GUESSING.search(text), "who does not know must not guess"),
    )
    return next((rule for holds, rule in rules if not holds), "")


class ScriptedRequester:
    """Answers from the memories by rules alone; the same question always gets the same answer."""

    async def answer(
        self, question: str, memories: Sequence[Memory], exchanges: Sequence[Exchange]
    ) -> RequesterAnswer:
        """Answer once; earlier exchanges change nothing."""
        return answer(question, memories)


# --- by rules ----------------------------------------------------------------------------------

_SETTLES: Final = 2.0  # two words of what a memory is about, or one and its field
_TOUCHES: Final = 0.9  # one word that no other memory shares
_ALSO: Final = 0.6  # of the best fit: what else is said in the same breath
_TOLD: Final = 3  # most memories in one spoken answer


def answer(question: str, memories: Sequence[Memory]) -> RequesterAnswer:
    """What the user says to the question: their memories' own words, or that they do not know."""
    asked = stems(question)
    if len(asked) < 2:
        return RequesterAnswer(Answerability.UNCLEAR, UNCLEAR)
    memories = memories[:MEMORIES]
    fits = _fits(asked, memories)
    best = max(fits.values(), default=0.0)
    if best < _TOUCHES:
        return RequesterAnswer(Answerability.INSUFFICIENT, KNOWS_NOTHING)
    least = max(_TOUCHES, _ALSO * best)
    ranked = sorted(memories, key=lambda memory: (-fits[memory.memory_id], memory.memory_id))
    told = [memory for memory in ranked if fits[memory.memory_id] >= least][:_TOLD]
    settled = best >= _SETTLES
    sentences = [_sentence(memory.value) for memory in told]
    if not settled:
        sentences.append(THE_REST_IS_OPEN)
    text = " ".join(dict.fromkeys(sentences))
    return RequesterAnswer(
        Answerability.ANSWERED if settled else Answerability.PARTIAL,
        text if len(text) <= TEXT_CHARS else text[: TEXT_CHARS - 1].rstrip() + "…",
        tuple(memory.memory_id for memory in told),
    )


def _fits(asked: frozenset[str], memories: Sequence[Memory]) -> dict[str, float]:
    """Memory id to how well it fits the question; a word that several memories share counts less.

    A keyword of several words counts when all of them were said. The field's own words count half,
    those of the value a quarter and together at most 1, so that options named in the question alone
    remind the user of nothing that they are not about.
    """
    keys = {memory.memory_id: [stems(word) for word in memory.about] for memory in memories}
    shared: dict[str, int] = {}
    for words in keys.values():
        for stem in frozenset().union(*words) if words else frozenset():
            shared[stem] = shared.get(stem, 0) + 1

    def rarity(words: Iterable[str]) -> float:
        return min((1.0 / shared.get(word, 1) for word in words), default=0.0)

    fits = {}
    for memory in memories:
        said = {words for words in keys[memory.memory_id] if words and words <= asked}
        fit = sum(rarity(words) * (1.0 + 0.5 * (len(words) - 1)) for words in said)
        named = frozenset().union(*said) if said else frozenset()
        fit += sum(0.5 * rarity((word,)) for word in (stems(memory.field) & asked) - named)
        if fit:
            fit += min(1.0, 0.25 * len((stems(memory.value) & asked) - named))
        fits[memory.memory_id] = fit
    return fits


_EMPTY = frozenset(
    """a about above after again all also am an and any are as at be because been before being
    below best both but by can could decide decided decides decision did do does doing done else
    finish finishes for from get go goes going had has have he her here him his how i if in into is
    it its itself just let like may me more most must my need needs no nor not now of off on once
    one only open or other our out over own please s same say says shall she should so some
    something still such t take tell than that the their them then there these they thing this
    those to too under until up us use very want wants was way we were what when where which while
    who why will with word would yes you your yours agent agents left leave word""".split()
)
_ENDINGS = re.compile(
    r"(?:isations?|izations?|ations?|ating|ated|ings?|ions?|ments?|ities|ity|iest|ies|ers?|ors?"
    r"|ed|es|ly|s|e|y)$"
)


def stems(text: str) -> frozenset[str]:
    """The words of a text that mean something, without their endings."""
    words = re.findall(r"[a-z0-9]+", text.lower().replace("'", "").replace("_", " "))
    return frozenset(_stem(word) for word in words if word not in _EMPTY)


def _stem(word: str) -> str:
    stem = _ENDINGS.sub("", word)
    return stem if len(stem) >= 3 else word


def _sentence(value: str) -> str:
    text = " ".join(value.split())
    text = text[:1].upper() + text[1:]
    return text if text[-1:] in ".!?" else f"{text}."


# --- when --------------------------------------------------------------------------------------


class Change(NamedTuple):
    """The user thinks better of it: ``after_s`` after the first answer only this memory holds."""

    after_s: float
    memory_id: str


M = TypeVar("M", bound=Memory)


@dataclass(frozen=True, slots=True)
class Manner:
    """How the user is to be had. Times are seconds from a question's end to the answer's start."""

    delay_s: float = 20.0
    absent: bool = False
    delegates: bool = False
    changes_mind: Change | None = None

    def waits_s(self, seed: str, number: int) -> float:
        """How long the ``number``-th answer takes: 0.5 to 1.5 times the usual, by the seed."""
        digest = hashlib.sha256(f"{seed}\0{number}".encode()).digest()
        return round(self.delay_s * (0.5 + int.from_bytes(digest[:4], "big") / 2**32), 3)

    def known(self, memories: Sequence[M], since_first_s: float | None) -> list[M]:
        """What the user goes by, ``since_first_s`` after their first answer (None before it)."""
        change = self.changes_mind
        if change is None:
            return list(memories)
        changed = since_first_s is not None and since_first_s >= change.after_s
        if not changed:
            return [memory for memory in memories if memory.memory_id != change.memory_id]
        newer = next((m for m in memories if m.memory_id == change.memory_id), None)
        return [m for m in memories if newer is None or m is newer or m.field != newer.field]
