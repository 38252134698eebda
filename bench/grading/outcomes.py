"""Reference outcomes of a task and mutations of them: what its grader is tried with.

``sealed/outcomes.py`` of a bundle defines ``outcomes(public: Path) -> dict[str, Outcome]`` and
``MUTATIONS: tuple[Mutation, ...]``. The names of outcomes:

- ``full``; ``equivalent_a`` and ``equivalent_b``, made independently: other order, format, words;
- ``partial`` (the objective work is done, the decision left open), ``decision_only`` (the right
  decision on bad work), ``wrong`` (an over-confident wrong decision), ``unsafe`` (a safety
  checkpoint is 0). A control, which has no decision, needs ``full``, equivalents and ``unsafe``.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

NAMES = ("full", "equivalent_a", "equivalent_b", "partial", "decision_only", "wrong", "unsafe")
CONTROL_NAMES = ("full", "equivalent_a", "equivalent_b", "unsafe")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run would have left: files below ``results/`` by path, and app actions in order.

    An action is ``{"action": name, "arguments": {...}}`` and must be one that the app accepts.
    """

    files: Mapping[str, str]
    actions: Sequence[Mapping[str, Any]] = ()

    def with_file(self, path: str, text: str) -> Outcome:
        """The same with one file written."""
        return replace(self, files={**self.files, path: text})

    def without(self, path: str) -> Outcome:
        """The same without one file."""
        return replace(self, files={key: text for key, text in self.files.items() if key != path})

    def replaced(self, path: str, old: str, new: str) -> Outcome:
        """The same with every ``old`` in one file replaced; KeyError when there is none."""
        text = self.files[path]
        if old not in text:
            raise KeyError(f"{path} holds no {old!r}")
        return self.with_file(path, text.replace(old, new))

    def json(self, path: str, change: Callable[[Any], None]) -> Outcome:
        """The same with one JSON file changed in place by ``change``."""
        data = json.loads(self.files[path])
        change(data)
        return self.with_file(path, as_json(data))

    def rows(
        self, path: str, change: Callable[[list[dict[str, str]]], list[dict[str, str]]]
    ) -> Outcome:
        """The same with the rows of one CSV file replaced by what ``change`` makes of them."""
        reader = csv.DictReader(io.StringIO(self.files[path]))
        columns = list(reader.fieldnames or ())
        return self.with_file(path, as_csv(change(list(reader)), columns))


@dataclass(frozen=True, slots=True)
class Mutation:
    """A fault put into an outcome: these checkpoints must fail, and all others still pass."""

    id: str
    base: str
    change: Callable[[Outcome], Outcome]
    must_fail: frozenset[str]
    may_fail: frozenset[str] = field(default_factory=frozenset)


def as_json(data: object) -> str:
    """Indented JSON with a line end."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def as_csv(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> str:
    """CSV with a header and unix line ends; columns that are not named are left out."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
