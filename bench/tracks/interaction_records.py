"""What is kept of the interaction track: one line a run that was asked about, and its plan."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from bench.results import Failure, Record, TrackPlan

FILE_NAME = "interaction.jsonl"
PROBLEM_CHARS = 600


class Sound(Record):
    """One question and its answer as they sounded. Errors and words count what was *said*."""

    question_heard: str  # empty: it was lost, and nobody answered
    question_errors: int = Field(ge=0)
    question_words: int = Field(ge=0)
    said: str = ""  # the answer before it became sound
    answer_errors: int | None = None  # None: there was no answer to hear
    answer_words: int | None = None
    read_as: str = ""  # what was heard in the spelling that was graded, where that differs
    worded_grade: int | None = None  # of the same answer as it was worded
    first_audio_s: float | None = None  # from the question's end
    kept: bool = False  # its first phrase had been said before and was only played


class Response(Record):
    """One answer and its grade."""

    kind: Literal["early", "late", "follow-up"]
    checkpoint: Literal["early", "late"]
    question: str
    based_on: str = ""
    answer: str = ""  # when it was spoken: as it was heard
    grade: int = Field(ge=0, le=2)
    tags: list[str] = Field(default_factory=list)
    reason: str = ""
    refs: list[str] = Field(default_factory=list)
    undecided: list[str] = Field(default_factory=list)  # claims that no rule decides
    judged: list[str] = Field(default_factory=list)  # what model graders say of each of these
    votes: list[dict[str, str]] = Field(default_factory=list)  # of each, by the judge's name
    failure: Failure | None = None  # why there is no answer
    sound: Sound | None = None  # when it was spoken


class Trajectory(Record):
    """What became of one run that was asked about."""

    task: str
    answerer: str
    topology: str = ""
    domain: str = ""
    status: Literal["graded", "invalid"] = "graded"
    failure: Failure | None = None
    leaked: bool = False
    frames: int = 0
    aloud: bool = False
    responses: list[Response] = Field(default_factory=list)
    text_grades: list[int] = Field(default_factory=list)  # of the same four without any sound

    @model_validator(mode="after")
    def _never_both(self) -> Self:
        graded = self.status == "graded"
        if graded != (self.failure is None) or (self.responses and not graded):
            raise ValueError("an invalid trajectory has a failure and no grades")
        return self


class InteractionPlan(TrackPlan):
    """The plan of the interaction track."""

    schema_version: Literal["jarvis.interaction/2"] = "jarvis.interaction/2"
    track: Literal["interaction"] = "interaction"
    trajectories: list[tuple[str, str]]  # task, answerer
