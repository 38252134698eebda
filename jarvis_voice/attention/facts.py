"""What can happen to a held action, and how a fact is written down and read back. Pure.

Facts are all that is stored: the state of attention is the fold over them (``lifecycle``). Each
class is frozen, in the past tense, and carries the Unix time and the run it is about; ``run_id`` is
empty for what concerns no single run.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from jarvis_voice.boundary import ProposedAction, Urgency, UserAnswer
from jarvis_voice.errors import FactUnreadable

FORMAT = 1
"""Grows when an older program could no longer read what is written; new fields have defaults."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that happened."""

    at_s: float  # Unix time
    run_id: str


@dataclass(frozen=True, slots=True)
class ActionOffered(Fact):
    """A runtime waits for a ruling on a call. ``nonce`` is fresh and unguessable."""

    action: ProposedAction
    nonce: str
    deadline_s: float  # Unix time before which the runtime must have its answer
    fail_closed: bool = False  # what happens at the deadline: denied, or allowed and degraded
    announces_batches: bool = False  # the runtime tells when the calls of a model turn are over
    effect: str = ""


@dataclass(frozen=True, slots=True)
class ActionReleased(Fact):
    """A consequential call was allowed at once, without a question."""

    action: ProposedAction
    effect: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PolicyDecided(Fact):
    """The policy said whether a held call is worth the user's attention.

    With ``ask`` it joins the unasked request of the same project and topic, or becomes a new one.
    Without, it is allowed, or denied for ``refusal``, which then is not empty.
    """

    action_id: str
    ask: bool
    question: str = ""
    options: tuple[str, ...] = ()
    about: str = ""
    why: str = ""
    quote: str = ""
    reason_code: str = ""
    urgency: Urgency = Urgency.NORMAL
    topic: str = ""
    refusal: str = ""
    degraded: str = ""  # why the policy could not decide


@dataclass(frozen=True, slots=True)
class QuestionAsked(Fact):
    """The question was put to the user."""

    request_id: str


@dataclass(frozen=True, slots=True)
class QuestionSnoozed(Fact):
    """The user wants to be asked later."""

    request_id: str
    until_s: float  # Unix time


@dataclass(frozen=True, slots=True)
class QuestionIgnored(Fact):
    """The question was put and nobody said anything."""

    request_id: str


@dataclass(frozen=True, slots=True)
class UserAnswered(Fact):
    """The user decided; it can be corrected until it is released."""

    answer: UserAnswer


@dataclass(frozen=True, slots=True)
class AnswerCorrected(Fact):
    """The user meant something else than was understood."""

    answer: UserAnswer


@dataclass(frozen=True, slots=True)
class AnswerReleased(Fact):
    """The time for corrections is over; the runtimes are told."""

    request_id: str


@dataclass(frozen=True, slots=True)
class UserGuided(Fact):
    """The user told a run something without being asked; it hears it at its next action."""

    guidance_id: str
    words: str
    stop: bool = False  # the next action is denied, not just accompanied


@dataclass(frozen=True, slots=True)
class SteeringBegan(Fact):
    """What the user said unasked is being told over the run's own connection."""

    receipt: str


@dataclass(frozen=True, slots=True)
class SteeringFailed(Fact):
    """The connection did not take it; the run hears it at its next action."""

    receipt: str


@dataclass(frozen=True, slots=True)
class RulingDelivered(Fact):
    """The runtime has the ruling.

    ``receipt`` is the ``delivery`` of the answer that it got, or the decision's own receipt.
    """

    action_id: str
    receipt: str


@dataclass(frozen=True, slots=True)
class GuidanceSeen(Fact):
    """What the user decided was seen in the run's own record: it is applied."""

    receipt: str


@dataclass(frozen=True, slots=True)
class BatchEnded(Fact):
    """All calls of one model turn have ended."""

    batch_id: str | None = None


@dataclass(frozen=True, slots=True)
class RuntimeGone(Fact):
    """The runtime hung up: nobody waits for the rulings of this run any more.

    With ``action_id`` only that call was given up.
    """

    action_id: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HoldExpired(Fact):
    """The runtime can wait no longer for the ruling on this call."""

    action_id: str


