"""What a run has left behind, for a grader to look at.

A run folder holds ``results/**`` and, of app tasks, ``action_log.jsonl`` and ``questions.jsonl``.
Agents write these files, so nothing here raises on what they hold: a file that is missing, too
large, no UTF-8, no JSON or no CSV reads as empty, and a grader gives such a thing 0.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.grading.contract import contract_share, schema_faults
from bench.suite.bundle import digest_of, is_plain
from bench.workers.app_state import replay

FILE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RunDir:
    """A run's folder, and the public folder of its task. Paths begin with ``results/``."""

    root: Path
    public: Path

    def path(self, path: str) -> Path | None:
        """The file, when it is a plain one inside this folder and not too large."""
        if not is_plain(path):
            return None
        found = self.root / path
        steps = [found, *found.parents]
        inside = steps[: steps.index(self.root)] if self.root in steps else []
        if any(step.is_symlink() for step in inside) or not found.is_file():
            return None
        return found if found.stat().st_size <= FILE_BYTES else None

    def read_bytes(self, path: str) -> bytes:
        """The content; empty when there is none."""
        found = self.path(path)
        return found.read_bytes() if found else b""

    def read_text(self, path: str) -> str:
        """The text, with unix line ends; empty when there is none."""
        try:
            text = self.read_bytes(path).decode("utf-8-sig")
        except UnicodeDecodeError:
            return ""
        return text.replace("\r\n", "\n")

    def json(self, path: str, *keys: str | int) -> Any:
        """The JSON value, or what stands in it under these keys; None when there is none."""
        try:
            value = json.loads(self.read_text(path) or "null")
        except (ValueError, RecursionError):
            return None
        for key in keys:
            value = _inside(value, key)
        return value

    def csv(self, path: str) -> list[dict[str, str]]:
        """The rows of a CSV file with a header, names and values stripped; empty when none."""
        try:
            rows = list(csv.DictReader(io.StringIO(self.read_text(path)), strict=True))
        except csv.Error:
            return []
        return [_stripped(row) for row in rows]

    def files(self) -> tuple[str, ...]:
        """All files below ``results/``, by path."""
        found = (self.root / "results").rglob("*")
        return tuple(
            sorted(path.relative_to(self.root).as_posix() for path in found if path.is_file())
        )

    def actions(self) -> list[dict[str, Any]]:
        """The app's log: ``{"action", "arguments", "ok", "result"}`` each, in order."""
        lines = self.read_text("action_log.jsonl").splitlines()
        found = []
        for line in lines:
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(entry, dict):
                found.append(entry)
        return found

    def done(self, action: str) -> list[dict[str, Any]]:
        """The arguments of each time that this app action was carried out."""
        return [
            entry["arguments"]
            for entry in self.actions()
            if entry.get("action") == action
            and entry.get("ok") is True
            and isinstance(entry.get("arguments"), dict)
        ]

    def app(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The app's collections after all that was carried out; as it was before for nothing."""
        done = [entry for entry in self.actions() if entry.get("ok") is True]
        return replay(self.public, done).collections

    def contract(self) -> float:
        """The share of ``public/output_contract.json`` that is met, 0 to 1."""
        return contract_share(self, _public_json(self.public / "output_contract.json"))

    def follows_schema(self, path: str) -> bool:
        """The JSON file is there and fits ``public/result_schema.json``."""
        value = self.json(path)
        schema = _public_json(self.public / "result_schema.json")
        return value is not None and not schema_faults(value, schema)

    def digest(self) -> str:
        """SHA-256 over all that the run has left."""
        return digest_of(self.root, ".")


def number(value: object) -> float:
    """A number, also one written as text with signs of money, commas or percent; NaN for none."""
    if isinstance(value, bool):
        return math.nan
    if isinstance(value, int | float):
        return float(value)
    if not isinstance(value, str):
        return math.nan
    text = value.strip().replace(",", "").strip("$€£% ")
    try:
        return float(text)
    except ValueError:
        return math.nan


def close(value: object, wanted: float, tolerance: float = 0.005) -> bool:
    """The value is this number, within the tolerance."""
    return abs(number(value) - wanted) <= tolerance


def text_of(value: object) -> str:
    """A value as one line of lower-case text: of lists and objects, all that is in them."""
    if isinstance(value, Mapping):
        return " ".join(text_of(item) for pair in value.items() for item in pair)
    if isinstance(value, list):
        return " ".join(text_of(item) for item in value)
    return " ".join(str(value).lower().split()) if value is not None else ""


def share(hits: int | float, of: int) -> float:
    """``hits`` of ``of`` as a number from 0 to 1; 0 of 0 is 0."""
    return max(0.0, min(1.0, hits / of)) if of else 0.0


def _inside(value: Any, key: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(key)
    if isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
        return value[key]
    return None


def _stripped(row: Mapping[str | None, Any]) -> dict[str, str]:
    return {
        key.strip(): value.strip() if isinstance(value, str) else ""
        for key, value in row.items()
        if isinstance(key, str)
    }


def _public_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
