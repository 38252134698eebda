"""The sealed half of a task: what only the runner, the simulated user and the grader may see.

``sealed/task.json`` is a SealedTask. Nothing of it reaches a worker, and of the controllers only
the oracle looks at a decision window. Every fault is a SealedMalformed that names file and key.
"""

from __future__ import annotations

import json
import math
import re
from enum import Enum
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from bench.errors import SealedMalformed
from bench.requester import Change, Manner
from bench.statistics import Span
from bench.suite.bundle import Bundle, Name, first_fault
from bench.workers.base import Deed, Happening

MEMORY_CHARS = 1400
QUESTION_CHARS = 420
PROFILE_BYTES = 128 * 1024


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Mechanism(Enum):
    """Why the user's word is needed."""

    LATENT_CONTEXT = "latent_context"
    AUTHORIZATION = "authorization"
    ANOMALY_ESCALATION = "anomaly_escalation"
    ARTIFACT_REVIEW = "artifact_review"
    EXPERT_STEERING = "expert_steering"
    RISK_DECISION = "risk_decision"
    TRAJECTORY_REPAIR = "trajectory_repair"


class Control(Enum):
    """Why the user's word is not needed."""

    SETTLED_IN_PUBLIC = "settled_in_public"
    ALREADY_DISCLOSED = "already_disclosed"
    IRRELEVANT = "irrelevant"
    NOT_ANSWERABLE = "not_answerable"


class Category(Enum):
    """What a checkpoint is about."""

    OBJECTIVE = "objective_execution"
    ALIGNMENT = "alignment"
    QUALITY = "quality"
    SAFETY = "safety"


class Predicate(_Strict):
    """Something that a session did: exactly one of a path read or written, or words said."""

    read: str | None = None  # a path, or a folder: anything below it
    written: str | None = None
    said: str | None = None  # a regular expression, searched for without regard to case

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [value for value in (self.read, self.written, self.said) if value]
        if len(given) != 1:
            raise ValueError("exactly one of read, written, said")
        return self

    @field_validator("said")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        return value if value is None else _pattern(value)

    def met_by(self, happening: Happening) -> bool:
        """The session did just this."""
        what = happening.what
        if self.said is not None:
            return happening.deed is Deed.SAID and bool(re.search(self.said, what, re.IGNORECASE))
        wanted, deed = (
            (self.read, Deed.READ) if self.read is not None else (self.written, Deed.WRITTEN)
        )
        path = (wanted or "").rstrip("/")
        return happening.deed is deed and (what == path or what.startswith(f"{path}/"))


class Window(_Strict):
    """When a decision of the user is due, what it is about, and what they would say."""

    id: Name
    opens_when: Predicate
    closes_when: Predicate
    options: Annotated[list[str], Field(min_length=2, max_length=6)]
    gold: str
    worker_default: str
    question: Annotated[str, Field(min_length=10, max_length=QUESTION_CHARS)]
    memory_ids: Annotated[list[str], Field(min_length=1, max_length=12)]

    @model_validator(mode="after")
    def _known(self) -> Self:
        if len(set(self.options)) != len(self.options):
            raise ValueError("an option stands twice")
        for option in (self.gold, self.worker_default):
            if option not in self.options:
                raise ValueError(f'"{option}" is none of the options')
        return self


class Memory(_Strict):
    """One thing that the user knows or wants, in their own words."""

    memory_id: Annotated[str, Field(pattern=r"^user\.[a-z0-9_]{2,60}$")]
    field: Annotated[str, Field(min_length=2, max_length=120)]
    value: Annotated[str, Field(min_length=2, max_length=MEMORY_CHARS)]
    about: Annotated[list[str], Field(min_length=1, max_length=24)]  # keywords of what it answers
    decoy: bool = False


class ChangesMind(_Strict):
    """After so long the user holds to another memory."""

    after_s: Annotated[float, Field(gt=0)]
    memory_id: str


class Busy(_Strict):
    """The user is at something, in seconds from the run's start."""

    begins_s: Annotated[float, Field(ge=0)]
    ends_s: Annotated[float, Field(gt=0, le=86400)]
    weight: Annotated[float, Field(gt=0, le=1)] = 1.0  # 1: must not be disturbed
    what: Annotated[str, Field(min_length=3, max_length=80)]

    @model_validator(mode="after")
    def _lasts(self) -> Self:
        if self.ends_s <= self.begins_s:
            raise ValueError("a busy span ends after it begins")
        return self


class Availability(_Strict):
    """How soon the user answers, if at all, and when a question disturbs them."""

    delay_s: Annotated[float, Field(ge=0, le=3600)] = 20.0
    absent: bool = False
    changes_mind: ChangesMind | None = None
    delegates: bool = False  # says "you decide"
    busy: Annotated[list[Busy], Field(max_length=16)] = []  # costs attention, delays no answer

    @property
    def manner(self) -> Manner:
        """How the user is to be had."""
        change = self.changes_mind
        return Manner(
            self.delay_s,
            self.absent,
            self.delegates,
            Change(change.after_s, change.memory_id) if change else None,
        )

    @property
    def calendar(self) -> tuple[Span, ...]:
        """The busy spans, as the cost of attention reads them."""
        return tuple(Span(span.begins_s, span.ends_s, span.weight) for span in self.busy)


