"""Does what was said read as complete?

A hypothesis lags and is often unpunctuated, and Whisper puts a full stop behind everything. So a
full stop counts for nothing, a question mark for little, and what a sentence still needs counts for
much: an object, a clause, the rest of a list or of a number. The rules know English function words
and the frames of requests; they parse nothing. What none of them knows is left undecided.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from audio.turn import completeness_words as lexicon
from audio.turn.barge_in import words_of
from audio.turn.events import TurnState
from audio.turn.numbers_said import dictated

# Probability that the turn is over, by what speaks for it; set by hand, in steps that the waits of
# ``semantic.py`` tell apart.
CERTAIN, LIKELY, PROBABLE, FAIR, EVEN = 0.95, 0.88, 0.7, 0.6, 0.5
DOUBTFUL, UNLIKELY, EXCLUDED = 0.3, 0.15, 0.05


class Reading(NamedTuple):
    """What a text amounts to."""

    state: TurnState  # COMPLETE, INCOMPLETE, WAIT or UNKNOWN
    probability: float  # that the turn is over, 0 to 1
    reason: str


class _Said(NamedTuple):
    text: str
    words: Sequence[str]  # all
    core: Sequence[str]  # of the last sentence, without what is said before what matters


_NOTHING = Reading(TurnState.UNKNOWN, EVEN, "no words yet")
_TRAILS_OFF = re.compile(r"(?:\.\.|\u2026|[-\u2013\u2014,:;])[\"']?\s*$")
_SEPARATOR = re.compile(r"[,;]\s")  # and not within "8,080"
_SENTENCE = re.compile(r"[.?!]\s+")
_VERSION = re.compile(r"\b\d+\.\d+\.\d+\W*$")
# In words: what is shorter often goes on, and what is longer after "let me see" is the turn itself.
_SHORT_COMMAND, _SHORT_STATEMENT, _SHORT_CLAUSE, _SAID_AFTER_ALL = 5, 6, 4, 5


def read(text: str) -> Reading:
    """Whether the turn seems over with these words; a pure function of them."""
    words = words_of(text)
    if not words:
        return _NOTHING
    sentence = words_of(_SENTENCE.split(text.strip())[-1])
    said = _Said(text.strip(), words, _core(sentence))
    for rule in _RULES:
        if found := rule(said):
            return found
    return Reading(TurnState.UNKNOWN, EVEN, "the words do not tell")


def _complete(probability: float, reason: str) -> Reading:
    return Reading(TurnState.COMPLETE, probability, reason)


def _incomplete(probability: float, reason: str) -> Reading:
    return Reading(TurnState.INCOMPLETE, probability, reason)


def _core(words: Sequence[str]) -> Sequence[str]:
    first = next((i for i, word in enumerate(words) if word not in lexicon.OPENERS), len(words))
    return words[first:]


def _asks(said: _Said) -> bool:
    """It begins as a question does: an object may be missing at its end, and a preposition stay."""
    return bool(said.core) and said.core[0] in lexicon.WH_WORDS


# --- the user asks for time --------------------------------------------------------------------


def _waits(said: _Said) -> Reading | None:
    words = said.words
    while words and words[0] in lexicon.FILLERS | {"no", "yes", "yeah", "oh", "sorry", "please"}:
        words = words[1:]
    for count in range(min(lexicon.LONGEST_WAIT, len(words)), 0, -1):
        phrase = " ".join(words[:count])
        if phrase in lexicon.WAIT_PHRASES:
            rest = words[count:]
            if len(rest) > _SAID_AFTER_ALL:
                return None
            if not rest or rest[0] in lexicon.WAIT_TAILS or rest[0] in lexicon.FILLERS:
                return Reading(TurnState.WAIT, EXCLUDED, f'asks for time: "{phrase}"')
            return None
    return None


# --- more is to come ---------------------------------------------------------------------------


def _short_answer(said: _Said) -> Reading | None:
    phrase = " ".join(word for word in said.words if word not in ("jarvis", "um", "uh"))
    if phrase in lexicon.SHORT_ANSWERS:
        sure = FAIR if phrase in lexicon.LONE_ANSWERS else LIKELY  # "yes, but ..."
        return _complete(sure, f'a whole answer: "{phrase}"')
    return None


def _filler(said: _Said) -> Reading | None:
    words = said.words
    if words[-1] in lexicon.FILLERS and not _thinks_so(words):
        return _incomplete(EXCLUDED, f'ends with the filler "{words[-1]}"')
    tail = " ".join(words[-2:])
    if tail in lexicon.FILLER_PHRASES:
        return _incomplete(EXCLUDED, f'ends with the filler "{tail}"')
    return None


def _thinks_so(words: Sequence[str]) -> bool:
    """ "I think so", "do it well", "that one is okay", "what is it like": an end, no filler."""
    last, before = words[-1], words[-2:-1]
    if not before:
        return last == "okay"
    if last == "so":
        return before[0] in {"think", "hope", "guess", "believe", "suppose", "say", "do"}
    if last == "like":
        return words[0] in lexicon.WH_WORDS or before[0] in {"you", "i"}
    return last in {"well", "okay", "anyway"} and len(words) > 2


def _trails_off(said: _Said) -> Reading | None:
    if _TRAILS_OFF.search(said.text):
        return _incomplete(UNLIKELY, "the transcript trails off")
    return None


def _function_word(said: _Said) -> Reading | None:
    last = said.words[-1]
    if last in lexicon.ARTICLES:
        return _incomplete(EXCLUDED, f'ends with "{last}"')
    if last in lexicon.CONJUNCTIONS:
        return _incomplete(EXCLUDED, f'ends with the conjunction "{last}"')
    if last in lexicon.INTENSIFIERS:
        return _incomplete(UNLIKELY, f'ends with "{last}"')
    if last in lexicon.OPEN_SUBJECTS and len(said.words) > 1:
        return _incomplete(EXCLUDED, f'ends with the subject "{last}"')
    return None


def _preposition(said: _Said) -> Reading | None:
    words = said.words
    last = words[-1]
    if last not in lexicon.PREPOSITIONS:
        return None
    open_to = last == "to" and words[-2:-1] and words[-2] in lexicon.TO_VERB
    manner = said.core[:1] in (["how"], ["why"]) and said.core[1] not in ("long", "many", "much")
    if _asks(said) and len(said.core) > 3 and last != "until" and not (open_to or manner):
        return None  # "what is it waiting for", and not "how does it go with"
    if last in lexicon.PARTICLES and words[-2:-1] and words[-2] in lexicon.PARTICLE_AFTER:
        return None
    return _incomplete(EXCLUDED, f'ends with the preposition "{last}"')


def _auxiliary(said: _Said) -> Reading | None:
    words = said.words
    if words[-1] not in lexicon.AUXILIARIES or len(words) < 2:
        return None
    if words[-1] == "do" and (_asks(said) or words[-2] in ("to", "please")):
        return None  # "what shall we do", "that is what I want to do"
    after_pronoun = words[-2] in lexicon.PRONOUNS and words[-2] not in ("this", "there")
    embedded = any(word in lexicon.WH_WORDS for word in words[:-2])
    if after_pronoun and (len(said.core) <= 2 or embedded):
        if embedded or len(words) > len(said.core):
            return _complete(PROBABLE, "a short answer")  # "yes it is", "ask what it was"
        return Reading(TurnState.UNKNOWN, EVEN, "a short answer, or the start of more")  # "it was"
    return _incomplete(EXCLUDED, f'ends with the auxiliary "{words[-1]}"')


def _that(said: _Said) -> Reading | None:
    words = said.words
    if words[-1] != "that" or len(words) < 2:
        return None
    before = words[-2]
    if before in lexicon.PREPOSITIONS or before in lexicon.COMMANDS or _asks(said):
        return None
    if before in {
        "mind",
        "did",
        "does",
        "approved",
        "know",
        "want",
        "like",
        "said",
        "started",
        "saw",
    }:
        return None
    return _incomplete(UNLIKELY, 'ends with "that", and no clause after it')


def _wh_word(said: _Said) -> Reading | None:
    words = said.words
    if len(words) > 1 and words[-2] in ("and", "or", "but", "not"):
        return None  # "what has failed, and why"
    told = words[-3:-2] and words[-3] in ("tell", "show", "ask") and words[-2] in lexicon.OBJECTS
    if told and words[-1] in lexicon.WHOLE_CLAUSE:
        return _complete(PROBABLE, f'asks to be told "{words[-1]}"')
    if len(words) > 1 and words[-1] in lexicon.WH_WORDS and not words[-1].endswith("s"):
        return _incomplete(UNLIKELY, f'ends with "{words[-1]}"')
    return None


def _open_verb(said: _Said) -> Reading | None:
    last = said.words[-1]
    if last not in lexicon.TRANSITIVE or len(said.words) < 2:
        return None
    if any(word in lexicon.WH_WORDS for word in said.words[:-1]):
        return None  # "what did it say", "do what you want"
    if said.words[0] == "if" or said.words[-2] in lexicon.OBJECTS - {"you", "it"}:
        return None
    return _incomplete(UNLIKELY, f'"{last}" has no object')


def _frame(said: _Said) -> Reading | None:
    """ "tell the agent", "let the other one", "give me": nothing said about them yet."""
    core = list(said.core)
    for lead in (("can", "you"), ("could", "you"), ("would", "you"), ("will", "you")):
        if tuple(core[:2]) == lead:
            core = [word for word in core[2:] if word != "please"]
    if core[:1] == ["i"]:  # "I want you", "I would like it"
        at = next((i for i, word in enumerate(core) if word in ("want", "like", "need")), 0)
        if at and core[at + 1 :] in ([word] for word in lexicon.OBJECTS - {"it", "that", "this"}):
            return _incomplete(UNLIKELY, f'"{" ".join(core)}" wants to go on')
        return None
    if not core or core[0] not in lexicon.DITRANSITIVE:
        return None
    return _named_only(core[0], core[1:])


def _named_only(verb: str, rest: Sequence[str]) -> Reading | None:
    if not rest:
        return None
    if rest[0] in lexicon.OBJECTS:
        if len(rest) > 1:
            return None
        whole = verb in lexicon.LOOKS_COMPLETE_WITH_ONE and rest[0] == "it"
        return None if whole else _incomplete(UNLIKELY, f'"{verb} {rest[0]}" wants to go on')
    one_phrase = 2 <= len(rest) <= 4 and not set(rest[1:]) & (
        lexicon.ARTICLES | lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS | lexicon.WH_WORDS
    )
    if not one_phrase or rest[0] not in lexicon.ARTICLES | {"that", "this", "both", "all"}:
        return None
    if verb in lexicon.CAUSATIVE and len(rest) == 2:
        return _incomplete(UNLIKELY, f'"{verb} {" ".join(rest)}" wants to go on')
    actor = rest[-1] in lexicon.ACTORS or rest[-1].endswith(("er", "ers", "or", "ors"))
    if actor and verb not in ("show", "send"):
        return _incomplete(UNLIKELY, f'"{verb} the {rest[-1]}" wants to go on')
    if verb in lexicon.CAUSATIVE:
        return Reading(TurnState.UNKNOWN, EVEN, f'"{verb}" somebody, or somebody do something')
    return None


def _noun_to_come(said: _Said) -> Reading | None:
    """ "what was the other": one of a kind, and not what of."""
    if said.words[-1] in lexicon.BEFORE_NOUN and said.words[-2:-1] in (["the"], ["my"], ["an"]):
        return _incomplete(DOUBTFUL, f'ends with "{" ".join(said.words[-2:])}", and no noun')
    return None


def _no_predicate(said: _Said) -> Reading | None:
    """ "the agent that works on the migration": a whole answer, or nothing said of it yet."""
    core = said.core
    if not core or core[0] not in lexicon.ARTICLES or len(core) < _SHORT_CLAUSE:
        return None
    verbs = [i for i, word in enumerate(core) if i and _is_verb(word)]
    relative = next((i for i in range(1, len(core)) if core[i] in lexicon.RELATIVES), None)
    if not verbs and any(word in lexicon.PREPOSITIONS for word in core):
        return _incomplete(DOUBTFUL, "somebody or something, and nothing said of it")
    if relative is not None and len(verbs) == 1 and verbs[0] > relative:
        return _incomplete(DOUBTFUL, f'a clause with "{core[relative]}", and nothing after it')
    return None


def _open_clause(said: _Said) -> Reading | None:
    """ "tell it that the deadline": a subject, and its verb is still to come."""
    words = said.words
    if "that" not in words[1:-1]:
        return None
    rest = words[len(words) - 1 - list(reversed(words)).index("that") + 1 :]
    if rest[0] in lexicon.ARTICLES and len(rest) <= _SHORT_CLAUSE and not any(map(_is_verb, rest)):
        return _incomplete(DOUBTFUL, f'"that {" ".join(rest)}" has no verb yet')
    return None


def _is_verb(word: str) -> bool:
    return word in lexicon.AUXILIARIES | lexicon.PAST or word.endswith("ed")


def _unit(said: _Said) -> Reading | None:
    """ "remind me in twenty": of what?"""
    words = said.words
    number = words[-1] in lexicon.NUMBERS or words[-1].isdigit()
    if number and len(words) > 2 and words[-2] in lexicon.BEFORE_UNITS:
        return _incomplete(DOUBTFUL, f'ends with "{words[-2]} {words[-1]}", and no unit')
    if words[-1] == "too" and words[-2:-1] and words[-2] in lexicon.BE:
        return _incomplete(DOUBTFUL, 'ends with "too"')
    return None


def _subordinate(said: _Said) -> Reading | None:
    core = said.core
    if len(core) < 2:
        return None
    as_soon = tuple(core[:3]) == ("as", "soon", "as")
    if not as_soon and core[0] not in lexicon.SUBORDINATORS:
        return None
    if core[1] in lexicon.AUXILIARIES and core[0] == "when":
        return None  # "when did it start"
    tail = _SEPARATOR.split(said.text)[-1] if _SEPARATOR.search(said.text) else ""
    if "then" in core or len(words_of(tail)) > 1 or len(core) > 9:
        return None
    return _incomplete(UNLIKELY, f'a clause with "{core[0]}", and no main clause yet')


# --- lists and numbers -------------------------------------------------------------------------


def _misheard_to(said: _Said) -> Reading | None:
    """ "tell the agent to" is often heard as "tell the agent two"."""
    core = said.core
    asked = core[:1] and (core[0] in lexicon.DITRANSITIVE or tuple(core[:2]) == ("i", "want"))
    moves = core[:1] and core[0] in lexicon.COMMANDS and "the" in core[1:2]
    if (asked or moves) and len(core) > 2 and core[-1] in lexicon.LIKE_TO:
        return _incomplete(DOUBTFUL, f'ends with "{core[-1]}", which may have been "to"')
    return None


def _number(said: _Said) -> Reading | None:
    found = dictated(said.words)
    if found is not None and not found.whole and _VERSION.search(said.text):
        return _complete(FAIR, "a version of three numbers")
    if found is None:
        return None
    if found.whole:
        return _complete(PROBABLE, found.reason)
    return _incomplete(UNLIKELY, found.reason)


def _list(said: _Said) -> Reading | None:
    parts = [words_of(part) for part in _SEPARATOR.split(said.text)]
    parts = [part for part in parts if part]
    heads = {part[0] for part in parts} | {
        part[1] for part in parts if part[0] == "and" and part[1:]
    }
    if "first" in heads and not heads & lexicon.CLOSES_ENUMERATION:
        return _incomplete(DOUBTFUL if len(parts) < 2 else UNLIKELY, "an enumeration goes on")
    if len(parts) < 2:
        return _loose_item(said)
    last, before = parts[-1], parts[-2]
    closed = last[0] in ("and", "or") and len(parts) > 2
    if len(last) <= 5 and (closed or {"and", "or"} & set(last[1:-1])):
        return _complete(LIKELY, "a list came to its end")
    no_item = lexicon.NO_ITEM | lexicon.COMMANDS | lexicon.PREPOSITIONS
    if len(last) > 4 or last[0] in no_item:
        return None
    if not [word for word in before if word not in lexicon.OPENERS] or _asks(said):
        return None
    return _incomplete(UNLIKELY, "a list goes on")


def _loose_item(said: _Said) -> Reading | None:
    """ "I need bread. Milk.": full stops where a list has commas."""
    sentences = [words_of(part) for part in _SENTENCE.split(said.text)]
    if len(sentences) < 2 or not _core(sentences[-2]):
        return None
    last = sentences[-1]
    if not last or len(last) > 3 or " ".join(last) in lexicon.SHORT_ANSWERS:
        return None
    if last[0] in lexicon.NO_ITEM | lexicon.COMMANDS | lexicon.WH_WORDS:
        return None
    return _incomplete(DOUBTFUL, "a list may go on")


# --- it is whole -------------------------------------------------------------------------------


def _question(said: _Said) -> Reading | None:
    core = said.core
    if len(core) < 2:
        return None
    mark = said.text.endswith("?")
    if core[0] in lexicon.WH_WORDS:
        return _half_asked(core, mark) or _complete(CERTAIN if mark else LIKELY, "a whole question")
    if core[0] in lexicon.AUXILIARIES and core[0] not in ("dont", "do") and len(core) > 2:
        if len(core) == 3 and core[0] not in lexicon.BE:  # "may it push": what, and where?
            return _complete(FAIR, "a yes-or-no question, as short as can be")
        return _complete(LIKELY if mark else PROBABLE, "a whole yes-or-no question")
    if mark and len(core) > 2:
        return _complete(LIKELY, "a question")
    return None


def _half_asked(core: Sequence[str], mark: bool) -> Reading | None:
    """What a question with "what", "how", "which" still needs: a verb, or the rest of it."""
    at = next((i for i, word in enumerate(core) if i and word in lexicon.AUXILIARIES), None)
    if at is None:
        return _without_auxiliary(core)
    rest = core[at + 1 :]
    lone = len(rest) == 1 and rest[0] in lexicon.PRONOUNS
    named = 1 <= len(rest) <= 3 and rest[0] in lexicon.ARTICLES | {"this", "that", "these", "those"}
    if core[at] in lexicon.BE:
        if (
            lone
            and at == 1
            and core[0] not in lexicon.PLACE_WORDS
            and tuple(core[:2]) != ("what", "is")
        ):
            return _incomplete(DOUBTFUL, f'"{" ".join(core)}" wants to go on')
        if named and core[0] in ("how", "what") and not mark:
            return _complete(PROBABLE, "a question that may go on")
        return None
    if not rest and core[at] == "do" and len(core) == 2:
        return _incomplete(UNLIKELY, f'"{" ".join(core)}" has no verb yet')
    verb = len(rest) == 2 and rest[0] in ("this", "that") and rest[1] not in lexicon.ACTORS
    if lone or (named and len(rest) == 2 and not verb):  # "why did that fail" has one
        return _incomplete(UNLIKELY, f'"{" ".join(core)}" has no verb yet')
    return None


def _without_auxiliary(core: Sequence[str]) -> Reading | None:
    verb = any(word in lexicon.PAST or word.endswith("ed") for word in core[1:])
    short = core[0].endswith("s") and core[0] != "whose"  # "what's", "how's": the verb is in it
    if verb or core[1] in lexicon.WHOLE_IN_TWO:
        return None
    if short:
        lone = len(core) == 2 and core[1] in lexicon.PRONOUNS and core[0] not in lexicon.PLACE_WORDS
        return _incomplete(DOUBTFUL, f'"{" ".join(core)}" wants to go on') if lone else None
    if len(core) <= 3:
        return _incomplete(UNLIKELY, f'"{" ".join(core)}" has no verb yet')
    return None


def _command(said: _Said) -> Reading | None:
    """Whole, but one more place, time or reason may follow; the less was said, the likelier."""
    core = said.core
    told = core[1:2] and core[0] in ("tell", "show", "ask") and core[1] in lexicon.OBJECTS
    if told and len(core) > _SHORT_CLAUSE and core[2] in lexicon.WH_WORDS:
        return _complete(LIKELY, "asks to be told something")
    if core and core[0] in lexicon.COMMANDS and len(core) > 1:
        return _complete(PROBABLE if len(core) > _SHORT_COMMAND else FAIR, "a whole command")
    return None


def _statement(said: _Said) -> Reading | None:
    core = said.core
    if not core:
        return None
    if "then" in core and core[0] in lexicon.SUBORDINATORS:
        return _complete(PROBABLE, "a condition and what follows from it")
    known = lexicon.AUXILIARIES | lexicon.PAST
    pronoun = core[0] in lexicon.PRONOUNS | lexicon.OPEN_SUBJECTS | {"maybe", "these", "those"}
    if pronoun:
        known |= lexicon.TRANSITIVE | lexicon.COMMANDS
    has_verb = any(word in known or word.endswith("ed") for word in core[1:])
    if not has_verb or not (pronoun or core[0] in lexicon.ARTICLES):
        return None
    if len(core) > _SHORT_STATEMENT:
        return _complete(PROBABLE, "a whole statement")
    return _complete(EVEN, "a short statement, which may go on") if len(core) >= 3 else None


_RULES: tuple[Callable[[_Said], Reading | None], ...] = (
    _waits,
    _short_answer,
    _filler,
    _trails_off,
    _function_word,
    _preposition,
    _auxiliary,
    _that,
    _misheard_to,
    _number,
    _wh_word,
    _open_verb,
    _frame,
    _open_clause,
    _noun_to_come,
    _no_predicate,
    _unit,
    _subordinate,
    _list,
    _question,
    _command,
    _statement,
)
