"""A conversation held with a spoken user in a room made of files, and what came of it."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.devices.file_io import FileRoom, Utterance
from audio.wav import write_wav
from jarvis_voice import clock, events
from jarvis_voice.cli import build
from jarvis_voice.cli.spoken_user import Prompt, SpokenUser, shared_prompts
from jarvis_voice.config import Settings
from jarvis_voice.conversation import Conversation
from jarvis_voice.runs.sources import Recording
from jarvis_voice.runs.watcher import RunWatcher
from jarvis_voice.telemetry.timeline import Timeline

REPLAY_S = 30.0  # a recorded run is replayed over about this long, so that it changes meanwhile

Notice = Callable[[events.ConversationEvent], None]


@dataclass(slots=True)
class Rehearsal:
    """All that a rehearsal left: events, sound, and what the user was given to say."""

    prompts: tuple[Prompt, ...]
    utterances: tuple[Utterance, ...]
    sound: NDArray[np.float32]  # (n, 2): the user left, Jarvis right
    rate: int
    room_began_s: float  # session time of the recording's first sample
    replay_pace: float  # recorded seconds of the run per second
    wall_s: float
    history: tuple[events.Exchange, ...] = ()
    events: list[events.ConversationEvent] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether every prompt was answered and nothing failed."""
        return len(self.history) == len(self.prompts) and not self.faults

    @property
    def faults(self) -> list[str]:
        """What failed, a line each."""
        return [
            f"{event.where}: {event.problem} {event.remedy}".strip()
            for event in self.events
            if isinstance(event, events.Faulted)
        ]


async def rehearse(
    settings: Settings, recording: Recording, folder: Path, also: Notice | None = None
) -> Rehearsal:
    """Hold the conversation in real time and leave its files in ``folder``.

    What was said so far is kept when it ends early. Raises EngineMissing, EngineCorrupt,
    UnreadableAudio, UnwritableOutput.
    """
    loop = asyncio.get_running_loop()
    began_s = clock.stopwatch()
    engines = await loop.run_in_executor(None, functools.partial(build.load_engines, settings))
    room = FileRoom()
    user = SpokenUser(room, shared_prompts())
    with Timeline(folder / "timeline.jsonl") as timeline:

        def publish(event: events.ConversationEvent) -> None:
            timeline.append(event)
            user.notice(event)
            if isinstance(event, events.RunChanged):
                conversation.runs_changed()
            if also is not None:
                also(event)

        watcher = RunWatcher(publish)
        brain = build.brain(settings.brain, watcher, publish)
        ports = build.Ports(room.capture, room.playback)
        conversation = Conversation(
            build.parts(engines, ports, brain), build.conversation_settings(settings), publish
        )
        held = Rehearsal(
            prompts=user.prompts,
            utterances=(),
            sound=np.zeros((0, 2), np.float32),
            rate=room.playback.info.rate,
            room_began_s=clock.session_now(),
            replay_pace=_pace(recording),
            wall_s=0.0,
        )
        try:
            await _hold(conversation, room, user, watcher.replay(recording, held.replay_pace))
        finally:
            held.utterances, held.sound = room.utterances, room.recording()
            held.history, held.events = conversation.history, list(timeline.events)
            held.wall_s = clock.stopwatch() - began_s
            write_wav(folder / "conversation.wav", held.sound, held.rate)
            engines.close()
    return held


async def _hold(
    conversation: Conversation,
    room: FileRoom,
    user: SpokenUser,
    replay: Coroutine[None, None, None],
) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(conversation.run())
        group.create_task(room.run())
        watching = group.create_task(replay)
        await user.talk()
        watching.cancel()
        conversation.stop("the user has said everything")
        room.close()


def _pace(recording: Recording) -> float:
    times = [event.at_s for event in recording.events if event.at_s is not None]
    span_s = max(times) - min(times) if times else 0.0
    return span_s / REPLAY_S if span_s else 1.0


def peak_memory_mb() -> float | None:
    """The most that this process has held so far, in MB; None where the system does not tell."""
    if sys.platform == "win32":
        return None
    import resource  # not there on Windows

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)  # macOS: bytes, Linux: KiB
