"""How a hook finds the gate: two private files in the user's state folder.

``gate-token`` holds the secret; it stays the same from start to start, since runtimes keep it in
their settings. ``gate.json`` names the port of the gate that runs now and is removed when it stops.
``serve-token`` is the secret of another door: that of the voice clients of ``jarvis serve``.
Imports nothing heavy: the stdin bridge starts one process per hook.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_state_path

from jarvis_voice.errors import GateError

TOKEN_BYTES = 32
_PRIVATE = stat.S_IRUSR | stat.S_IWUSR


@dataclass(frozen=True, slots=True)
class Gate:
    """A running gate."""

    port: int
    token: str
    pid: int  # of the process that runs it

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self.port}"


def default_folder() -> Path:
    """The user's state folder of Jarvis."""
    return user_state_path("jarvis-voice", appauthor=False)


class Rendezvous:
    """The two files in ``folder``, which is made when needed, for its user only."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    @property
    def gate_file(self) -> Path:
        """Names the running gate."""
        return self.folder / "gate.json"

    def token(self, door: str = "gate") -> str:
        """The secret, made when there is none yet. Raises GateError when it cannot be kept.

        ``door`` is "gate" or "serve": who may talk with Jarvis is not thereby a runtime of its.
        """
        path = self.folder / f"{door}-token"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if path.exists():
                path.chmod(_PRIVATE)
                kept = path.read_text(encoding="ascii").strip()
                if len(kept) >= TOKEN_BYTES:
                    return kept
            made = secrets.token_urlsafe(TOKEN_BYTES)
            write_private(path, made.encode())
        except (OSError, UnicodeDecodeError) as error:
            raise GateError(
                f"The secret {path} cannot be read or written: {error}.",
                "Check the permissions of that folder.",
            ) from error
        return made

    def announce(self, port: int) -> Gate:
        """Tell where the gate of this process listens. Raises GateError."""
        gate = Gate(port, self.token(), os.getpid())
        document = {"port": gate.port, "token": gate.token, "pid": gate.pid}
        try:
            write_private(self.gate_file, json.dumps(document).encode())
        except OSError as error:
            raise GateError(
                f"The gate's address {self.gate_file} cannot be written: {error}.",
                "Check the permissions of that folder; without it, no hook finds the gate.",
            ) from error
        return gate

    def withdraw(self) -> None:
        """Take the address back, unless another process has announced its own since."""
        found = find(self.gate_file)
        if found is not None and found.pid == os.getpid():
            self.gate_file.unlink(missing_ok=True)


def find(gate_file: Path) -> Gate | None:
    """The gate that a file names; None when there is none, or not by this user's hand alone."""
    try:
        with gate_file.open("rb") as file:
            if os.name == "posix":
                about = os.fstat(file.fileno())
                if about.st_uid != os.geteuid() or about.st_mode & 0o077:
                    return None
            found = json.loads(file.read(4096))
        return Gate(int(found["port"]), str(found["token"]), int(found["pid"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its user can read, whole or not at all. Raises OSError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with os.fdopen(os.open(draft, flags, _PRIVATE), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
