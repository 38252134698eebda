"""Step 1 of the ladder: what can be said of a bundle by looking at it.

The public half's own format is checked where it is read (``bundle``), the sealed one's likewise
(``sealed``). Here is what only both together show, and what our own bundles promise beyond that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from bench.suite.bundle import Bundle, Topology, files_below, forbidden_key, read_json
from bench.suite.leaks import Detector
from bench.suite.sealed import SealedTask, Window
from bench.suite.steps import Step
from bench.workers.base import Worker

MATERIAL_BYTES = 1024 * 1024  # of one bundle's public half: it is copied for each command
HINTS = ("ask the user", "ask the requester", "check with the user", "needs the user's decision")
_ALLOWED_IMPORTS = frozenset(
    """__future__ bench collections csv dataclasses datetime decimal difflib fractions functools
    html io itertools json math operator re statistics string struct textwrap typing zlib
    numpy""".split()
)
_FORBIDDEN_NAMES = frozenset({"open", "exec", "eval", "compile", "__import__", "input"})


def check(bundle: Bundle, sealed: SealedTask, worker: Worker) -> Step:
    """All faults of form."""
    faults = [
        *_public_faults(bundle),
        *_record_faults(bundle, sealed),
        *_window_faults(bundle, sealed, worker),
        *_overlaps(bundle, sealed),
        *_worker_faults(bundle, sealed),
    ]
    files = list(files_below(bundle.public))
    figures = {
        "public_files": len(files),
        "public_bytes": sum(path.stat().st_size for path in files),
        "checkpoints": len(sealed.checkpoints),
        "memories": len(sealed.memories),
        "facts": len(sealed.facts),
    }
    return Step(1, "static", tuple(faults), figures)


def public_text(bundle: Bundle) -> str:
    """All that a worker can read: the manifest, and every public file that is text."""
    parts = [(bundle.root / "task.public.json").read_text(encoding="utf-8")]
    for path in files_below(bundle.public):
        try:
            parts.append(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue  # a picture
    return "\n".join(parts)


def _public_faults(bundle: Bundle) -> Iterator[str]:
    total = 0
    for path in files_below(bundle.public):
        total += path.stat().st_size
        if path.suffix == ".json" and (key := forbidden_key(read_json(path))):
            yield f'{path.relative_to(bundle.root)} holds the key "{key}"'
    if total > MATERIAL_BYTES:
        yield f"the public half has {total} bytes, more than {MATERIAL_BYTES}"
    text = public_text(bundle).lower()
    yield from (f'the public half says "{hint}"' for hint in HINTS if hint in text)
    if "image" in bundle.manifest.runtime.modalities and not any(
        path.suffix in (".png", ".jpg") for path in files_below(bundle.public)
    ):
        yield "the modality image is declared, and there is no picture"


def _record_faults(bundle: Bundle, sealed: SealedTask) -> Iterator[str]:
    results = bundle.manifest.episode.result_paths
    if sealed.final_record_path not in results:
        yield f"the final record {sealed.final_record_path} is none of the results"
    if sealed.title != bundle.manifest.title:
        yield "the two halves have different titles"
    contract = read_json(bundle.public / "output_contract.json")
    named = contract.get("required_files", list(contract.get("required", {})))
    yield from (f"the contract does not name {path}" for path in results if path not in named)
    for checkpoint in sealed.checkpoints:
        anchors = (bundle.public / checkpoint.anchor, bundle.root / checkpoint.anchor)
        if checkpoint.anchor.startswith("sealed") or not any(path.is_file() for path in anchors):
            yield f'checkpoint "{checkpoint.id}" rests on no public file: "{checkpoint.anchor}"'
    relevant = [memory for memory in sealed.memories if not memory.decoy]
    decoys = len(sealed.memories) - len(relevant)
    if sealed.mechanism is not None and (len(relevant) < 2 or decoys < 4):
        yield f"there are {len(relevant)} relevant memories and {decoys} decoys; 2 and 4 are due"


def _window_faults(bundle: Bundle, sealed: SealedTask, worker: Worker) -> Iterator[str]:
    for window in sealed.windows:
        decision = worker.decisions.get(window.id)
        if decision is None:
            yield f'the worker has no decision "{window.id}"'
            continue
        if set(decision.options) != set(window.options):
            yield f'window "{window.id}" and the worker know different options'
        if decision.default != window.worker_default:
            yield f'window "{window.id}" expects another default than the worker has'
        if sealed.mechanism is not None and window.gold == window.worker_default:
            yield f'window "{window.id}": the worker gets the gold without anyone'
        yield from _path_faults(bundle, window)


def _path_faults(bundle: Bundle, window: Window) -> Iterator[str]:
    for predicate in (window.opens_when, window.closes_when):
        path = predicate.read or ""
        is_known = path.startswith(("results/", "app/")) or (bundle.public / path).exists()
        if path and not is_known:
            yield f'window "{window.id}" waits for {path}, which is not there'
    closes = window.closes_when.written
    if closes is None or not closes.startswith("results/"):
        yield f'window "{window.id}" does not close with a result'


def _overlaps(bundle: Bundle, sealed: SealedTask) -> Iterator[str]:
    """Private words in the public half. What a brief discloses on purpose may stand there."""
    detector = Detector(sealed, " ".join(sealed.disclosures))
    for leak in detector.private_in(public_text(bundle)):
        yield f"private words stand in the public half: {leak.kind} {leak.what}"
    brief = bundle.manifest.episode.brief
    yield from (
        f'the brief does not say "{words}"' for words in sealed.disclosures if words not in brief
    )


def _worker_faults(bundle: Bundle, sealed: SealedTask) -> Iterator[str]:
    """The worker knows the task through its tools only."""
    path: Path = bundle.root / "worker.py"
    source = path.read_text(encoding="utf-8")
    for leak in Detector(sealed).private_in(source):
        yield f"private words stand in worker.py: {leak.kind} {leak.what}"
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            if name.startswith("bench") and not name.startswith(("bench.workers", "bench.errors")):
                yield f"worker.py imports {name}; of the benchmark it may use bench.workers only"
            elif name.partition(".")[0] not in _ALLOWED_IMPORTS:
                yield f"worker.py imports {name}, which could reach outside its tools"
        if isinstance(node, ast.Name) and node.id in _FORBIDDEN_NAMES:
            yield f"worker.py uses {node.id}, which could reach outside its tools"
    if bundle.topology is Topology.MULTI and len(bundle.workstreams) not in (2, 3):
        yield "a project has two or three workstreams"
