"""The setting of the virtual room: the app's real sound path, over PulseAudio.

PortAudio, its callbacks and the echo canceller are the real ones. Both sides are recorded from the
room's sinks. The two recordings begin a moment apart: the user's is aligned by finding the user's
own sound in it, the loudspeaker's by when it was started, which leaves up to 20 ms of doubt in
every time; a difference of two sides measured here is free of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from audio.pcm import RATE, from_dbfs
from audio.resample import resample
from bench.probes.files import room_noise
from bench.probes.play import AgentEar, Ports, Scene, Side, Take, perform
from bench.probes.sounds import Sound
from bench.probes.tap import located
from bench.room import SERVER_RATE, PulseRoom, Recording
from jarvis_voice import clock, events
from jarvis_voice.cli import build
from jarvis_voice.config import Settings

HEADPHONES_DB = -45.0  # below the noise of the room; a muted sink could not be recorded
SETTLE_S = 1.0  # until the devices run
POLL_S = 0.02
SEARCH_S = 0.5  # a recording and the clock agree to within this


@contextlib.contextmanager
def opened_room() -> Iterator[RoomSetting]:
    """A room for a whole probe. Raises RoomFailed."""
    with PulseRoom(HEADPHONES_DB) as room:
        yield RoomSetting(room)


class RoomSetting:
    """One scene after the other in one room."""

    name = "room"

    def __init__(self, room: PulseRoom) -> None:
        self._room = room

    async def play(self, scene: Scene, side: Side) -> Take:
        """See Setting.play."""
        gain_db = scene.echo.gain_db if scene.echo else HEADPHONES_DB
        self._room.set_echo(gain_db)
        seen: list[events.ConversationEvent] = []
        settings = Settings()
        heard = replace(settings.devices, echo="speaker" if scene.echo else "headphones")
        devices = build.devices(heard)
        session = side.open(
            Ports(devices.capture, devices.playback), seen.append, echo=scene.echo is not None
        )
        take = Take(np.zeros(0, np.float32), np.zeros(0, np.float32), [], seen)
        user = _User(self._room, gain_db)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(session.talker.run())
                listening = group.create_task(user.listen())
                beside = [group.create_task(work) for work in session.beside]
                await asyncio.sleep(SETTLE_S)
                user.make_noise(scene.background)
                take.missed = await perform(scene, user, take.said_s)
                for task in (*beside, listening):
                    task.cancel()
                session.talker.stop("the scene is over")
        finally:
            take.user, take.agent = user.end()
        take.began_s = user.began_s
        take.said_s = [
            _aligned(take.user, cue.samples, said_s)
            for cue, said_s in zip(scene.cues, take.said_s, strict=False)
        ]
        take.spoken = side.spoken()
        return take


class _User:
    """Plays into the sink of the user and listens to that of the loudspeaker."""

    def __init__(self, room: PulseRoom, gain_db: float) -> None:
        """``gain_db`` is what the loudspeaker's sink takes off what the app plays."""
        self.ear = AgentEar()
        self._room = room
        self._louder = np.float32(from_dbfs(-gain_db))
        self._user = room.record("user")
        self._agent = room.record("speaker")
        self.began_s = clock.session_now()

    def say(self, samples: Sound) -> float:
        """See UserSide.say; where it really lies is found afterwards."""
        if samples.size:
            self._room.play_user(samples, RATE)
        return clock.session_now() - self.began_s

    def make_noise(self, background: Sound | None) -> None:
        """Let the noise of the place begin; it lasts as long as any scene."""
        noise = room_noise() if background is None else background
        self._room.play_user(np.resize(noise, 90 * RATE).astype(np.float32), RATE)

    async def listen(self) -> None:
        """Let the ear follow the loudspeaker."""
        heard = 0
        while True:
            await asyncio.sleep(POLL_S)
            block = self._agent.since(heard)
            heard += block.size
            if block.size:
                self.ear.heard(block * self._louder, clock.session_now())

    def end(self) -> tuple[Sound, Sound]:
        """Both recordings at 16 kHz, of one length."""
        user, agent = (_at_16k(side) for side in (self._user, self._agent))
        size = min(user.size, agent.size)
        return user[:size], agent[:size] * self._louder


def _at_16k(side: Recording) -> NDArray[np.float32]:
    return resample(side.stop(), SERVER_RATE, RATE)


def _aligned(user: Sound, said: Sound, near_s: float) -> float:
    """The second of the recording at which it really begins; as said where it is not found."""
    if math.isnan(near_s) or not said.size:
        return near_s
    first = max(0, round((near_s - SEARCH_S) * RATE))
    window = user[first : round((near_s + SEARCH_S) * RATE) + said.size]
    place = located(said, window, 0.3)
    return near_s if place is None else (first + place) / RATE
