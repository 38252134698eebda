"""One client's conversation, whatever the protocol: sound in and out, until either side ends it.

A protocol is a ``Session``: it takes the client's messages, is told the events of the conversation,
and is shown every block that is played. ``serve`` runs it over one connection.
"""

from __future__ import annotations

import abc
import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from enum import IntEnum
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from audio.devices.network_io import NetworkFormat, NetworkSound
from audio.errors import AudioError
from jarvis_voice import events
from jarvis_voice.errors import JarvisError
from jarvis_voice.wire.outbox import Outbox
from jarvis_voice.wire.talk import OpenTalk, Talk

FLUSH_S = 2.0  # for the last words to a client that is let go


class Close(IntEnum):
    """Why a connection was closed, as RFC 6455 numbers it."""

    DONE = 1000
    GOING_AWAY = 1001
    BAD_MESSAGE = 1007
    POLICY = 1008
    FAILED = 1011


class BadMessage(JarvisError):
    """A client sent something that its protocol does not allow; the connection is closed."""


class TooMuchSound(BadMessage):
    """A client sends sound much faster than time passes."""

    def __init__(self) -> None:
        super().__init__(
            "More than a minute of sound waits to be heard.", "Send it as it is recorded."
        )


class Connection(Protocol):
    """A websocket as a session needs it; ``serving.Link`` is one."""

    def messages(self) -> AsyncIterator[str | bytes]:
        """What the client sends, until it leaves. Raises BadMessage for what is too large."""
        ...

    async def send(self, message: str | bytes) -> None:
        """Raises ConnectionError when the client is gone."""
        ...

    async def close(self, code: int, reason: str) -> None: ...


class Session(abc.ABC):
    """One protocol, spoken with one client. ``talk`` and ``devices`` are there once it runs."""

    format: ClassVar[NetworkFormat]
    talk: Talk
    devices: NetworkSound

    def __init__(self, outbox: Outbox) -> None:
        self.outbox = outbox

    def begin(self) -> None:  # noqa: B027 - most protocols need no greeting
        """The conversation is about to run."""

    async def work(self) -> None:  # noqa: B027 - most protocols have none
        """What else is to be done while the conversation lasts; it is cancelled at the end."""

    @abc.abstractmethod
    def take(self, message: str | bytes) -> None:
        """Take a message of the client. Raises BadMessage."""

    @abc.abstractmethod
    def played(self, block: NDArray[np.float32]) -> bool:
        """See ``audio.devices.network_io.Played``."""

    @abc.abstractmethod
    def notice(self, event: events.ConversationEvent) -> None:
        """Take in an event of the conversation."""

    @abc.abstractmethod
    def error(self, problem: str) -> str:
        """The message that tells the client why the connection is about to be closed."""


async def serve(connection: Connection, session: Session, open_talk: OpenTalk) -> str:
    """Hold the conversation to its end; one sentence on why it was closed, empty when all is well.

    Whoever ends it, the conversation is closed and nothing of it is kept.
    """
    try:
        code, problem = await _hold(connection, session, open_talk)
    except* (JarvisError, AudioError) as group:
        code, problem = Close.FAILED, " ".join(map(str, _leaves(group)))
        with contextlib.suppress(ConnectionError):
            await connection.send(session.error(problem))
    await connection.close(code, problem)
    return problem


def _leaves(group: BaseExceptionGroup[Exception]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


async def _hold(connection: Connection, session: Session, open_talk: OpenTalk) -> tuple[Close, str]:
    session.devices = NetworkSound(session.format, session.played)
    async with open_talk(session.devices, session.notice) as talk:
        session.talk = talk
        session.begin()
        async with asyncio.TaskGroup() as group:
            talking = group.create_task(talk.run(), name="conversation")
            group.create_task(session.devices.run(), name="client's devices")
            sending = group.create_task(session.outbox.run(), name="to the client")
            reading = group.create_task(_read(connection, session), name="from the client")
            working = group.create_task(session.work(), name="protocol")
            slow = group.create_task(session.outbox.overflowed.wait(), name="slow client")
            await asyncio.wait({talking, reading, slow}, return_when=asyncio.FIRST_COMPLETED)
            outcome = _outcome(reading, slow)
            reading.cancel()
            working.cancel()
            talk.stop("the client left")
            session.devices.close()
            session.outbox.close()
            await asyncio.wait({sending}, timeout=FLUSH_S)
            slow.cancel()
            sending.cancel()
    return outcome


def _outcome(reading: asyncio.Task[str], slow: asyncio.Task[bool]) -> tuple[Close, str]:
    if slow.done():
        return Close.POLICY, "The client reads too slowly; the sound that waited was dropped."
    if reading.done() and not reading.cancelled() and reading.exception() is None:
        problem = reading.result()
        return (Close.BAD_MESSAGE if problem else Close.DONE), problem
    return Close.GOING_AWAY, "The conversation is over."


async def _read(connection: Connection, session: Session) -> str:
    """Hand on what the client sends; the sentence on what was wrong with it, if anything."""
    try:
        async for message in connection.messages():
            session.take(message)
    except BadMessage as error:
        session.outbox.put(session.error(str(error)))
        return str(error)
    return ""
