"""How a decision of the user is worded for the agent: facts, never commands in a system's voice.

Agents are trained to distrust imperative text from tools; facts about what the user decided, with
its scope, are read as what they are. Every text ends with its receipt, which is how it is
recognized in the run's own record later.
"""

from __future__ import annotations

import hashlib
import re

from jarvis_voice.boundary import AnswerKind, Ruling, UserAnswer, Verdict

TEXT_CHARS = 1400
"""Fits into the 10 000 characters that a hook's answer may have, several times over."""

_RECEIPT = re.compile(r"\[decision (r-[0-9a-f]{16})\]")


def receipt_of(*parts: object) -> str:
    """A receipt that the same parts always give."""
    digest = hashlib.sha256("\0".join(str(part) for part in parts).encode("utf-8", "replace"))
    return f"r-{digest.hexdigest()[:16]}"


def receipts_in(text: str) -> tuple[str, ...]:
    """All receipts that stand in a text, each once, in order."""
    return tuple(dict.fromkeys(_RECEIPT.findall(text)))


def decision_text(question: str, answer: UserAnswer, receipt: str) -> str:
    """What the user decided when asked."""
    words = f'"{_cut(answer.words, TEXT_CHARS // 2)}"' if answer.words.strip() else ""
    if answer.kind is AnswerKind.DELEGATED:
        said = f"The user leaves this decision to you{': ' + words if words else ''}."
    elif words:
        said = f"The user decided: {words}."
    else:
        said = "The user agreed." if answer.verdict is Verdict.ALLOW else "The user declined."
    return f'The user was asked: "{_cut(question, 420)}" {said} [decision {receipt}]'


def guidance_text(words: str, receipt: str, *, stop: bool = False) -> str:
    """What the user said unasked."""
    quoted = f'"{_cut(words, TEXT_CHARS)}"' if words.strip() else ""
    if stop:
        said = f"The user stopped this{': ' + quoted if quoted else ''}."
    else:
        said = f"The user says: {quoted}."
    return f"{said} [decision {receipt}]"


def with_call(text: str, verdict: Verdict) -> str:
    """The decision on the very call that it is told with."""
    if verdict is Verdict.ALLOW:
        return text
    return f"{text} This call was not run. The work done so far stands."


def sibling_text(receipt: str) -> str:
    """For a call that was planned together with a denied one."""
    return (
        "This call was not run, because a call of the same turn was denied and the user's "
        f"decision may change this one too. See that call's result. [decision {receipt}]"
    )


def repeated_text(receipt: str) -> str:
    """For a call that is offered once more after its decision was told with another one."""
    return f"The decision on this call still stands and was told before. [decision {receipt}]"


def told_with(texts: tuple[str, ...], ruling: Ruling) -> str:
    """The reason of a ruling that also brings the run what it has not heard yet."""
    news = " ".join(text for text in texts if text not in ruling.reason)
    if ruling.reason or ruling.verdict is Verdict.ALLOW:
        return f"{ruling.reason} {news}".strip()
    return (
        f"{news} This call was not run, so that this is read before it. The work done so far "
        "stands, and a call that fits the decision can be made."
    )


def _cut(text: str, limit: int) -> str:
    text = " ".join(text.replace('"', "'").split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
