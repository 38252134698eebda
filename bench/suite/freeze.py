"""Steps 11 and 12 of the ladder: planted leaks are caught, and nothing has changed unnoticed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.errors import SealedMalformed
from bench.suite.bundle import Bundle, digest_of
from bench.suite.leaks import Detector, claims, rows_of
from bench.suite.sealed import Fact, Memory, SealedTask
from bench.suite.static import public_text
from bench.suite.steps import Step

DIGESTS = "DIGESTS.json"  # beside the bundles
_PARTS = {
    "public": ("task.public.json", "public"),
    "sealed": ("sealed",),
    "worker": ("worker.py",),
}


# --- step 11


def leaks(bundle: Bundle, sealed: SealedTask) -> Step:
    """Planted private words and facts of the future are all found, and nothing else is."""
    detector = Detector(sealed)
    planted = list(_private_leaks(sealed))
    missed = [words for words in planted if not detector.private_in(words)]
    faults = [f'a planted leak is not seen: "{words}"' for words in missed]
    for fact in sealed.facts:
        faults += _fact_faults(fact, sealed, detector)
    honest = public_text(bundle)
    allowed = Detector(sealed, " ".join(sealed.disclosures))
    faults += [f"a leak is seen in public text: {leak.what}" for leak in allowed.private_in(honest)]
    figures = {
        "planted": len(planted) + len(sealed.facts),
        "recall": 1 - len(missed) / len(planted) if planted else 0.0,
    }
    return Step(11, "leaks", tuple(faults), figures)


def _private_leaks(sealed: SealedTask) -> Iterator[str]:
    """Private words as they could slip out: in other case, spacing and punctuation."""
    may = " ".join(sealed.allowed_overlap)
    for canary in sealed.canaries:
        yield f"I happen to know about {canary}, by the way."
        yield f"It says {canary.upper()}!"
        yield f"({'  '.join(canary.split())}), or so."
    for memory in sealed.memories:
        if memory.value in may or not rows_of(memory.value):
            continue
        yield from _clothed(memory)


def _clothed(memory: Memory) -> Iterator[str]:
    yield f"The user told me: {memory.value}"
    yield f"So far: {memory.value.upper()}"
    yield re.sub(r"[.,](?=\s|$)", " -", memory.value)


def _fact_faults(fact: Fact, sealed: SealedTask, detector: Detector) -> Iterator[str]:
    if not claims(fact.statement, fact.true):
        yield f'fact "{fact.id}": its own statement does not claim it'
    if claims(fact.statement, fact.false):
        yield f'fact "{fact.id}": its own statement claims the contrary'
    others = [other.id for other in sealed.facts if other.id != fact.id]
    early = detector.future_in(f"By now {fact.statement}", others)
    if [leak.what for leak in early] != [fact.id]:
        yield f'fact "{fact.id}": told too early it is not seen'
    if detector.future_in(fact.statement, [*others, fact.id]):
        yield f'fact "{fact.id}": told in time it is taken for a leak'


# --- step 12


def digests(bundle: Bundle) -> dict[str, str]:
    """SHA-256 of the public half, the sealed half and the worker of a bundle."""
    return {name: digest_of(bundle.root, *parts) for name, parts in _PARTS.items()}


def frozen(bundle: Bundle) -> Step:
    """The bundle is the one that was frozen."""
    known = read_digests(bundle.root.parent).get(bundle.task_id)
    now = digests(bundle)
    if known is None:
        faults = [f"{bundle.task_id} was never frozen"]
    else:
        changed = [name for name in now if known.get(name) != now[name]]
        faults = [f"the {name} half of {bundle.task_id} has changed" for name in changed]
    return Step(12, "freeze", tuple(faults), now)


def freeze(bundle: Bundle) -> None:
    """Write down what the bundle is now. Others' entries stay as they are."""
    folder = bundle.root.parent
    data = read_digests(folder) | {bundle.task_id: digests(bundle)}
    text = json.dumps(data, indent=1, sort_keys=True)
    (folder / DIGESTS).write_text(text + "\n", encoding="utf-8")


def read_digests(folder: Path) -> dict[str, Any]:
    """All entries by task id; none when there is no such file. Raises SealedMalformed."""
    path = folder / DIGESTS
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SealedMalformed(f"{path} is damaged: {error}.") from error
    if not isinstance(data, dict):
        raise SealedMalformed(f"{path} holds no object.")
    return data
