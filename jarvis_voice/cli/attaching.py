"""What ``attach`` and ``detach`` share: whose settings, the question first, the canary."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.cli.io import Io
from jarvis_voice.clock import stopwatch
from jarvis_voice.errors import AttachError, GateError, UsageError
from jarvis_voice.runtimes import RUNTIMES
from jarvis_voice.runtimes.attach import probe
from jarvis_voice.runtimes.attach.base import Attachment, Edit, Place
from jarvis_voice.runtimes.attach.changes import Changes, diff
from jarvis_voice.wire import canary
from jarvis_voice.wire.gate_server import Ears, GateServer
from jarvis_voice.wire.rendezvous import Gate, Rendezvous, find
from jarvis_voice.wire.settings import GateSettings


def add_place(parser: argparse.ArgumentParser) -> None:
    """The options for whose settings are meant, and the answer given in advance."""
    parser.add_argument(
        "--project",
        type=Path,
        metavar="DIR",
        help="only for the project in DIR (default: for all of your projects)",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask before writing")
    parser.add_argument(
        "--state", type=Path, metavar="DIR", help="keep backups and the gate's address in DIR"
    )


def place_of(args: argparse.Namespace) -> Place:
    """Whose settings. Raises UsageError when the project is no folder."""
    project = args.project.expanduser().resolve() if args.project else None
    if project is not None and not project.is_dir():
        raise UsageError(f"{project} is no folder.", "Name the project's folder.")
    return Place(Path.home(), project, dict(os.environ))


def rendezvous_of(args: argparse.Namespace) -> Rendezvous:
    """Where the gate's address and the backups are."""
    return Rendezvous(args.state)


def changes_of(rendezvous: Rendezvous) -> Changes:
    """The edits made so far."""
    return Changes(rendezvous.folder)


def agreed(edits: Sequence[Edit], secret: str, args: argparse.Namespace, io: Io) -> bool:
    """Show the edits and ask. Raises UsageError where nobody can answer."""
    io.line(diff(edits, secret))
    if args.yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("Nobody can be asked here.", "Add --yes to write these changes.")
    io.err.write("Write these changes? [y/N] ")
    io.err.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def own_command() -> str:
    """``jarvis`` as a shell runs it from anywhere, also when its folder is not on the PATH."""
    beside = Path(sys.executable).with_name("jarvis.exe" if os.name == "nt" else "jarvis")
    found = str(beside) if beside.exists() else shutil.which("jarvis")
    words = [found] if found else [sys.executable, "-m", "jarvis_voice"]
    if os.name == "nt":
        return " ".join(f'"{word}"' for word in words)
    return shlex.join(words)


def running(rendezvous: Rendezvous) -> Gate | None:
    """The gate of a Jarvis that runs now; its file may be left from one that crashed."""
    gate = find(rendezvous.gate_file)
    if gate is None:
        return None
    try:
        answer = probe.get(f"{gate.url}/health")
    except AttachError:
        return None
    is_ours = isinstance(answer, dict) and answer.get("service") == "jarvis-gate"
    return gate if is_ours else None


def proven(
    attachment: Attachment, place: Place, rendezvous: Rendezvous, port: int
) -> tuple[float, str]:
    """Send a canary through what stands in the settings: how long it was held, and any caveat.

    Uses the gate of a running Jarvis, else one of its own for this moment. Raises AttachError or
    GateError when the call was not held and refused in the runtime's own form.
    """
    if running(rendezvous) is not None:
        return _try(attachment, place)
    return asyncio.run(_try_alone(attachment, place, rendezvous, port))


async def _try_alone(
    attachment: Attachment, place: Place, rendezvous: Rendezvous, port: int
) -> tuple[float, str]:
    async def nobody(_action: object) -> Ruling:
        raise GateError("Jarvis is not running.", "Start it.")

    settings = GateSettings(port=port, fail="closed")
    ears = Ears(observe=lambda _name, _payload: None)
    async with GateServer(nobody, ears, settings, RUNTIMES, rendezvous.token()) as server:
        rendezvous.announce(server.port)
        try:
            return await asyncio.to_thread(_try, attachment, place)
        finally:
            rendezvous.withdraw()


def _try(attachment: Attachment, place: Place) -> tuple[float, str]:
    run_id = canary.run_id(secrets.token_hex(8))
    payload = attachment.canary(place, run_id)
    runtime = RUNTIMES[attachment.name]
    action = runtime.proposed(payload, 0.0)
    assert action is not None, "a canary is a tool call"
    wanted = runtime.reply(payload, Ruling(Verdict.DENY, canary.ruling(action).reason))
    began = stopwatch()
    tried = attachment.ask(place, payload)
    held_s = stopwatch() - began
    if tried.answer != wanted:
        raise AttachError(
            f"The test call was not refused as {attachment.name} wants it: "
            f"{_shown(tried.answer)} instead of {_shown(wanted)}.",
            "Is another program on the gate's port?",
        )
    if held_s < canary.HOLD_S:
        raise AttachError("The test call was refused, but not held.", "Try it again.")
    return held_s, tried.caveat


def _shown(answer: Any) -> str:
    return json.dumps(answer)[:200]
