"""What the user's words mean for the questions that are open. Pure.

Only what the user said enters here: it takes the recognized text of a user's turn, and text of an
agent (questions, options, quotes) is used for nothing but to compare the user's words with.

The order of the rules: asking back (options, why, which wait), putting off, leaving it to others,
yes and no, one of the options, and at last guidance in the user's own words, which is only taken
right after the question was put, and only when it is not a question of the user's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jarvis_voice.attention import phrases
from jarvis_voice.attention.decisions import Answered, decision, guidance
from jarvis_voice.attention.later import later
from jarvis_voice.attention.utterance import Utterance, is_nearly, utterance
from jarvis_voice.boundary import AnswerKind, AttentionRequest, UserAnswer, Verdict


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that was understood a moment ago."""

    request: AttentionRequest
    answer: UserAnswer
    open: bool  # nobody was told yet: it can still be changed


@dataclass(frozen=True, slots=True)
class Table:
    """What lies between the user and Jarvis."""

    open: tuple[AttentionRequest, ...] = ()  # not answered, the one that matters most first
    put: AttentionRequest | None = None  # of those, the one that was put last
    fresh: bool = False  # nothing else was talked of since it was put
    given: Given | None = None  # the newest answer
    read_back: bool = False  # the newest answer was just read back, and nothing was said since


# --- meanings ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Snoozed:
    """Not now. ``seconds`` is None without a time, ``request`` None when none was put."""

    request: AttentionRequest | None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class RepeatOptions:
    """What can be answered?"""

    request: AttentionRequest


@dataclass(frozen=True, slots=True)
class RepeatQuestion:
    """What was asked?"""

    request: AttentionRequest


@dataclass(frozen=True, slots=True)
class Explain:
    """Why is it asked?"""

    request: AttentionRequest


@dataclass(frozen=True, slots=True)
class WhichOnes:
    """What waits for the user?"""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The answer was understood wrongly; ``new`` is what was meant, None when it was not said."""

    old: Given
    new: Answered | None


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """An answer, and several questions that it may be for."""

    requests: tuple[AttentionRequest, ...]
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Unrelated:
    """It is not about any of the questions."""


Meaning = (
    Answered
    | Snoozed
    | RepeatOptions
    | RepeatQuestion
    | Explain
    | WhichOnes
    | Corrected
    | Ambiguous
    | Unrelated
)


def understand(said: str, table: Table, *, asks_something: bool = False) -> Meaning:
    """The meaning of a user's turn. ``asks_something``: the brain takes it for a question."""
    spoken = utterance(said)
    if not spoken.words:
        return Unrelated()
    if re.search(phrases.WAITING_PATTERN, spoken.words):
        return WhichOnes()
    corrected = _corrected(spoken, table)
    if corrected is not None:
        return corrected
    if table.put is None:
        return _without_question(spoken, table)
    request = table.put
    asked_back = _asked_back(spoken.words, request) if table.fresh else None
    if asked_back is not None:
        return asked_back
    put_off = later(spoken.words, fresh=table.fresh)
    if put_off is not None:
        return Snoozed(request, put_off.seconds)
    return _for_the_question(spoken, table, request, asks_something)


def _for_the_question(
    spoken: Utterance, table: Table, request: AttentionRequest, asks_something: bool
) -> Meaning:
    answer = decision(spoken, request)
    if not table.fresh:
        # said after other talk: only what cannot be meant for anything else counts
        return answer if answer is not None and _is_plain_decision(spoken) else Unrelated()
    if answer is not None:
        return answer
    if asks_something or is_question(spoken.words):
        return Unrelated()
    return guidance(spoken, request)


def _without_question(spoken: Utterance, table: Table) -> Meaning:
    """No question was put, but some may wait: an explicit decision is for one of them."""
    if not table.open or not _is_plain_decision(spoken):
        return Unrelated()
    if len(table.open) > 1:
        is_no = is_nearly(spoken.words, phrases.NO)
        return Ambiguous(table.open, Verdict.DENY if is_no else Verdict.ALLOW)
    return decision(spoken, table.open[0]) or Unrelated()


