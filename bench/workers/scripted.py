"""Scripted workers: loads a bundle's ``worker.py``, and what such workers have in common.

``worker.py`` of a single agent defines ``async def work(tools, style)``; of a project ``STREAMS``,
a coroutine function for each workstream, and ``async def integrate(tools, style)``. Both define
``DECISIONS``, a ``base.Decision`` for each decision window (an empty one for none).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bench.errors import WorkerFailed
from bench.suite.bundle import Bundle, Topology
from bench.suite.code import load_module
from bench.workers.base import Decision, Reply, Tools, Worker
from bench.workers.understanding import has_guidance, understand, user_words

_TRIES = 4  # of writing a record that is refused


class Choice(NamedTuple):
    """What a worker goes by at a decision."""

    option: str
    by_user: bool = False  # the user said so
    delegated: bool = False  # the user left it to the worker
    words: str = ""  # the user's, as delivered


def load_worker(bundle: Bundle) -> Worker:
    """The bundle's scripted worker. Raises WorkerFailed."""
    path = bundle.root / "worker.py"
    if not path.is_file():
        raise WorkerFailed(
            f"{bundle.task_id} has no scripted worker.",
            "Name another with --workers, such as chat.",
        )
    module = load_module(path, WorkerFailed)
    is_single = bundle.topology is Topology.SINGLE
    main = getattr(module, "work" if is_single else "integrate", None)
    streams = {} if is_single else getattr(module, "STREAMS", None)
    decisions = getattr(module, "DECISIONS", None)
    if not callable(main) or not isinstance(streams, dict) or not isinstance(decisions, dict):
        raise WorkerFailed(f"{path} lacks work, or integrate and STREAMS, or DECISIONS.")
    if set(streams) != {stream.id for stream in bundle.workstreams}:
        raise WorkerFailed(f"{path} has workers for other streams than workstreams.json.")
    for name, decision in decisions.items():
        if not isinstance(decision, Decision) or decision.default not in decision.options:
            raise WorkerFailed(f'{path}: the decision "{name}" has no default among its options.')
    return Worker(main, streams, decisions)


@dataclass(slots=True)
class Listening:
    """A session's tools that miss no word of the user: what a reply brought along is kept.

    For a worker whose user may say more while it writes what depends on their first word.
    """

    tools: Tools
    said: list[Reply] = field(default_factory=list)

    async def look(self, path: str) -> Reply:
        """See ``Tools``."""
        return self._heard(await self.tools.look(path))

    async def look_bytes(self, path: str) -> bytes:
        """See ``Tools``."""
        return await self.tools.look_bytes(path)

    async def write(self, path: str, text: str) -> Reply:
        """See ``Tools``."""
        return self._heard(await self.tools.write(path, text))

    async def run(self, command: str) -> Reply:
        """See ``Tools``."""
        return self._heard(await self.tools.run(command))

    async def act(self, action: str, arguments: Mapping[str, Any]) -> Reply:
        """See ``Tools``."""
        return self._heard(await self.tools.act(action, arguments))

    async def say(self, text: str) -> Reply:
        """See ``Tools``."""
        return self._heard(await self.tools.say(text))

    def _heard(self, reply: Reply) -> Reply:
        if has_guidance(reply.text):
            self.said.append(reply)
        return reply


async def settle(
    decision: Decision,
    deliver: Callable[[Choice], Awaitable[Reply]],
    first: Choice | None = None,
    listening: Listening | None = None,
) -> Choice:
    """Deliver by the default; when the user says otherwise on the way, deliver again by that.

    ``deliver`` does all that depends on the choice and ends with the write of the final record,
    whose reply it returns. With ``listening``, the tools that it uses, words of the user that came
    with its other calls count too, the last ones most. Returns what the record now rests on.
    """
    choice = first or Choice(decision.default)
    for _ in range(_TRIES):
        before = choice
        reply = await deliver(choice)
        for said in [reply] if listening is None else listening.said:
            choice = taken(choice, said, decision)
        if listening is not None:
            listening.said = []
        if choice == before and reply.ok:
            return choice
    return choice


async def hand_in(tools: Tools, path: str, record: Mapping[str, Any]) -> Reply:
    """Write a record in which nothing is open, again when it is refused.

    What the user said to it joins its ``facts``: for a worker that was asked about needlessly.
    """
    reply = await tools.write(path, as_record(record))
    for _ in range(_TRIES - 1):
        if reply.ok:
            break
        heard = f'The user was asked, and said: "{user_words(reply.text)}"'
        record = {**record, "facts": [*record.get("facts", ()), heard]}
        reply = await tools.write(path, as_record(record))
    return reply


def taken(choice: Choice, reply: Reply, decision: Decision) -> Choice:
    """The choice after a reply: as it was, or as the user's words in the reply have it."""
    if not has_guidance(reply.text):
        return choice
    reading = understand(reply.text, decision.options, choice.option)
    if reading.option is not None:
        return Choice(reading.option, True, False, reading.words)
    if reading.delegated:
        return Choice(choice.option, False, True, reading.words)
    return choice


async def read(tools: Tools, path: str) -> str:
    """A file that the brief promises. Raises WorkerFailed when it cannot be read."""
    reply = await tools.look(path)
    if not reply.ok:
        raise WorkerFailed(f"The worker cannot go on: {reply.text}")
    return reply.text


async def read_json(tools: Tools, path: str) -> Any:
    """The same as JSON."""
    try:
        return json.loads(await read(tools, path))
    except ValueError as error:
        raise WorkerFailed(f"{path} is no JSON: {error}.") from error


async def read_csv(tools: Tools, path: str) -> list[dict[str, str]]:
    """The same as the rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(await read(tools, path))))


async def records(tools: Tools, collection: str, **where: object) -> list[dict[str, Any]]:
    """Records of an app's collection that meet these conditions."""
    reply = await tools.act("list", {"collection": collection, "where": where})
    if not reply.ok:
        raise WorkerFailed(f"The worker cannot go on: {reply.text}")
    return [json.loads(line) for line in reply.text.splitlines() if line.startswith("{")]


def as_record(data: Mapping[str, Any]) -> str:
    """A record as the file that holds it."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
