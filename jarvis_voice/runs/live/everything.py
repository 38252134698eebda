"""All live runs of this machine together, and the way to reach each of them.

Files and the two daemons that need no key are found by themselves. A gateway that wants a token, or
a server on a port that others use as well, is watched when its place is given.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from jarvis_voice.runs.discovery import RECENT_S, Found, Homes, codex_socket_path, recent_files
from jarvis_voice.runs.live.base import Approval, Approvals, Control, Review, Sink
from jarvis_voice.runs.live.claude_code import ClaudeAgents
from jarvis_voice.runs.live.codex import CodexServer
from jarvis_voice.runs.live.files import FileWatch
from jarvis_voice.runs.live.openclaw import Gateway, OpenClawGateway
from jarvis_voice.runs.live.opencode import URL as OPENCODE_URL
from jarvis_voice.runs.live.opencode import OpenCodeServer
from jarvis_voice.runs.live.openhands import OpenHandsServer


@dataclass(frozen=True, slots=True)
class Places:
    """Where to look. None leaves a runtime out."""

    homes: Homes
    recent_s: float = RECENT_S
    claude_program: Sequence[str] | None = None  # None: ``claude``, when it is installed
    opencode_url: str | None = OPENCODE_URL
    openclaw: Gateway | None = None
    openhands_url: str | None = None
    openhands_key: str = ""


class LiveRuns:
    """Everything that goes on. ``review`` sees each call that a runtime holds for approval."""

    def __init__(self, sink: Sink, places: Places, review: Review | None = None) -> None:
        self._files = FileWatch(sink, self._found)
        self._places = places
        self._claude = ClaudeAgents(sink, places.claude_program)
        self._codex = CodexServer(sink, codex_socket_path(places.homes), Approvals(review))
        self._opencode = (
            OpenCodeServer(sink, places.opencode_url, Approvals(review))
            if places.opencode_url
            else None
        )
        self._openclaw = (
            OpenClawGateway(sink, places.openclaw, Approvals(review)) if places.openclaw else None
        )
        self._openhands = (
            OpenHandsServer(sink, places.openhands_url, places.openhands_key, Approvals(review))
            if places.openhands_url
            else None
        )

    async def run(self) -> None:
        """Watches until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._files.run())
            group.create_task(self._claude.run())
            for server in self._servers():
                group.create_task(server.run())

    async def catch_up(self) -> None:
        """Takes in what there is now, once: the files, and what Claude Code says of its own."""
        await self._files.catch_up()
        await self._claude.look()

    def control(self, run_id: str) -> Control | None:
        """The connection that reaches the run now; None when only its hooks or files do."""
        return next((server for server in self._servers() if server.reaches(run_id)), None)

    def approvals(self) -> tuple[Approval, ...]:
        """Every call that a runtime holds for approval, the oldest first."""
        found = [item for server in self._servers() for item in server.approvals.open.values()]
        return tuple(sorted(found, key=lambda item: item.action.at_s))

    def _found(self, now_s: float) -> list[Found]:
        return recent_files(self._places.homes, now_s, self._places.recent_s)

    def _servers(
        self,
    ) -> list[CodexServer | OpenClawGateway | OpenCodeServer | OpenHandsServer]:
        every = (self._codex, self._openclaw, self._opencode, self._openhands)
        return [server for server in every if server is not None]
