"""The options of ``jarvis bench check``. Light: it is imported to show ``--help``."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="names of tasks; all by default")
    parser.add_argument("--suite", metavar="DIR", type=Path, help="tasks of another folder")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="store the result of every step there, as JSON"
    )
    parser.add_argument(
        "--freeze", action="store_true", help="write down the digests of those that pass the rest"
    )
