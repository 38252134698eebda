"""``jarvis demo``: a whole conversation about a recorded run, on real models, without devices.

The recorded run is replayed, five spoken prompts go through the same pipeline that the microphone
feeds, in real time, and what was said on both sides is left as files.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from jarvis_voice.cli.io import Io

if TYPE_CHECKING:
    from jarvis_voice.cli.rehearsal import Rehearsal

_DESCRIPTION = """\
Hold a whole spoken conversation about a recorded agent run, with the real models and in real time,
but with files for devices: no microphone and no loudspeaker are needed. Five recorded prompts ask
Jarvis about the run; one of them interrupts it."""

_EXAMPLES = """\
examples:
  jarvis demo                  leaves its files in ./demo
  jarvis demo --out /tmp/talk  ... or elsewhere
  jarvis demo --json           the measured turns for a program

It leaves:
  conversation.wav   what was said: the user left, Jarvis right
  transcript.md      the conversation as it was heard
  timeline.jsonl     every event, with its time; all figures come from it
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "demo",
        help="play a whole conversation to files; needs no microphone",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path("demo"),
        help="folder for the files; it is made if needed (default: ./demo)",
    )
    parser.add_argument(
        "--run",
        metavar="FILE",
        type=Path,
        help="talk about this recorded run instead of the one that comes with Jarvis",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace, io: Io) -> int:
    from jarvis_voice import config
    from jarvis_voice.cli import rehearsal, report
    from jarvis_voice.resources import asset
    from jarvis_voice.runs.sources import open_recording

    settings = config.load(args.config).settings
    folder = report.output_folder(args.out)
    recording = open_recording(args.run or asset("runs", "demo.jsonl"))
    io.note(f"Loading the models, then talking about “{recording.title}” for about a minute.")
    shown = None if args.json else report.LiveTranscript(io.line)
    held = asyncio.run(rehearsal.rehearse(settings, recording, folder, shown))
    report.write_text(folder / "transcript.md", report.transcript(held))
    _show(held, io, as_json=args.json, folder=folder)
    return 0 if held.complete else 1


def _show(held: Rehearsal, io: Io, *, as_json: bool, folder: Path) -> None:
    from jarvis_voice.cli import report

    if as_json:
        io.json(report.as_document(held, folder))
    else:
        io.line()
        io.line(report.as_table(held))
        io.line()
        io.line(f"Files: {folder}/conversation.wav, transcript.md, timeline.jsonl")
    for fault in held.faults:
        io.note(f"jarvis: {fault}")
