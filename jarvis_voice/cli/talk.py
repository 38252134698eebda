"""Plain ``jarvis``: a spoken conversation over the microphone and the loudspeaker."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from jarvis_voice.cli.io import Io

if TYPE_CHECKING:
    from jarvis_voice.cli.asking import Asking
    from jarvis_voice.cli.attending import Opened
    from jarvis_voice.config import Settings
    from jarvis_voice.conversation import Brain, Conversation, Notice
    from jarvis_voice.events import ConversationEvent
    from jarvis_voice.runs.sources import Recording

_DESCRIPTION = """\
Talk with Jarvis about your agents. It watches every run that goes on, answers about them, and asks
you when one of them is about to decide something that is yours ('jarvis attach' lets a runtime
wait for you). Speak when you like, interrupt at any word; ctrl-C ends it. No sound is kept and none
leaves this machine; the timeline, which holds what was said as text, is kept only when --timeline
names a file."""

_EXAMPLES = """\
examples:
  jarvis                                   all runs that go on
  jarvis --run transcript.jsonl            a recorded run, and nothing else
  jarvis --run session.jsonl --follow      one run that is still being written
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
        help="the only run to talk about (default: all that go on)",
    )
    parser.add_argument(
        "--follow", action="store_true", help="FILE is still being written: watch it grow"
    )
    parser.add_argument(
        "--timeline", metavar="FILE", type=Path, help="keep every event, with its time, in FILE"
    )


def run(args: argparse.Namespace, io: Io) -> int:
    from jarvis_voice import config
    from jarvis_voice.errors import UsageError
    from jarvis_voice.runs.sources import open_recording

    if args.follow and args.run is None:
        raise UsageError("--follow needs --run FILE.", "Name the file that is being written.")
    settings = config.load(args.config).settings
    recording = open_recording(args.run) if args.run and not args.follow else None
    timeline = args.timeline or _kept_timeline(settings)
    asyncio.run(_Talk(settings, io, timeline).hold(args.run, recording))
    return 0


def _kept_timeline(settings: Settings) -> Path | None:
    """A new file in the folder for timelines, when the settings name one. Raises OutputError."""
    from jarvis_voice import clock, config
    from jarvis_voice.cli.report import output_folder

    folder = config.telemetry_folder(settings.telemetry)
    if folder is None:
        return None
    name = clock.wall_now().replace(":", ".")  # which Windows does not allow in names
    return output_folder(folder) / f"{name}.jsonl"


class _Talk:
    """One live conversation."""

    def __init__(self, settings: Settings, io: Io, timeline: Path | None) -> None:
        self._settings = settings
        self._io = io
        self._timeline = timeline
        self._listeners: list[Callable[[ConversationEvent], None]] = []

    async def hold(self, path: Path | None, recording: Recording | None) -> None:
        """Talk until ctrl-C; about one run, or about all that go on."""
        from jarvis_voice.cli import attending, build, report
        from jarvis_voice.telemetry.timeline import Timeline

        await asyncio.to_thread(build.check_devices, self._settings.devices)
        with Timeline(self._timeline) as kept:
            self._listeners = [kept.append, report.LiveTranscript(self._io.line), self._began]
            if path is None:
                async with attending.opened(self._settings, self._publish) as opened:
                    await self._about_all(opened)
            else:
                await self._about_one(path, recording)

    def _began(self, event: ConversationEvent) -> None:
        from jarvis_voice.events import SessionStarted

        if isinstance(event, SessionStarted):
            self._io.note("Listening. Ask “How is it going?”; ctrl-C ends the conversation.")

    def _publish(self, event: ConversationEvent) -> None:
        for listener in self._listeners:
            listener(event)

    async def _about_one(self, path: Path, recording: Recording | None) -> None:
        from jarvis_voice.cli import build
        from jarvis_voice.runs.watcher import RunWatcher

        watcher = RunWatcher(self._publish)
        watch = watcher.follow(path) if recording is None else watcher.replay(recording)
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(watch)
            brain = build.brain(self._settings.brain, watcher, self._publish)
            await self._converse(brain)
            watching.cancel()

    async def _about_all(self, opened: Opened) -> None:
        from jarvis_voice.cli import build
        from jarvis_voice.cli.asking import Asking
        from jarvis_voice.cli.steering import SteeringBrain

        watcher, desk = opened.attending.watcher, opened.attending.desk
        inner = build.brain(self._settings.brain, watcher, self._publish)
        brain = SteeringBrain(inner, desk, watcher, lambda text: asking.tell(text))
        speaker = _Speaker()
        asking = Asking(desk, speaker, brain, watcher)
        self._listeners.append(brain.observe)
        self._io.note(f"The gate for agents is open on port {opened.port} of this machine.")
        try:
            await self._converse(brain, lambda conversation: speaker.start(conversation, asking))
        finally:
            asking.close()

    async def _converse(
        self, brain: Brain, began: Callable[[Conversation], None] = lambda conversation: None
    ) -> None:
        from jarvis_voice.cli import build
        from jarvis_voice.conversation import Conversation

        loop = asyncio.get_running_loop()
        self._io.note("Loading the models ...")
        devices = build.devices(self._settings.devices)
        load = functools.partial(build.load_engines, self._settings, keep=True)
        engines = await loop.run_in_executor(None, load)
        try:
            conversation = Conversation(
                build.live_parts(engines, devices, brain),
                build.conversation_settings(self._settings),
                self._publish,
            )
            self._listeners.append(_changes(conversation))
            began(conversation)
            with contextlib.suppress(NotImplementedError):  # Windows: ctrl-C cancels the whole run
                loop.add_signal_handler(signal.SIGINT, conversation.stop, "ctrl-C")
            await conversation.run()
        finally:
            engines.close()


def _changes(conversation: Conversation) -> Callable[[ConversationEvent], None]:
    """Tells the conversation that a run has changed."""
    from jarvis_voice.events import RunChanged

    def notice(event: ConversationEvent) -> None:
        if isinstance(event, RunChanged):
            conversation.runs_changed()

    return notice


class _Speaker:
    """The conversation, for those who were made before it."""

    def __init__(self) -> None:
        self._conversation: Conversation | None = None

    def start(self, conversation: Conversation, asking: Asking) -> None:
        """The conversation is there: questions may be put."""
        self._conversation = conversation
        asking.start()

    def speak_up(self, notice: Notice) -> None:
        """Say a notice unasked, once the floor is free."""
        if self._conversation is not None:
            self._conversation.speak_up(notice)

    def withdraw(self, notice_id: str) -> None:
        """Do not say a notice that still waits."""
        if self._conversation is not None:
            self._conversation.withdraw(notice_id)
