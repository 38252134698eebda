"""``jarvis say``: a text in, Jarvis's voice out, to the loudspeaker or to a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from jarvis_voice.cli.io import Io

_DESCRIPTION = """\
Speak a text with Jarvis's voice, to the loudspeaker or to a WAV file. Markdown, code, paths,
numbers, units and the like are said as a person would say them."""

_EXAMPLES = """\
examples:
  jarvis say "3 of 4 tests pass in utils/io.py"
  jarvis say --out hello.wav "Hello."
  jarvis say - < notes.md                      read the text from standard input
  jarvis say --voice af_heart --speed 1.2 "Faster, and in another voice."
  jarvis say --json --out hello.wav "Hello."   what was said, and how long it took
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "say",
        help="speak a text to the loudspeaker or a file",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("text", metavar="TEXT", help="what to say, or - for standard input")
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="write a WAV file instead of playing"
    )
    parser.add_argument("--voice", metavar="NAME", help="another voice of the synthesizer")
    parser.add_argument("--speed", metavar="X", type=float, help="the pace, from 0.5 to 2")
    parser.add_argument("--engine", metavar="NAME", help="a synthesizer that 'jarvis models' lists")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace, io: Io) -> int:
    from jarvis_voice import config
    from jarvis_voice.cli.speaking import Speaking, check_output

    options = {
        "synthesizer.engine": args.engine,
        "synthesizer.voice": args.voice,
        "synthesizer.speed": args.speed,
    }
    settings = config.override(config.load(args.config), options).settings
    text = _text(args.text)
    if args.out is not None:
        check_output(args.out)
    with Speaking(text, settings.synthesizer) as speaking:
        if args.out is not None:
            speaking.to_file(args.out)
        else:
            speaking.to_loudspeaker(settings.devices)
        told = speaking.told()
    if args.json:
        io.json({"file": str(args.out) if args.out else None} | told)
    elif args.out is not None:
        io.note(f"jarvis: Wrote {args.out} ({told['duration_s']} s).")
    return 0


def _text(argument: str) -> str:
    from jarvis_voice.errors import UsageError

    text = sys.stdin.read() if argument == "-" else argument
    if not text.strip():
        raise UsageError("There is no text to say.", "Give one, or - to read standard input.")
    return text
