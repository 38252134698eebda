"""The public half of a task: ``task.public.json`` and ``public/``, in the JarvisBench format.

The same reader takes our own bundles and a user's checkout of the original ones. Every fault is a
BundleMalformed that names the file and the key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bench.errors import BundleMalformed

BRIEF_CHARS = 4000
FORBIDDEN_KEYS = frozenset(
    "attention grading private profile_visibility worker_only_overall_ceiling".split()
)
"""Keys that may stand nowhere in a manifest, at any depth: they would tell a worker too much."""

IGNORED_NAMES = frozenset({".DS_Store", "__pycache__"})

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{2,63}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Source(_Strict):
    """Where a task comes from."""

    benchmark: str
    task_id: str
    url: str | None
    revision: str | None
    license: str | None
    adaptation: str | None


class Runtime(_Strict):
    """What a task runs on; ``worker_timeout_seconds`` leaves out the time of holds."""

    family: Annotated[str, Field(pattern=r"^[a-z]+_(mas_)?(workspace|apps)_v1$")]
    cpus: Annotated[int, Field(ge=1, le=64)]
    memory_gb: Annotated[int, Field(ge=1, le=512)]
    modalities: Annotated[list[Literal["text", "image"]], Field(min_length=1)]
    worker_timeout_seconds: Annotated[int, Field(ge=10, le=7200)]


class Episode(_Strict):
    """What the user asks for, and which files the answer is."""

    brief: Annotated[str, Field(min_length=40, max_length=BRIEF_CHARS)]
    result_paths: Annotated[list[str], Field(min_length=1, max_length=256)]
    worker_count: Annotated[int, Field(ge=2, le=8)] | None = None


class Baseline(_Strict):
    """The conditions of a run without Jarvis."""

    model: str
    user_availability: Literal["unavailable_after_brief"]
    on_question: Literal["continue_with_best_reversible_judgment"]


class Assets(_Strict):
    """The files below the bundle that a worker may see; of projects, folders too."""

    public: Annotated[list[str], Field(min_length=1)]


class Manifest(_Strict):
    """``task.public.json``. All keys are required, and there are no others."""

    schema_version: Literal["1.0"]
    task_id: Name
    title: Annotated[str, Field(min_length=3, max_length=120)]
    domain: Annotated[str, Field(min_length=2, max_length=60)]
    summary: Annotated[str, Field(min_length=10, max_length=1000)]
    source: Source
    runtime: Runtime
    episode: Episode
    baseline: Baseline
    assets: Assets


class Workstream(_Strict):
    """What one child of a project does."""

    id: Name
    label: str
    brief: Annotated[str, Field(min_length=40, max_length=BRIEF_CHARS)]


class Topology(Enum):
    """Who works on a task."""

    SINGLE = "single_agent"
    MULTI = "multi_agent"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A task whose public half was read and found in order."""

    root: Path
    manifest: Manifest
    workstreams: tuple[Workstream, ...] = ()

    @property
    def task_id(self) -> str:
        return self.manifest.task_id

    @property
    def public(self) -> Path:
        """The folder that the worker's workspace is a copy of."""
        return self.root / "public"

    @property
    def topology(self) -> Topology:
        family = self.manifest.runtime.family
        return Topology.MULTI if "_mas_" in family else Topology.SINGLE

    @property
    def is_app(self) -> bool:
        """The worker acts on an app's state (``act``) instead of on sources alone."""
        return self.manifest.runtime.family.endswith("apps_v1")

    @property
    def record_path(self) -> str:
        """Where the final record goes, as far as the public half tells; the sealed one knows.

        ``results/final.json``, else the first JSON file right below ``results/``, else the first.
        """
        paths = self.manifest.episode.result_paths
        named = [path for path in paths if path.endswith(".json") and path.count("/") == 1]
        return "results/final.json" if "results/final.json" in paths else [*named, *paths][0]

    @property
    def is_control(self) -> bool:
        """By its name: a task at which asking the user is wrong."""
        return self.task_id.startswith("control_")


def load_bundle(root: Path) -> Bundle:
    """Read and check the public half in ``root``. Raises BundleMalformed."""
    manifest_path = root / "task.public.json"
    data = read_json(manifest_path)
    bad = forbidden_key(data)
    if bad:
        raise BundleMalformed(f'{manifest_path} holds the key "{bad}", which is not public.')
    manifest = _parsed(Manifest, data, manifest_path)
    if manifest.task_id != root.name:
        raise BundleMalformed(
            f'{manifest_path} names itself "{manifest.task_id}" in a folder named "{root.name}".'
        )
    refuse_symlinks(root)
    bundle = Bundle(root, manifest)
    _check_paths(bundle)
    _check_assets(bundle)
    _check_companions(bundle)
    if bundle.topology is Topology.MULTI:
        return Bundle(root, manifest, _workstreams(bundle))
    return bundle


