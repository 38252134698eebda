"""OpenCode's server: its event stream to watch, its HTTP routes to answer, steer and stop.

Every client that is attached may answer a permission, so an open one can be closed by another
client at any time; a refusal carries its reason. By the SDK's schema; not run against the program.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from typing import Any

from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.clock import unix_now
from jarvis_voice.runs.live.base import Approval, Approvals, Call, Sink, action_of
from jarvis_voice.runs.live.http import Http
from jarvis_voice.runs.live.link import kept
from jarvis_voice.runs.sources import new_sorter, opencode
from jarvis_voice.runs.sources.fields import Record, items, mapping, parsed, text
from jarvis_voice.runs.sources.lines import LineSplitter

URL = "http://127.0.0.1:4096"
_CALLS = 256


class OpenCodeServer:
    """One server. ``run`` keeps the stream; the rest reaches its sessions."""

    def __init__(self, sink: Sink, url: str = URL, approvals: Approvals | None = None) -> None:
        self._sink = sink
        self._http = Http(url, "OpenCode")
        self.approvals = approvals or Approvals()
        self._group: asyncio.TaskGroup | None = None
        self._runs: set[str] = set()
        self._calls: OrderedDict[str, Record] = OrderedDict()
        self._sorter = new_sorter("opencode", opencode.RUNTIME)
        self._number = 0

    # --- watching ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Watches until cancelled; a lost or missing server is tried again."""
        await kept(self.session, self._lost)

    def _lost(self) -> None:
        for run_id in self._runs:
            self._sink.note_trouble(run_id, "The connection to OpenCode was lost for a while.")

    async def session(self) -> None:
        """One stream, until it ends. Raises a group of what ended it."""
        async with self._http.opened(), asyncio.TaskGroup() as group:
            self._group = group
            try:
                for info in items({"all": await self._http.get("/session")}, "all"):
                    self._took({"type": "session.updated", "properties": {"info": info}})
                async for event in self._events():
                    self._took(event)
            finally:
                self._group = None
                self.approvals.open.clear()

    async def _events(self) -> AsyncIterator[Record]:
        splitter = LineSplitter()
        async with self._http.stream("/event") as answer:
            async for chunk in answer.content.iter_any():
                for line in splitter.feed(chunk):
                    event = parsed(line.text[5:]) if line.text.startswith("data:") else None
                    if event is not None:
                        yield event

    def _took(self, event: Record) -> None:
        self._number += 1
        for told in self._sorter.record(event, f"s{self._number}"):
            self._runs.add(told.run_id)
            self._sink.accept(told)
        given, kind = mapping(event, "properties"), event.get("type")
        part = mapping(given, "part")
        if part.get("type") == "tool":
            self._calls[text(part, "callID")] = part
            if len(self._calls) > _CALLS:
                self._calls.popitem(last=False)
        elif kind in ("permission.asked", "permission.updated"):
            self._asked(given)
        elif kind == "permission.replied":
            self.approvals.closed(text(given, "requestID", "permissionID"))

    def _asked(self, given: Record) -> None:
        call_id = text(mapping(given, "tool"), "callID") or text(given, "callID")
        part = self._calls.get(call_id, {})
        arguments = mapping(mapping(part, "state"), "input") or mapping(given, "metadata")
        tool = text(part, "tool") or text(given, "permission", "type") or "tool"
        session, name = text(given, "sessionID"), text(given, "id")
        call = Call(opencode.RUNTIME, session, call_id or name, tool, arguments)
        approval = Approval(action_of(call, unix_now()), name)
        self.approvals.asked(approval, self, self._group)

    # --- reaching ------------------------------------------------------------------------------

    def trouble(self, run_id: str, reason: str) -> None:
        """Marks the picture of a run as incomplete, in a sentence."""
        self._sink.note_trouble(run_id, reason)

    def reaches(self, run_id: str) -> bool:
        """The session is one of this server's, and the stream stands."""
        return self._group is not None and run_id in self._runs

    async def steer(self, run_id: str, words: str) -> None:
        """Into what the agent does now. Raises RunUnreachable."""
        given = {"prompt": {"text": words}, "delivery": "steer"}
        if await self._http.post(f"/api/session/{run_id}/prompt", given, missing_ok=True) is None:
            older = {"parts": [{"type": "text", "text": words}]}
            await self._http.post(f"/session/{run_id}/prompt_async", older)

    async def stop(self, run_id: str) -> None:
        """Aborts what the agent does now. Raises RunUnreachable."""
        await self._http.post(f"/session/{run_id}/abort", {})

    async def resolve(self, action_id: str, ruling: Ruling) -> None:
        """Answers a permission, a refusal with its reason. Raises RunUnreachable."""
        approval = self.approvals.take(action_id)
        denied = ruling.verdict is Verdict.DENY
        given: Mapping[str, Any] = {"reply": "reject" if denied else "once"}
        if denied and ruling.reason:
            given = {**given, "message": ruling.reason}
        await self._http.post(f"/permission/{approval.request}/reply", given)
        self.approvals.open.pop(action_id, None)
