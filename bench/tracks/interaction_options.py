"""The options of the interaction track. Light: it is imported to show ``--help``."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.tracks.collaboration_options import listed

_ANSWERERS = "narrator, model, parrot, boaster, oracle-of-the-future, gossip, stenographer, empty"


def interact(parser: argparse.ArgumentParser) -> None:
    """Options of ``jarvis bench interact``."""
    parser.description = (
        "Does Jarvis answer well when the user asks about a run? Each worker is recorded once and "
        "replayed read-only up to an early and a late moment; at each a general question and a "
        "follow-up are asked, and the answers are graded by what was known then."
    )
    parser.add_argument(
        "--tasks", metavar="NAMES", type=listed, default=(), help="only these, by commas"
    )
    parser.add_argument(
        "--answerer",
        metavar="NAMES",
        type=listed,
        default=("narrator",),
        help=f"by commas, of: {_ANSWERERS}; all but the first two are bad on purpose "
        "(default: narrator)",
    )
    parser.add_argument(
        "--judges",
        metavar="NAMES",
        type=listed,
        default=(),
        help="models of the settings' server that decide the claims no rule decides, by commas; "
        "of two families or more",
    )
    parser.add_argument(
        "--voice",
        metavar="N",
        type=int,
        default=0,
        help="speak the questions and answers of the first N tasks, hear them again, and tell "
        "what that costs beside the same tasks without sound",
    )
    parser.add_argument(
        "--seed", metavar="N", type=int, default=0, help="of intervals (default: 0)"
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="keep the record and a page with plots; go on there"
    )
    parser.add_argument(
        "--frames", metavar="DIR", type=Path, help="write the replayed frames of each task there"
    )
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="processes (default: 1)")
    parser.add_argument(
        "--ray", metavar="ADDRESS", default="", help="a Ray cluster, or 'local' for one here"
    )
    parser.add_argument("--suite", metavar="DIR", type=Path, help="tasks of another folder")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
