"""The record of a benchmark: one JSON line a run, appended whole, in the order of the plan.

The first line of a file is its plan: what was to be run, with the digests of all bundles. Because
lines stand in the order of the plan, a file is at any time the beginning of the finished one, and
an interrupted benchmark goes on where it stopped. A run that failed for a reason that is not the
agent's is *invalid* with the kind of the failure; one of a task that nobody can grade is
*ungraded*. Neither has a score; the type does not let it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bench.errors import ResultUnreadable
from jarvis_voice.errors import OutputError

FILE_NAME: Final = "collaboration.jsonl"
NONE: Final = "none"  # the controller of the baseline: no desk at all
LINE_BYTES: Final = 256 * 1024
TIMELINE: Final = 400  # entries of one run


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Episode(_Strict):
    """One run of the plan."""

    task: str
    controller: str
    workers: str
    mode: Literal["paper", "strict"]
    budget: int = Field(default=2, ge=0)  # requests
    seed: int = 0
    repeat: int = Field(default=0, ge=0)

    @property
    def pair(self) -> str:
        """What runs under two controllers must share to be compared."""
        return f"{self.group} {self.seed} {self.repeat}"

    @property
    def group(self) -> str:
        """Whose figures belong together."""
        limit = f" with {self.budget} requests" if self.mode == "strict" else ""
        return f"{self.workers}, {self.mode}{limit}"

    @property
    def random_seed(self) -> str:
        """Of what chance there is in this run: the same under every controller and budget."""
        return f"{self.task} {self.workers} {self.seed} {self.repeat}"


class Failure(_Strict):
    """Why a run has no score."""

    kind: str
    problem: str = Field(max_length=1000)


class Question(_Strict):
    """One question to the user, as it went. Times are seconds of the run."""

    at_s: float
    session: str
    question: str
    puttings: int = 0
    busy: float = 0.0  # how busy the user was at each putting by their calendar, summed
    answered_at_s: float | None = None
    told_at_s: float | None = None  # when the agent was told
    answerability: str = ""
    answer: str = ""
    cited: list[str] = []
    kind: str = ""  # how the app understood the answer
    verdict: str = ""
    misunderstood: bool = False  # the app took a plain answer for no answer
    idle_s: float = 0.0
    window: str = ""
    timely: float | None = None  # 0 to 1; None in a control, or where no window is known


class Receipts(_Strict):
    """Whether what the user decided was told and seen, once each."""

    sent: int = 0
    applied: int = 0
    closed: bool = True


class Moment(_Strict):
    """A stretch of a run's timeline."""

    at_s: float
    until_s: float
    session: str
    kind: str
    text: str = ""


class Record(_Strict):
    """One line of a file of results."""

    def line(self) -> bytes:
        """As it stands in the file."""
        return encoded(self.model_dump(mode="json"))

    def shortened(self) -> Self:
        """The same without what may be left out of a line that is too long."""
        return self


class RunRecord(Record):
    """What became of one episode."""

    episode: Episode
    status: Literal["scored", "ungraded", "invalid"]
    failure: Failure | None = None
    degraded: list[str] = []  # why the run went on without a decision that it should have had
    score: float | None = Field(default=None, ge=0, le=100)
    categories: dict[str, float] = {}  # 0 to 1
    checkpoints: dict[str, float] = {}
    topology: str = ""
    domain: str = ""
    mechanism: str = ""
    control: str = ""
    questions: list[Question] = []
    candidates: int = 0
    duplicates: int = 0
    over_budget: int = 0
    held_s: float = 0.0
    worker_s: float = 0.0  # of the session that worked longest, holds excluded
    calls: int = 0
    timed_out: bool = False
    missing: list[str] = []  # result paths that were not written
    receipts: Receipts = Receipts()
    attention_cost: float = 0.0
    timeline: list[Moment] = []

    @model_validator(mode="after")
    def _never_both(self) -> Self:
        if (self.score is not None) != (self.status == "scored"):
            raise ValueError("a scored run has a score, and no other has")
        if (self.failure is not None) != (self.status == "invalid"):
            raise ValueError("an invalid run has a failure, and no other has")
        return self

    @property
    def needed(self) -> bool:
        """The user's word was needed in this task; the original has no others."""
        return not self.control

    @property
    def has_windows(self) -> bool:
        """It is known when a question is due; of somebody else's tasks it is not."""
        return bool(self.mechanism or self.control)

    def shortened(self) -> Self:
        """Without its timeline."""
        return self.model_copy(update={"timeline": []})


class TrackPlan(_Strict):
    """What a file of results is of. Two files of the same plan hold the same bytes."""

    version: str  # of this program
    settings: dict[str, Any]  # what the answer depends on beside the bundles
    bundles: dict[str, str]  # task -> digest

    def line(self) -> bytes:
        """As it stands in the file."""
        return encoded(self.model_dump(mode="json"))

    def digest(self) -> str:
        """SHA-256 of the whole plan, hex."""
        return hashlib.sha256(self.line()).hexdigest()


