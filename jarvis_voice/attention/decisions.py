"""A yes, a no, one of the options, or guidance in the user's own words. Pure.

Options may come from an agent's text: they are only compared with what the user said. An option
lets a held action run only when it is one of the few words that plainly say so; any other option
names content, and the agent acts on it anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jarvis_voice.attention import phrases
from jarvis_voice.attention.utterance import (
    Utterance,
    digits,
    is_nearly,
    one_apart,
    squashed,
    utterance,
)
from jarvis_voice.boundary import AnswerKind, AttentionRequest, Verdict


@dataclass(frozen=True, slots=True)
class Answered:
    """A decision. ``clear`` tells that it was said in so many words, as the irreversible needs."""

    request: AttentionRequest
    kind: AnswerKind
    verdict: Verdict
    words: str
    clear: bool = True


_GOES_AHEAD = frozenset(
    ("go ahead", "yes", "allow", "allow it", "approve", "approve it", "leave it open", "leave open")
)
_HOLDS_OFF = frozenset(("hold off", "no", "deny", "deny it", "reject", "stop", "stop it"))


def lets_go(option: str) -> bool | None:
    """Whether choosing this option lets the held action run, stops it, or (None) names content."""
    words = utterance(option).words
    if words in _GOES_AHEAD:
        return True
    return False if words in _HOLDS_OFF else None


def decision(spoken: Utterance, request: AttentionRequest) -> Answered | None:
    """A yes, a no, a delegation or an option; None for anything else."""
    words = spoken.words
    if is_nearly(words, phrases.DELEGATE):
        return delegated(request, spoken.text)
    if is_nearly(words, phrases.CLEAR_YES):
        return _yes(request, spoken, clear=True)
    if is_nearly(words, phrases.SOFT_YES):
        return _yes(request, spoken, clear=False)
    if is_nearly(words, phrases.NO):
        return _no(request, spoken)
    picked = option_in(words, request.options)
    if picked is not None:
        return chosen(request, picked)
    return _with_more(spoken, request)


def is_yes_or_no(request: AttentionRequest) -> bool:
    """It can be answered by yes or no: no option of it names content."""
    return all(lets_go(option) is not None for option in request.options)


def _yes(request: AttentionRequest, spoken: Utterance, *, clear: bool) -> Answered | None:
    if not is_yes_or_no(request):
        return None  # "yes" to "UTC or local time?" decides nothing
    word = next((item for item in request.options if lets_go(item)), "yes")
    return Answered(request, AnswerKind.CHOICE, Verdict.ALLOW, word, clear)


def _no(request: AttentionRequest, spoken: Utterance) -> Answered:
    word = next((item for item in request.options if lets_go(item) is False), "no")
    return Answered(request, AnswerKind.CHOICE, Verdict.DENY, word)


def delegated(request: AttentionRequest, words: str) -> Answered:
    """The user leaves it to the agent: a yes-or-no action goes on, an open choice is made anew."""
    verdict = Verdict.ALLOW if is_yes_or_no(request) else Verdict.DENY
    return Answered(request, AnswerKind.DELEGATED, verdict, words.strip(" .,!"), clear=False)


def chosen(request: AttentionRequest, option: str) -> Answered:
    """One of the options. What names content is told to the agent, which then acts on it anew."""
    goes = lets_go(option)
    if utterance(option).words in phrases.DELEGATE:
        return delegated(request, option)
    verdict = Verdict.ALLOW if goes else Verdict.DENY
    return Answered(request, AnswerKind.CHOICE, verdict, option, clear=goes is not None)


_YES_START = re.compile(
    r"^(?:yes|yeah|yep|okay|sure|go ahead|do it|all right|fine|approve(?: it)?) "
)
_NO_START = re.compile(r"^(?:no|nope|dont|do not|deny(?: it)?|reject(?: it)?|hold off) ")
_LIMITS = re.compile(
    r"\b(?:but|only|unless|except|instead|without|not|dont|rather|first|before|until|however|"
    r"as long as|provided|if|when|after|once)\b"
)


def _with_more(spoken: Utterance, request: AttentionRequest) -> Answered | None:
    """ "yes, but only to the branch", "no, use v2": a decision and guidance in one."""
    words = spoken.words
    found = _YES_START.match(words)
    if found is not None:
        rest = spoken.after(found.end())
        if _LIMITS.search(rest.words) or not is_yes_or_no(request):
            return guidance(spoken, request)  # the action as it is held is not what they agreed to
        return Answered(request, AnswerKind.WORDS, Verdict.ALLOW, _words_of(spoken), clear=True)
    found = _NO_START.match(words)
    if found is not None:
        keep_no = words.startswith(("dont", "do not"))
        told = spoken if keep_no else spoken.after(found.end())
        picked = None if keep_no else option_in(told.words, request.options)
        return chosen(request, picked) if picked is not None else guidance(told, request)
    return None


def guidance(spoken: Utterance, request: AttentionRequest) -> Answered:
    """The user's own words: the held action is not run, so that they are read before the next."""
    return Answered(request, AnswerKind.WORDS, Verdict.DENY, _words_of(spoken))


