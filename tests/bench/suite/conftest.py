"""A copy of one of our own bundles, to be spoilt."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.suite.catalog import TASKS

Edit = Callable[[Any], None]


@pytest.fixture
def bundle_copy(tmp_path: Path) -> Callable[[str], Path]:
    """Copies a task of ours by name into a suite folder of its own, its digest with it."""

    def copy(task_id: str = "seed_vault_round") -> Path:
        suite = tmp_path / "suite"
        suite.mkdir(exist_ok=True)
        shutil.copyfile(TASKS / "DIGESTS.json", suite / "DIGESTS.json")
        return Path(shutil.copytree(TASKS / task_id, suite / task_id))

    return copy


@pytest.fixture
def edit_json() -> Callable[[Path, Edit], None]:
    """Changes a JSON file in place."""

    def edit(path: Path, change: Edit) -> None:
        data = json.loads(path.read_text(encoding="utf-8"))
        change(data)
        path.write_text(json.dumps(data), encoding="utf-8")

    return edit
