"""OpenClaw's gateway, protocol 4 over WebSocket: watches all sessions, steers and answers them.

The gateway challenges, we connect as an operator. On loopback, its token is enough for the client
that it reserves for backends; anywhere else it wants a signed device identity, which ``identity``
makes from the challenge's nonce. A denied approval carries no reason of ours, so the reason is sent
first, as a steering message that stands in the next request to the model.
"""

from __future__ import annotations

import asyncio
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jarvis_voice import __version__
from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.clock import unix_now
from jarvis_voice.errors import RunUnreachable
from jarvis_voice.runs.live.base import ANSWER_S, Approval, Approvals, Call, Sink, action_of
from jarvis_voice.runs.live.link import Link, kept, opened
from jarvis_voice.runs.sources import new_sorter, openclaw
from jarvis_voice.runs.sources.fields import EMPTY, Record, items, mapping, text

PROTOCOL = 4
_SCOPES = ["operator.read", "operator.write", "operator.approvals"]
_CAPS = ["tool-events", "approvals", "plugin-approvals", "session-scoped-events"]
_REQUESTED = ("plugin.approval.requested", "exec.approval.requested")
_RESOLVED = ("plugin.approval.resolved", "exec.approval.resolved")
_CALLS = 256  # whose arguments are remembered until their approval is asked for