@dataclass(frozen=True, slots=True)
class Restarted(Fact):
    """This program began anew; all connections that it had are gone."""


FACTS: tuple[type[Fact], ...] = (
    ActionOffered,
    ActionReleased,
    PolicyDecided,
    QuestionAsked,
    QuestionSnoozed,
    QuestionIgnored,
    UserAnswered,
    AnswerCorrected,
    AnswerReleased,
    UserGuided,
    SteeringBegan,
    SteeringFailed,
    RulingDelivered,
    GuidanceSeen,
    BatchEnded,
    RuntimeGone,
    HoldExpired,
    Restarted,
)
_BY_NAME = {cls.__name__: cls for cls in FACTS}


def encode(fact: Fact) -> dict[str, Any]:
    """The fact as plain JSON data: its class under ``fact``, the ``format``, and its fields."""
    return {"fact": type(fact).__name__, "format": FORMAT, **_plain(fact)}


def decode(data: Mapping[str, Any]) -> Fact:
    """The fact that ``encode`` wrote. Unknown fields are passed over, so newer ones do no harm.

    Raises FactUnreadable for an unknown class, a newer format, a missing or ill-typed field.
    """
    name, written = data.get("fact"), data.get("format")
    cls = _BY_NAME.get(name) if isinstance(name, str) else None
    if cls is None:
        raise FactUnreadable(
            f"A stored fact is of the unknown kind {str(name)[:80]!r}.",
            "It was written by a newer version, or the file is damaged.",
        )
    if not isinstance(written, int) or isinstance(written, bool) or written > FORMAT:
        raise FactUnreadable(
            f"A stored {name} has the format {str(written)[:80]!r}; this version reads {FORMAT}.",
            "Use the version that wrote it, or a newer one.",
        )
    kind: Any = cls
    fact = _reader(kind)(data, kind.__name__)
    assert isinstance(fact, Fact)  # cls is a Fact
    return fact


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


Reader = Callable[[Any, str], Any]
"""Takes plain data and the name of the place where it stands; raises FactUnreadable."""


def _unreadable(where: str, wanted: str, value: object) -> FactUnreadable:
    return FactUnreadable(
        f"In a stored fact {where} should be {wanted} and is {str(value)[:80]!r}.",
        "The file is damaged; what came before it can still be read.",
    )


@cache
def _reader(hint: Any) -> Reader:
    """How data of the annotated type is read."""
    if get_origin(hint) in (Union, types.UnionType):
        return _optional(next(item for item in get_args(hint) if item is not type(None)))
    if get_origin(hint) is tuple:
        return _many(get_args(hint)[0])
    if issubclass(hint, Enum):
        return _member(hint)
    return _of_class(hint) if is_dataclass(hint) else _scalar(hint)


def _optional(hint: Any) -> Reader:
    read = _reader(hint)
    return lambda value, where: None if value is None else read(value, where)


def _many(hint: Any) -> Reader:
    read = _reader(hint)

    def read_all(value: Any, where: str) -> Any:
        if not isinstance(value, list | tuple):
            raise _unreadable(where, "a list", value)
        return tuple(read(item, where) for item in value)

    return read_all


def _member(enum: type[Enum]) -> Reader:
    def read(value: Any, where: str) -> Any:
        try:
            return enum(value)
        except ValueError:
            raise _unreadable(where, f"one of {[item.value for item in enum]}", value) from None

    return read


def _scalar(kind: type) -> Reader:
    def read(value: Any, where: str) -> Any:
        if kind is float and type(value) is int and abs(value) < 2**53:
            return float(value)
        if type(value) is not kind:
            raise _unreadable(where, f"a {kind.__name__}", value)
        return value

    return read


def _of_class(cls: Any) -> Reader:
    hints = get_type_hints(cls)
    readers = {item.name: _reader(hints[item.name]) for item in fields(cls)}

    def read(value: Any, where: str) -> Any:
        if not isinstance(value, Mapping):
            raise _unreadable(where, "an object", value)
        given = {
            name: read_one(value[name], f"{where}.{name}")
            for name, read_one in readers.items()
            if name in value
        }
        try:
            return cls(**given)
        except TypeError as error:
            raise _unreadable(where, "whole", error) from None

    return read
