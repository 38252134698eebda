"""``jarvis doctor``: is this machine ready, and what to do about each fault."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from jarvis_voice.cli.io import Io

if TYPE_CHECKING:
    from jarvis_voice.cli.checks import Check, Need

_DESCRIPTION = """\
Check all that Jarvis needs: Python and its packages, the settings, the models (each is loaded and
used once), PortAudio, microphone and loudspeaker with their rates, permissions, and the delay of
the echo between the two. Each fault comes with what to do about it. A short chirp is played.

At the end it says whether 'jarvis demo' (needs no sound devices) and the live conversation are
ready. The exit status is 0 only when both are, or with --demo when the demo is."""

_EXAMPLES = """\
examples:
  jarvis doctor
  jarvis doctor --demo          only what the demo needs: no sound devices, no chirp
  jarvis doctor --json          the same for a program
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "doctor",
        help="check devices and models, and say what to do about each fault",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--demo", action="store_true", help="check only what 'jarvis demo' needs")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace, io: Io) -> int:
    from jarvis_voice.cli.checks import Need

    checks = []
    for check in _all_checks(args):
        checks.append(check)
        if not args.json:
            _print(check, io)
    judged = [Need.DEMO] if args.demo else [Need.DEMO, Need.TALK]
    faults = {need: _faults(checks, need) for need in judged}
    if args.json:
        io.json(_as_document(checks, faults))
    else:
        io.line()
        for need, found in faults.items():
            io.line(f"{_TITLES[need.value]}: {_verdict(found)}")
    return 1 if any(faults.values()) else 0


_TITLES = {"demo": "jarvis demo", "talk": "jarvis (live microphone)"}


def _all_checks(args: argparse.Namespace) -> Iterator[Check]:
    from jarvis_voice.cli import checks

    yield checks.check_python()
    yield checks.check_packages()
    check, settings = checks.check_settings(args.config)
    yield check
    yield from checks.check_folders(settings)
    yield from checks.check_models(settings)
    yield checks.check_brain(settings)
    if not args.demo:
        yield from asyncio.run(checks.check_sound(settings))


def _faults(checks: Sequence[Check], need: Need) -> list[Check]:
    from jarvis_voice.cli.checks import State

    return [check for check in checks if check.state is State.FAIL and need in check.needed_by]


def _verdict(faults: Sequence[Check]) -> str:
    if not faults:
        return "ready"
    more = f" ({len(faults) - 1} more above)" if len(faults) > 1 else ""
    return f"not ready: {_sentence(faults[0])}{more}"


def _sentence(fault: Check) -> str:
    return f"{fault.name}: {fault.detail} {fault.remedy}".strip()


def _print(check: Check, io: Io) -> None:
    io.line(f"{check.state.value:<5} {check.name}: {check.detail}")
    if check.remedy:
        io.line(f"      -> {check.remedy}")


def _as_document(checks: Sequence[Check], faults: dict[Need, list[Check]]) -> dict[str, object]:
    return {
        "checks": [
            {
                "name": check.name,
                "state": check.state.value,
                "detail": check.detail,
                "remedy": check.remedy,
                "needed_by": [need.value for need in check.needed_by],
            }
            for check in checks
        ],
        "ready": {
            need.value: {"ready": not found, "because": [_sentence(fault) for fault in found]}
            for need, found in faults.items()
        },
    }