class Plan(TrackPlan):
    """The plan of the collaboration track."""

    schema_version: Literal["jarvis.collaboration/1"] = "jarvis.collaboration/1"
    track: Literal["collaboration"] = "collaboration"
    episodes: list[Episode]


def encoded(value: Mapping[str, Any]) -> bytes:
    """Canonical JSON and a line end."""
    text = json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return text.encode("utf-8", "replace") + b"\n"


R = TypeVar("R", bound=Record)
P = TypeVar("P", bound=TrackPlan)


class ResultFile(Generic[R]):
    """The file of a plan, open for appending. Raises OutputError when it cannot be written."""

    def __init__(self, path: Path, plan: TrackPlan, kind: type[R]) -> None:
        """Begin the file, or go on with it: ``done`` records are there already then.

        Raises ResultUnreadable when the file is of another plan; it is left as it was.
        """
        self.path = path
        self.records: list[R] = []
        self._kind = kind
        with _written(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            self._begin(plan)
        except BaseException:
            self.close()
            raise

    @property
    def done(self) -> int:
        """How many records the file has."""
        return len(self.records)

    def append(self, record: R) -> None:
        """Keep one more record; it is on disk when this returns, whole or not at all."""
        line = record.line()
        if len(line) > LINE_BYTES:
            record = record.shortened()
            line = record.line()
        self._append(line)
        self.records.append(record)

    def close(self) -> None:
        """Release the file; calling it twice is fine."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _begin(self, plan: TrackPlan) -> None:
        whole = _whole_lines(self.path)
        if not whole:
            os.ftruncate(self._fd, 0)
            self._append(plan.line())
            return
        found = _plan_in(self.path, whole[0], type(plan))
        if found.digest() != plan.digest():
            raise ResultUnreadable(
                f"{self.path} holds results of another plan ({_difference(found, plan)}).",
                "It was left as it is; name another folder.",
            )
        self.records = [_record_in(self.path, line, self._kind) for line in whole[1:]]
        os.ftruncate(self._fd, sum(len(line) for line in whole))  # a line that was cut off goes

    def _append(self, line: bytes) -> None:
        before = os.fstat(self._fd).st_size
        with _written(self.path):
            try:
                if os.write(self._fd, line) != len(line):
                    raise OSError("the disk took only a part of it")
                os.fsync(self._fd)
            except OSError:
                os.ftruncate(self._fd, before)
                raise


def read(path: Path) -> tuple[Plan, list[RunRecord]]:
    """A file of results, or the one in a folder. Raises ResultUnreadable."""
    if path.is_dir():
        path = path / FILE_NAME
    if not path.is_file():
        raise ResultUnreadable(f"There are no results in {path}.", "Name a folder of results.")
    lines = _whole_lines(path)
    if not lines:
        raise ResultUnreadable(f"{path} is empty.", "Run the benchmark again.")
    records = [_record_in(path, line, RunRecord) for line in lines[1:]]
    return _plan_in(path, lines[0], Plan), records


def _whole_lines(path: Path) -> list[bytes]:
    try:
        return [line for line in path.read_bytes().splitlines(keepends=True) if line[-1:] == b"\n"]
    except OSError as error:
        raise ResultUnreadable(f"{path} cannot be read: {error.strerror}.") from error


def _plan_in(path: Path, line: bytes, kind: type[P]) -> P:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise ResultUnreadable(
            f"{path} is no file of results of this version: {_first(error)}.",
            "It was left as it is; name another folder.",
        ) from error


def _record_in(path: Path, line: bytes, kind: type[R]) -> R:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise ResultUnreadable(
            f"{path} holds a damaged record: {_first(error)}.", "Remove the file and run again."
        ) from error


def _first(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in fault["loc"])
    return f"{where}: {fault['msg']}" if where else fault["msg"]


def _difference(found: TrackPlan, wanted: TrackPlan) -> str:
    """The first thing in which two plans differ."""
    if found.version != wanted.version:
        return f"version {found.version} instead of {wanted.version}"
    changed = sorted(
        name
        for name in found.bundles.keys() | wanted.bundles.keys()
        if found.bundles.get(name) != wanted.bundles.get(name)
    )
    if changed:
        return f"the task {changed[0]} differs"
    names = sorted(
        name
        for name in found.settings.keys() | wanted.settings.keys()
        if found.settings.get(name) != wanted.settings.get(name)
    )
    return f"{names[0]} differs" if names else "other runs"


@contextlib.contextmanager
def _written(path: Path) -> Iterator[None]:
    """What the system says about a file, as ours."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"{path} cannot be written: {error.strerror or error}.",
            "What was written before is kept; make room, or name another folder.",
        ) from error


def ungraded(records: Iterable[RunRecord]) -> Iterator[RunRecord]:
    """The records of tasks that nobody could grade, whether degraded or not."""
    return (record for record in records if record.status == "ungraded")


def valid(records: Iterable[RunRecord]) -> Iterator[RunRecord]:
    """The records that have a score and were not degraded: those that headline figures are of."""
    return (record for record in records if record.status == "scored" and not record.degraded)
