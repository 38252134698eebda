"""The options of the probes. Light: it is imported to show ``--help``."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.probes.recipe import DEFAULT_SEED, TURN_PARTS

SETTINGS = ("files", "room", "websocket")
CONTROLLERS = ("acoustic", "semantic", "smart-turn")


def latency(parser: argparse.ArgumentParser) -> None:
    """Options of ``jarvis bench latency``."""
    _describe(
        parser,
        "From the end of your speech to Jarvis's first sound and first content: the five shared "
        "prompts as published, and 30 prompts by two speakers in quiet and in noise.",
    )
    _common(parser)
    _live(parser)
    parser.add_argument(
        "--model-ttft",
        metavar="MS",
        type=float,
        help="let a scripted chat model answer, whose first token takes so long",
    )
    parser.add_argument(
        "--repeats", metavar="N", type=int, default=1, help="of the shared prompts (default: 1)"
    )


def turns(parser: argparse.ArgumentParser) -> None:
    """Options of ``jarvis bench turns``."""
    _describe(
        parser,
        "Turns with pauses, hesitations, lists and numbers in them: how often the turn is cut off, "
        "how long its end is waited for, and the trade-off between the two.",
    )
    _common(parser)
    parser.add_argument(
        "--part",
        choices=TURN_PARTS,
        default=TURN_PARTS[0],
        help="the texts that who wrote the rules has seen, or others (default: seen)",
    )
    parser.add_argument(
        "--controller",
        choices=CONTROLLERS,
        action="append",
        help="measure this one only; may be given several times (default: all that are installed)",
    )
    parser.add_argument(
        "--audio", metavar="DIR", type=Path, help="add the recordings of people in this folder"
    )


def duplex(parser: argparse.ArgumentParser) -> None:
    """Options of ``jarvis bench duplex``."""
    _describe(
        parser,
        "Interruptions, backchannels, coughs, talk to others, noise and Jarvis's own echo, while "
        "Jarvis speaks.",
    )
    _common(parser)
    _live(parser)
    parser.add_argument(
        "--audio", metavar="DIR", type=Path, help="add the recordings of people in this folder"
    )


def _describe(parser: argparse.ArgumentParser, text: str) -> None:
    parser.description = text


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="a small even choice of the corpus")
    parser.add_argument("--items", metavar="N", type=int, help="measure N items of the corpus")
    parser.add_argument(
        "--seed", metavar="N", type=int, default=DEFAULT_SEED, help=f"(default: {DEFAULT_SEED})"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the whole record")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write a page with plots")
    parser.add_argument(
        "--fail-over",
        metavar="METRIC=LIMIT",
        action="append",
        default=[],
        help="exit status 1 when the metric is over the limit; may be given several times",
    )
    parser.add_argument(
        "--fail-under",
        metavar="METRIC=LIMIT",
        action="append",
        default=[],
        help="... when it is under the limit",
    )


def _live(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--over",
        choices=SETTINGS,
        default=SETTINGS[0],
        help="files instead of devices, a virtual room with real devices (PulseAudio), or the "
        "websocket of 'jarvis serve' (default: files)",
    )
    parser.add_argument(
        "--baseline",
        choices=("sequential",),
        help="run this reference beside ours, in turns, and print the ratio",
    )
    parser.add_argument(
        "--clock",
        choices=("real", "virtual"),
        default="real",
        help="virtual: over files only, models take no time; behaves the same on a busy machine, "
        "and its times are what the decisions alone take (default: real)",
    )
