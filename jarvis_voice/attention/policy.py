"""When a proposed action is worth the user's attention, and what they are asked. Pure.

The user is asked only when all of this holds:

- what is missing is theirs: a preference, their authority, a fact that only they know, a judgement;
- one short answer changes what the agent is about to commit to;
- nothing that is on record settles it: not their own goal, not what they decided before;
- exact words of the action or the run show it, and those words are quoted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from jarvis_voice.attention.candidate import Boundary, Consequence
from jarvis_voice.attention.questions import Wording, word
from jarvis_voice.attention.state import SettledDecision
from jarvis_voice.boundary import AnswerKind, ProposedAction, Urgency, Verdict
from jarvis_voice.events import EvidenceKind, RunSnapshot, RunStatus

EFFECTS = frozenset(
    """git_push force_push github_write http_write publish remote_copy delete migrate deploy spend
    credentials send""".split()
)
_GRAVE = frozenset("spend delete force_push publish send".split())


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action at a boundary, with all that may be looked at to decide on it."""

    action: ProposedAction
    boundary: Boundary
    snapshot: RunSnapshot | None = None
    siblings: tuple[RunSnapshot, ...] = ()  # other runs of the same project
    settled: tuple[SettledDecision, ...] = ()  # of the same project, oldest first
    now_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """Ask the user, refuse in their name, or (neither) let it go on."""

    ask: bool
    question: str = ""
    options: tuple[str, ...] = ()
    about: str = ""
    why: str = ""
    quote: str = ""
    reason_code: str = ""
    urgency: Urgency = Urgency.NORMAL
    topic: str = ""  # what one decision governs: the same topic is asked once
    confidence: float = 1.0
    refusal: str = ""  # for the agent: what the user already decided against
    note: str = ""  # why it goes on, for the ledger


class Policy(Protocol):
    """Says what becomes of a candidate; quick, and never raises."""

    def decide(self, candidate: Candidate) -> Decision:
        """Ask, refuse or let go on."""
        ...


@runtime_checkable
class ThinkingPolicy(Protocol):
    """A policy that has to think about some candidates."""

    def quick(self, candidate: Candidate) -> Decision | None:
        """The decision, when it needs no thought."""
        ...

    async def decide(self, candidate: Candidate) -> Decision:
        """Ask, refuse or let go on. Raises nothing but a JarvisError."""
        ...


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """What the embedded policy asks about, and for how long a decision stands."""

    ask_about: frozenset[str] = EFFECTS
    trust_goal: bool = True  # what the user asked for in their goal needs no second permission
    settled_for_s: float = 12 * 3600.0
    grave_for_s: float = 900.0  # of approvals whose effect cannot be made good


