"""Plain ``jarvis``: a spoken conversation over the microphone and the loudspeaker."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from jarvis_voice.cli.io import Io

if TYPE_CHECKING:
    from jarvis_voice.config import Settings
    from jarvis_voice.runs.sources import Recording

_DESCRIPTION = """\
Talk with Jarvis about an agent run. Speak when you like, interrupt at any word; ctrl-C ends it. No
sound is kept and none leaves this machine; the timeline, which holds what was said as text, is kept
only when --timeline names a file."""

_EXAMPLES = """\
examples:
  jarvis --run transcript.jsonl            a recorded run of Claude Code
  jarvis --run session.jsonl --follow      a run that is still being written
  jarvis doctor                            when something cannot be heard
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "talk",
        help="hold a spoken conversation about an agent run (plain 'jarvis' does this)",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--run",
        metavar="FILE",
        type=Path,
        help="the run to talk about (default: the recorded one that comes with Jarvis)",
    )
    parser.add_argument(
        "--follow", action="store_true", help="FILE is still being written: watch it grow"
    )
    parser.add_argument(
        "--timeline", metavar="FILE", type=Path, help="keep every event, with its time, in FILE"
    )


def run(args: argparse.Namespace, io: Io) -> int:
    from jarvis_voice import config
    from jarvis_voice.resources import asset
    from jarvis_voice.runs.sources import open_recording

    settings = config.load(args.config).settings
    path = args.run or asset("runs", "demo.jsonl")
    recording = None if args.follow else open_recording(path)
    asyncio.run(_talk(settings, path, recording, args.timeline, io))
    return 0


async def _talk(
    settings: Settings, path: Path, recording: Recording | None, timeline: Path | None, io: Io
) -> None:
    from jarvis_voice import events
    from jarvis_voice.cli import build, report
    from jarvis_voice.conversation import Conversation
    from jarvis_voice.runs.watcher import RunWatcher
    from jarvis_voice.telemetry.timeline import Timeline

    loop = asyncio.get_running_loop()
    shown = report.LiveTranscript(io.line)
    with Timeline(timeline) as kept:

        def publish(event: events.ConversationEvent) -> None:
            kept.append(event)
            shown(event)

        devices = build.devices(settings.devices)
        watcher = RunWatcher(publish)
        brain = build.brain(settings.brain, watcher, publish)
        io.note("Loading the models ...")
        engines = await loop.run_in_executor(None, build.load_engines, settings)
        conversation = Conversation(
            build.live_parts(engines, devices, brain),
            build.conversation_settings(settings),
            publish,
        )
        with contextlib.suppress(NotImplementedError):  # Windows: ctrl-C cancels the whole run
            loop.add_signal_handler(signal.SIGINT, conversation.stop, "ctrl-C")
        io.note("Listening. Ask “How is it going?”; ctrl-C ends the conversation.")
        try:
            async with asyncio.TaskGroup() as group:
                if recording is None:
                    watching = group.create_task(watcher.follow(path))
                else:
                    watching = group.create_task(watcher.replay(recording))
                await conversation.run()
                watching.cancel()
        finally:
            engines.close()
