"""Runs a worker's shell commands, shut in as well as this machine can.

On Linux with user namespaces a command sees its view as ``/workspace``, the system's programs read
only, the standard library as all of Python, a ``/tmp`` of its own and no network (``jail.py``, or
bubblewrap where only that works).
Elsewhere it runs in the view as its working folder with a bare environment: that keeps honest
programs inside, not hostile ones, and ``isolated`` is False. Everywhere its time and its output are
bounded, and nothing of our own environment is handed on.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path

from bench.errors import WorkspaceFailed
from bench.workers.base import Reply
from bench.workers.jail import TIME_UP

TIME_LIMIT_S = 60.0
OUTPUT_BYTES = 64 * 1024
INSIDE = "/workspace"
_JAIL = Path(__file__).with_name("jail.py")
_DURATION = re.compile(r"\bin \d+\.\d+ ?s\b")  # how long a test took: the same run, other numbers
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives")


class Isolation(Enum):
    """How a command is shut in."""

    JAIL = "namespaces"
    BUBBLEWRAP = "bubblewrap"
    NONE = "none"


def best_isolation() -> Isolation:
    """The strongest way that works here, tried out once: writing outside must really fail."""
    return _best()


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs commands in a folder. ``inline`` runs them in the event loop's own thread.

    That is for virtual time, where nothing else has to go on meanwhile and the order of things must
    not depend on how long a command takes; otherwise they run in a thread.
    """

    inline: bool = True
    time_limit_s: float = TIME_LIMIT_S
    isolation: Isolation = field(default_factory=best_isolation)

    @property
    def isolated(self) -> bool:
        """A command can neither write nor read outside its view, nor reach a network."""
        return self.isolation is not Isolation.NONE

    async def run(self, command: str, folder: Path) -> Reply:
        """The command's output, both streams in one; ok when it ended with 0.

        Raises WorkspaceFailed when nothing can be started here.
        """
        if self.inline:
            return self.run_now(command, folder)
        return await asyncio.to_thread(self.run_now, command, folder)

    def run_now(self, command: str, folder: Path) -> Reply:
        """The same, waiting for it."""
        with tempfile.NamedTemporaryFile(prefix="jarvis-bench-") as output:
            if self.isolation is Isolation.JAIL:
                status = _jailer(os.getpid()).run(
                    {
                        "folder": str(folder),
                        "home": str(_python_home()),
                        "hidden": [str(_site_packages())],
                        "command": command,
                        "env": _environment(INSIDE, "/tmp"),
                        "output": output.name,
                        "limit_s": self.time_limit_s,
                    }
                )
            else:
                status = self._start(command, folder, output.fileno())
            output.seek(0)
            text = _readable(output.read(OUTPUT_BYTES + 1), folder)
        if status == TIME_UP:
            return Reply(False, f"{text}\n[stopped after {self.time_limit_s:g} seconds]".strip())
        if status != 0:
            return Reply(False, f"{text}\n[exit status {status}]".strip())
        return Reply(True, text)

    def _start(self, command: str, folder: Path, output: int) -> int:
        if self.isolated:
            environment = _environment(INSIDE, "/tmp")
        else:
            environment = _environment(str(folder), str(folder.parent))
        try:
            process = subprocess.Popen(
                _arguments(command, folder, isolated=self.isolated),
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise WorkspaceFailed(f"No shell can be started: {error}.") from error
        try:
            return process.wait(self.time_limit_s) & 0xFF
        except subprocess.TimeoutExpired:
            return TIME_UP
        finally:  # what it started must not outlive it
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class _Jailer:
    """The running ``jail.py`` of this process; commands of several threads wait for each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_JAIL)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
            env={},
        )
        atexit.register(self.close)

    def run(self, request: dict[str, object]) -> int:
        """The exit status of a command. Raises WorkspaceFailed when it cannot be started."""
        with self._lock:
            asks, answers = self._process.stdin, self._process.stdout
            assert asks is not None  # both are pipes
            assert answers is not None
            try:
                asks.write(json.dumps(request) + "\n")
                asks.flush()
                answer = json.loads(answers.readline())
                return int(answer["status"])
            except (OSError, ValueError, KeyError) as error:
                raise WorkspaceFailed(f"No command can be shut in: {error!r}.") from error

    def close(self) -> None:
        """Its input ends, and so does it."""
        if self._process.stdin is not None and self._process.stdout is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()


@cache
def _jailer(process_id: int) -> _Jailer:
    """One for each process: a forked one must not share the pipes of its parent."""
    del process_id
    try:
        return _Jailer()
    except OSError as error:
        raise WorkspaceFailed(f"No shell can be started: {error}.") from error


def _readable(data: bytes, folder: Path) -> str:
    text = data[:OUTPUT_BYTES].decode("utf-8", "replace").replace(str(folder), INSIDE)
    text = _DURATION.sub("in 0.00s", text).rstrip()
    return f"{text}\n[the rest of the output was left out]" if len(data) > OUTPUT_BYTES else text


def _arguments(command: str, folder: Path, *, isolated: bool) -> list[str]:
    if isolated:
        seen = [path for path in (*_SYSTEM, str(_python_home())) if Path(path).exists()]
        binds = [word for path in seen for word in ("--ro-bind", path, path)]
        binds += ["--tmpfs", str(_site_packages())]
        inside = ["--bind", str(folder), INSIDE, "--tmpfs", "/tmp", "--proc", "/proc"]
        ends = ["--dev", "/dev", "--unshare-all", "--die-with-parent", "--chdir", INSIDE]
        return ["bwrap", *binds, *inside, *ends, "/bin/sh", "-c", command]
    shell = shutil.which("sh")
    if shell is None:
        raise WorkspaceFailed("This system has no POSIX shell, so commands cannot be run.")
    return [shell, "-c", command]


@cache
def _python_home() -> Path:
    return Path(sys.base_prefix).resolve()


@cache
def _site_packages() -> Path:
    """Packages that happen to be installed: hidden, so that a run does not depend on them."""
    lib = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return _python_home() / "lib" / lib / "site-packages"


def _environment(home: str, temporary: str) -> dict[str, str]:
    programs = (str(_python_home() / "bin"), "/usr/local/bin", "/usr/bin", "/bin")
    return {
        "PATH": os.pathsep.join(programs),
        "HOME": home,
        "TMPDIR": temporary,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
    }


@cache
def _best() -> Isolation:
    for way in (Isolation.JAIL, Isolation.BUBBLEWRAP):
        missing = way is Isolation.BUBBLEWRAP and shutil.which("bwrap") is None
        if sys.platform == "linux" and not missing and _holds(way):
            return way
    return Isolation.NONE


def _holds(way: Isolation) -> bool:
    with tempfile.TemporaryDirectory(prefix="jarvis-bench-") as top:
        folder, outside = Path(top).resolve() / "view", Path(top) / "outside"
        folder.mkdir()
        command = (
            f"echo in > inside; echo out > '{outside}'; cat '{_JAIL}'; python3 -c 'print(6*7)'"
        )
        try:
            reply = Shell(isolation=way, time_limit_s=10.0).run_now(command, folder)
        except WorkspaceFailed:
            return False
        is_shut = not outside.exists() and "namespaces" not in reply.text
        return is_shut and (folder / "inside").exists() and "42" in reply.text
