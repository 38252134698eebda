"""What a spoken question is after, told from the recognizer's text by rules. Pure, no model.

The text is made uniform first (case, punctuation, contractions, fillers, small mis-hearings), then
the first rule that fits decides. Rules about the run demand a subject that can be the run: "did the
deployment succeed" is about the deployment, which the run may know nothing of, so it fits no rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jarvis_voice.brain.intent_rules import RULES, Intent
from jarvis_voice.brain.vocabulary import KEYWORDS, LOOKALIKES

__all__ = ["Asked", "Intent", "one_apart", "understood", "uniform"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question understood: ``phrase`` is what CLARIFY asks about, ``words`` the uniform text."""

    intent: Intent
    words: str
    phrase: str = ""


_CONTRACTIONS = (
    (r"\b(what|how|who|where|when|why|that|there|here|he|she)'?s\b", r"\1 is"),
    (r"\bit's\b|\bits(?= (?:going|doing|done|running|working|finished|still|not|all)\b)", "it is"),
    (r"\b(what|how|who|where|why)'?re\b", r"\1 are"),
    (r"\b(they|we|you)'re\b", r"\1 are"),
    (r"\b(i|you|we|they)'ve\b", r"\1 have"),
    (r"\b(i|you|we|they|it|he|she|that)'(?:ll)\b", r"\1 will"),
    (r"\b(i|you|we|they)'d\b", r"\1 would"),
    (r"\bi'm\b", "i am"),
    (r"\bcan'?t\b", "can not"),
    (r"\bcannot\b", "can not"),
    (r"\bwon'?t\b", "will not"),
    (r"\b(did|do|does|is|are|was|were|has|have|had|could|should|would)n'?t\b", r"\1 not"),
    (r"\bwanna\b", "want to"),
    (r"\bgonna\b", "going to"),
)
_HEARD_WRONG = (
    (r"\bit (?:is|has) (?:been )?dun\b", "it is done"),
    (
        r"\b(?:house|how is|hows|how us) (?:it|is it|eat|at|he) (?:going|gone|growing|go)\b",
        "how is it going",
    ),
    (r"\bwhat is (?:fail|filled|field|filed)\b", "what is failed"),
    (r"\bwhat (?:filed|fail|fell|field)$", "what failed"),
    (r"\bwhat (?:has |have |is )?(?:change|chained|chanced|charged?|chains)\b", "what has changed"),
    (r"\bwhat did (?:it|he|eat) (?:fine|found|fined|finds|fight)\b", "what did it find"),
    (r"\bwhat is (?:it|he|eat) do(?:ing)?\b", "what is it doing"),
    (r"\bhow (?:for|fire|fall|far) along\b", "how far along"),
    (r"\bwhat is (?:on ?clear|and clear|uncle|unclean)\b", "what is unclear"),
    (r"\bwhich (?:vials?|piles?|fires?)\b", "which files"),
    (r"\bgo+ ?own\b", "go on"),
    (r"\bany (?:airways|arrows|eras|heirs|airs)\b", "any errors"),
    (r"^to (?:define|find) (?:anything|something)\b", "did it find anything"),
    (r"^(?:as|is|us) it finished\b", "has it finished"),
    (r"\b(?:say|said|see|save) (?:that|it) (?:again|a gain|against)\b", "say that again"),
    (r"\bby (?:health|hell|hailed|hold|held)$", "by held"),
    (
        r"\b(what|how|where|how far|how long) (it|things|everything|the run|the agent) "
        r"(is|was|has|have|had|are|were|did)\b",
        r"\1 \3 \2",
    ),
    (r"\bwhat (it|the agent) (found|said|wrote|changed|ran)\b", r"what has \1 \2"),
)
_FILLERS = re.compile(
    r"^(?:(?:um+|uh+|erm?|hm+|oh|ah|so|well|okay so|ok so|and|but|then|hey|hi|hello|okay|ok|"
    r"alright|right|now|please|yes|yeah|no|sorry|actually|listen|look|just|quickly|jarvis|jervis|javis|"
    r"travis|charvis|(?:can|could|would|will) you (?:please )?(?:just )?(?:tell|show|give) me|"
    r"tell me|do you know|i (?:want|would like) to know|i wonder|i was wondering|"
    r"can i ask|let me ask|one question|a question) )+"
)
_TRAILERS = re.compile(r"(?: (?:please|jarvis|then|now please|for me|thanks|thank you))+$")


def uniform(text: str) -> str:
    """Lower case, no punctuation but in names like out/a.txt, no contractions, no fillers."""
    words = text.lower().replace("\u2019", "'").replace("\u2018", "'").replace("\u2014", " ")
    words = re.sub(r"[^\w\s'./+-]|(?<!\w)[.'/+-]+|[.'/-]+(?=\s|$)", " ", words)
    words = re.sub(r"\s+", " ", words).strip()
    for pattern, better in _CONTRACTIONS:
        words = re.sub(pattern, better, words)
    return " ".join(_nearest_keyword(word) for word in words.replace("'", "").split())


def _repaired(words: str) -> str:
    """``words`` with the recognizer's usual slips undone, and indirect questions made direct."""
    for pattern, better in _HEARD_WRONG:
        words = re.sub(pattern, better, words)
    return words


def _nearest_keyword(word: str) -> str:
    """``word``, or the keyword that it misses by one letter."""
    if len(word) < 5 or word in KEYWORDS or word in LOOKALIKES or not word.isalpha():
        return word
    return next((key for key in KEYWORDS if len(key) >= 5 and one_apart(word, key)), word)


def one_apart(one: str, other: str) -> bool:
    """Whether one letter added, lost, changed or swapped with its neighbour tells them apart."""
    if one == other or abs(len(one) - len(other)) > 1:
        return one == other
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    return (len(left) <= 1 and len(right) <= 1) or (len(left) == 2 and left == right[::-1])


_COMPILED = tuple((intent, re.compile(pattern)) for intent, pattern in RULES)
_BEFORE_FILLERS = (
    Intent.GO_ON,
    Intent.REPEAT,
    Intent.GREETING,
    Intent.ACKNOWLEDGED,
    Intent.THANKS,
    Intent.GOODBYE,
)


def understood(text: str) -> Asked:
    """What ``text`` asks; UNKNOWN when no rule fits. Any text is taken."""
    whole = _TRAILERS.sub("", uniform(text[:600]))
    asked = _first(_repaired(whole), _BEFORE_FILLERS)
    if asked is not None:
        return asked
    words = _repaired(_FILLERS.sub("", whole + " ").strip())
    return _first(words, None) or Asked(Intent.UNKNOWN, words)


def _first(words: str, only: tuple[Intent, ...] | None) -> Asked | None:
    for intent, pattern in _COMPILED:
        if only is not None and intent not in only:
            continue
        found = pattern.search(words)
        if found:
            phrase = next((value for value in found.groupdict().values() if value), "")
            return Asked(intent, words, re.sub(r"^(?:the|a|an|that|this) ", "", phrase))
    return None
