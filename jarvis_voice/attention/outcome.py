"""What the user hears right after they decided something: one line to read back. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from jarvis_voice.attention.state import Refusal
from jarvis_voice.boundary import AnswerKind, UserAnswer, Verdict

_WORDS = 160


@dataclass(frozen=True, slots=True)
class Outcome:
    """``applied``: something changed; ``refusal``: why not, when the answer was stale."""

    line: str
    applied: bool
    refusal: Refusal | None = None


_REFUSED = {
    Refusal.UNKNOWN: "There is no such question open.",
    Refusal.CROSSED: "You said that before the question was there, so I did not take it.",
    Refusal.ALREADY_ANSWERED: "You answered that already. Say what you meant and I will change it.",
    Refusal.NOT_ANSWERED: "That question is still open; there is nothing to correct.",
    Refusal.RELEASED: "It was told already, so that can no longer be changed. I can still tell it.",
    Refusal.EXPIRED: "It could not wait any longer, so that answer came too late. I can tell it.",
    Refusal.WITHDRAWN: "That question has gone away, so nothing was changed.",
    Refusal.NOT_THE_USER: "Only you can answer that.",
}


def read_back(answer: UserAnswer, *, corrected: bool = False) -> Outcome:
    """What was understood."""
    begin = "Changed" if corrected else "Okay"
    words = " ".join(answer.words.split())
    words = words if len(words) <= _WORDS else words[: _WORDS - 1].rstrip() + "…"
    goes = "It goes ahead" if answer.verdict is Verdict.ALLOW else "It will not do that"
    if answer.kind is AnswerKind.DELEGATED:
        line = f"{begin}. I leave it to the agent."
    elif answer.kind is AnswerKind.WORDS and words:
        line = f'{begin}. {goes}, and I tell it: "{words}".'
    else:
        line = f"{begin}. {goes}."
    return Outcome(line, True)


def refused(refusal: Refusal) -> Outcome:
    """Why nothing changed."""
    return Outcome(_REFUSED[refusal], False, refusal)


def unwritten() -> Outcome:
    """The decision could not be kept, so it was not acted upon."""
    return Outcome(
        "I could not write that down, so I did not act on it. Please say it again.", False
    )


def put_off(wait_s: float, *, capped: bool, fail_closed: bool) -> Outcome:
    """The question comes later; ``capped`` when the agent cannot wait as long as was wished."""
    if wait_s < 20:
        then = "it will not be done" if fail_closed else "it goes ahead"
        return Outcome(f"It cannot wait much longer. Without an answer {then}.", True)
    minutes = round(wait_s / 60)
    when = f"{minutes} minutes" if minutes > 1 else "a minute" if minutes else "a moment"
    line = f"I will ask again in {when}."
    return Outcome(f"It cannot wait that long. {line}" if capped else line, True)


def guided(words: str, *, stop: bool) -> Outcome:
    """The agent is told at its next step."""
    words = " ".join(words.split())[:_WORDS]
    if stop:
        return Outcome("Okay. It is stopped at its next step.", True)
    return Outcome(f'Okay. At its next step I tell it: "{words}".', True)
