"""Runs a program that an agent delivered, for a grader: shut in, and once for the same files.

A grader names the results that the program consists of. Only these and the public materials are
there when the command runs, and nothing of what it does stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.grading.run_dir import RunDir
from bench.workers.base import Reply
from bench.workers.shell import Shell
from bench.workers.workspace import Workspace

TIME_LIMIT_S = 20.0


def run_program(
    run: RunDir, command: str, needs: Sequence[str], gives: Sequence[str] = ()
) -> tuple[Reply, dict[str, bytes]]:
    """The command's reply, and the results ``gives`` as it left them, empty for those it did not.

    ``needs`` and ``gives`` are paths below ``results/``. The working folder is the workspace.
    """
    with TemporaryDirectory(prefix="jarvis-bench-") as top:
        workspace = Workspace(run.public, Path(top).resolve() / "run")
        for path in needs:
            data = run.read_bytes(path)
            if data:
                workspace.put(path, data)
        ran = workspace.scope().execute_now(Shell(time_limit_s=TIME_LIMIT_S), command)
    return ran.reply, {path: ran.changes.kept.get(path) or b"" for path in gives}
