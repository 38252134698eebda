"""``jarvis config``: the settings in force, and where each of them came from."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from jarvis_voice.cli.io import Io

if TYPE_CHECKING:
    from jarvis_voice.config import LoadedSettings

_DESCRIPTION = """\
Print every setting that is in force and where it came from. A setting is taken from the environment
(JARVIS_<SECTION>_<KEY>), else from the settings file, else it is the default."""

_EXAMPLES = """\
examples:
  jarvis config                       what is set, and where
  jarvis config --path                the settings file that is read
  jarvis config --default             all settings, explained; a good file to begin with
  jarvis config --json                the same for a program
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "config",
        help="print the settings and where each comes from",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--path", action="store_true", help="print only the settings file's path")
    shown.add_argument(
        "--default", action="store_true", help="print a settings file that explains every setting"
    )
    shown.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace, io: Io) -> int:
    from jarvis_voice import config

    if args.default:
        from jarvis_voice.resources import asset

        io.out.write(asset("default.toml").read_text(encoding="utf-8"))
        return 0
    if args.path:
        io.line(str(args.config or config.settings_path()))
        return 0
    loaded = config.load(args.config)
    if args.json:
        io.json(_as_document(loaded))
    else:
        _print(loaded, io)
    return 0


def _as_document(loaded: LoadedSettings) -> dict[str, object]:
    from jarvis_voice.config import as_dict

    return {
        "file": str(loaded.path),
        "file_exists": loaded.path.exists(),
        "settings": {
            section: {
                name: {"value": value, "from": loaded.origins[f"{section}.{name}"]}
                for name, value in content.items()
            }
            for section, content in as_dict(loaded.settings).items()
        },
    }


def _print(loaded: LoadedSettings, io: Io) -> None:
    """Print as TOML, so that the output is itself a settings file."""
    from jarvis_voice.config import as_dict

    state = "read" if loaded.path.exists() else "not there, so the defaults hold"
    io.line(f"# settings file: {loaded.path} ({state})")
    for section, content in as_dict(loaded.settings).items():
        io.line()
        io.line(f"[{section}]")
        for name, value in content.items():
            # JSON's strings, numbers and booleans are TOML's too
            assignment = f"{name} = {json.dumps(value, ensure_ascii=False)}"
            io.line(f"{assignment:<36} # {loaded.origins[f'{section}.{name}']}")
