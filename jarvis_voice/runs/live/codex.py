"""Codex's app-server, over the control socket of the daemon that its terminal program starts.

A second client sees every thread of the daemon; resuming one without its turns subscribes to its
items and repeats what is waiting for approval. A refusal carries no reason, so the reason is told
first, as guidance in the turn that goes on, and both stand in the next request to the model.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jarvis_voice import __version__
from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.clock import unix_now
from jarvis_voice.errors import RunUnreachable
from jarvis_voice.runs.live.base import Approval, Approvals, Call, Sink, action_of
from jarvis_voice.runs.live.link import Link, kept, opened
from jarvis_voice.runs.sources import codex, new_sorter
from jarvis_voice.runs.sources.fields import Record, mapping, text

_UNWANTED = [  # every token of every answer; what was said comes whole when it is complete
    "item/agentMessage/delta",
    "item/plan/delta",
    "item/reasoning/summaryTextDelta",
    "item/reasoning/textDelta",
    "item/commandExecution/outputDelta",
    "item/fileChange/outputDelta",
]
_COMMAND = "item/commandExecution/requestApproval"
_CHANGE = "item/fileChange/requestApproval"
_ITEMS = 256  # changes that are remembered until their approval is asked for


class CodexServer:
    """One daemon. ``run`` keeps the connection; the rest reaches its threads."""

    def __init__(self, sink: Sink, socket: Path, approvals: Approvals | None = None) -> None:
        self._sink = sink
        self._path = socket
        self.approvals = approvals or Approvals()
        self._link: Link | None = None
        self._group: asyncio.TaskGroup | None = None
        self._turns: dict[str, str] = {}  # thread -> the turn that goes on
        self._threads: set[str] = set()
        self._changes: OrderedDict[str, Record] = OrderedDict()
        self._sorter = new_sorter("codex", codex.RUNTIME)
        self._number = 0

    # --- watching ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Watches until cancelled; a lost or missing daemon is tried again."""
        await kept(self.session, self._lost)

    def _lost(self) -> None:
        for thread in self._threads:
            self._sink.note_trouble(thread, "The connection to Codex was lost for a while.")
        self._threads.clear()

    async def session(self) -> None:
        """One connection, until it ends. Raises a group of what ended it."""
        async with opened("http://localhost/", self._path) as socket:
            self._link = Link(socket, _framed)
            try:
                async with asyncio.TaskGroup() as group:
                    self._group = group
                    receiving = group.create_task(self._link.receive(self._took))
                    await self._greet(self._link)
                    await receiving
            finally:
                self._link = self._group = None
                self.approvals.open.clear()

    async def _greet(self, link: Link) -> None:
        about = {"name": "jarvis_voice", "title": "Jarvis Voice", "version": __version__}
        wanted = {"experimentalApi": False, "optOutNotificationMethods": _UNWANTED}
        await link.ask("initialize", {"clientInfo": about, "capabilities": wanted})
        await link.send({"method": "initialized"})
        loaded = (await link.ask("thread/loaded/list", {})).get("data")
        for thread in loaded if isinstance(loaded, list) else ():
            if isinstance(thread, str):
                await self._subscribe(thread)

    async def _subscribe(self, thread: str) -> None:
        if thread in self._threads or self._link is None:
            return
        self._threads.add(thread)
        try:
            await self._link.ask("thread/resume", {"threadId": thread, "excludeTurns": True})
        except RunUnreachable as error:
            self._sink.note_trouble(thread, error.problem)

    def _took(self, message: Record) -> None:
        """Everything that the server sends, in order."""
        self._number += 1
        for told in self._sorter.record(message, f"s{self._number}"):
            self._sink.accept(told)
        params, method = mapping(message, "params"), text(message, "method")
        thread = text(params, "threadId")
        if method == "thread/started":
            self._later_subscribe(text(mapping(params, "thread"), "id"))
        elif method == "turn/completed":
            self._turns.pop(thread, None)
        elif method == "turn/started":
            self._turns[thread] = text(mapping(params, "turn"), "id")
        elif method == "item/started":
            self._remember(mapping(params, "item"))
        elif method == "serverRequest/resolved":
            self.approvals.closed(params.get("requestId"))
        elif method in (_COMMAND, _CHANGE):
            self._turns[thread] = text(params, "turnId") or self._turns.get(thread, "")
            self._asked(method, thread, message)

    def _later_subscribe(self, thread: str) -> None:
        if thread and self._group is not None:
            self._group.create_task(self._subscribe(thread))

    def _remember(self, item: Record) -> None:
        if item.get("type") == "fileChange":
            self._changes[text(item, "id")] = item
            if len(self._changes) > _ITEMS:
                self._changes.popitem(last=False)

    def _asked(self, method: str, thread: str, message: Record) -> None:
        params = mapping(message, "params")
        item = text(params, "itemId")
        tool = "shell" if method == _COMMAND else "apply_patch"
        given: Mapping[str, Any] = {"command": params.get("command")}
        if method == _CHANGE:
            given = {"changes": self._changes.get(item, {}).get("changes", [])}
        call = Call(codex.RUNTIME, thread, item, tool, given, text(params, "cwd"))
        approval = Approval(action_of(call, unix_now()), message.get("id"))
        self.approvals.asked(approval, self, self._group)

    # --- reaching ------------------------------------------------------------------------------

    def trouble(self, run_id: str, reason: str) -> None:
        """Marks the picture of a run as incomplete, in a sentence."""
        self._sink.note_trouble(run_id, reason)

    def reaches(self, run_id: str) -> bool:
        """The thread is one of this daemon's, and the connection stands."""
        return self._link is not None and run_id in self._threads

    async def steer(self, run_id: str, words: str) -> None:
        """Into the turn that goes on, or as a new turn when none does. Raises RunUnreachable."""
        turn = self._turns.get(run_id)
        given = {"threadId": run_id, "input": [{"type": "text", "text": words}]}
        if turn:
            await self._reached().ask("turn/steer", given | {"expectedTurnId": turn})
        else:
            await self._reached().ask("turn/start", given)

    async def stop(self, run_id: str) -> None:
        """Interrupts the turn. Raises RunUnreachable, also when none goes on."""
        turn = self._turns.get(run_id)
        if not turn:
            raise RunUnreachable("That run does nothing now.", "There is nothing to stop.")
        await self._reached().ask("turn/interrupt", {"threadId": run_id, "turnId": turn})

    async def resolve(self, action_id: str, ruling: Ruling) -> None:
        """Answers an approval; what the user decided is told first. Raises RunUnreachable."""
        approval = self.approvals.take(action_id)
        link = self._reached()
        denied = ruling.verdict is Verdict.DENY
        if ruling.reason:
            await self.steer(approval.action.run_id, ruling.reason)
        decision = "decline" if denied else "accept"
        self.approvals.open.pop(action_id, None)
        await link.send({"id": approval.request, "result": {"decision": decision}})

    def _reached(self) -> Link:
        if self._link is None:
            raise RunUnreachable("There is no connection to Codex now.", "It is tried again; wait.")
        return self._link


def _framed(number: int, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"id": number, "method": method, "params": params}
