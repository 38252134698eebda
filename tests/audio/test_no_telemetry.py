"""Nothing is collected or sent behind the user's back by what the engines stand on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_onnxruntime_collects_nothing(tmp_path: Path) -> None:
    unset = {"ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME"}
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    environment["HOME"] = str(tmp_path)

    # It makes a device id and a store of events in the home folder as soon as it is imported.
    subprocess.run(
        [sys.executable, "-B", "-c", "import audio, onnxruntime"],
        env=environment,
        cwd=Path(__file__).parents[2],
        check=True,
        timeout=60,
    )

    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
