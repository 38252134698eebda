"""The vocabulary of decisions: an action that an agent is about to take, and what became of it.

It stands beside ``events``: runs, attention, brain and wire all speak it, none of them owns it.
Texts that come from an agent are data: they are quoted, never obeyed, and never taken for consent.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class ProposedAction:
    """A tool call that a runtime offers for review before it runs.

    Secrets are redacted and texts are bounded at the door, so it can be stored, shown and spoken.
    """

    runtime: str  # "claude-code", "codex", "openclaw", ...
    project_id: str  # what belongs together: the working folder, or the parent's session
    run_id: str  # the runtime's own session or thread id
    action_id: str  # the runtime's own id of the call; derived from the call when it gives none
    tool: str
    summary: str  # one line for a person, such as "run: git push origin main"
    fingerprint: str  # sha256 of the tool and its canonical arguments, hex
    at_s: float  # Unix time at which it was offered
    parent_run_id: str | None = None  # of a native child
    batch_id: str | None = None  # calls of one model turn; None when the runtime does not tell
    command: str | None = None  # of a shell call, bounded
    files: tuple[str, ...] = ()  # it will have written when it succeeds
    content: str = ""  # what it would write or send, bounded; the start and the end of a long one
    truncated: bool = False  # ``content`` or ``command`` was cut
    waits_for_user: bool = False  # the runtime itself goes no further without its user's approval
    removes: tuple[str, ...] | None = None
    """Files of before that it takes away, where its command was tried out; None: not known."""


class Verdict(Enum):
    """What the runtime is told; the values are what the wire carries."""

    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The answer to one proposed action."""

    verdict: Verdict
    reason: str = ""  # for the agent, as facts: what the user decided and for what scope
    degraded: str = ""  # why nobody could be asked, when that is why it was allowed
    by_user: bool = False  # the user decided on this very call


class Urgency(Enum):
    """How soon a question should be put; higher first."""

    LOW = 1
    NORMAL = 2
    HIGH = 3


@dataclass(frozen=True, slots=True)
class AttentionRequest:
    """One question to the user about one or several held actions that share a decision."""

    request_id: str
    project_id: str
    run_ids: tuple[str, ...]
    action_ids: tuple[str, ...]  # held until it is answered
    question: str  # what is asked, one sentence, without jargon of the worker
    options: tuple[str, ...]  # short, in the words in which they can be answered
    about: str  # what is about to happen, one sentence
    why: str  # why this is the user's to decide
    quote: str  # the exact words, taken from the action or the run, that it rests on
    reason_code: str  # "authority", "preference", "private-fact" or "judgement"
    urgency: Urgency
    at_s: float  # Unix time at which the oldest action was held


class AnswerKind(Enum):
    """How the user answered."""

    CHOICE = "choice"  # one of the options
    WORDS = "words"  # guidance in the user's own words
    DELEGATED = "delegated"  # "you decide"
    EXPIRED = "expired"  # nobody answered in time; the chosen rule decides


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """What the user decided; only the user's own voice or keys can make one."""

    request_id: str
    kind: AnswerKind
    verdict: Verdict  # of the held actions
    words: str  # the user's words, as understood
    at_s: float