def read_json(path: Path) -> Any:
    """A JSON file of a bundle. Raises BundleMalformed, also for keys that stand twice."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_unique)
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise BundleMalformed(f"{path} cannot be read as JSON: {error}.") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def forbidden_key(data: Any) -> str:
    """The first key at any depth that is not public; empty when there is none."""
    if isinstance(data, dict):
        for key, value in data.items():
            found = key if key in FORBIDDEN_KEYS else forbidden_key(value)
            if found:
                return str(found)
    elif isinstance(data, list):
        return next(filter(None, map(forbidden_key, data)), "")
    return ""


def files_below(root: Path) -> Iterator[Path]:
    """All files below a folder in a fixed order, but for what tools leave behind."""
    for path in sorted(root.rglob("*")):
        if path.is_file() and not IGNORED_NAMES & set(path.relative_to(root).parts):
            yield path


def digest_of(root: Path, *parts: str) -> str:
    """SHA-256 over names and contents of these files and folders of a bundle, hex."""
    total = hashlib.sha256()
    for part in parts:
        top = root / part
        for path in [top] if top.is_file() else files_below(top):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            total.update(f"{path.relative_to(root).as_posix()}\0{content}\n".encode())
    return total.hexdigest()


def refuse_symlinks(root: Path) -> None:
    """Raises BundleMalformed when the folder or anything below it is a symbolic link."""
    for path in (root, *sorted(root.rglob("*"))):
        if path.is_symlink():
            raise BundleMalformed(f"{path} is a symbolic link; a bundle holds plain files only.")


def is_plain(path: str) -> bool:
    """A relative path with forward slashes that stays below its folder."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not ({"..", "."} & set(parts)) and path[0] != "/" and "\\" not in path


def _parsed(model: type[Manifest], data: Any, path: Path) -> Manifest:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise BundleMalformed(f"{path}: {first_fault(error)}") from error


def first_fault(error: ValidationError) -> str:
    """The first fault that pydantic found, as one sentence with the key in it."""
    fault = error.errors()[0]
    where = ".".join(str(part) for part in fault["loc"]) or "the whole"
    return f'"{where}": {fault["msg"]}.'


def _check_paths(bundle: Bundle) -> None:
    paths = bundle.manifest.episode.result_paths
    for path in paths:
        if not (is_plain(path) and path.startswith("results/")):
            raise BundleMalformed(f'{bundle.task_id}: the result "{path}" is not below results/.')
    if len(set(paths)) != len(paths):
        raise BundleMalformed(f"{bundle.task_id}: a result path stands twice.")


def _check_assets(bundle: Bundle) -> None:
    """A single agent's allow-list names exactly the files that are there."""
    declared = bundle.manifest.assets.public
    for path in declared:
        if not (is_plain(path) and path.startswith("public")):
            raise BundleMalformed(f'{bundle.task_id}: the asset "{path}" is not below public/.')
    present = {path.relative_to(bundle.root).as_posix() for path in files_below(bundle.public)}
    if bundle.topology is Topology.MULTI:
        covered = {
            name
            for name in present
            if any(name == top or name.startswith(f"{top}/") for top in declared)
        }
        missing = [top for top in declared if not (bundle.root / top).exists()]
    else:
        covered = present & set(declared)
        missing = sorted(set(declared) - present)
    if missing:
        raise BundleMalformed(f"{bundle.task_id}: the asset {missing[0]} is declared and missing.")
    if present - covered:
        stray = min(present - covered)
        raise BundleMalformed(f"{bundle.task_id}: {stray} is public and not declared.")


def _check_companions(bundle: Bundle) -> None:
    wanted = ["output_contract.json", "result_schema.json"]
    if bundle.is_app:
        wanted += ["state.json", "action_schema.json"]
    if bundle.topology is Topology.MULTI:
        wanted += ["PROJECT.md", "workstreams.json"]
    for name in wanted:
        path = bundle.public / name
        if not path.is_file():
            raise BundleMalformed(f"{bundle.task_id}: public/{name} is missing.")
        if path.suffix == ".json" and not isinstance(read_json(path), dict):
            raise BundleMalformed(f"{bundle.task_id}: public/{name} holds no object.")


def _workstreams(bundle: Bundle) -> tuple[Workstream, ...]:
    path = bundle.public / "workstreams.json"
    listed = read_json(path).get("workstreams")
    if not isinstance(listed, list):
        raise BundleMalformed(f'{path} has no list "workstreams".')
    try:
        streams = tuple(Workstream.model_validate(item) for item in listed)
    except ValidationError as error:
        raise BundleMalformed(f"{path}: {first_fault(error)}") from error
    if len({stream.id for stream in streams}) != len(streams):
        raise BundleMalformed(f"{path}: two workstreams have the same id.")
    if len(streams) != bundle.manifest.episode.worker_count:
        raise BundleMalformed(f"{path} has {len(streams)} workstreams, not worker_count.")
    return streams
