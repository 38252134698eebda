"""One session of a worker: its tools, each call of them reviewed, recorded and paced.

The runner gives a Review, which is the boundary (the app's own desk, or ``FreeReview`` for a run
without Jarvis), and a Recorder, which hears what a runtime would tell the app (the run events that
``jarvis_voice.runs.reducer`` folds) and each happening. Reading is never reviewed; writing, running
and an app's changes are, with the content that they would commit.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from bench.errors import WorkerFailed
from bench.workers.app_state import AppState
from bench.workers.base import UNPACED, Deed, Happening, Pace, Reply
from bench.workers.shell import Shell
from bench.workers.workspace import Scope
from jarvis_voice.attention.candidate import classify
from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.events import RunStatus
from jarvis_voice.runs.model import (
    AgentSaid,
    GuidanceGiven,
    PromptGiven,
    RunEnded,
    RunEvent,
    RunStarted,
    ToolDenied,
    ToolFinished,
    ToolRequested,
)
from jarvis_voice.runtimes.fields import (
    CONTENT_CHARS,
    FILES,
    Offer,
    action_of,
    fingerprint_of,
    safe,
)

MAX_CALLS = 400
OUTPUT_CHARS = 4000  # of a tool's output that goes into the run's record


class Review(Protocol):
    """The boundary of a run, given by the runner."""

    async def review(self, action: ProposedAction) -> Ruling:
        """The ruling on an action, as soon as there is one."""
        ...

    def waiting(self, run_id: str) -> str:
        """What the user has to say to this session, taken now; empty for nothing."""
        ...


class Recorder(Protocol):
    """Hears all that a session does, in order."""

    def record(self, event: RunEvent) -> None:
        """What the runtime would report of itself."""
        ...

    def happened(self, happening: Happening) -> None:
        """What the session did."""
        ...


class FreeReview:
    """Allows every action and has nothing to say: a run without Jarvis."""

    async def review(self, action: ProposedAction) -> Ruling:
        """Allowed at once."""
        del action
        return Ruling(Verdict.ALLOW)

    def waiting(self, run_id: str) -> str:
        """Nothing, ever."""
        del run_id
        return ""

    def batch_ended(self, run_id: str) -> None:
        """Of no interest."""
        del run_id


@dataclass(slots=True)
class Tape:
    """A recorder that keeps everything in memory."""

    events: list[RunEvent] = field(default_factory=list)
    happenings: list[Happening] = field(default_factory=list)

    def record(self, event: RunEvent) -> None:
        """Kept."""
        self.events.append(event)

    def happened(self, happening: Happening) -> None:
        """Kept."""
        self.happenings.append(happening)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a session is, as its actions and events name it."""

    project_id: str
    run_id: str
    session: str = "main"  # or the id of a workstream
    parent_run_id: str | None = None
    runtime: str = "bench"


@dataclass(frozen=True, slots=True)
class Place:
    """What a session works on."""

    scope: Scope
    shell: Shell
    app: AppState | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """What joins a session to the runner. ``now`` gives Unix time in seconds, virtual or real."""

    review: Review
    recorder: Recorder
    now: Callable[[], float]
    pace: Pace = UNPACED


class _Call(NamedTuple):
    call_id: str
    action: ProposedAction


