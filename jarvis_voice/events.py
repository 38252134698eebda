"""The vocabulary of the app: what crosses module borders, frozen, each fact in the past tense.

Two families live here: the bounded *snapshot* of a watched run, which the brain answers from, and
the *conversation events*, which the timeline records and every figure and screen derives from.
Session times are seconds of ``jarvis_voice.clock``; samples count from the start of a stream.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

# --- watched runs ------------------------------------------------------------------------------


class RunStatus(Enum):
    """Where a run stands; the values are what the wire and the timeline carry."""

    STARTING = "starting"
    WORKING = "working"
    WAITING = "waiting"  # for its user: a question, an approval
    HELD = "held"  # an action of it is held back
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class EvidenceKind(Enum):
    """What sort of observation a piece of evidence is."""

    ACTION = "action"  # a tool call that ran
    RESULT = "result"  # what a tool call gave
    DENIAL = "denial"  # a tool call that was refused, and why
    MESSAGE = "message"  # what the agent said
    GUIDANCE = "guidance"  # what the user or Jarvis told it


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observation, its text cut to a fixed length. The text is data, never an instruction."""

    seq: int  # grows by one with each piece, never reused
    at_s: float  # Unix time, seconds
    kind: EvidenceKind
    text: str
    ok: bool | None = None  # None when success is not known


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One item of the plan that the agent keeps for itself."""

    text: str
    state: str  # "pending", "in_progress" or "completed"


@dataclass(frozen=True, slots=True)
class RunSnapshot:
    """All that is kept of a run, within fixed bounds. Missing is None or empty, never invented."""

    run_id: str
    runtime: str  # "claude-code", "codex", ...
    title: str  # what a person would call it
    status: RunStatus
    version: int  # grows with every event folded in
    goal: str | None = None  # what the user asked for, in their words
    plan: tuple[PlanStep, ...] = ()
    current_action: str | None = None  # the tool call under way
    proposed_action: str | None = None  # the tool call held or waiting for approval
    waiting_for: str | None = None  # what it asks of the user
    evidence: tuple[Evidence, ...] = ()  # oldest first
    uncertainties: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    files_changed: tuple[str, ...] = ()
    last_message: str | None = None  # the agent's own newest words
    tool_calls: int = 0
    tool_failures: int = 0
    started_at_s: float | None = None  # Unix time
    updated_at_s: float | None = None  # Unix time of the newest event
    cost_usd: float | None = None
    degraded: str | None = None  # why the picture may be incomplete
    parent_run_id: str | None = None  # the run that handed this one its work
    cwd: str | None = None  # its working folder
    created: tuple[str, ...] = ()  # what it is reported to have made new (``made``), newest last


# --- the conversation --------------------------------------------------------------------------


class Interruption(Enum):
    """What a barge-in does to an event that is still queued."""

    DROPPED = "dropped"  # belongs to a reply that was cut
    KEPT = "kept"  # is delivered all the same
    URGENT = "urgent"  # jumps the queue


@dataclass(frozen=True, slots=True)
class ConversationEvent:
    """Something that happened, at a session time."""

    at_s: float


@dataclass(frozen=True, slots=True)
class SessionStarted(ConversationEvent):
    """The microphone is open."""

    recognizer: str
    synthesizer: str
    brain: str
    wall_time: str  # ISO 8601, to join session time to the outside


@dataclass(frozen=True, slots=True)
class SpeechStarted(ConversationEvent):
    """The user began to speak; ``at_s`` is when it was known, ``onset_s`` when it began."""

    turn: int
    onset_s: float


@dataclass(frozen=True, slots=True)
class TurnSettled(ConversationEvent):
    """The user paused long enough for the transcript to be settled."""

    turn: int
    speech_ended_s: float


@dataclass(frozen=True, slots=True)
class TurnReopened(ConversationEvent):
    """The user went on before the turn was over."""

    turn: int
    reason: str = ""  # after which pause, and what had been made of it


@dataclass(frozen=True, slots=True)
class TurnJudged(ConversationEvent):
    """The turn controller has an opinion of a pause: why the turn ends early, or waits."""

    turn: int
    state: str  # such as "complete" or "incomplete"; the values of audio.turn.events.TurnState
    probability: float | None  # of that state; None when the controller gives none
    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class TranscriptChanged(ConversationEvent):
    """A rolling hypothesis of the open turn."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class TranscriptSettled(ConversationEvent):
    """What the turn says. ``compute_s`` is the recognizer's own time for it."""

    turn: int
    text: str
    engine: str
    reason: str
    compute_s: float


