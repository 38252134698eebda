"""Tells a run at once what the user said to it, where its runtime keeps a line open.

Without such a line the words wait for the run's next action; so they do when the line does not take
them. Each is told once: it is marked as on its way before it is sent, and no ruling brings it too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from jarvis_voice.attention.state import Guidance
from jarvis_voice.boundary import Verdict
from jarvis_voice.errors import JarvisError, RunUnreachable


class Line(Protocol):
    """A connection through which a run can be reached."""

    async def steer(self, run_id: str, text: str) -> None:
        """Tells the agent something while it works. Raises RunUnreachable."""
        ...

    async def stop(self, run_id: str) -> None:
        """Ends what the agent is doing now. Raises RunUnreachable."""
        ...


class Tells(Protocol):
    """What knows the words, and how far they have come; the desk does."""

    def to_tell(self, run_id: str) -> tuple[Guidance, ...]: ...
    def telling(self, run_id: str, receipt: str) -> None: ...
    def told(self, run_id: str, receipt: str, *, taken: bool) -> None: ...


class Carrying:
    """Carries what is due, in the order in which it was said, one run at a time."""

    def __init__(
        self,
        desk: Tells,
        line: Callable[[str], Line | None],
        failed: Callable[[JarvisError], None],
        group: asyncio.TaskGroup,
    ) -> None:
        """``line`` gives the connection that reaches a run now, if there is one."""
        self._desk = desk
        self._line = line
        self._failed = failed
        self._group = group
        self._busy: set[str] = set()
        self._stopped = False

    def look(self, run_id: str) -> None:
        """See whether this run can be told something. Cheap when there is nothing to tell."""
        if self._stopped or run_id in self._busy or not self._desk.to_tell(run_id):
            return
        line = self._line(run_id)
        if line is not None:
            self._busy.add(run_id)
            self._group.create_task(self._carry(run_id, line), name=f"tell {run_id}")

    def stop(self) -> None:
        """Begin nothing more."""
        self._stopped = True

    async def _carry(self, run_id: str, line: Line) -> None:
        try:
            while due := self._desk.to_tell(run_id):
                if not await self._tell(run_id, due[0], line):
                    return  # it waits for the run's next action
        finally:
            self._busy.discard(run_id)

    async def _tell(self, run_id: str, item: Guidance, line: Line) -> bool:
        try:
            self._desk.telling(run_id, item.receipt)
        except JarvisError as error:
            self._failed(error)
            return False
        taken = False
        try:
            await line.steer(run_id, item.text)
            if item.verdict is Verdict.DENY:
                await line.stop(run_id)
            taken = True
        except RunUnreachable as error:
            self._failed(error)
        finally:
            self._desk.told(run_id, item.receipt, taken=taken)
        return taken
