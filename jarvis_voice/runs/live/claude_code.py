"""Asks Claude Code itself which of its sessions live: ``claude agents --json``.

Transcripts do not tell that a session waits at a permission prompt, nor that its process is gone;
this does. It starts a program, so it is asked seldom, and only when there is such a program.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass

from jarvis_voice.events import RunStatus
from jarvis_voice.redact import redact
from jarvis_voice.runs.live.base import Sink
from jarvis_voice.runs.model import (
    RunEnded,
    RunEvent,
    RunTitled,
    WaitingForUser,
    WaitOver,
)
from jarvis_voice.runs.sources import claude_code
from jarvis_voice.runs.sources.fields import Record, items, text
from jarvis_voice.runs.sources.sorting import Sorted

EVERY_S = 20.0
_ANSWER_S = 15.0
_ANSWER_BYTES = 4 * 2**20
_BAD = {"failed": RunStatus.FAILED, "stopped": RunStatus.STOPPED}
_WORDS = {
    "permission prompt": "permission for what it is about to do",
    "input needed": "an answer",
    "sandbox request": "permission to leave its sandbox",
    "worker request": "an answer to one of its workers",
    "dialog open": "an answer to an open dialog",
}


@dataclass(frozen=True, slots=True)
class AgentState:
    """One live session, as Claude Code lists it."""

    session: str
    name: str
    cwd: str
    state: str  # "working", "blocked", "done", "failed", "stopped", or empty
    waiting_for: str  # empty when it waits for nobody


class ClaudeAgents:
    """Tells ``sink`` what the list adds to the transcripts."""

    def __init__(self, sink: Sink, program: Sequence[str] | None = None) -> None:
        found = shutil.which("claude")
        usual = [found] if found else []
        self._program = usual if program is None else list(program)
        self._sink = sink
        self._before: dict[str, AgentState] = {}
        self._number = 0

    async def run(self) -> None:
        """Asks until cancelled; returns at once when there is no such program."""
        while self._program:
            await self.look()
            await asyncio.sleep(EVERY_S)

    async def look(self) -> tuple[AgentState, ...]:
        """Asks once. What cannot be had is taken for no news."""
        if not self._program:
            return ()
        listed = agents_of(await _answer([*self._program, "agents", "--json"]))
        self._number += 1
        for state in listed:
            events = news(state, self._before.get(state.session), f"agents:{self._number}")
            if events:
                self._sink.accept(
                    Sorted(
                        state.session, claude_code.RUNTIME, None, state.cwd or None, list(events)
                    )
                )
        if listed:
            self._before = {state.session: state for state in listed}
        return listed


def agents_of(answer: str) -> tuple[AgentState, ...]:
    """The sessions in the program's answer; none when it is not what it should be."""
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return ()
    listed = {"agents": value} if isinstance(value, list) else value
    if not isinstance(listed, dict):
        return ()
    found = items(listed, "agents") or items(listed, "sessions")
    return tuple(_agent(item) for item in found if text(item, "sessionId"))


def _agent(item: Record) -> AgentState:
    return AgentState(
        text(item, "sessionId"),
        redact(text(item, "name")),
        text(item, "cwd"),
        text(item, "state", "status"),
        text(item, "waitingFor"),
    )


def news(now: AgentState, before: AgentState | None, key: str) -> tuple[RunEvent, ...]:
    """What is new since the program was last asked."""
    if now == before:
        return ()
    found: list[RunEvent] = []
    if now.name and (before is None or before.name != now.name):
        found.append(RunTitled(f"{key}:title", None, now.name))
    waited = before.waiting_for if before else ""
    if now.waiting_for and now.waiting_for != waited:
        what = _WORDS.get(now.waiting_for, now.waiting_for)
        found.append(WaitingForUser(f"{key}:wait", None, what))
    elif waited and not now.waiting_for:
        found.append(WaitOver(f"{key}:over", None))
    if now.state in _BAD and (before is None or before.state != now.state):
        found.append(RunEnded(f"{key}:end", None, _BAD[now.state], f"its session {now.state}"))
    return tuple(found)


async def _answer(command: Sequence[str]) -> str:
    """What the program prints; empty when it fails, hangs or is not there."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return ""
    try:
        async with asyncio.timeout(_ANSWER_S):
            printed, _ = await process.communicate()
    except TimeoutError:
        return ""
    finally:
        if process.returncode is None:
            _end(process)
            await process.wait()
    whole = process.returncode == 0 and len(printed) <= _ANSWER_BYTES
    return printed.decode("utf-8", "replace") if whole else ""


def _end(process: asyncio.subprocess.Process) -> None:
    try:
        process.kill()
    except ProcessLookupError:
        return  # it ended by itself