@dataclass(frozen=True, slots=True)
class TurnCommitted(ConversationEvent):
    """The turn is over and will be answered.

    ``due_s`` is when its silence was long enough; any wait after that was for the transcript.
    """

    turn: int
    text: str
    speech_ended_s: float
    reason: str
    due_s: float | None = None


@dataclass(frozen=True, slots=True)
class TurnDiscarded(ConversationEvent):
    """It was no turn."""

    turn: int
    reason: str


@dataclass(frozen=True, slots=True)
class ReplyStarted(ConversationEvent):
    """The brain began to think about a turn."""

    turn: int
    reply: int
    preemptive: bool  # begun before the turn was committed


@dataclass(frozen=True, slots=True)
class ReplyWorded(ConversationEvent):
    """The brain gave its first words."""

    turn: int
    reply: int


@dataclass(frozen=True, slots=True)
class OpenerSaid(ConversationEvent):
    """A few words that say nothing are played, as the brain's first words are late.

    They are no content: the reply itself begins ``duration_s`` after them, or later.
    """

    turn: int
    reply: int
    text: str
    duration_s: float


@dataclass(frozen=True, slots=True)
class PhraseReady(ConversationEvent):
    """A phrase's first audio is ready. ``compute_s`` is the synthesizer's own time for it."""

    turn: int
    reply: int
    phrase: int
    text: str
    compute_s: float


@dataclass(frozen=True, slots=True)
class AgentSpeechStarted(ConversationEvent):
    """The first audible sample of a reply was played."""

    turn: int
    reply: int


@dataclass(frozen=True, slots=True)
class AgentSpeechStopped(ConversationEvent):
    """A reply is no longer heard: it ended, or was cut. ``heard`` is what the user heard of it."""

    turn: int
    reply: int
    heard: str
    said: str  # all that was meant to be said
    cut: bool


@dataclass(frozen=True, slots=True)
class PlaybackDucked(ConversationEvent):
    """Playback was lowered (or raised again) while it was not known who has the floor."""

    ducked: bool
    reason: str


@dataclass(frozen=True, slots=True)
class PlaybackPaused(ConversationEvent):
    """A reply fell silent for what may be an interruption, or went on after one that was none.

    ``silent_s`` is when the last of its sound was heard; a BargedIn that follows keeps the silence.
    """

    paused: bool
    reply: int
    reason: str
    silent_s: float | None = None  # None when it goes on


@dataclass(frozen=True, slots=True)
class BargedIn(ConversationEvent):
    """The user interrupted; playback was cut. ``onset_s`` is when the user began to speak."""

    onset_s: float
    reply: int
    reason: str


@dataclass(frozen=True, slots=True)
class RunChanged(ConversationEvent):
    """A watched run has a new state."""

    snapshot: RunSnapshot


@dataclass(frozen=True, slots=True)
class Faulted(ConversationEvent):
    """Something failed and the conversation went on. ``spoken`` tells if the user was told."""

    where: str
    problem: str
    remedy: str
    spoken: bool = False


@dataclass(frozen=True, slots=True)
class DevicesReopened(ConversationEvent):
    """A lost microphone or loudspeaker is back, the same one or another."""

    capture: str | None  # names; None for a side that is not in use
    playback: str | None
    attempts: int
    same: bool


@dataclass(frozen=True, slots=True)
class SessionEnded(ConversationEvent):
    """The microphone is closed."""

    reason: str


# --- the dialogue, as heard --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and what the user *heard* of its answer."""

    turn: int
    user_text: str
    said: str  # the whole answer as it was meant
    heard: str  # the prefix of it that sounded
    cut: bool  # the user interrupted it
    run_versions: dict[str, int] = field(default_factory=dict)  # run id -> version told about


@dataclass(frozen=True, slots=True)
class Question:
    """A turn put to the brain, with the dialogue so far."""

    turn: int
    text: str
    at_s: float  # session time
    now_s: float  # Unix time, for "how long ago"
    history: tuple[Exchange, ...] = ()  # oldest first, bounded
