"""Live runs, put together: watched, held where a decision is the user's, and carried back.

    files, sockets, gate events --> watcher --> snapshots
    gate, approvals: proposed actions --> desk (policy, journal, lifecycle) --> rulings
                                           |
                                           +--> questions for whoever puts them to the user

``Attending`` owns the parts for as long as Jarvis runs; ``cli`` alone knows them all.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from jarvis_voice import config
from jarvis_voice.attention.desk import Desk
from jarvis_voice.attention.desk_settings import DeskSettings, Outside, Surroundings
from jarvis_voice.attention.policy import EmbeddedPolicy
from jarvis_voice.attention.requests import MarkDegraded, Request
from jarvis_voice.attention.store import AttentionStore, open_store
from jarvis_voice.boundary import ProposedAction
from jarvis_voice.cli.carrying import Carrying, Line
from jarvis_voice.clock import minute_of_day, session_now, unix_now
from jarvis_voice.config import Settings
from jarvis_voice.errors import JarvisError
from jarvis_voice.events import ConversationEvent, Faulted, RunChanged, RunSnapshot
from jarvis_voice.runs.live.everything import LiveRuns, Places
from jarvis_voice.runs.projects import root_of
from jarvis_voice.runs.sources import hook_sorter, jarvis_event, new_sorter
from jarvis_voice.runs.sources.sorting import RunSorter
from jarvis_voice.runs.watcher import RunWatcher
from jarvis_voice.runtimes import RUNTIMES
from jarvis_voice.wire.gate_server import EVENT_SCHEMA, Ears, GateServer
from jarvis_voice.wire.rendezvous import Rendezvous

BATCH_ENDS = frozenset(event for runtime in RUNTIMES.values() for event in runtime.BATCH_END)

Publish = Callable[[ConversationEvent], None]


class Attending:
    """Watches live runs and keeps the desk; see ``open``."""

    def __init__(self, settings: Settings, store: AttentionStore, publish: Publish) -> None:
        self.watcher = RunWatcher(self._changed)
        self._publish = publish
        self._told: dict[str, int] = {}  # run id -> newest evidence looked at for receipts
        self._sorters: dict[tuple[str, bool], RunSorter] = {}  # by runtime, and if it is a hook's
        self._numbers = itertools.count(1)
        outside = Outside(unix_now, minute_of_day, lambda: secrets.token_hex(16), self._look)
        gate = settings.gate
        closed = frozenset(RUNTIMES) if gate.fail == "closed" else frozenset[str]()
        desk_settings = DeskSettings(hold_s=gate.hold_s, fail_closed=closed)
        self.desk = Desk(EmbeddedPolicy(), store, desk_settings, outside)
        self.desk.on_fault = self._faulted
        self.desk.on_request = self._requested
        self._carrying: Carrying | None = None

    def reach(self, line: Callable[[str], Line | None], group: asyncio.TaskGroup) -> None:
        """Tell runs at once what is said to them, through ``line`` where it leads to them."""
        self._carrying = Carrying(self.desk, line, self._faulted, group)
        self.desk.on_guided = self._carrying.look

    def close(self) -> None:
        """Carry nothing more, and close the desk."""
        if self._carrying is not None:
            self._carrying.stop()
        self.desk.close()

    # --- what the gate hears

    def observe(self, runtime: str, record: dict[str, Any]) -> None:
        """Take in a record of a run; the ends of batches go to the desk too."""
        hook = record.get("hook_event_name")
        sorter = self._sorters.get((runtime, bool(hook)))
        if sorter is None:
            sorter = _sorter(runtime, is_hook=bool(hook))
            self._sorters[runtime, bool(hook)] = sorter
        timed = {"t": unix_now(), "in": record} if hook and "t" not in record else record
        for told in sorter.record(timed, f"gate:{next(self._numbers)}"):
            self.watcher.accept(told)
        if hook in BATCH_ENDS:
            self.desk.batch_ended(_run_of(record))

    def refused(self, line: str) -> None:
        """The gate turned a request away, or could not read it."""
        self._publish(Faulted(session_now(), "gate", line, ""))

    def _changed(self, change: RunChanged) -> None:
        """Publish it, and look in what is new for receipts of decisions."""
        snapshot = change.snapshot
        seen = self._told.get(snapshot.run_id, 0)
        for item in snapshot.evidence:
            if item.seq > seen:
                self.desk.note_guidance_seen(snapshot.run_id, item.text)
                self._told[snapshot.run_id] = item.seq
        if self._carrying is not None:
            self._carrying.look(snapshot.run_id)
        self._publish(change)

    def _look(self, action: ProposedAction) -> Surroundings:
        runs = {snapshot.run_id: snapshot for snapshot in self.watcher.snapshots()}
        own = runs.get(action.run_id)
        if own is None:
            return Surroundings()
        return Surroundings(own, tuple(_siblings(own, runs)))

    # --- what the desk wants

    def _requested(self, request: Request) -> None:
        if isinstance(request, MarkDegraded):
            self.watcher.note_trouble(request.run_id, request.reason)

    def _faulted(self, error: JarvisError) -> None:
        self._publish(Faulted(session_now(), "attention", error.problem, error.remedy))


def _sorter(name: str, *, is_hook: bool) -> RunSorter:
    """Reads what the gate hands on: hook inputs in Claude Code's form, or a runtime's own."""
    if is_hook:
        return hook_sorter(name)
    return new_sorter(f"{name} run", jarvis_event.RUNTIME if name == EVENT_SCHEMA else name)


def _run_of(record: dict[str, Any]) -> str:
    """The run that a hook input is about; a native child has a name of its own below it."""
    session, agent = record.get("session_id"), record.get("agent_id")
    return f"{session}/{agent}" if agent else str(session)


@dataclass(frozen=True, slots=True)
class Opened:
    """Attending, at work."""

    attending: Attending
    port: int  # of the gate on 127.0.0.1


@contextlib.asynccontextmanager
async def opened(settings: Settings, publish: Publish) -> AsyncIterator[Opened]:
    """Open the store, the desk, the gate and the watch over files.

    Raises GateError when the gate's port is taken, StoreError when decisions cannot be kept.
    """
    rendezvous = Rendezvous()
    store, damage = open_store(config.decisions_path())
    if damage is not None:
        publish(Faulted(session_now(), "attention", damage.problem, damage.remedy))
    with store:
        attending = Attending(settings, store, publish)
        attending.desk.start()
        ears = Ears(observe=attending.observe, fault=attending.refused)
        server = GateServer(
            attending.desk.review, ears, settings.gate, RUNTIMES, rendezvous.token()
        )
        live = LiveRuns(attending.watcher, Places(config.agent_homes()), attending.desk.review)
        async with server, asyncio.TaskGroup() as group:
            rendezvous.announce(server.port)
            attending.reach(live.control, group)
            watching = group.create_task(live.run())
            try:
                yield Opened(attending, server.port)
            finally:
                watching.cancel()
                rendezvous.withdraw()
                attending.close()


def _siblings(own: RunSnapshot, runs: dict[str, RunSnapshot]) -> list[RunSnapshot]:
    root = root_of(own, runs)
    return [
        snapshot
        for snapshot in runs.values()
        if snapshot is not own and root_of(snapshot, runs) == root
    ]
