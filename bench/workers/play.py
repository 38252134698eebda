"""Plays a worker: a single agent's session, or a project's children at once and then the parent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from bench.errors import BenchError, WorkerFailed
from bench.workers.base import Style, Tools, Work, Worker

MAIN = "main"

Ended = Callable[[str], None]


async def play(
    worker: Worker, style: Style, tools: Callable[[str], Tools], ended: Ended = lambda session: None
) -> None:
    """Do the whole task. ``tools`` opens the session of ``MAIN`` or of a workstream, once each.

    ``ended`` is told of each session that has done its work. Raises the BenchError of a session,
    and WorkerFailed for whatever else a worker raises.
    """

    async def session(name: str, work: Work, opened: Tools) -> None:
        await _work(work, opened, style, name)
        ended(name)

    try:
        async with asyncio.TaskGroup() as group:
            for stream, work in worker.streams.items():
                group.create_task(session(stream, work, tools(stream)))
    except* BenchError as several:
        raise _first(several) from several
    await session(MAIN, worker.main, tools(MAIN))


async def _work(work: Work, tools: Tools, style: Style, session: str) -> None:
    try:
        await work(tools, style)
    except BenchError:
        raise
    except Exception as error:  # a worker is a bundle's code, or a program of somebody else
        raise WorkerFailed(
            f"The worker of session {session} raised {type(error).__name__}: {error}."
        ) from error


def _first(several: BaseExceptionGroup[BenchError]) -> BenchError:
    for error in several.exceptions:
        return _first(error) if isinstance(error, BaseExceptionGroup) else error
    raise AssertionError("a group of exceptions is never empty")
