"""What a step of the admission ladder gives: its name, its faults, and the figures behind them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.errors import BenchError


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one step for one bundle, or for the whole suite."""

    number: int
    name: str
    faults: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Nothing is wrong."""
        return not self.faults

    @property
    def title(self) -> str:
        """The number and the name, as it is shown and as its file is named."""
        return f"{self.number:02d}_{self.name}"

    def save(self, folder: Path) -> None:
        """Store it as ``<number>_<name>.json`` in a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        data = {
            "step": self.number,
            "name": self.name,
            "ok": self.ok,
            "faults": list(self.faults),
            "figures": self.figures,
        }
        text = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False)
        (folder / f"{self.title}.json").write_text(text + "\n", encoding="utf-8")


def broken(number: int, name: str, error: BenchError) -> Step:
    """A step that could not be taken at all."""
    return Step(number, name, (f"{error.kind}: {error}",))
