"""The setting of the websocket: a client of the plain PCM protocol that ``jarvis serve`` speaks.

The very server of ``jarvis serve`` runs in this process, with the side in question behind it; or
``visit`` goes to any other server of the protocol. A client as foreign programs are drives it:
sound goes out in blocks of 20 ms as its time comes, and what comes back is recorded where a player
with an endless buffer would play it: at its arrival or behind what was there, whichever is later.
``clear`` drops what was not played yet. An echo is the client's own business in this protocol, so a
scene's echo is left out.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from audio.devices.network_io import NetworkSound
from audio.devices.pacing import pace
from audio.devices.speech_queue import SpeechQueue
from audio.pcm import RATE, to_float32, to_int16
from bench.probes.files import room_noise
from bench.probes.play import AgentEar, Ports, Publish, Scene, Side, Take, perform
from bench.probes.sounds import Sound
from jarvis_voice import clock, events
from jarvis_voice.wire.outbox import Outbox
from jarvis_voice.wire.pcm_session import PcmSession
from jarvis_voice.wire.serving import Door, Protocols, VoiceServer
from jarvis_voice.wire.session import Connection, serve
from jarvis_voice.wire.talk import Publish as Told
from jarvis_voice.wire.talk import Talk

BLOCK_S = 0.02
BLOCK = round(BLOCK_S * RATE)
LONGEST_S = 600.0  # of a take


class WebsocketSetting:
    """A client and a server on this machine."""

    name = "websocket"

    async def play(self, scene: Scene, side: Side) -> Take:
        """See Setting.play."""
        seen: list[events.ConversationEvent] = []

        @contextlib.asynccontextmanager
        async def open_talk(sound: NetworkSound, publish: Told) -> AsyncIterator[Talk]:
            def told(event: events.ConversationEvent) -> None:
                seen.append(event)
                publish(event)

            async with _session(side, Ports(sound.capture, sound.playback), told) as talker:
                yield talker

        async def pcm(connection: Connection) -> str:
            return await serve(connection, PcmSession(Outbox(connection.send)), open_talk)

        async with VoiceServer(Door(port=0), Protocols(pcm=pcm)) as server:
            take = await visit(f"ws://127.0.0.1:{server.port}/pcm", scene)
        take.events, take.spoken = seen, side.spoken()
        return take


async def visit(address: str, scene: Scene) -> Take:
    """Play a scene to the server at an address; only what came from there is in the take.

    Raises OSError when nothing answers there, and InvalidHandshake when it refuses.
    """
    take = Take(np.zeros(0, np.float32), np.zeros(0, np.float32), [])
    client = _Client(scene.background, take.told)
    async with connect(address, compression=None, max_size=None) as link:
        take.began_s = clock.session_now()
        await client.hold(link, scene, take)
    take.user, take.agent = client.recording()
    return take


@contextlib.asynccontextmanager
async def _session(side: Side, ports: Ports, publish: Publish) -> AsyncIterator[Talk]:
    """The side's session with what goes on beside it."""
    opened = side.open(ports, publish, echo=False)
    async with asyncio.TaskGroup() as group:
        beside = [group.create_task(work) for work in opened.beside]
        yield opened.talker
        for task in beside:
            task.cancel()


class _Client:
    """A user at the other end of the websocket."""

    def __init__(self, background: Sound | None, told: list[tuple[str, str]]) -> None:
        self.ear = AgentEar()
        self._told = told
        self._noise = room_noise() if background is None else background
        self._voice = SpeechQueue()
        self._sent: list[NDArray[np.float32]] = []
        self._agent = np.zeros(round(LONGEST_S * RATE), np.float32)
        self._end = 0  # of the agent's sound that has come
        self._began_s = 0.0
        self._heard = 0  # of the agent's sound, by the ear
        self._closed = False

    async def hold(self, link: ClientConnection, scene: Scene, take: Take) -> None:
        """Play the scene over an open connection."""
        self._began_s = clock.session_now()
        async with asyncio.TaskGroup() as group:
            receiving = group.create_task(self._receive(link))
            sending = group.create_task(self._send(link))
            take.missed = await perform(scene, self, take.said_s)
            self._closed = True
            await sending
            receiving.cancel()

    def say(self, samples: Sound) -> float:
        """See UserSide.say."""
        if not samples.size:
            return self._voice.position / RATE
        return self._voice.add(samples.copy()) / RATE

    def recording(self) -> tuple[Sound, Sound]:
        """Both sides, of one length."""
        user = np.concatenate(self._sent) if self._sent else np.zeros(0, np.float32)
        return user, self._agent[: user.size].copy()

    async def _send(self, link: ClientConnection) -> None:
        blocks: asyncio.Queue[bytes | None] = asyncio.Queue()

        async def write() -> None:
            with contextlib.suppress(ConnectionClosed):
                while (block := await blocks.get()) is not None:
                    await link.send(block)

        def tick() -> bool:
            blocks.put_nowait(None if self._closed else self._block())
            return not self._closed

        async with asyncio.TaskGroup() as group:
            group.create_task(write())
            await pace(BLOCK_S, tick)

    def _block(self) -> bytes:
        place = self._voice.position
        user = self._voice.take(BLOCK)
        self._sent.append(user)
        noise = self._noise[np.arange(place, place + BLOCK) % self._noise.size]
        self._listen()
        return to_int16(user + noise).tobytes()

    def _listen(self) -> None:
        """Let the ear hear what has sounded until now."""
        now = min(self._now(), self._agent.size)
        while self._heard + BLOCK <= now:
            block = self._agent[self._heard : self._heard + BLOCK]
            self._heard += BLOCK
            self.ear.heard(block, self._began_s + self._heard / RATE)

    async def _receive(self, link: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for message in link:
                if isinstance(message, bytes):
                    self._place(to_float32(np.frombuffer(message, "<i2")))
                else:
                    self._take_notice(json.loads(message))

    def _take_notice(self, notice: dict[str, Any]) -> None:
        match notice:
            case {"type": "clear"}:
                now = min(self._now(), self._agent.size)
                self._agent[now:] = 0.0
                self._end = min(self._end, now)
            case {"type": "transcript", "role": str(role), "text": str(text)}:
                self._told.append((role, text))
            case _:
                pass

    def _place(self, samples: NDArray[np.float32]) -> None:
        start = max(self._now(), self._end)
        room = max(0, self._agent.size - start)
        self._agent[start : start + min(room, samples.size)] = samples[:room]
        self._end = start + samples.size

    def _now(self) -> int:
        return round((clock.session_now() - self._began_s) * RATE)
