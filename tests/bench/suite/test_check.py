"""``jarvis bench check``: names what passes, stores every step, freezes what passed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from bench.suite.check import add_arguments, run
from jarvis_voice.cli.io import Io
from jarvis_voice.errors import UsageError

TASK = "control_crate_deposits"


def _run(*words: str) -> tuple[int, str]:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    out = StringIO()
    return run(parser.parse_args(words), Io(out, StringIO())), out.getvalue()


def test_it_stores_every_step_and_says_what_fails(
    bundle_copy: Callable[..., Path], tmp_path: Path
) -> None:
    root = bundle_copy(TASK)
    path = root / "worker.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    suite, out = str(root.parent), tmp_path / "out"
    status, text = _run(TASK, "--suite", suite, "--out", str(out))
    assert status == 1
    assert "FAILED" in text
    assert f"12_freeze: the worker half of {TASK} has changed" in text
    assert "0 of 1 pass." in text
    stored = json.loads((out / TASK / "12_freeze.json").read_text(encoding="utf-8"))
    assert stored["ok"] is False
    assert (out / "02_sufficiency_of_the_suite.json").is_file()
    status, text = _run(TASK, "--suite", suite, "--freeze")
    assert (status, "1 of 1 pass." in text) == (0, True)


def test_a_name_that_is_no_task_is_wrongly_called() -> None:
    with pytest.raises(UsageError, match="no_such_task"):
        _run("no_such_task")
