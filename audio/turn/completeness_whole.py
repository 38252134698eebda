"""Signs that it is whole: a question, a command, a statement, as far as they need nothing more."""

from __future__ import annotations

from collections.abc import Sequence

from audio.turn import completeness_words as lexicon
from audio.turn.reading import (
    CERTAIN,
    DOUBTFUL,
    EVEN,
    FAIR,
    LIKELY,
    PROBABLE,
    SHORT_CLAUSE,
    UNLIKELY,
    Reading,
    Said,
    complete,
    incomplete,
)

# In words: what is shorter often goes on.
_SHORT_COMMAND, _SHORT_STATEMENT = 5, 6


def short_answer(said: Said) -> Reading | None:
    """An answer of few words that everybody gives: "yes", "you decide"."""
    phrase = " ".join(word for word in said.words if word not in ("jarvis", "um", "uh"))
    if phrase in lexicon.SHORT_ANSWERS:
        sure = FAIR if phrase in lexicon.LONE_ANSWERS else LIKELY  # "yes, but ..."
        return complete(sure, f'a whole answer: "{phrase}"')
    return None


def question(said: Said) -> Reading | None:
    """A question that lacks nothing."""
    core = said.core
    if len(core) < 2:
        return None
    mark = said.text.endswith("?")
    if core[0] in lexicon.WH_WORDS:
        return _half_asked(core, mark) or complete(CERTAIN if mark else LIKELY, "a whole question")
    if core[0] in lexicon.AUXILIARIES and core[0] not in ("dont", "do") and len(core) > 2:
        if len(core) == 3 and core[0] not in lexicon.BE:  # "may it push": what, and where?
            return complete(FAIR, "a yes-or-no question, as short as can be")
        return complete(LIKELY if mark else PROBABLE, "a whole yes-or-no question")
    if mark and len(core) > 2:
        return complete(LIKELY, "a question")
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
            return incomplete(DOUBTFUL, f'"{" ".join(core)}" wants to go on')
        if named and core[0] in ("how", "what") and not mark:
            return complete(PROBABLE, "a question that may go on")
        return None
    if not rest and core[at] == "do" and len(core) == 2:
        return incomplete(UNLIKELY, f'"{" ".join(core)}" has no verb yet')
    verb = len(rest) == 2 and rest[0] in ("this", "that") and rest[1] not in lexicon.ACTORS
    if lone or (named and len(rest) == 2 and not verb):  # "why did that fail" has one
        return incomplete(UNLIKELY, f'"{" ".join(core)}" has no verb yet')
    return None


def _without_auxiliary(core: Sequence[str]) -> Reading | None:
    verb = any(word in lexicon.PAST or word.endswith("ed") for word in core[1:])
    short = core[0].endswith("s") and core[0] != "whose"  # "what's", "how's": the verb is in it
    if verb or core[1] in lexicon.WHOLE_IN_TWO:
        return None
    if short:
        lone = len(core) == 2 and core[1] in lexicon.PRONOUNS and core[0] not in lexicon.PLACE_WORDS
        return incomplete(DOUBTFUL, f'"{" ".join(core)}" wants to go on') if lone else None
    if len(core) <= 3:
        return incomplete(UNLIKELY, f'"{" ".join(core)}" has no verb yet')
    return None


def command(said: Said) -> Reading | None:
    """Whole, but one more place, time or reason may follow; the less was said, the likelier."""
    core = said.core
    told = core[1:2] and core[0] in ("tell", "show", "ask") and core[1] in lexicon.OBJECTS
    if told and len(core) > SHORT_CLAUSE and core[2] in lexicon.WH_WORDS:
        return complete(LIKELY, "asks to be told something")
    if core and core[0] in lexicon.COMMANDS and len(core) > 1:
        return complete(PROBABLE if len(core) > _SHORT_COMMAND else FAIR, "a whole command")
    return None


def statement(said: Said) -> Reading | None:
    """A statement with a subject and a verb."""
    core = said.core
    if not core:
        return None
    if "then" in core and core[0] in lexicon.SUBORDINATORS:
        return complete(PROBABLE, "a condition and what follows from it")
    known = lexicon.AUXILIARIES | lexicon.PAST
    pronoun = core[0] in lexicon.PRONOUNS | lexicon.OPEN_SUBJECTS | {"maybe", "these", "those"}
    if pronoun:
        known |= lexicon.TRANSITIVE | lexicon.COMMANDS
    has_verb = any(word in known or word.endswith("ed") for word in core[1:])
    if not has_verb or not (pronoun or core[0] in lexicon.ARTICLES):
        return None
    if len(core) > _SHORT_STATEMENT:
        return complete(PROBABLE, "a whole statement")
    return complete(EVEN, "a short statement, which may go on") if len(core) >= 3 else None
