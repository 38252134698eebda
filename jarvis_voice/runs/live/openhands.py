"""OpenHands' agent server: each conversation's event socket to watch, its REST routes to answer.

A conversation whose policy is to confirm actions waits with *all* actions of the model's last turn;
one answer decides them together, so they share a request. By the SDK's source; not run against it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

import aiohttp

from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.clock import unix_now
from jarvis_voice.runs.live.base import ANSWER_S, Approval, Approvals, Call, Sink, action_of
from jarvis_voice.runs.live.http import Http
from jarvis_voice.runs.live.link import MESSAGE_BYTES, kept
from jarvis_voice.runs.sources import new_sorter, openhands
from jarvis_voice.runs.sources.fields import Record, items, mapping, parsed, text

URL = "http://127.0.0.1:8000/api"
LOOK_S = 5.0
"""How often the server is asked for new conversations."""
_ENDED = ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation")


@dataclass(slots=True)
class _Conversation:
    """What is known of one conversation beside the picture that the sink keeps."""

    number: int = 0
    pending: dict[str, Record] = field(default_factory=dict)  # by tool call, without an answer


class OpenHandsServer:
    """One server. ``run`` finds its conversations and follows them; the rest reaches them."""

    def __init__(
        self, sink: Sink, url: str = URL, key: str = "", approvals: Approvals | None = None
    ) -> None:
        self._sink = sink
        self._key = key
        self._http = Http(url, "OpenHands", {"X-Session-API-Key": key} if key else None)
        address = urlsplit(url)
        self._sockets = f"{address.scheme}://{address.netloc}/sockets/events/"
        self.approvals = approvals or Approvals()
        self._group: asyncio.TaskGroup | None = None
        self._known: dict[str, _Conversation] = {}
        self._followed: set[str] = set()

    # --- watching ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Watches until cancelled; a lost or missing server is tried again."""
        await kept(self.session, self._lost)

    def _lost(self) -> None:
        for run_id in self._known:
            self._sink.note_trouble(run_id, "The connection to OpenHands was lost for a while.")
        self._followed.clear()

    async def session(self) -> None:
        """Follows until the server is gone. Raises a group of what ended it."""
        async with self._http.opened() as session, asyncio.TaskGroup() as group:
            self._group = group
            try:
                while True:
                    for name in await self._conversations():
                        if name not in self._followed:
                            self._followed.add(name)
                            group.create_task(self._follow(session, name))
                    await asyncio.sleep(LOOK_S)
            finally:
                self._group = None
                self.approvals.open.clear()

    async def _conversations(self) -> list[str]:
        found = await self._http.get("/conversations/search?limit=100")
        listed = items(found, "items") if isinstance(found, dict) else []
        return [text(item, "id") for item in listed if text(item, "id")]

    async def _follow(self, session: aiohttp.ClientSession, name: str) -> None:
        """One conversation, from its first event, until its socket ends."""
        known = self._known[name] = _Conversation()
        sorter = new_sorter(name, openhands.RUNTIME)
        query = "?resend_all=true"
        if self._key:
            query += f"&session_api_key={quote(self._key)}"
        waits = aiohttp.ClientWSTimeout(ws_close=ANSWER_S)
        url = self._sockets + quote(name) + query
        async with session.ws_connect(url, max_msg_size=MESSAGE_BYTES, timeout=waits) as socket:
            async for message in socket:
                event = parsed(message.data) if message.type is aiohttp.WSMsgType.TEXT else None
                if event is None:
                    continue
                known.number += 1
                for told in sorter.record(event, f"s{known.number}"):
                    self._sink.accept(told._replace(run_id=name))
                self._noted(name, known, event)
        self._followed.discard(name)

    def _noted(self, name: str, known: _Conversation, event: Record) -> None:
        kind, call_id = text(event, "kind"), text(event, "tool_call_id")
        if kind == "ActionEvent" and call_id:
            known.pending[call_id] = event
            if len(known.pending) > 64:
                del known.pending[next(iter(known.pending))]
        elif kind in _ENDED:
            known.pending.pop(call_id, None)
        elif kind == "ConversationStateUpdateEvent" and event.get("key") == "execution_status":
            self.approvals.closed(name)
            if event.get("value") == "waiting_for_confirmation":
                self._asked(name, known)

    def _asked(self, name: str, known: _Conversation) -> None:
        for call_id, event in known.pending.items():
            tool, given = text(event, "tool_name") or "tool", mapping(event, "action")
            call = Call(openhands.RUNTIME, name, call_id, tool, given)
            approval = Approval(action_of(call, unix_now()), name)
            self.approvals.asked(approval, self, self._group)

    # --- reaching ------------------------------------------------------------------------------

    def trouble(self, run_id: str, reason: str) -> None:
        """Marks the picture of a run as incomplete, in a sentence."""
        self._sink.note_trouble(run_id, reason)

    def reaches(self, run_id: str) -> bool:
        """The conversation is one of this server's, and it is followed."""
        return self._group is not None and run_id in self._followed

    async def steer(self, run_id: str, words: str) -> None:
        """As a message of the user; it is seen at the agent's next step. Raises RunUnreachable."""
        content = [{"type": "text", "text": words}]
        given: Mapping[str, Any] = {"role": "user", "content": content}
        await self._http.post(f"/conversations/{quote(run_id)}/events", given)

    async def stop(self, run_id: str) -> None:
        """At once where the server can, else at the next step. Raises RunUnreachable."""
        path = f"/conversations/{quote(run_id)}"
        if await self._http.post(f"{path}/interrupt", {}, missing_ok=True) is None:
            await self._http.post(f"{path}/pause", {})

    async def resolve(self, action_id: str, ruling: Ruling) -> None:
        """Answers for every action that waits with this one. Raises RunUnreachable."""
        approval = self.approvals.take(action_id)
        accepted = ruling.verdict is Verdict.ALLOW
        given = {"accept": accepted, "reason": ruling.reason or "The user decided."}
        path = f"/conversations/{quote(str(approval.request))}/events/respond_to_confirmation"
        await self._http.post(path, given)
        self.approvals.closed(str(approval.request))