class Checkpoint(_Strict):
    """One weighted point of the score, and the public file that states what it asks for."""

    id: Name
    category: Category
    weight: Annotated[float, Field(gt=0, le=1)]
    anchor: str  # below public/, or task.public.json for the brief


Points = Annotated[list[float], Field(min_length=2, max_length=2)]


class Bands(_Strict):
    """Where scores are expected, low and high, in points of 100."""

    worker_only: Points
    partial: Points = [0.0, 100.0]
    decision_only: Points = [0.0, 100.0]
    wrong: Points = [0.0, 100.0]
    unsafe: Points = [0.0, 100.0]
    idle: Points = [0.0, 15.0]  # a worker that does nothing

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        for name in type(self).model_fields:
            low, high = getattr(self, name)
            if not 0 <= low <= high <= 100:
                raise ValueError(f"{name} is no band within 0 to 100")
        return self


class Fact(_Strict):
    """A statement about the run that is true once something has happened (interaction track)."""

    id: Name
    statement: Annotated[str, Field(min_length=8, max_length=300)]
    true: Annotated[list[str], Field(min_length=1, max_length=8)]  # patterns of claims of it
    false: Annotated[list[str], Field(max_length=8)] = []  # patterns of claims against it
    known_when: Predicate

    @field_validator("true", "false")
    @classmethod
    def _compile(cls, value: list[str]) -> list[str]:
        return [_pattern(item) for item in value]


class SealedTask(_Strict):
    """All of ``sealed/task.json``."""

    schema_version: Literal["1.0"]
    task_id: Name
    title: str
    mechanism: Mechanism | None = None
    control: Control | None = None
    final_record_path: Annotated[str, Field(pattern=r"^results/.+\.json$")]
    windows: Annotated[list[Window], Field(max_length=4)]
    memories: Annotated[list[Memory], Field(min_length=4, max_length=128)]
    disclosures: list[str] = []  # of already_disclosed controls: words of the brief
    availability: Availability = Availability()
    checkpoints: Annotated[list[Checkpoint], Field(min_length=6, max_length=12)]
    bands: Bands
    facts: Annotated[list[Fact], Field(min_length=4, max_length=12)]
    canaries: Annotated[list[str], Field(min_length=1, max_length=12)]
    allowed_overlap: list[str] = []  # private words that may stand in public; each with good reason

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.mechanism is None) == (self.control is None):
            raise ValueError("either a mechanism or a control")
        if self.mechanism is not None and not self.windows:
            raise ValueError("a task with a mechanism has a decision window")
        total = sum(checkpoint.weight for checkpoint in self.checkpoints)
        if abs(total - 1.0) > 1e-9:
            raise ValueError(f"the weights add up to {total:.6g} instead of 1")
        for name, ids in (
            ("checkpoints", [item.id for item in self.checkpoints]),
            ("windows", [item.id for item in self.windows]),
            ("facts", [item.id for item in self.facts]),
            ("memories", [item.memory_id for item in self.memories]),
        ):
            if len(set(ids)) != len(ids):
                raise ValueError(f"an id stands twice in {name}")
        self._check_memories()
        return self

    def _check_memories(self) -> None:
        known = {memory.memory_id: memory for memory in self.memories}
        for window in self.windows:
            for memory_id in window.memory_ids:
                if memory_id not in known:
                    raise ValueError(f'window "{window.id}" names no memory: "{memory_id}"')
                if known[memory_id].decoy:
                    raise ValueError(f'window "{window.id}" rests on a decoy: "{memory_id}"')
        change = self.availability.changes_mind
        if change is not None and change.memory_id not in known:
            raise ValueError(f'changes_mind names no memory: "{change.memory_id}"')
        size = len(json.dumps([memory.model_dump() for memory in self.memories]).encode())
        if size > PROFILE_BYTES:
            raise ValueError("the memories take more than 128 KiB")

    @property
    def settled(self) -> list[Memory]:
        """What the user holds to in the end, when they have thought better of it."""
        return self.availability.manner.known(self.memories, math.inf)

    def memory(self, memory_id: str) -> Memory:
        """The memory of this id; KeyError when there is none."""
        for memory in self.memories:
            if memory.memory_id == memory_id:
                return memory
        raise KeyError(memory_id)


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from error
    return text


def load_sealed(bundle: Bundle) -> SealedTask:
    """The sealed half of a bundle, checked on its own. Raises SealedMalformed."""
    path: Path = bundle.root / "sealed" / "task.json"
    try:
        task = SealedTask.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SealedMalformed(f"{path} cannot be read: {error}.") from error
    except ValidationError as error:
        raise SealedMalformed(f"{path}: {first_fault(error)}") from error
    if task.task_id != bundle.task_id:
        raise SealedMalformed(f'{path} is for "{task.task_id}", not for "{bundle.task_id}".')
    if (task.control is not None) != bundle.is_control:
        raise SealedMalformed(f"{path}: a control, and nothing else, is named control_*.")
    return task
