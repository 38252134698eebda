"""The command ``jarvis``: finds the subcommand, runs it, and words every failure as one line.

Each subcommand is a module here with ``add_parser(subparsers)`` and ``run(args, io) -> int``. Their
heavy imports are inside ``run``, so that ``jarvis --help`` answers at once. ``build`` is the only
module that composes engines, brain and runs from the settings.

Exit status: 0 done, 1 failed, 2 wrongly called or set up, 130 interrupted by ctrl-C.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import NoReturn

from audio.errors import AudioError
from jarvis_voice import __version__
from jarvis_voice.cli.io import Io
from jarvis_voice.errors import JarvisError, UsageError

DEFAULT_COMMAND = "talk"
COMMANDS = {
    "talk": "hold a spoken conversation about an agent run (this is what plain 'jarvis' does)",
    "demo": "play a whole conversation to files; needs no microphone",
    "watch": "list the agent runs that are going on",
    "log": "show what was asked, decided, delivered and applied",
    "replay": "play a recorded project back, at any speed",
    "serve": "let other programs talk with Jarvis over a websocket",
    "doctor": "check devices and models, and say what to do about each fault",
    "transcribe": "turn a recording into text",
    "say": "speak a text to the loudspeaker or a file",
    "bench": "measure latency, turn-taking and more",
    "models": "list the engines, their weights, licences and hashes",
    "config": "print the settings and where each comes from",
    "attach": "let an agent runtime ask Jarvis before it acts",
    "detach": "take Jarvis out of a runtime's settings again",
    "hook": "pass one hook of an agent runtime to Jarvis (for their settings)",
}

_DESCRIPTION = """\
Jarvis talks with you about your running AI agents: you ask how it is going, Jarvis answers from
what it has seen of the run, and you can interrupt at any time. Everything runs on this machine."""

_EXAMPLES = """\
examples:
  jarvis demo                        hear what it is like, without a microphone
  jarvis doctor                      is my microphone ready?
  jarvis --run transcript.jsonl      talk about a recorded agent run
  jarvis COMMAND --help              all about one command
"""

_ABOUT_JARVIS = {"-h", "--help", "--version"}
_INTERRUPTED = 130  # what shells report for a program ended by ctrl-C: 128 + SIGINT
_BROKEN_PIPE = 141  # likewise for SIGPIPE: the reader of our output went away


class CommandParser(argparse.ArgumentParser):
    """Raises UsageError where argparse would print several lines and exit."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}.", f"'{self.prog} --help' shows how to call it.")


def main(argv: Sequence[str] | None = None, io: Io | None = None) -> int:
    """Run ``jarvis`` with these arguments (the process's own by default); returns the exit status.

    A fault of ours that is none of the typed errors leaves as an exception; as a program it too is
    shown as one line, unless ``JARVIS_DEBUG=1`` asks for the traceback.
    """
    if argv is None:
        sys.excepthook = _show_unexpected
        argv = sys.argv[1:]
    io = io or Io.standard()
    try:
        return _dispatch(argv, io)
    except (JarvisError, AudioError) as error:
        return _report(error, io)
    except BaseExceptionGroup as group:
        return _report_group(group, io)
    except KeyboardInterrupt:
        io.note("jarvis: Interrupted.")
        return _INTERRUPTED
    except BrokenPipeError:
        # Python would complain again when it flushes at exit; there is no one left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE


def _dispatch(argv: Sequence[str], io: Io) -> int:
    words = list(argv)
    first = _first_word(words)
    if first is None or (first.startswith("-") and first not in _ABOUT_JARVIS):
        name: str | None = DEFAULT_COMMAND  # such as: jarvis --run FILE
        words.insert(0, DEFAULT_COMMAND)
    else:
        name = first if first in COMMANDS else None
    parser, module_name = _parser(name)
    try:
        args = parser.parse_args(words)
    except SystemExit as stopped:  # --help and --version have printed and are done
        return int(stopped.code or 0)
    status = importlib.import_module(module_name).run(args, io)
    return int(status)


def _first_word(words: Sequence[str]) -> str | None:
    """The first argument that is not about the settings file, which may stand anywhere."""
    rest = iter(words)
    for word in rest:
        if word == "--config":
            next(rest, None)
        elif not word.startswith("--config="):
            return word
    return None


def _parser(name: str | None) -> tuple[CommandParser, str]:
    """The parser with only the named command in full, and that command's module."""
    parser = CommandParser(
        prog="jarvis",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"jarvis {__version__}")
    _add_config(parser, default=None)
    subparsers = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", parser_class=CommandParser
    )
    module_name = ""
    for command, summary in COMMANDS.items():
        if command == name:
            module_name = f"{__name__}.{command}"
            importlib.import_module(module_name).add_parser(subparsers)
            # SUPPRESS, or the subparser's default would hide a --config before the command
            _add_config(subparsers.choices[command], default=argparse.SUPPRESS)
        else:
            subparsers.add_parser(command, help=summary, add_help=False)
    return parser, module_name


def _add_config(parser: argparse.ArgumentParser, default: object) -> None:
    parser.add_argument(
        "--config",
        metavar="FILE",
        type=Path,
        default=default,
        help="read the settings from FILE ('jarvis config --path' shows the usual place)",
    )


def _report(error: JarvisError | AudioError, io: Io) -> int:
    if os.environ.get("JARVIS_DEBUG") == "1":
        io.note("".join(traceback.format_exception(error)).rstrip())
    io.note(f"jarvis: {error}")
    return error.exit_code if isinstance(error, JarvisError) else 1


def _report_group(group: BaseExceptionGroup[BaseException], io: Io) -> int:
    """The concurrent parts of a conversation fail as a group; the first typed error explains it."""
    leaf: BaseException = group
    while isinstance(leaf, BaseExceptionGroup):
        typed = leaf.subgroup((JarvisError, AudioError))
        leaf = (typed or leaf).exceptions[0]
    if isinstance(leaf, JarvisError | AudioError):
        return _report(leaf, io)
    if isinstance(leaf, KeyboardInterrupt):
        io.note("jarvis: Interrupted.")
        return _INTERRUPTED
    raise group


def _show_unexpected(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """A fault in Jarvis itself: one line, and how to see all of it."""
    if os.environ.get("JARVIS_DEBUG") == "1":
        traceback.print_exception(kind, error, trace)
        return
    detail = " ".join(str(error).split())
    sys.stderr.write(
        f"jarvis: This is a fault in Jarvis: {kind.__name__}: {detail}. "
        "Run it again with JARVIS_DEBUG=1 and report what it prints.\n"
    )
