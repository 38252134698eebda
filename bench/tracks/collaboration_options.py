"""The options of the collaboration track. Light: it is imported to show ``--help``."""

from __future__ import annotations

import argparse
from pathlib import Path

WORKERS = ("scripted", "careless", "overconfident", "chat", "claude-code", "codex")


_EXTERNAL = """\
agent programs as workers:
  claude-code and codex run in real time, the user's thinking included, in a copy of the task's
  materials and a home of their own, attached to a gate of this run. They are looked for on the
  PATH, or where JARVIS_CLAUDE and JARVIS_CODEX say. These variables name their model:
    claude-code  ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN; ANTHROPIC_BASE_URL, ANTHROPIC_MODEL
    codex        OPENAI_API_KEY; OPENAI_BASE_URL, OPENAI_MODEL
  A model that fails makes a run invalid, never a bad score. Tasks that act on an app are left out.
  The programs have your rights and may use the network: run them where nothing else is at stake.
"""


def collab(parser: argparse.ArgumentParser) -> None:
    """Options of ``jarvis bench collab``."""
    parser.description = (
        "Does bringing in the user improve what agents deliver? Workers do the tasks of the\n"
        "suite with each controller and a simulated user; the same runs without Jarvis are the\n"
        "baseline."
    )
    parser.epilog = _EXTERNAL
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--tasks", metavar="NAMES", type=listed, default=(), help="only these, by commas"
    )
    parser.add_argument(
        "--workers",
        metavar="NAMES",
        type=listed,
        default=("scripted",),
        help=f"by commas, of: {', '.join(WORKERS)} (default: scripted); chat is the chat model of "
        "the settings in a loop of tools; the last two are installed agent programs, see below",
    )
    parser.add_argument(
        "--controller",
        metavar="NAMES",
        type=listed,
        default=("jarvis",),
        help="by commas, of: none, jarvis, jarvis-model, never, always-at-final, random, placebo, "
        "oracle, all, or MODULE:NAME of your own (default: jarvis); none is always run too",
    )
    _add_runs(parser)
    parser.add_argument(
        "--suite",
        metavar="DIR",
        type=Path,
        help="tasks of another folder, also of your checkout of the original; without a grader of "
        "theirs such runs stay ungraded",
    )
    parser.add_argument(
        "--graders",
        metavar="DIR",
        type=Path,
        help="sealed parts of a checkout's tasks: DIR/TASK/grade.py, and profile.json for what "
        "the user knows",
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def _add_runs(parser: argparse.ArgumentParser) -> None:
    """How often, under which conditions and where runs are made."""
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="(default: 0)")
    parser.add_argument(
        "--repeats", metavar="N", type=int, default=1, help="of each run (default: 1)"
    )
    parser.add_argument(
        "--mode",
        choices=("paper", "strict", "both"),
        default="paper",
        help="paper: two requests a run, the last kept for the final record; strict: --budget",
    )
    parser.add_argument(
        "--budget",
        metavar="N,...",
        type=_numbers,
        default=(4,),
        help="requests a run in strict mode; several draw the frontier (default: 4)",
    )
    parser.add_argument(
        "--user",
        choices=("scripted", "model"),
        default="scripted",
        help="who plays the user: rules, or the chat model of the settings (default: scripted)",
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="keep the record and a page with plots; go on there"
    )
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="processes (default: 1)")
    parser.add_argument(
        "--ray", metavar="ADDRESS", default="", help="a Ray cluster, or 'local' for one here"
    )


def compare(parser: argparse.ArgumentParser) -> None:
    """Options of ``jarvis bench compare``."""
    parser.description = (
        "Compare two results of 'jarvis bench collab' over the runs that both hold: how much "
        "better the second is than the first, with intervals and exact tests."
    )
    parser.add_argument("first", metavar="FIRST", type=Path, help="a folder of results")
    parser.add_argument("second", metavar="SECOND", type=Path, help="another one")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _numbers(text: str) -> tuple[int, ...]:
    found = tuple(int(part) for part in listed(text))
    if not found or min(found) < 0:
        raise argparse.ArgumentTypeError(f"{text} is no list of numbers from 0 up")
    return found


def listed(text: str) -> tuple[str, ...]:
    """Names that are separated by commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())