_PLAIN = re.compile(
    r"^(?:yes |no |okay )?(?:please )?(?:i )?(?:approved?|allow|permit|confirm(?:ed)?|deny|reject|"
    r"refuse|veto|decline|disapprove|forbid|block)\b(?: (?:it|that|this|that one|this one))?$"
)


def _is_plain_decision(spoken: Utterance) -> bool:
    """ "approve", "deny it": a word of decision, not a yes that may belong to anything."""
    return _PLAIN.match(spoken.words) is not None


def _asked_back(words: str, request: AttentionRequest) -> Meaning | None:
    if is_nearly(words, phrases.OPTIONS):
        return RepeatOptions(request)
    if is_nearly(words, phrases.WHY):
        return Explain(request)
    if is_nearly(words, phrases.QUESTION_AGAIN):
        return RepeatQuestion(request)
    return None


# --- corrections -------------------------------------------------------------------------------


_BARE_NO = phrases.NO | frozenset(("wrong", "thats wrong", "that is wrong", "not that", "undo"))


def _corrected(spoken: Utterance, table: Table) -> Corrected | None:
    """What was understood is not what was meant."""
    given = table.given
    if given is None or not (given.open or table.read_back):
        return None
    words = spoken.words
    found = re.match(phrases.CORRECTS, words)
    if found is None or (table.put is not None and table.fresh):
        return _reversed(spoken, given) if table.read_back else None
    rest = spoken.after(found.end()) if words[found.end() :].strip() else None
    if rest is None:
        said_so = found.group().strip() not in phrases.SHORTLY | {"okay", "stop", "but", "oh", "uh"}
        return Corrected(given, None) if said_so and table.read_back else None
    meant = re.match(phrases.MEANT, rest.words)
    if meant is None and not table.read_back:
        return None
    if meant is not None and rest.words[meant.end() :].strip():
        rest = rest.after(meant.end())
    if meant is None and is_question(rest.words):
        return None
    return Corrected(given, _answer_for(rest, given))


def _reversed(spoken: Utterance, given: Given) -> Corrected | None:
    """ "deny it" right after "All right: it goes ahead"."""
    meant = re.match(phrases.MEANT, spoken.words)
    if meant is not None and spoken.words.startswith(("i said", "i meant", "i mean")):
        return Corrected(given, _answer_for(spoken.after(meant.end()), given))
    if not _is_plain_decision(spoken):
        return None
    answer = decision(spoken, given.request)
    if answer is None or answer.verdict is given.answer.verdict:
        return None
    return Corrected(given, answer)


_NOT_BUT = re.compile(
    r"^not (?P<old>.+?) (?:but|use|rather) |(?P<tail> (?:and )?not \S+(?: \S+)?)$"
)


def _answer_for(rest: Utterance, given: Given) -> Answered | None:
    if is_nearly(rest.words, _BARE_NO) and given.answer.kind is AnswerKind.WORDS:
        return None
    found = _NOT_BUT.search(rest.words)
    if found is not None and found["old"]:
        rest = rest.after(found.end())
    elif found is not None and found.start():
        rest = utterance(rest.original(0, found.start()))
    return decision(rest, given.request) or guidance(rest, given.request)


# --- questions of the user's own ---------------------------------------------------------------


_QUESTION = re.compile(
    r"^(?:and |but |so |then )?"
    r"(?:(?:what|whats|who|whos|when|where|wheres|which|why|how|hows|whose)\b"
    r"|(?:is|are|was|were|did|does|do|has|have|had|can|could|would|will|should|may|might)"
    r" (?:it|its|that|this|they|the|there|you|i|we|he|she|any|anything|anyone|all|everything)\b"
    r"|(?:tell|show|give|remind) me\b|what if\b)"
)
_TALK = frozenset(
    """thanks, thank you, hello, hi, hey, bye, goodbye, good morning, good night, never mind,
    nevermind, stop, quiet, be quiet, shush, stop talking, shut up, enough, thats enough, i see,
    got it, understood, interesting, wow, hmm, hm, oh, uh, um, mm, help, forget it, jarvis,
    hey jarvis, very good, nice, thank you very much, thats all""".replace("\n    ", " ").split(
        ", "
    )
)


def is_question(words: str) -> bool:
    """It asks, greets or hushes: whatever it is, it tells an agent nothing."""
    return words in _TALK or _QUESTION.match(words) is not None
