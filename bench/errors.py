"""What can go wrong in a benchmark, as one tree. None of it is ever a score.

    BenchError                     a part of the benchmark is at fault, not the agent measured
    ├── BundleMalformed            the public half of a task breaks its format
    ├── SealedMalformed            the sealed half does, or it does not fit the public one
    ├── OutcomeMalformed           a reference outcome or a mutation cannot be built
    ├── WorkerFailed               a worker raised, or did not end within its calls
    ├── RuntimeMissing             an agent runtime that should work is not installed
    ├── ProviderFailed             the model of an agent runtime gave no answer, or not in time
    ├── WorkspaceFailed            a workspace cannot be made, read or run in
    ├── GraderFailed               a grader raised, or answered with something that is no score
    ├── JudgeFailed                a model grader cannot be reached, or answers with no verdict
    ├── ControllerFailed           a controller raised, or answered with no decision
    ├── RequesterFailed            the simulated user broke the contract, or gave no answer
    ├── ResultUnreadable           a file of results is of another form, version or plan
    ├── EpisodesStopped            a process or a cluster that ran a part was lost
    ├── ForeignFailed              another program to be measured beside is missing or fails
    └── ImportRefused              a folder of somebody else's tasks cannot be taken in as it is

``kind`` is the name that stands in a result for an invalid run.
"""

from __future__ import annotations

from typing import ClassVar

from jarvis_voice.errors import JarvisError


class BenchError(JarvisError):
    """A part of the benchmark is at fault; the run is invalid and has no score."""

    kind: ClassVar[str] = "bench"


class BundleMalformed(BenchError):
    """The public half of a task breaks its format."""

    kind: ClassVar[str] = "bundle_malformed"


class SealedMalformed(BenchError):
    """The sealed half of a task breaks its format, or does not fit the public half."""

    kind: ClassVar[str] = "sealed_malformed"


class OutcomeMalformed(BenchError):
    """A reference outcome or a mutation of one cannot be built."""

    kind: ClassVar[str] = "outcome_malformed"


class WorkerFailed(BenchError):
    """A worker raised, is no worker, or used up its tool calls."""

    kind: ClassVar[str] = "worker_failed"


class RuntimeMissing(BenchError):
    """An agent runtime that should work is not installed; nothing was run."""

    kind: ClassVar[str] = "runtime_missing"


class ProviderFailed(BenchError):
    """The model behind an agent runtime has no key, fails, or gives no answer in time."""

    kind: ClassVar[str] = "provider_failed"


class WorkspaceFailed(BenchError):
    """A workspace cannot be made, read or run in."""

    kind: ClassVar[str] = "workspace_failed"


class GraderFailed(BenchError):
    """A grader raised, or answered with something that is no score."""

    kind: ClassVar[str] = "grader_failed"


class JudgeFailed(BenchError):
    """A model grader cannot be reached, or answers with something that is no verdict."""

    kind: ClassVar[str] = "judge_failed"


class ImportRefused(BenchError):
    """Somebody else's tasks cannot be taken in as they are; nothing was changed."""

    kind: ClassVar[str] = "import_refused"


class ControllerFailed(BenchError):
    """A controller raised, is no controller, or answered with something that is no decision."""

    kind: ClassVar[str] = "controller_failed"


class RequesterFailed(BenchError):
    """The simulated user broke the contract, or a model that plays them gave no answer."""

    kind: ClassVar[str] = "requester_failed"


class ResultUnreadable(BenchError):
    """A file of results is none, of another version, or of another plan; it is as it was."""

    kind: ClassVar[str] = "result_unreadable"


class EpisodesStopped(BenchError):
    """A process or a cluster was lost in the middle; what was written is kept."""

    kind: ClassVar[str] = "harness_failed"


class ForeignFailed(BenchError):
    """Another program to be measured beside is not there, or cannot be started."""

    kind: ClassVar[str] = "foreign_failed"
