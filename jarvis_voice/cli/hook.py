"""``jarvis hook``: one hook of an agent runtime, from standard input to the gate and back.

Runtimes whose hooks are commands start this once per event, so it imports only the standard library
and the runtime's own field mapping. It never fails: what it prints is an answer that the runtime
takes, by the chosen rule when the gate cannot be asked.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import urlencode

from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.cli.io import Io
from jarvis_voice.runtimes import NAMES, load

if TYPE_CHECKING:
    from jarvis_voice.runtimes import Runtime
    from jarvis_voice.wire.rendezvous import Gate

MARGIN_S = 15.0  # what the gate leaves us to hear its answer
SENT_BYTES = 768 * 1024  # the gate takes 1 MiB
KEPT_CHARS = 32 * 1024  # of each text in an input that is larger
READ_BYTES = 256 * 1024 * 1024  # of an input; more is not read
ANSWER_BYTES = 1024 * 1024
CONNECT_S = 2.0  # loopback answers at once, or not at all

_DESCRIPTION = """\
Pass one hook of an agent runtime to a running Jarvis: the hook's JSON on standard input, the answer
that the runtime takes on standard output. 'jarvis attach' writes this command into the runtime's
settings; there is no need to call it by hand."""

_EXAMPLES = """\
examples:
  jarvis hook codex --fail closed < hook-input.json
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "hook",
        help="pass one hook of an agent runtime to Jarvis (for their settings)",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runtime", choices=NAMES, help="whose hook it is")
    parser.add_argument(
        "--fail",
        choices=("open", "closed"),
        default="open",
        help="when Jarvis cannot be asked: let the call run (open, the default) or refuse it",
    )
    parser.add_argument(
        "--hold",
        type=float,
        metavar="SECONDS",
        help="give up after this time; must be shorter than the runtime waits",
    )
    parser.add_argument(
        "--gate-file", type=Path, metavar="FILE", help="where the running Jarvis names its gate"
    )


def run(args: argparse.Namespace, io: Io) -> int:
    io.line(json.dumps(answer(args, sys.stdin.buffer), ensure_ascii=True))
    return 0


def answer(args: argparse.Namespace, source: BinaryIO) -> dict[str, Any]:
    """What the runtime gets to read: the gate's answer, or that of the rule."""
    runtime = load(args.runtime)
    raw = source.read(READ_BYTES)
    payload = _object(raw)
    if payload is None:
        return _by_rule(runtime, runtime.PRE_TOOL, args.fail, "its hook input could not be read")
    gate = _gate(args.gate_file)
    if gate is None:
        return _by_rule(runtime, payload, args.fail, "Jarvis is not running")
    try:
        return _asked(gate, runtime, _fitting(raw, payload), args)
    except TimeoutError:
        return _by_rule(runtime, payload, args.fail, "nobody decided in time")
    except (OSError, ValueError):
        return _by_rule(runtime, payload, args.fail, "Jarvis could not be asked")


def _gate(gate_file: Path | None) -> Gate | None:
    from jarvis_voice.wire.rendezvous import default_folder, find

    return find(gate_file or default_folder() / "gate.json")


def _asked(gate: Gate, runtime: Runtime, body: bytes, args: argparse.Namespace) -> dict[str, Any]:
    """The gate's answer. Raises OSError or ValueError when it gives none.

    Over a bare socket: the standard HTTP client alone takes as long to import as all the rest.
    """
    hold_s = args.hold if args.hold is not None and math.isfinite(args.hold) else runtime.DEADLINE_S
    query = urlencode({"fail": args.fail, "hold": f"{max(hold_s - MARGIN_S, 0.0):g}"})
    head = (
        f"POST /gate/{runtime.NAME}?{query} HTTP/1.1\r\nHost: 127.0.0.1:{gate.port}\r\n"
        f"Authorization: Bearer {gate.token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", gate.port), timeout=CONNECT_S) as link:
        link.settimeout(max(hold_s, CONNECT_S))
        link.sendall(head.encode("ascii") + body)
        with link.makefile("rb") as response:
            status = response.readline(1024).split(b" ")
            while response.readline(8192).strip():
                pass
            found = _object(response.read(ANSWER_BYTES))
    if status[1:2] != [b"200"] or found is None:
        raise ValueError("the gate refused the request")
    return found


def _by_rule(runtime: Runtime, payload: Any, rule: str, why: str) -> dict[str, Any]:
    if rule == "closed":
        reason = (
            f"This call was refused because {why}, and Jarvis was set to refuse then (fail "
            "closed). Nothing was run. Ask the user to start Jarvis or to detach it."
        )
        return runtime.reply(payload, Ruling(Verdict.DENY, reason))
    return runtime.reply(payload, Ruling(Verdict.ALLOW, degraded=why))


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _fitting(raw: bytes, payload: dict[str, Any]) -> bytes:
    """The input in a size that the gate takes: of long texts the ends and a digest stay."""
    if len(raw) <= SENT_BYTES:
        return raw
    return json.dumps(_shortened(payload)).encode()


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item) for item in value[:200]]
    if isinstance(value, str) and len(value) > KEPT_CHARS:
        # the digest keeps the fingerprints of two long calls apart
        digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
        half = KEPT_CHARS // 2
        return (
            f"{value[:half]}\n[... {len(value)} characters, sha256 {digest} ...]\n{value[-half:]}"
        )
    return value
