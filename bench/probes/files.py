"""The setting of files: a room made of arrays, in real time or, on a virtual loop, at once."""

from __future__ import annotations

import asyncio

import numpy as np
from numpy.typing import NDArray

from audio.devices.base import CapturePort, Deliver, DeviceInfo, Lost, PlaybackPort, Render
from audio.devices.file_io import FileRoom
from audio.pcm import RATE
from audio.resample import resample
from bench.probes.play import AgentEar, Opened, Ports, Scene, Side, Take, perform
from bench.probes.sounds import ROOM_DBFS, Sound, at_level
from jarvis_voice import clock, events

KEEP_S = 600.0
_ROOM_S = 5.0  # of the faint noise of a quiet room, repeated


class FilesSetting:
    """Both devices on one clock to the sample; headphones unless the scene has an echo."""

    name = "files"

    async def play(self, scene: Scene, side: Side) -> Take:
        """See Setting.play."""
        room = FileRoom(echo=scene.echo, keep_s=KEEP_S)
        user = _User(room)
        seen: list[events.ConversationEvent] = []
        capture = NoisyCapture(room.capture, scene.background)
        playback = HeardPlayback(room.playback, user.ear)
        session = side.open(Ports(capture, playback), seen.append, echo=scene.echo is not None)
        take = Take(np.zeros(0, np.float32), np.zeros(0, np.float32), [], seen)
        take.began_s = clock.session_now()
        await _hold(session, room, scene, user, take)
        sound = room.recording()
        take.user = resample(sound[:, 0].copy(), room.playback.info.rate, RATE)
        take.agent = resample(sound[:, 1].copy(), room.playback.info.rate, RATE)
        take.spoken = side.spoken()
        return take


async def _hold(session: Opened, room: FileRoom, scene: Scene, user: _User, take: Take) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(session.talker.run())
        group.create_task(room.run())
        beside = [group.create_task(work) for work in session.beside]
        take.missed = await perform(scene, user, take.said_s)
        for task in beside:
            task.cancel()
        session.talker.stop("the scene is over")
        room.close()


class _User:
    def __init__(self, room: FileRoom) -> None:
        self._room = room
        self.ear = AgentEar()

    def say(self, samples: Sound) -> float:
        """See UserSide.say."""
        if not samples.size:
            return self._room.position / RATE
        return self._room.say(samples) / RATE


def room_noise() -> Sound:
    """The faint noise of a quiet room, to be repeated."""
    draw = np.random.default_rng(5).standard_normal(round(_ROOM_S * RATE))
    return at_level(draw.astype(np.float32), ROOM_DBFS)


class NoisyCapture:
    """A microphone in noise: what comes is added to what it hears, over and over."""

    def __init__(self, behind: CapturePort, background: Sound | None) -> None:
        """Both at 16 kHz. Without a background it is the faint noise of a quiet room."""
        self._behind = behind
        self._noise = room_noise() if background is None else background
        self._place = 0

    @property
    def info(self) -> DeviceInfo:
        return self._behind.info

    def start(self, deliver: Deliver, lost: Lost) -> None:
        """See CapturePort.start."""
        self._behind.start(lambda block: deliver(self._heard(block)), lost)

    def stop(self) -> None:
        self._behind.stop()

    def _heard(self, block: NDArray[np.float32]) -> NDArray[np.float32]:
        places = np.arange(self._place, self._place + block.size) % self._noise.size
        self._place += block.size
        noisy: NDArray[np.float32] = np.clip(block + self._noise[places], -1.0, 1.0)
        return noisy


class HeardPlayback:
    """A loudspeaker that the user listens to."""

    def __init__(self, behind: PlaybackPort, ear: AgentEar) -> None:
        self._behind = behind
        self._ear = ear

    @property
    def info(self) -> DeviceInfo:
        return self._behind.info

    def start(self, render: Render, lost: Lost) -> None:
        """See PlaybackPort.start."""

        def heard(block: NDArray[np.float32]) -> None:
            render(block)
            self._ear.heard(block, clock.session_now())

        self._behind.start(heard, lost)

    def stop(self) -> None:
        self._behind.stop()
