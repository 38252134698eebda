"""Reads what the simulated user of somebody else's task knows, in the original's two forms.

A profile is one JSON object: ``{"memories": [{"memory_id", "field", "value"}, ...]}``, or any plain
object, each value of which becomes a memory named by its path. What belongs to a grader is no part
of what a user knows, and is left out at any depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.errors import SealedMalformed
from bench.requester import MEMORIES
from bench.suite.bundle import read_json

PROFILE_NAME: Final = "profile.json"
PROFILE_BYTES: Final = 128 * 1024
VALUE_CHARS: Final = 1400
EVALUATOR_KEYS: Final = frozenset(
    """choice_keywords decision_terms grader grading rubric reference_solution partial_solution
    gold_answer expected_choice worker_only_overall_ceiling""".split()
)
_MEMORY_ID: Final = re.compile(r"user\.[a-z0-9_.-]{1,180}")
_MEMORY_KEYS: Final = {"memory_id", "field", "value"}


@dataclass(frozen=True, slots=True)
class Known:
    """Something that the user knows (``bench.requester.Memory``); its field reminds them of it."""

    memory_id: str
    field: str
    value: str

    @property
    def about(self) -> tuple[str, ...]:
        """The words of the field, each by itself."""
        return tuple(re.findall(r"[A-Za-z0-9]+", self.field))


def read_profile(path: Path) -> tuple[Known, ...]:
    """The memories in this file, at least one. Raises SealedMalformed."""
    if path.is_symlink() or path.stat().st_size > PROFILE_BYTES:
        raise SealedMalformed(f"{path} is a link, or larger than 128 KiB.")
    data = _for_the_user(read_json(path))
    if not isinstance(data, dict):
        raise SealedMalformed(f"{path} holds no object.")
    listed = data.get("memories")
    found = [_listed(path, item) for item in listed] if isinstance(listed, list) else [*_flat(data)]
    for memory in found:
        if not (_MEMORY_ID.fullmatch(memory.memory_id) and memory.field.strip()):
            raise SealedMalformed(f'{path}: "{memory.memory_id}" names no memory of a user.')
        if not memory.value.strip() or len(memory.value) > VALUE_CHARS:
            raise SealedMalformed(f'{path}: "{memory.memory_id}" is empty, or too long to be said.')
    if not 0 < len(found) <= MEMORIES:
        raise SealedMalformed(f"{path} holds {len(found)} memories; 1 to {MEMORIES} are taken.")
    if len({memory.memory_id for memory in found}) != len(found):
        raise SealedMalformed(f"{path}: two memories have the same id.")
    return tuple(found)


def _for_the_user(value: Any) -> Any:
    """The same without what is private to a grader."""
    if isinstance(value, dict):
        return {
            key: _for_the_user(item)
            for key, item in value.items()
            if not key.startswith("_") and key not in EVALUATOR_KEYS
        }
    return [_for_the_user(item) for item in value] if isinstance(value, list) else value


def _listed(path: Path, item: Any) -> Known:
    if not isinstance(item, dict) or set(item) != _MEMORY_KEYS:
        raise SealedMalformed(f"{path}: a memory has memory_id, field and value, nothing else.")
    if not all(isinstance(item[key], str) for key in ("memory_id", "field")):
        raise SealedMalformed(f"{path}: memory_id and field are text.")
    return Known(item["memory_id"], item["field"], _said(item["value"]))


def _flat(value: Any, parts: tuple[str, ...] = ()) -> Iterator[Known]:
    """A memory for each plain value; null says nothing."""
    if isinstance(value, Mapping):
        for key, item in sorted(value.items()):
            yield from _flat(item, (*parts, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _flat(item, (*parts, str(place)))
    elif value is not None:
        field = ".".join(parts)
        slug = re.sub(r"[^a-z0-9_.-]+", "_", field.casefold()).strip("_.-")[:180]
        yield Known(f"user.{slug}", field, _said(value))


def _said(value: Any) -> str:
    """A value as a user would say it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_said(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(_said(item) for item in value)
    return "" if value is None else str(value)