class Session:
    """The tools of one session (``base.Tools``). Use it from one event loop."""

    def __init__(self, who: Identity, place: Place, link: Link) -> None:
        self.who = who
        self.held_s = 0.0  # time that reviews took
        self.calls = 0
        self._place = place
        self._link = link
        self._events = 0

    # --- life

    def begin(self, goal: str, title: str = "") -> None:
        """Tell the record that the run has begun, and what it was asked for."""
        self._record(RunStarted(self._event_id(), self._link.now(), cwd=self.who.project_id))
        self._record(PromptGiven(self._event_id(), self._link.now(), f"{title}\n{goal}".strip()))

    def end(self, status: RunStatus = RunStatus.DONE, reason: str = "") -> None:
        """Tell the record that the run is over."""
        self._record(RunEnded(self._event_id(), self._link.now(), status, reason))

    # --- the tools

    async def look(self, path: str) -> Reply:
        """A text file, or the names in a folder."""
        call = self._open("read_file", {"path": path})
        reply = self._place.scope.look(path)
        await asyncio.sleep(self._link.pace.look)
        if reply.ok:
            self._happened(Deed.READ, self._place.scope.plain(path), call.call_id)
        return self._close(call, reply)

    async def look_bytes(self, path: str) -> bytes:
        """A file as bytes; empty when it cannot be read."""
        call = self._open("view_image", {"path": path})
        data = self._place.scope.look_bytes(path)
        await asyncio.sleep(self._link.pace.look)
        if data:
            self._happened(Deed.READ, self._place.scope.plain(path), call.call_id)
        self._close(call, Reply(bool(data), f"{len(data)} bytes" if data else f"no file {path}"))
        return data

    async def write(self, path: str, text: str) -> Reply:
        """Write a file, once its content was reviewed."""
        plain = self._place.scope.plain(path)
        call = self._open("write_file", {"path": plain or path, "content": text})
        fault = self._place.scope.unwritable(path, text)
        if fault:
            return self._close(call, Reply(False, fault))
        refused, told = await self._reviewed(call)
        if refused is not None:
            return refused
        await asyncio.sleep(self._link.pace.write)
        self._place.scope.write(path, text)
        self._happened(Deed.WRITTEN, plain, call.call_id)
        return self._close(call, Reply(True, f"Wrote {plain}, {len(text)} characters."), told)

    async def run(self, command: str) -> Reply:
        """A shell command in a view; what it changed is reviewed before it is kept."""
        call = self._open("bash", {"command": command})
        if not self._place.shell.isolated and classify(call.action).irreversible:
            refused, _ = await self._reviewed(call)  # its effects could not be held back later
            if refused is not None:
                return refused
        ran, changed = await self._place.scope.execute(self._place.shell, command)
        await asyncio.sleep(self._link.pace.run)
        call = _Call(call.call_id, with_changes(call.action, changed.texts(), changed.removed))
        refused, told = await self._reviewed(call)
        if refused is not None:
            return refused
        self._place.scope.keep(changed)
        for path in self._place.scope.named_in(command):
            self._happened(Deed.READ, path, call.call_id)
        self._happened(Deed.RAN, command, call.call_id)
        for path in changed.kept:
            self._happened(Deed.WRITTEN, path, call.call_id)
        return self._close(call, Reply(ran.ok, f"{ran.text}{changed.note()}".strip()), told)

    async def act(self, action: str, arguments: Mapping[str, Any]) -> Reply:
        """An action of the app, reviewed when it changes anything."""
        call = self._open(f"app_{action}", dict(arguments))
        app = self._place.app
        if app is None:
            return self._close(call, Reply(False, "There is no app in this task."))
        told = ""
        if app.changes(action):
            refused, told = await self._reviewed(call)
            if refused is not None:
                return refused
        await asyncio.sleep(self._link.pace.act)
        reply = app.act(action, arguments)
        if reply.ok:
            target = json.dumps(dict(arguments), sort_keys=True, ensure_ascii=False)
            self._happened(Deed.ACTED, f"{action} {target}", call.call_id)
            for path in app.read_paths(action, arguments):
                self._happened(Deed.READ, path, call.call_id)
        return self._close(call, reply, told)

    async def say(self, text: str) -> Reply:
        """A sentence of progress; the reply is what waits for the session."""
        self._count()
        await asyncio.sleep(self._link.pace.say)
        self._record(AgentSaid(self._event_id(), self._link.now(), text))
        self._happened(Deed.SAID, text, "")
        told = self._link.review.waiting(self.who.run_id)
        if told:
            self._record(GuidanceGiven(self._event_id(), self._link.now(), told))
        return Reply(True, told)

    # --- one call

    def _open(self, tool: str, given: Mapping[str, Any]) -> _Call:
        self._count()
        call_id = f"{self.who.run_id}-c{self.calls}"
        offer = Offer(
            self.who.runtime,
            self.who.project_id,
            self.who.run_id,
            call_id,
            tool,
            given,
            self._link.now(),
            self.who.parent_run_id,
        )
        action = action_of(offer)
        self._record(
            ToolRequested(
                self._event_id(),
                action.at_s,
                call_id,
                tool,
                action.summary,
                action.command,
                action.files,
            )
        )
        return _Call(call_id, action)

    async def _reviewed(self, call: _Call) -> tuple[Reply | None, str]:
        """The refusal, or None with what the user said along with the permission."""
        began_s = self._link.now()
        ruling = await self._link.review.review(call.action)
        self.held_s += self._link.now() - began_s
        if ruling.verdict is Verdict.ALLOW:
            if ruling.reason:
                self._record(GuidanceGiven(self._event_id(), self._link.now(), ruling.reason))
            return None, ruling.reason
        reason = ruling.reason or "This call was not run."
        self._record(ToolDenied(self._event_id(), self._link.now(), call.call_id, reason))
        self._happened(Deed.REFUSED, call.action.summary, call.call_id)
        return Reply(False, reason), ""

    def _close(self, call: _Call, reply: Reply, told: str = "") -> Reply:
        output = safe(reply.text, OUTPUT_CHARS)[0]
        self._record(
            ToolFinished(self._event_id(), self._link.now(), call.call_id, reply.ok, output)
        )
        return Reply(reply.ok, f"{reply.text}\n{told}".strip()) if told else reply

    def _count(self) -> None:
        self.calls += 1
        if self.calls > MAX_CALLS:
            raise WorkerFailed(
                f"{self.who.run_id} made more than {MAX_CALLS} tool calls and was stopped."
            )

    def _event_id(self) -> str:
        self._events += 1
        return f"{self.who.run_id}-e{self._events}"

    def _record(self, event: RunEvent) -> None:
        self._link.recorder.record(event)

    def _happened(self, deed: Deed, what: str, call_id: str) -> None:
        self._link.recorder.happened(
            Happening(self._link.now(), self.who.session, deed, what, call_id)
        )


def with_changes(
    action: ProposedAction, texts: Mapping[str, str], removed: tuple[str, ...] | None = None
) -> ProposedAction:
    """The action with the files that it would really change, and what would stand in them.

    ``removed`` are all files of before that would be gone, when that is known.
    """
    shown = [text if len(texts) == 1 else f"--- {path}\n{text}" for path, text in texts.items()]
    content, cut = safe("\n".join(shown), CONTENT_CHARS)
    return replace(
        action,
        files=tuple(texts)[:FILES],
        content=content,
        truncated=action.truncated or cut or len(texts) > FILES,
        removes=None if removed is None else removed[:FILES],
        fingerprint=fingerprint_of(action.tool, {"command": action.command, "files": dict(texts)}),
    )