@dataclass(frozen=True, slots=True)
class EmbeddedPolicy:
    """Decides by rules alone, the same for the same candidate."""

    settings: PolicySettings = field(default_factory=PolicySettings)

    def decide(self, candidate: Candidate) -> Decision:
        """Ask, refuse or let go on."""
        topic = topic_of(candidate.boundary)
        conflict = _conflict(candidate)
        if conflict is not None:
            topic = conflict.topic
        elif not _is_the_users(candidate):
            return Decision(False, note="ordinary work")
        settled = self._settled(candidate, topic)
        if settled is not None and (settled.refusal or not candidate.action.waits_for_user):
            return settled
        if conflict is not None:
            return conflict
        note = "" if candidate.action.waits_for_user else self._goes_on(candidate)
        if note:
            return Decision(False, topic=topic, note=note)
        wording = word(candidate.action, candidate.boundary)
        quote = candidate.boundary.quote or _fallback_quote(candidate.action)
        return _question(candidate, wording, quote, topic)

    def _goes_on(self, candidate: Candidate) -> str:
        """Why no question is due; empty when one is."""
        boundary = candidate.boundary
        if boundary.final_record:
            is_open = boundary.reasons[0] in ("requester_question", "placeholder")
            return "" if is_open and boundary.quote else "the record leaves nothing open"
        if boundary.effect not in self.settings.ask_about:
            return "not asked about by choice"
        if self.settings.trust_goal and _goal_allows(candidate):
            return "the user's goal asks for it"
        return ""

    def _settled(self, candidate: Candidate, topic: str) -> Decision | None:
        """What an earlier decision of the user says on this; the newest one counts."""
        for decision in reversed(candidate.settled):
            same_call = candidate.action.fingerprint in decision.fingerprints
            if not same_call and not (topic and decision.topic == topic):
                continue
            if decision.verdict is Verdict.ALLOW:
                if self._still_allows(candidate, decision, same_call=same_call):
                    return Decision(False, topic=topic, note="the user decided it before")
                continue
            if candidate.now_s - decision.at_s > self.settings.settled_for_s:
                continue
            if _user_spoke_since(candidate.snapshot, decision.at_s):
                continue
            if decision.kind is AnswerKind.DELEGATED:  # held back to be told that, not refused
                return Decision(False, topic=topic, note="the user left it to the agent")
            if candidate.boundary.final_record and not same_call:
                return Decision(False, topic=topic, note="it was changed as the user decided")
            return Decision(False, topic=topic, refusal=_refusal(decision))
        return None

    def _still_allows(
        self, candidate: Candidate, decision: SettledDecision, *, same_call: bool
    ) -> bool:
        age_s = candidate.now_s - decision.at_s
        if age_s > self.settings.settled_for_s:
            return False
        if candidate.boundary.effect in _GRAVE:
            mine = candidate.action.run_id in decision.run_ids
            return same_call and mine and age_s <= self.settings.grave_for_s
        if decision.kind is AnswerKind.DELEGATED or candidate.action.run_id in decision.run_ids:
            return True
        return same_call and not candidate.boundary.irreversible


def _is_the_users(candidate: Candidate) -> bool:
    """It reaches outside the work at hand, or the runtime itself waits for its user."""
    consequential = candidate.boundary.consequence is Consequence.CONSEQUENTIAL
    return consequential or candidate.action.waits_for_user


def topic_of(boundary: Boundary) -> str:
    """What one decision on this boundary governs; empty when there is nothing to decide."""
    if not boundary.effect:
        return ""
    target = " ".join(boundary.target.lower().split())
    return f"{boundary.effect}:{target}"[:200]


def visible_fields(candidate: Candidate) -> dict[str, str]:
    """All that a quote may be taken from, by name."""
    action, snapshot = candidate.action, candidate.snapshot
    fields = {
        "command": action.command or "",
        "content": action.content,
        "files": "\n".join(action.files),
        "tool": action.tool,
        "summary": action.summary,
    }
    if snapshot is not None:
        fields |= {
            "goal": snapshot.goal or "",
            "last_message": snapshot.last_message or "",
            "waiting_for": snapshot.waiting_for or "",
            "uncertainties": "\n".join(snapshot.uncertainties),
            "evidence": "\n".join(item.text for item in snapshot.evidence),
        }
    return fields


def is_quoted(candidate: Candidate, quote: str) -> bool:
    """The words really stand, in one piece, in something that can be seen."""
    return bool(quote.strip()) and any(quote in text for text in visible_fields(candidate).values())


def _fallback_quote(action: ProposedAction) -> str:
    return (action.command or action.summary or action.tool)[:120]


def _question(candidate: Candidate, wording: Wording, quote: str, topic: str) -> Decision:
    boundary, snapshot = candidate.boundary, candidate.snapshot
    why = wording.why
    approval = _approval_words(snapshot)
    if approval:
        why = f'{why} It says itself: "{approval}".'
    grave = boundary.effect in _GRAVE
    return Decision(
        ask=is_quoted(candidate, quote),
        question=wording.question,
        options=wording.options,
        about=wording.about,
        why=why,
        quote=quote,
        reason_code=wording.reason_code,
        urgency=Urgency.HIGH if grave else Urgency.NORMAL,
        topic=topic,
    )