def _words_of(spoken: Utterance) -> str:
    words = spoken.original(0)
    told = re.sub(
        r"^(?:please )?(?:tell (?:it|him|her|them|the agent)|i (?:would|d) like it|i want it|"
        r"it should|have it|make it|let it|ask it)(?: to)? ",
        "",
        words,
        flags=re.IGNORECASE,
    )
    return told or words


_CARRIERS = frozenset(
    """a an the use take choose pick prefer want go with i ill id would like rather lets let it be
    is should make say option options one number please answer for my me choice do that then to we s
    okay yes definitely maybe think guess um uh so well in of""".split()
)
_ORDINALS = {
    "first": 0, "1": 0, "1st": 0, "former": 0, "a": 0, "second": 1, "2": 1, "2nd": 1, "other": -1,
    "latter": -1, "b": 1, "third": 2, "3": 2, "3rd": 2, "c": 2, "fourth": 3, "4": 3, "4th": 3,
    "last": -1, "final": -1,
}  # fmt: skip
_PLACE = re.compile(
    r"^(?:(?:i|ill|id|lets|would|like|want|take|choose|pick|prefer|use|say|go|with|do|rather|for|"
    r"make|it|the|please|um|uh|okay) )*(?:(?:the )?(?P<place>first|second|third|fourth|last|latter|"
    r"former|other|1st|2nd|3rd|4th|final)(?: (?:one|option|choice|thing|1))?|"
    r"(?:option|number|choice|answer) (?:number )?(?P<number>[1-4]|a|b|c))$"
)


def option_in(words: str, options: tuple[str, ...]) -> str | None:
    """The option that these words name, by place or by its words; None when none or several."""
    counted = digits(re.sub(r"^(?:how|what) about ", "", words))
    found = _PLACE.match(counted)
    if found is not None:
        return _at_place(found["place"] or found["number"], options)
    whole = [option for option in options if squashed(option) == squashed(counted)]
    if whole:
        return whole[0]
    spoken = [word for word in re.findall(r"[a-z0-9]+", counted) if word not in _CARRIERS]
    if not spoken or "not" in spoken or "dont" in spoken:
        return None
    fitting = [option for option in options if _names(spoken, option, options)]
    return fitting[0] if len(fitting) == 1 else None


def _at_place(place: str, options: tuple[str, ...]) -> str | None:
    index = _ORDINALS[place]
    if place in ("other", "latter", "former") and len(options) != 2:
        return None
    return options[index] if -len(options) <= index < len(options) else None


def _names(spoken: list[str], option: str, options: tuple[str, ...]) -> bool:
    """All that was said belongs to the option, and some of it to this one alone."""
    mine = _tokens(option)
    others = {word for other in options if other != option for word in _tokens(other)}
    if _sounds_like(squashed(" ".join(spoken)), squashed(option)):
        return True
    own = [word for word in mine if word not in others]
    return all(_is_in(word, mine) for word in spoken) and any(_is_in(w, own) for w in spoken)


def _sounds_like(spoken: str, option: str) -> bool:
    """The same but for one letter ("UTSC" for "UTC"); figures must be the same."""
    if spoken == option:
        return True
    figures = [re.sub(r"[^0-9]", "", text) for text in (spoken, option)]
    return len(option) >= 3 and figures[0] == figures[1] and one_apart(spoken, option)


def _tokens(option: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", digits(re.sub(r"[^\w]", " ", option.lower())))


def _is_in(word: str, known: list[str]) -> bool:
    return any(word == other or (len(word) >= 5 and one_apart(word, other)) for other in known)
