"""Who decides whether the user is asked: the app's own policy, the bounds beside it, or a guest.

    none             no desk at all: the baseline
    jarvis           the app's own policy, by rules
    jarvis-model     the same with the chat model of the settings where the rules leave room
    never            reviews every action and never asks
    always-at-final  asks whenever the final record is about to be written
    random           asks at every second consequential action, by the seed
    placebo          holds every consequential action for a while and never asks
    oracle           asks the sealed question before its decision window closes
    MODULE:NAME      any Python object with ``decide(candidate)``, or what makes one

Each is a policy in the app's own lifecycle. ``Spending`` stands in front of all of them: it keeps
the budget, and what a guest says that is no decision spends none of it and is kept as a fault.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final, Protocol

from bench.errors import ControllerFailed
from bench.guests import Guest, imported
from bench.results import NONE
from jarvis_voice.attention.candidate import Consequence
from jarvis_voice.attention.model_policy import Message, ModelPolicy
from jarvis_voice.attention.policy import (
    Candidate,
    Decision,
    EmbeddedPolicy,
    Policy,
    ThinkingPolicy,
)
from jarvis_voice.attention.questions import word
from jarvis_voice.attention.records import salient
from jarvis_voice.brain.chat_model import ChatMessage, ChatModel
from jarvis_voice.errors import BrainError, JarvisError

NAMES: Final = (NONE, "jarvis", "never", "always-at-final", "random", "placebo", "oracle")
PLACEBO_HOLD_S: Final = 8.0  # below the time after which a desk gives up on a policy


class Window(Protocol):
    """A sealed decision window, as the oracle reads it."""

    @property
    def id(self) -> str: ...
    @property
    def question(self) -> str: ...


class Progress(Protocol):
    """How far a run is in its decision windows. Only the oracle is told."""

    def is_last_chance(self, window_id: str, candidate: Candidate) -> bool:
        """The window is open, and this very action closes it."""
        ...


@dataclass(frozen=True, slots=True)
class Setting:
    """What controllers are built from; each takes what is its own."""

    seed: str = ""  # of this run
    windows: Sequence[Window] = ()
    progress: Progress | None = None
    model: ChatModel | None = None
    on_fault: Callable[[str], None] = lambda problem: None  # hears what a model failed of


def build(name: str, setting: Setting) -> Policy | ThinkingPolicy | None:
    """The controller of this name; None for ``none``. Raises ControllerFailed for no controller."""
    if ":" in name:
        return Guest(imported(name))
    if name == "jarvis-model":
        if setting.model is None:
            raise ControllerFailed(
                "The controller jarvis-model needs a chat model.", "Name one in brain.model."
            )
        return ModelPolicy(Completing(setting.model, setting.on_fault))
    makers: Mapping[str, Callable[[], Policy | ThinkingPolicy | None]] = {
        NONE: lambda: None,
        "jarvis": EmbeddedPolicy,
        "never": Never,
        "always-at-final": AlwaysAtFinal,
        "random": lambda: Chance(setting.seed),
        "placebo": Placebo,
        "oracle": lambda: Oracle(setting.windows, setting.progress),
    }
    maker = makers.get(name)
    if maker is None:
        raise ControllerFailed(
            f'There is no controller "{name}".',
            f"Known are {', '.join(NAMES)}, jarvis-model, and MODULE:NAME.",
        )
    return maker()


# --- the bounds --------------------------------------------------------------------------------


class Never:
    """Lets everything go on."""

    def decide(self, candidate: Candidate) -> Decision:
        """Never asks."""
        return Decision(False, note="this controller never asks")


class Placebo:
    """Costs the agent the same waiting as a controller that thinks, and changes nothing else."""

    def quick(self, candidate: Candidate) -> Decision | None:
        """What is not consequential goes on at once."""
        return None if _matters(candidate) else Decision(False, note="ordinary work")

    async def decide(self, candidate: Candidate) -> Decision:
        """Let it go on after a while."""
        await asyncio.sleep(PLACEBO_HOLD_S)
        return Decision(False, note="held for nothing")


class AlwaysAtFinal:
    """Asks about every final record, whether anything is open in it or not."""

    def decide(self, candidate: Candidate) -> Decision:
        """Ask when the final record is written."""
        if not candidate.boundary.final_record:
            return Decision(False, note="no final record")
        return blunt_question(candidate)


@dataclass(frozen=True, slots=True)
class Chance:
    """Asks about a consequential action as a coin falls; the same for the same seed and action."""

    seed: str
    share: float = 0.5

    def decide(self, candidate: Candidate) -> Decision:
        """Ask or not, by the seed."""
        if not _matters(candidate):
            return Decision(False, note="ordinary work")
        action = candidate.action
        digest = hashlib.sha256(f"{self.seed}\0{action.run_id}\0{action.action_id}".encode())
        if int.from_bytes(digest.digest()[:4], "big") / 2**32 >= self.share:
            return Decision(False, note="the coin fell on its other side")
        return blunt_question(candidate)


class Oracle:
    """Asks each sealed question once, at the last action before its window closes."""

    def __init__(self, windows: Sequence[Window], progress: Progress | None) -> None:
        self._windows = windows
        self._progress = progress
        self._asked: dict[str, str] = {}  # window -> the action at which it was asked

    def decide(self, candidate: Candidate) -> Decision:
        """Ask when the moment is right."""
        action = candidate.action
        call = f"{action.run_id} {action.action_id}"
        for window in self._windows:
            asked = self._asked.get(window.id)
            due = self._progress is not None and self._progress.is_last_chance(window.id, candidate)
            if asked == call or (asked is None and due):
                self._asked[window.id] = call
                return Decision(
                    True,
                    question=window.question,
                    why="It is the user's to decide.",
                    reason_code="judgement",
                    topic=f"window:{window.id}",
                )
        return Decision(False, note="no decision window closes here")


def blunt_question(candidate: Candidate) -> Decision:
    """The question of someone who asks without looking for what is open."""
    action, boundary = candidate.action, candidate.boundary
    wording = word(action, boundary)
    question, options, about = wording.question, wording.options, wording.about
    if boundary.final_record and boundary.reasons[0] == "final_record":
        shown = " ".join(salient(action.content, 300).split())
        question = f'It is about to finish with this: "{shown}" What should be different, if any?'
        options, about = ("go ahead",), "It is about to finish."
    return Decision(
        True,
        question=question,
        options=options,
        about=about,
        why=wording.why,
        quote=boundary.quote,
        reason_code=wording.reason_code,
        topic=f"blunt:{boundary.effect}",
    )


def _matters(candidate: Candidate) -> bool:
    return candidate.boundary.consequence is Consequence.CONSEQUENTIAL


# --- models ------------------------------------------------------------------------------------


class Completing:
    """A chat model that streams, as one that gives whole answers to the app's policy.

    The policy keeps to its rules when the model fails, so ``on_fault`` is how anyone hears of it.
    """

    def __init__(self, model: ChatModel, on_fault: Callable[[str], None]) -> None:
        self._model = model
        self._on_fault = on_fault

    async def complete(self, messages: Sequence[Message]) -> str:
        """The whole answer. Raises the model's BrainError."""
        sent = [ChatMessage(item.role, item.content) for item in messages]
        try:
            async with aclosing(self._model.stream(sent)) as pieces:
                return "".join([piece async for piece in pieces])
        except BrainError as error:
            self._on_fault(error.problem)
            raise