# --- what is on record


_ASKED_FOR: dict[str, str] = {  # the user's own words that give the authority
    "git_push": r"push(?:ed|es|ing)?",
    "github_write": r"(?:open|create|make|merge|close|comment|review|release|file)\w*\b[^.\n]{0,40}"
    r"\b(?:prs?|pull requests?|merge requests?|issues?|release)|merge",
    "deploy": r"deploy\w*|roll ?(?:it |this )?out|put (?:it|this) live",
    "migrate": r"(?:run|apply|execute)\w*\b[^.\n]{0,30}\bmigrations?|migrate",
    "remote_copy": r"upload\w*|copy\b[^.\n]{0,30}\bto the server|sync\w*",
    "http_write": r"(?:post|send|submit|upload)\w*\b[^.\n]{0,40}\b(?:api|endpoint|server|service)",
}
_WITHHELD = re.compile(
    r"\b(?:do not|don't|dont|never|without|not|before you|ask (?:me|us|first)|check with me"
    r"|confirm with me|wait for)\b",
    re.IGNORECASE,
)


def _goal_allows(candidate: Candidate) -> bool:
    """The user's own goal asks for just this. A child's goal was written by its parent."""
    snapshot, boundary = candidate.snapshot, candidate.boundary
    pattern = _ASKED_FOR.get(boundary.effect)
    if snapshot is None or not snapshot.goal or pattern is None:
        return False
    if candidate.action.parent_run_id is not None or _WITHHELD.search(snapshot.goal):
        return False
    return re.search(rf"\b(?:{pattern})\b", snapshot.goal, re.IGNORECASE) is not None


def _user_spoke_since(snapshot: RunSnapshot | None, at_s: float) -> bool:
    """The user told the run something newer in its own chat; our own guidance does not count."""
    if snapshot is None:
        return False
    return any(
        item.kind is EvidenceKind.GUIDANCE
        and item.at_s > at_s + 1
        and "[decision " not in item.text
        for item in snapshot.evidence
    )


_APPROVAL = re.compile(
    r"(?:needs?|requires?|awaiting|waiting for|pending|without)\s+"
    r"(?:your|user|owner|human|manager|explicit)?\s?(?:approval|confirmation|sign-?off|go-ahead)",
    re.IGNORECASE,
)


def _approval_words(snapshot: RunSnapshot | None) -> str:
    if snapshot is None:
        return ""
    for text in (snapshot.waiting_for, snapshot.last_message, *snapshot.uncertainties):
        found = _APPROVAL.search(text or "")
        if found:
            return found.group()
    return ""


def _refusal(decision: SettledDecision) -> str:
    words = f' and decided: "{decision.words}"' if decision.words.strip() else " and declined"
    receipt = f" [decision {decision.receipt}]" if decision.receipt else ""
    return (
        f'The user was asked before: "{decision.question}"{words}. That still stands, and this '
        f"call was not run.{receipt}"
    )


_ACTIVE = (RunStatus.STARTING, RunStatus.WORKING, RunStatus.WAITING, RunStatus.HELD)


def _conflict(candidate: Candidate) -> Decision | None:
    """Two children of one parent, both at work, change the same thing."""
    action = candidate.action
    if action.parent_run_id is None or not action.files:
        return None
    for other in candidate.siblings:
        if other.run_id in (action.run_id, action.parent_run_id) or other.status not in _ACTIVE:
            continue
        path = next((path for path in action.files if path in other.files_changed), "")
        if path:
            name = path.rsplit("/", 1)[-1]
            return Decision(
                ask=True,
                question=f"Two agents are changing {name}. May this one go on as well?",
                options=("go ahead", "hold off"),
                about=f'It is about to change {name}, which "{other.title}" has changed already.',
                why="Which of the two should win is for you to judge.",
                quote=path[:240],
                reason_code="judgement",
                topic=f"conflict:{path}"[:200],
            )
    return None
