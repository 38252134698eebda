"""Captured runs, when the shared folder is there; the demo run is always there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def demo_run() -> Path:
    return ROOT / "assets" / "runs" / "demo.jsonl"


@pytest.fixture
def captures() -> Path:
    shared = Path(os.environ.get("JARVIS_SHARED", ROOT.parent / "shared"))
    folder = shared / "samples" / "claude_code"
    if not folder.is_dir():
        pytest.skip("the shared captures are not here")
    return folder