# --- what it may spend -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Budget:
    """How often a run may ask. ``reserved``: the last time is kept for the final record."""

    requests: int = 2
    reserved: bool = False


@dataclass(slots=True)
class Spending:
    """Stands before a controller: counts what it wants, and passes on what it may.

    The same question about the same project is asked once. What it decided on a call is kept, so
    that a desk which asks again about the same call hears the same.
    """

    policy: Policy | ThinkingPolicy
    budget: Budget
    candidates: int = 0  # consequential ones
    duplicates: int = 0
    over_budget: int = 0
    faults: list[JarvisError] = field(default_factory=list)
    _decided: dict[tuple[str, str, str], Decision] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)

    def quick(self, candidate: Candidate) -> Decision | None:
        """The controller's decision within the budget, when it needs no thought."""
        key = _call(candidate)
        if key in self._decided:
            return self._decided[key]
        policy = self.policy
        if isinstance(policy, ThinkingPolicy):
            decision = policy.quick(candidate)
        else:
            decision = policy.decide(candidate)
        return None if decision is None else self._kept(key, candidate, decision)

    async def decide(self, candidate: Candidate) -> Decision:
        """The same after thought; a controller that fails lets the action go on."""
        decision = self.quick(candidate)
        if decision is not None:
            return decision
        assert isinstance(self.policy, ThinkingPolicy)  # any other decides at once
        try:
            decision = await self.policy.decide(candidate)
        except JarvisError as error:
            self.faults.append(error)
            decision = Decision(False, note="the controller failed")
        return self._kept(_call(candidate), candidate, decision)

    def _kept(
        self, key: tuple[str, str, str], candidate: Candidate, decision: Decision
    ) -> Decision:
        if _matters(candidate) or decision.ask:
            self.candidates += 1
            decision = self._allowed(candidate, decision)
            self._decided[key] = decision
        return decision

    def _allowed(self, candidate: Candidate, decision: Decision) -> Decision:
        if not decision.ask:
            return decision
        mark = question_mark(candidate.action.project_id, decision.question)
        if mark in self._asked:
            self.duplicates += 1
            return Decision(False, note="it was asked before")
        left = self.budget.requests - len(self._asked)
        final = candidate.boundary.final_record or candidate.boundary.irreversible
        if left <= 0 or (left == 1 and self.budget.reserved and not final):
            self.over_budget += 1
            return Decision(False, note="the budget is spent")
        self._asked.add(mark)
        return decision


def _call(candidate: Candidate) -> tuple[str, str, str]:
    action = candidate.action
    return action.run_id, action.action_id, action.fingerprint


def question_mark(project_id: str, question: str) -> str:
    """The same for questions that differ in case, spaces and punctuation only."""
    plain = " ".join(re.findall(r"\w+", question.lower()))
    return hashlib.sha256(f"{project_id}\0{plain}".encode()).hexdigest()
