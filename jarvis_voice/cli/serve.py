"""``jarvis serve``: lets other programs talk with Jarvis aloud, over a websocket."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from jarvis_voice.cli.io import Io

_DESCRIPTION = """\
Talk with Jarvis from another program: a browser's or a phone's bridge, a test harness, any client
of the OpenAI Realtime protocol. Two protocols are spoken: ws://HOST:PORT/v1/realtime is OpenAI's
(point its client's base URL at http://HOST:PORT/v1, with the token for a key), any other path is
plain PCM16 at 16 kHz. One client at a time, each with a fresh conversation; the models are loaded
once. No sound is kept. The client cancels its own echo, or its user wears headphones."""

_EXAMPLES = """\
examples:
  jarvis serve                                   about all runs that go on
  jarvis serve --run transcript.jsonl            about a recorded run, played anew for each client
  jarvis serve --run transcript.jsonl --no-token --protocol pcm     for a harness on this machine
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "serve",
        help="let other programs talk with Jarvis over a websocket",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="the address to listen on (default: this machine only)"
    )
    parser.add_argument("--port", type=int, default=8788, help="0 takes any free one")
    parser.add_argument(
        "--run",
        metavar="FILE",
        type=Path,
        help="a recorded run to talk about (default: all that go on)",
    )
    parser.add_argument(
        "--protocol",
        choices=("any", "pcm", "realtime"),
        default="any",
        help="what is spoken (default: both)",
    )
    parser.add_argument(
        "--no-token", action="store_true", help="let every program on this machine in"
    )
    parser.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="URL",
        help="a web page's origin that may connect, such as http://localhost:3000; repeatable",
    )
    parser.add_argument(
        "--clients",
        type=int,
        default=1,
        help="that may talk at a time, with --run (default: 1; two cores are good for one)",
    )


def run(args: argparse.Namespace, io: Io) -> int:
    from jarvis_voice import config
    from jarvis_voice.cli.serving import Serving
    from jarvis_voice.errors import UsageError
    from jarvis_voice.runs.sources import open_recording
    from jarvis_voice.wire.rendezvous import Rendezvous
    from jarvis_voice.wire.serving import Door

    if not 0 <= args.port <= 65535:
        raise UsageError(f"{args.port} is no port.", "Give a number up to 65535.")
    if not 1 <= args.clients <= 8:
        raise UsageError(f"{args.clients} clients are not served.", "Give 1 to 8.")
    if args.clients > 1 and args.run is None:
        raise UsageError(
            "Only one client at a time can answer for all runs.", "Give --run FILE, or one client."
        )
    settings = config.load(args.config).settings
    recording = open_recording(args.run) if args.run is not None else None
    token = None if args.no_token else Rendezvous().token("serve")
    door = Door(args.host, args.port, token, frozenset(args.origin), args.clients)
    asyncio.run(Serving(settings, io, recording).serve(door, args.protocol))
    return 0
