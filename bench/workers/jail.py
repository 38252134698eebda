"""Started as a program, it runs one command after the other, each in Linux namespaces of its own.

A line of JSON on standard input is ``{"folder", "home", "hidden", "command", "env", "output",
"limit_s"}``; the answer is ``{"status": n}`` or ``{"fault": "..."}``, status -1 when the time was
up. A command is process 1 of its own tree, in a root that holds the system's programs read only,
the folder as ``/workspace``, an empty ``/tmp`` and a few devices; ``hidden`` folders are empty. It
has no network and no privilege, and all that it started dies with it. The program ends with its
input. One that is already running starts a command in a few milliseconds, a new interpreter in
fifty.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import sys
from typing import Any

_NEWNS, _NEWUTS, _NEWIPC = 0x00020000, 0x04000000, 0x08000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000
_RDONLY, _NOSUID, _NODEV, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_DETACH = 2
_PDEATHSIG, _NO_NEW_PRIVS = 1, 38
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
_MEMORY_BYTES = 4 << 30
_FILE_BYTES = 64 << 20
_CANNOT = 125
TIME_UP = -1


def serve() -> None:
    """Answer requests until the input ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    for line in sys.stdin:
        try:
            answer: dict[str, Any] = {"status": _run(libc, json.loads(line))}
        except OSError as error:
            answer = {"fault": str(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _run(libc: ctypes.CDLL, request: dict[str, Any]) -> int:
    child = os.fork()
    if child == 0:
        _stand_between(libc, request)
    waiting = os.pidfd_open(child)
    ready, _, _ = select.select([waiting], [], [], request["limit_s"])
    os.close(waiting)
    if not ready:
        os.kill(child, signal.SIGKILL)  # process 1 of the tree dies with it, and the tree with that
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) & 0xFF if ready else TIME_UP


def _stand_between(libc: ctypes.CDLL, request: dict[str, Any]) -> None:
    """Outside the new tree: start its first process and end as that one ends. Never returns."""
    status = _CANNOT
    try:
        output = os.open(request["output"], os.O_WRONLY | os.O_APPEND)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.setsid()
        _unshare(libc)
        first = os.fork()
        if first == 0:
            _check(libc.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
            _enter(libc, request)
            os.closerange(3, 64)
            os.execve("/bin/sh", ["/bin/sh", "-c", request["command"]], request["env"])
        _, ended = os.waitpid(first, 0)
        status = os.waitstatus_to_exitcode(ended)
    except OSError as error:
        os.write(2, f"The command cannot be shut in: {error}\n".encode())
    finally:
        os._exit(status & 0xFF)


def _unshare(libc: ctypes.CDLL) -> None:
    user, group = os.getuid(), os.getgid()
    _check(libc.unshare(_NEWUSER | _NEWNS | _NEWPID | _NEWNET | _NEWIPC | _NEWUTS))
    _put("/proc/self/setgroups", "deny")
    _put("/proc/self/uid_map", f"0 {user} 1")
    _put("/proc/self/gid_map", f"0 {group} 1")


def _enter(libc: ctypes.CDLL, request: dict[str, Any]) -> None:
    """Make the new root, go there, and give up what could undo it."""
    folder = request["folder"]
    _mount(libc, "none", "/", None, _REC | _PRIVATE)
    root = os.path.join(os.path.dirname(folder), "root")
    os.makedirs(root, exist_ok=True)
    _mount(libc, "tmpfs", root, "tmpfs", _NOSUID | _NODEV)
    for path in (*_SYSTEM, request["home"]):
        _show(libc, path, root)
    for path in filter(os.path.isdir, request["hidden"]):
        _mount(libc, "tmpfs", root + path, "tmpfs", _NOSUID | _NODEV | _RDONLY)
    for name in ("workspace", "tmp", "dev", "old"):
        os.makedirs(f"{root}/{name}", exist_ok=True)
    _mount(libc, folder, f"{root}/workspace", None, _BIND)
    for device in filter(os.path.exists, _DEVICES):
        _put(root + device, "")
        _mount(libc, device, root + device, None, _BIND)
    _check(libc.pivot_root(os.fsencode(root), os.fsencode(f"{root}/old")))
    os.chdir("/")
    _check(libc.umount2(b"/old", _DETACH))
    os.rmdir("/old")
    os.chdir("/workspace")
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _check(libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))


def _show(libc: ctypes.CDLL, path: str, root: str) -> None:
    """The same path in the new root, read only; a link as a link."""
    target = root + path
    if os.path.lexists(target) or not os.path.exists(path):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(path):
        os.symlink(os.readlink(path), target)
        return
    os.mkdir(target)
    _mount(libc, path, target, None, _BIND | _REC)
    _mount(libc, "none", target, None, _BIND | _REMOUNT | _RDONLY | _NOSUID | _NODEV)


def _mount(libc: ctypes.CDLL, source: str, target: str, kind: str | None, flags: int) -> None:
    fs_type = kind.encode() if kind else None
    _check(libc.mount(os.fsencode(source), os.fsencode(target), fs_type, flags, None))


def _put(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _check(status: int) -> None:
    if status != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


if __name__ == "__main__":
    serve()