Identity = Callable[[str], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Gateway:
    """Where the gateway is, and what it wants to see."""

    url: str = "ws://127.0.0.1:18789"
    token: str = ""
    identity: Identity | None = None  # the signed ``device`` for a challenge's nonce


class OpenClawGateway:
    """One gateway. ``run`` keeps the connection; the rest reaches its sessions."""

    def __init__(self, sink: Sink, gateway: Gateway, approvals: Approvals | None = None) -> None:
        self._sink = sink
        self._gateway = gateway
        self.approvals = approvals or Approvals()
        self._link: Link | None = None
        self._group: asyncio.TaskGroup | None = None
        self._challenge: asyncio.Future[str] | None = None
        self._keys: dict[str, str] = {}  # run id -> session key
        self._subscribed: set[str] = set()
        self._working: dict[str, str] = {}  # session key -> the gateway's run that goes on
        self._calls: OrderedDict[str, Record] = OrderedDict()
        self._sorter = new_sorter("openclaw", openclaw.RUNTIME)
        self._number = 0

    # --- watching ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Watches until cancelled; a lost or missing gateway is tried again."""
        await kept(self.session, self._lost)

    def _lost(self) -> None:
        for run_id in self._keys:
            self._sink.note_trouble(run_id, "The connection to OpenClaw was lost for a while.")
        self._subscribed.clear()

    async def session(self) -> None:
        """One connection, until it ends. Raises a group of what ended it."""
        async with opened(self._gateway.url) as socket:
            self._challenge = asyncio.get_running_loop().create_future()
            self._link = Link(socket, _framed)
            try:
                async with asyncio.TaskGroup() as group:
                    self._group = group
                    receiving = group.create_task(self._receive(self._link))
                    await self._greet(self._link, self._challenge)
                    await receiving
            finally:
                self._link = self._group = self._challenge = None
                self.approvals.open.clear()

    async def _receive(self, link: Link) -> None:
        await link.receive(self._took)
        if self._challenge is not None and not self._challenge.done():
            self._challenge.set_exception(
                RunUnreachable("OpenClaw's gateway closed the connection.", "Is its token right?")
            )

    async def _greet(self, link: Link, challenge: asyncio.Future[str]) -> None:
        try:
            async with asyncio.timeout(ANSWER_S):
                nonce = await challenge
        except TimeoutError as error:
            raise RunUnreachable("OpenClaw's gateway sent no challenge.", "") from error
        params: dict[str, Any] = {
            "minProtocol": PROTOCOL,
            "maxProtocol": PROTOCOL,
            "client": {
                "id": "gateway-client",
                "version": __version__,
                "platform": "any",
                "mode": "backend",
            },
            "role": "operator",
            "scopes": _SCOPES,
            "caps": _CAPS,
            "auth": {"token": self._gateway.token},
        }
        if self._gateway.identity is not None:
            params["device"] = dict(self._gateway.identity(nonce))
        await link.ask("connect", params)
        await link.ask("sessions.subscribe", {})
        try:
            known = await link.ask("sessions.list", {})
        except RunUnreachable:
            known = EMPTY  # an older gateway; sessions show up when something happens in them
        for session in items(known, "sessions"):
            await self._subscribe(text(session, "key"))

    async def _subscribe(self, key: str) -> None:
        if not key or key in self._subscribed or self._link is None:
            return
        self._subscribed.add(key)
        wanted = {"key": key, "includeApprovals": True}
        try:
            given = await self._link.ask("sessions.messages.subscribe", wanted)
        except RunUnreachable as error:
            self._trouble_of(key, error.problem)
            return
        for approval in items(mapping(given, "approvalReplay"), "approvals"):
            pending = {"sessionKey": key, "phase": "pending", "approval": approval}
            self._took({"type": "event", "event": "session.approval", "payload": pending})
            self._open(key, text(approval, "id"), mapping(approval, "presentation"))

    def _trouble_of(self, key: str, reason: str) -> None:
        for run_id, known in self._keys.items():
            if known == key:
                self._sink.note_trouble(run_id, reason)

    def _took(self, frame: Record) -> None:
        """Everything that the gateway sends, in order."""
        self._number += 1
        event, payload = text(frame, "event"), mapping(frame, "payload")
        if event == "connect.challenge" and self._challenge and not self._challenge.done():
            self._challenge.set_result(text(payload, "nonce"))
            return
        key = openclaw.run_of(frame)
        for told in self._sorter.record(frame, f"s{self._number}"):
            if key:
                self._keys[told.run_id] = key
            self._sink.accept(told)
        if key and self._group is not None and self._link and key not in self._subscribed:
            self._group.create_task(self._subscribe(key))
        if event == "agent" and key:
            self._agent(key, payload)
        elif event in _REQUESTED and key:
            self._open(key, text(payload, "id"), mapping(payload, "request"))
        elif event in _RESOLVED:
            self.approvals.closed(text(payload, "id"))

    def _agent(self, key: str, payload: Record) -> None:
        data, stream = mapping(payload, "data"), payload.get("stream")
        if stream == "lifecycle":
            if data.get("phase") in ("end", "error"):
                self._working.pop(key, None)
            else:
                self._working[key] = text(payload, "runId")
        elif stream == "tool" and data.get("phase") == "start":
            self._calls[text(data, "toolCallId")] = mapping(data, "args")
            if len(self._calls) > _CALLS:
                self._calls.popitem(last=False)

    def _open(self, key: str, name: str, request: Record) -> None:
        run_id = next((run for run, known in self._keys.items() if known == key), key)
        call_id = text(request, "toolCallId")
        given = self._calls.get(call_id) or {
            "command": text(request, "command", "title"),
            "description": text(request, "description"),
        }
        call = Call(openclaw.RUNTIME, run_id, call_id or name, _tool(request), given)
        approval = Approval(action_of(call, unix_now()), name)
        self.approvals.asked(approval, self, self._group)

    # --- reaching ------------------------------------------------------------------------------

    def trouble(self, run_id: str, reason: str) -> None:
        """Marks the picture of a run as incomplete, in a sentence."""
        self._sink.note_trouble(run_id, reason)

    def reaches(self, run_id: str) -> bool:
        """The session is one of this gateway's, and the connection stands."""
        return self._link is not None and run_id in self._keys

    async def steer(self, run_id: str, words: str) -> None:
        """Lands at the next launch of a tool or call of the model. Raises RunUnreachable."""
        given = {
            "sessionKey": self._key(run_id),
            "message": words,
            "queueMode": "steer",
            "idempotencyKey": str(uuid.uuid4()),
        }
        await self._reached().ask("chat.send", given)

    async def stop(self, run_id: str) -> None:
        """Aborts what goes on in the session. Raises RunUnreachable."""
        key = self._key(run_id)
        given = {"sessionKey": key}
        if key in self._working:
            given["runId"] = self._working[key]
        await self._reached().ask("chat.abort", given)

    async def resolve(self, action_id: str, ruling: Ruling) -> None:
        """Answers an approval; what the user decided is told first. Raises RunUnreachable."""
        approval = self.approvals.take(action_id)
        denied = ruling.verdict is Verdict.DENY
        if ruling.reason:
            await self.steer(approval.action.run_id, ruling.reason)
        name = str(approval.request)
        given = {
            "id": name,
            "kind": "plugin" if name.startswith("plugin:") else "exec",
            "decision": "deny" if denied else "allow-once",
        }
        await self._reached().ask("approval.resolve", given)
        self.approvals.open.pop(action_id, None)

    def _key(self, run_id: str) -> str:
        if run_id not in self._keys:
            raise RunUnreachable("That run is none of OpenClaw's.", "Name another run.")
        return self._keys[run_id]

    def _reached(self) -> Link:
        if self._link is None:
            raise RunUnreachable(
                "There is no connection to OpenClaw now.", "It is tried again; wait."
            )
        return self._link


def _tool(request: Record) -> str:
    return text(request, "toolName") or "exec"


def _framed(number: int, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "req", "id": str(number), "method": method, "params": params}
