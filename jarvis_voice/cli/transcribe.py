"""``jarvis transcribe``: a recording in, its text out, and nothing else on standard output."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from jarvis_voice.cli.io import Io

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from audio.recording import Passage
    from jarvis_voice.config import Settings

_DESCRIPTION = """\
Turn a recording into text. The text alone goes to standard output, a line for each passage between
longer pauses. WAV, FLAC, OGG and MP3 of any rate, width and number of channels can be read. A
recording in which nobody speaks gives no text, and a note on standard error."""

_EXAMPLES = """\
examples:
  jarvis transcribe memo.wav
  jarvis transcribe memo.wav --engine whisper-base     slower and more accurate
  jarvis transcribe memo.wav --json                    with times and confidence
  jarvis models                                        which engines there are
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "transcribe",
        help="turn a recording into text",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="the recording")
    parser.add_argument("--engine", metavar="NAME", help="a recognizer that 'jarvis models' lists")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace, io: Io) -> int:
    from audio.wav import read_audio
    from jarvis_voice import config

    loaded = config.override(config.load(args.config), {"recognizer.engine": args.engine})
    samples, _ = read_audio(args.file)
    passages = []
    for passage in _passages(samples, loaded.settings):
        passages.append(passage)
        if passage.text and not args.json:
            io.line(passage.text)
    said = [passage for passage in passages if passage.text]
    if args.json:
        io.json(
            {
                "file": str(args.file),
                "engine": loaded.settings.recognizer.engine,
                "text": " ".join(passage.text for passage in said),
                "passages": [asdict(passage) for passage in passages],
            }
        )
    if not said:
        reason = passages[0].reason if passages else "no speech"
        io.note(f"jarvis: Nobody speaks in {args.file} ({reason}).")
    return 0


def _passages(samples: NDArray[np.float32], settings: Settings) -> Iterator[Passage]:
    from audio.asr.registry import open_recognizer
    from audio.recording import transcribe
    from audio.vad.silero import SileroVad

    recognizer = open_recognizer(settings.recognizer.engine)
    try:
        yield from transcribe(samples, SileroVad(), recognizer)
    finally:
        recognizer.close()
