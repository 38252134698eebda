"""Signs that more is to come: a filler, a word that wants another, a clause without its end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from audio.turn import completeness_words as lexicon
from audio.turn.barge_in import words_of
from audio.turn.events import TurnState
from audio.turn.reading import (
    DOUBTFUL,
    EVEN,
    EXCLUDED,
    PROBABLE,
    SEPARATOR,
    SHORT_CLAUSE,
    UNLIKELY,
    Reading,
    Said,
    asks,
    complete,
    incomplete,
    is_verb,
)

_TRAILS_OFF = re.compile(r"(?:\.\.|\u2026|[-\u2013\u2014,:;])[\"']?\s*$")


def filler(said: Said) -> Reading | None:
    """It ends while words are looked for: "um", "you know"."""
    words = said.words
    if words[-1] in lexicon.FILLERS and not _thinks_so(words):
        return incomplete(EXCLUDED, f'ends with the filler "{words[-1]}"')
    tail = " ".join(words[-2:])
    if tail in lexicon.FILLER_PHRASES:
        return incomplete(EXCLUDED, f'ends with the filler "{tail}"')
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


def trails_off(said: Said) -> Reading | None:
    """The transcript ends with dots, a dash or a comma."""
    if _TRAILS_OFF.search(said.text):
        return incomplete(UNLIKELY, "the transcript trails off")
    return None


def function_word(said: Said) -> Reading | None:
    """It ends with a word that never ends a sentence: "the", "and", "very"."""
    last = said.words[-1]
    if last in lexicon.ARTICLES:
        return incomplete(EXCLUDED, f'ends with "{last}"')
    if last in lexicon.CONJUNCTIONS:
        return incomplete(EXCLUDED, f'ends with the conjunction "{last}"')
    if last in lexicon.INTENSIFIERS:
        return incomplete(UNLIKELY, f'ends with "{last}"')
    if last in lexicon.OPEN_SUBJECTS and len(said.words) > 1:
        return incomplete(EXCLUDED, f'ends with the subject "{last}"')
    return None


def preposition(said: Said) -> Reading | None:
    """It ends with a preposition that wants its noun."""
    words = said.words
    last = words[-1]
    if last not in lexicon.PREPOSITIONS:
        return None
    open_to = last == "to" and words[-2:-1] and words[-2] in lexicon.TO_VERB
    manner = said.core[:1] in (["how"], ["why"]) and said.core[1] not in ("long", "many", "much")
    if asks(said) and len(said.core) > 3 and last != "until" and not (open_to or manner):
        return None  # "what is it waiting for", and not "how does it go with"
    if last in lexicon.PARTICLES and words[-2:-1] and words[-2] in lexicon.PARTICLE_AFTER:
        return None
    return incomplete(EXCLUDED, f'ends with the preposition "{last}"')


def auxiliary(said: Said) -> Reading | None:
    """It ends with "is", "will", "does": the rest of the verb is to come."""
    words = said.words
    if words[-1] not in lexicon.AUXILIARIES or len(words) < 2:
        return None
    if words[-1] == "do" and (asks(said) or words[-2] in ("to", "please")):
        return None  # "what shall we do", "that is what I want to do"
    after_pronoun = words[-2] in lexicon.PRONOUNS and words[-2] not in ("this", "there")
    embedded = any(word in lexicon.WH_WORDS for word in words[:-2])
    if after_pronoun and (len(said.core) <= 2 or embedded):
        if embedded or len(words) > len(said.core):
            return complete(PROBABLE, "a short answer")  # "yes it is", "ask what it was"
        return Reading(TurnState.UNKNOWN, EVEN, "a short answer, or the start of more")  # "it was"
    return incomplete(EXCLUDED, f'ends with the auxiliary "{words[-1]}"')


def that(said: Said) -> Reading | None:
    """It ends with a "that" that opens a clause."""
    words = said.words
    if words[-1] != "that" or len(words) < 2:
        return None
    before = words[-2]
    if before in lexicon.PREPOSITIONS or before in lexicon.COMMANDS or asks(said):
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
    return incomplete(UNLIKELY, 'ends with "that", and no clause after it')


def wh_word(said: Said) -> Reading | None:
    """It ends with "what", "which", "why": asked, or the start of a clause."""
    words = said.words
    if len(words) > 1 and words[-2] in ("and", "or", "but", "not"):
        return None  # "what has failed, and why"
    told = words[-3:-2] and words[-3] in ("tell", "show", "ask") and words[-2] in lexicon.OBJECTS
    if told and words[-1] in lexicon.WHOLE_CLAUSE:
        return complete(PROBABLE, f'asks to be told "{words[-1]}"')
    if len(words) > 1 and words[-1] in lexicon.WH_WORDS and not words[-1].endswith("s"):
        return incomplete(UNLIKELY, f'ends with "{words[-1]}"')
    return None


def open_verb(said: Said) -> Reading | None:
    """It ends with a verb that wants an object."""
    last = said.words[-1]
    if last not in lexicon.TRANSITIVE or len(said.words) < 2:
        return None
    if any(word in lexicon.WH_WORDS for word in said.words[:-1]):
        return None  # "what did it say", "do what you want"
    if said.words[0] == "if" or said.words[-2] in lexicon.OBJECTS - {"you", "it"}:
        return None
    return incomplete(UNLIKELY, f'"{last}" has no object')


def frame(said: Said) -> Reading | None:
    """ "tell the agent", "let the other one", "give me": nothing said about them yet."""
    core = list(said.core)
    for lead in (("can", "you"), ("could", "you"), ("would", "you"), ("will", "you")):
        if tuple(core[:2]) == lead:
            core = [word for word in core[2:] if word != "please"]
    if core[:1] == ["i"]:  # "I want you", "I would like it"
        at = next((i for i, word in enumerate(core) if word in ("want", "like", "need")), 0)
        if at and core[at + 1 :] in ([word] for word in lexicon.OBJECTS - {"it", "that", "this"}):
            return incomplete(UNLIKELY, f'"{" ".join(core)}" wants to go on')
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
        return None if whole else incomplete(UNLIKELY, f'"{verb} {rest[0]}" wants to go on')
    one_phrase = 2 <= len(rest) <= 4 and not set(rest[1:]) & (
        lexicon.ARTICLES | lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS | lexicon.WH_WORDS
    )
    if not one_phrase or rest[0] not in lexicon.ARTICLES | {"that", "this", "both", "all"}:
        return None
    if verb in lexicon.CAUSATIVE and len(rest) == 2:
        return incomplete(UNLIKELY, f'"{verb} {" ".join(rest)}" wants to go on')
    actor = rest[-1] in lexicon.ACTORS or rest[-1].endswith(("er", "ers", "or", "ors"))
    if actor and verb not in ("show", "send"):
        return incomplete(UNLIKELY, f'"{verb} the {rest[-1]}" wants to go on')
    if verb in lexicon.CAUSATIVE:
        return Reading(TurnState.UNKNOWN, EVEN, f'"{verb}" somebody, or somebody do something')
    return None


def noun_to_come(said: Said) -> Reading | None:
    """ "what was the other": one of a kind, and not what of."""
    if said.words[-1] in lexicon.BEFORE_NOUN and said.words[-2:-1] in (["the"], ["my"], ["an"]):
        return incomplete(DOUBTFUL, f'ends with "{" ".join(said.words[-2:])}", and no noun')
    return None


def no_predicate(said: Said) -> Reading | None:
    """ "the agent that works on the migration": a whole answer, or nothing said of it yet."""
    core = said.core
    if not core or core[0] not in lexicon.ARTICLES or len(core) < SHORT_CLAUSE:
        return None
    verbs = [i for i, word in enumerate(core) if i and is_verb(word)]
    relative = next((i for i in range(1, len(core)) if core[i] in lexicon.RELATIVES), None)
    if not verbs and any(word in lexicon.PREPOSITIONS for word in core):
        return incomplete(DOUBTFUL, "somebody or something, and nothing said of it")
    if relative is not None and len(verbs) == 1 and verbs[0] > relative:
        return incomplete(DOUBTFUL, f'a clause with "{core[relative]}", and nothing after it')
    return None


def open_clause(said: Said) -> Reading | None:
    """ "tell it that the deadline": a subject, and its verb is still to come."""
    words = said.words
    if "that" not in words[1:-1]:
        return None
    rest = words[len(words) - 1 - list(reversed(words)).index("that") + 1 :]
    if rest[0] in lexicon.ARTICLES and len(rest) <= SHORT_CLAUSE and not any(map(is_verb, rest)):
        return incomplete(DOUBTFUL, f'"that {" ".join(rest)}" has no verb yet')
    return None


def unit(said: Said) -> Reading | None:
    """ "remind me in twenty": of what?"""
    words = said.words
    number = words[-1] in lexicon.NUMBERS or words[-1].isdigit()
    if number and len(words) > 2 and words[-2] in lexicon.BEFORE_UNITS:
        return incomplete(DOUBTFUL, f'ends with "{words[-2]} {words[-1]}", and no unit')
    if words[-1] == "too" and words[-2:-1] and words[-2] in lexicon.BE:
        return incomplete(DOUBTFUL, 'ends with "too"')
    return None


def subordinate(said: Said) -> Reading | None:
    """A clause with "if" or "when", and what it belongs to is to come."""
    core = said.core
    if len(core) < 2:
        return None
    as_soon = tuple(core[:3]) == ("as", "soon", "as")
    if not as_soon and core[0] not in lexicon.SUBORDINATORS:
        return None
    if core[1] in lexicon.AUXILIARIES and core[0] == "when":
        return None  # "when did it start"
    tail = SEPARATOR.split(said.text)[-1] if SEPARATOR.search(said.text) else ""
    if "then" in core or len(words_of(tail)) > 1 or len(core) > 9:
        return None
    return incomplete(UNLIKELY, f'a clause with "{core[0]}", and no main clause yet')
