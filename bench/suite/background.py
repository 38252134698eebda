"""What a run needs of a task and no worker may see: our own sealed half, or a checkout's.

A task with ``sealed/task.json`` is one of our form. Any other is somebody else's: it is graded by
its sealed ``grade.py`` if there is one and stays *ungraded* if not, which is no score of 0; its
user knows what a ``profile.json`` says, and nothing without one. It has no decision windows, so
whatever rests on them (the oracle, timeliness) is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.grading.grader import score
from bench.grading.run_dir import RunDir
from bench.requester import Memory
from bench.suite.bundle import Bundle, digest_of
from bench.suite.importer import Imported, grade, grader_of, sealed_places
from bench.suite.profile import PROFILE_NAME, read_profile
from bench.suite.sealed import Availability, Category, Window, load_sealed


@dataclass(frozen=True, slots=True)
class Graded:
    """What a run is worth: points of 100, and shares from 0 to 1."""

    points: float
    categories: Mapping[str, float]
    checkpoints: Mapping[str, float] = field(default_factory=dict)  # none by a foreign grader


@dataclass(frozen=True, slots=True)
class Background:
    """``grade`` takes a run's folder; None for a task without a grader. It raises GraderFailed."""

    memories: Sequence[Memory]
    final_record_path: str
    grade: Callable[[Path], Graded] | None
    availability: Availability = field(default_factory=Availability)
    windows: Sequence[Window] | None = None  # None: nobody has said when a question is due
    mechanism: str = ""
    control: str = ""


def is_ours(root: Path) -> bool:
    """The task in this folder has a sealed half in our form."""
    return (root / "sealed" / "task.json").is_file()


def background_of(bundle: Bundle, graders: Path | None = None) -> Background:
    """A task's background; ``graders`` holds a checkout's sealed parts as ``DIR/TASK/``.

    Raises SealedMalformed, and BundleMalformed for a profile that is no JSON.
    """
    return _ours(bundle) if is_ours(bundle.root) else _foreign(bundle, graders)


def marks(folders: Mapping[str, Path], graders: Path | None) -> dict[str, str]:
    """Task to the digest of what ``graders`` holds for it, for the tasks that are not ours."""
    if graders is None:
        return {}
    return {
        task: digest_of(graders / task, ".")
        for task, root in folders.items()
        if not is_ours(root) and (graders / task).is_dir()
    }


def _ours(bundle: Bundle) -> Background:
    sealed = load_sealed(bundle)

    def graded(folder: Path) -> Graded:
        found = score(bundle, sealed, RunDir(folder, bundle.public))
        parts = {category.value: found.category(category) for category in Category}
        return Graded(
            found.points,
            {name: round(earned / weight, 6) for name, (earned, weight) in parts.items() if weight},
            {key: round(value, 6) for key, value in found.values.items()},
        )

    return Background(
        memories=sealed.memories,
        final_record_path=sealed.final_record_path,
        grade=graded,
        availability=sealed.availability,
        windows=sealed.windows,
        mechanism=sealed.mechanism.value if sealed.mechanism else "",
        control=sealed.control.value if sealed.control else "",
    )


def _foreign(bundle: Bundle, graders: Path | None) -> Background:
    task = Imported(bundle, grader_of(bundle, graders))

    def graded(folder: Path) -> Graded:
        found = grade(task, folder)
        shares = {
            name: round(part.earned / part.weight, 6)
            for name, part in found.by_type.items()
            if part.weight
        }
        return Graded(round(found.points, 6), shares)

    places = sealed_places(bundle, PROFILE_NAME, graders)
    profile = next((path for path in places if path.is_file()), None)
    return Background(
        memories=read_profile(profile) if profile is not None else (),
        final_record_path=bundle.record_path,
        grade=graded if task.grader is not None else None,
    )
