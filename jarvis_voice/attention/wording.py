"""How Jarvis says it: questions, read-backs, explanations, lists, confirmations. Pure.

Short sentences for the ear. What comes from an agent is quoted and cut; the run is always named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jarvis_voice.attention.decisions import Answered, is_yes_or_no
from jarvis_voice.attention.naming import phrase_of
from jarvis_voice.boundary import AnswerKind, AttentionRequest, Verdict

QUOTE_CHARS = 160  # about ten seconds of speech
WORDS_CHARS = 120
LISTED = 3  # runs in a list; nobody keeps more in mind

Names = Mapping[str, str]
"""Run id to what it is called, such as "the release agent"."""

IF_WRONG = "Say no if that is wrong."
NOTHING_WAITS = "Nothing is waiting for you."


def question(request: AttentionRequest, names: Names) -> str:
    """The whole of it: which run, what it is about to do, the question, the options."""
    about = _about(request, names)
    asked = _asked(request)
    if asked.startswith("May ") and about.endswith(
        f"about to {effect(request)}."
    ):  # it would be said twice
        asked = "May it?" if len(request.run_ids) == 1 else "May they?"
    return " ".join(part for part in (about, asked, options(request)) if part)


def question_again(request: AttentionRequest, names: Names) -> str:
    """The same after nobody answered, or when the user asks for it."""
    return (
        f"{capital(phrase_of(names, request.run_ids))} asks: {_asked(request)} {options(request)}"
    )


def options(request: AttentionRequest) -> str:
    """What can be answered, as a question; empty when there is nothing to choose from."""
    said = [option for text in request.options if (option := cut(text, WORDS_CHARS).strip(" .?!"))]
    if not said:
        return ""
    joined = said[0] if len(said) == 1 else f"{', '.join(said[:-1])}, or {said[-1]}"
    return f"{capital(joined)}?"


def options_again(request: AttentionRequest) -> str:
    """The answer to "what are the options again?"."""
    listed = options(request)
    if not listed:
        return "There is nothing to choose from. Say it in your own words."
    return f"{listed} You can also say it in your own words, or let it decide."


def explain(request: AttentionRequest, names: Names) -> str:
    """Why it is asked, and the exact words that it rests on."""
    parts = [" ".join(request.why.split())]
    quote = cut(request.quote, QUOTE_CHARS)
    if quote and quote not in request.why:
        parts.append(f"{capital(phrase_of(names, request.run_ids))} has this: “{quote}”.")
    parts.append(_asked(request))
    return " ".join(part for part in parts if part)


def _about(request: AttentionRequest, names: Names) -> str:
    who = capital(phrase_of(names, request.run_ids))
    several = len(request.run_ids) > 1
    # what follows a colon is the agent's own text; it is told when the user asks why
    about = " ".join(request.about.split()).split(": ")[0].rstrip(".: ")
    found = re.match(r"It is about to (?P<what>.+)$", about, re.DOTALL)
    if found is not None:
        return f"{who} {'are' if several else 'is'} about to {found['what']}."
    return f"{who} {'need' if several else 'needs'} you. {about + '.' if about else ''}".strip()


def _asked(request: AttentionRequest) -> str:
    text = " ".join(request.question.split())
    if len(request.run_ids) > 1:
        text = re.sub(r"^May it\b", "May they", text)
    return text if text[-1:] in tuple('?.!"”') else f"{text}?"


# --- read-backs --------------------------------------------------------------------------------


def read_back(answer: Answered, names: Names, *, changed: bool = False) -> str:
    """What was understood, in one line, so that it can be corrected."""
    who = phrase_of(names, answer.request.run_ids)
    begin = "Changed" if changed else "All right"
    deed = effect(answer.request)
    if answer.kind is AnswerKind.DELEGATED:
        told = f"{who} decides that itself"
    elif answer.kind is AnswerKind.WORDS and answer.words:
        held = "may go on" if answer.verdict is Verdict.ALLOW else "holds that step"
        told = f"{who} {held}, and I tell it: {cut(answer.words, WORDS_CHARS)}"
    elif not is_yes_or_no(answer.request):
        told = f"{who} hears: {cut(answer.words, WORDS_CHARS)}"
    elif answer.verdict is Verdict.ALLOW:
        told = f"{who} may {deed}" if deed else f"{who} may go on"
    else:
        told = f"{who} does not {deed}" if deed else f"{who} does not do it"
    return f"{begin}: {sentence(told)} {IF_WRONG}"


def effect(request: AttentionRequest) -> str:
    """What a yes lets happen, as "push its work to main"; empty when it cannot be said so."""
    text = " ".join(request.question.split())
    found = re.match(r"May (?:it|this one) (?P<what>[^?:]+?)(?: now)?\?$", text)
    if found is None:
        found = re.match(r"It is about to (?P<what>[^:]+?)(?::|\.?$)", request.about)
    return cut(found["what"], WORDS_CHARS) if found else ""


def what_instead(request: AttentionRequest, names: Names) -> str:
    """The answer was taken back and nothing put in its place."""
    return f"All right, not that. What should {phrase_of(names, request.run_ids)} do instead?"


def confirm(request: AttentionRequest, names: Names, *, final: bool) -> str:
    """What a yes would do. ``final``: it cannot be undone."""
    who = phrase_of(names, request.run_ids)
    deed = effect(request) or "go on with that step"
    undone = " That cannot be undone." if final else ""
    return f"{capital(who)} would {deed}.{undone} Say yes to let it {deed}."


def confirm_all(requests: Sequence[AttentionRequest], names: Names) -> str:
    """What a yes to everything would do."""
    deeds = [
        f"{phrase_of(names, request.run_ids)} would {effect(request) or 'go on'}"
        for request in requests
    ]
    return f"{capital('; '.join(deeds))}. Say yes to let all of that happen."


def still_waits(request: AttentionRequest, names: Names) -> str:
    """Neither yes nor no was said to a confirmation."""
    deed = effect(request) or "go on"
    who = phrase_of(names, request.run_ids)
    return f"I need a clear yes or no. May {who} {deed}?"


def put_off(seconds: float | None) -> str:
    """The question comes again."""
    return f"All right. I ask you again {'later' if seconds is None else 'in ' + span(seconds)}."


def too_late(request: AttentionRequest, names: Names, words: str) -> str:
    """A correction after the agent was told: it is told again."""
    who = phrase_of(names, request.run_ids)
    return f"It was told already. I stop {who} at its next step and tell it: {_words(words)}"


def told(names: Names, run_ids: Sequence[str], words: str) -> str:
    """The read-back of guidance that was not asked for."""
    return f"All right: at its next step I tell {_all(names, run_ids)}: {_words(words)}"


def paused(names: Names, run_ids: Sequence[str]) -> str:
    """The read-back of a pause."""
    return f"All right: {_all(names, run_ids)} {_s(run_ids, 'pauses', 'pause')} at the next step."


def resumed(names: Names, run_ids: Sequence[str]) -> str:
    """The read-back of going on."""
    return f"All right: {_all(names, run_ids)} may go on."


def stopped(names: Names, run_ids: Sequence[str]) -> str:
    """The read-back of a stop."""
    verb = _s(run_ids, "is", "are")
    return f"All right: {_all(names, run_ids)} {verb} stopped at the next step."


def confirm_stop(names: Names, run_ids: Sequence[str]) -> str:
    """Before all of them are stopped."""
    return f"That stops {_all(names, run_ids)}. Say yes to stop them."


def is_over(names: Names, run_ids: Sequence[str]) -> str:
    """The run cannot be told anything."""
    verb = _s(run_ids, "has", "have")
    return f"{capital(_all(names, run_ids))} {verb} ended already."


def decided_all(count: int, *, allowed: bool) -> str:
    """The read-back of one decision on several questions."""
    return f"All right: {_count(count)} steps {'may go on' if allowed else 'are not done'}."


def which(names: Names, run_ids: Sequence[str], unknown: str = "") -> str:
    """Which of these is meant?"""
    said = [names.get(run_id, "an agent") for run_id in run_ids[: LISTED + 1]]
    listed = said[0] if len(said) == 1 else f"{', '.join(said[:-1])}, or {said[-1]}"
    if unknown:
        return f"I know no run called {cut(unknown, 40)}. Do you mean {listed}?"
    return f"Which one do you mean: {listed}?"


def shall_i_tell(names: Names, run_id: str, words: str) -> str:
    """A wish without anyone to hear it."""
    return f"Shall I tell {names.get(run_id, 'the agent')}: {_words(words)}"


def nothing_done() -> str:
    """The user did not confirm."""
    return "All right, I leave it as it is."


def waiting(requests: Sequence[AttentionRequest], names: Names) -> str:
    """The list of what waits for the user."""
    if not requests:
        return NOTHING_WAITS
    if len(requests) == 1:
        return f"One waits for you. {question(requests[0], names)}"
    lines = [f"{capital(_count(len(requests)))} wait for you."]
    for place, request in enumerate(requests[:LISTED]):
        lead = ("First", "Second", "Third")[place]
        lines.append(f"{lead}, {phrase_of(names, request.run_ids)}: {_asked(request)}")
    if len(requests) > LISTED:
        lines.append(f"And {_count(len(requests) - LISTED)} more.")
    return " ".join(lines)


def gone(request: AttentionRequest, names: Names, reason: str) -> str:
    """A question that was put needs no answer any more."""
    why = f": {' '.join(reason.split())}" if reason.strip() else ""
    return sentence(f"You need not answer {phrase_of(names, request.run_ids)} any more{why}")


def went_on(names: Names, run_id: str, reason: str, *, closed: bool = False) -> str:
    """A held action was let go without the user, or (``closed``) denied without them."""
    became = "was not let go on" if closed else "went on without you"
    return sentence(f"{capital(names.get(run_id, 'an agent'))} {became}, as {reason}")


# --- small things ------------------------------------------------------------------------------


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _count(value: int) -> str:
    return _NUMBERS[value] if value < len(_NUMBERS) else str(value)


def _all(names: Names, run_ids: Sequence[str]) -> str:
    if len(run_ids) > 2:
        return f"all {_count(len(run_ids))} agents"
    return phrase_of(names, run_ids)


def _s(run_ids: Sequence[str], one: str, many: str) -> str:
    return one if len(run_ids) == 1 else many


def _words(words: str) -> str:
    return sentence(cut(words, WORDS_CHARS))


def span(seconds: float) -> str:
    """A length of time as it is said."""
    if seconds < 90:
        return "a minute" if seconds >= 45 else f"{round(seconds)} seconds"
    minutes = round(seconds / 60)
    if minutes == 30:
        return "half an hour"
    if minutes < 60:
        return f"{_count(minutes)} minutes"
    hours = round(minutes / 60)
    return "an hour" if hours == 1 else f"{_count(hours)} hours"


def cut(text: str, limit: int) -> str:
    """One line, at most this long, ended at a word."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    return f"{text[:limit].rsplit(' ', 1)[0].rstrip(',;:. ')} and so on"


def sentence(text: str) -> str:
    """With a full stop unless it ends already."""
    return text if text[-1:] in tuple(".?!") else f"{text}."


def capital(text: str) -> str:
    """Begun like a sentence."""
    return text[:1].upper() + text[1:]
