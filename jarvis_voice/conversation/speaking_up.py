"""Speaking unasked: a notice waits until the floor is free, then a cue, then its words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

QUIET_S = 0.7  # nobody has spoken and nothing is being prepared for this long
LOOK_S = 0.1  # how often the floor is looked at while a notice waits


class Heard(Enum):
    """How a notice came across."""

    ALL = "all"
    PART = "part"  # the user interrupted it, maybe before its first word, or the voice failed
    NOTHING = "nothing"  # withdrawn, or the conversation ended first


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that Jarvis wants to say unasked."""

    notice_id: str
    text: str
    ended: Callable[[Heard, str], None]  # told once: how it came across, and the words heard
    urgent: bool = False  # goes before the others
    cue: bool = True  # a short sound first, so that the user looks up before the words


@dataclass(slots=True)
class SpeakingUp:
    """Holds notices back until the floor is free. All calls are made on the loop."""

    say: Callable[[Notice], None]
    floor_is_free: Callable[[], bool]
    _waiting: list[Notice] = field(default_factory=list)
    _offered: asyncio.Event = field(default_factory=asyncio.Event)

    def offer(self, notice: Notice) -> None:
        """Say it when the floor is free; a notice of the same id that still waits is replaced."""
        self.withdraw(notice.notice_id)
        place = len(self._waiting)
        if notice.urgent:
            place = sum(known.urgent for known in self._waiting)
        self._waiting.insert(place, notice)
        self._offered.set()

    def withdraw(self, notice_id: str) -> None:
        """Do not say it after all; one that is being said already is not stopped."""
        for known in list(self._waiting):
            if known.notice_id == notice_id:
                self._waiting.remove(known)
                known.ended(Heard.NOTHING, "")

    def close(self) -> None:
        """Nothing more is said."""
        for known in list(self._waiting):
            self.withdraw(known.notice_id)

    async def run(self) -> None:
        """Say notices for as long as the conversation lasts."""
        while True:
            await self._offered.wait()
            self._offered.clear()
            while self._waiting:
                await self._until_free()
                if self._waiting:  # it may have been withdrawn meanwhile
                    self.say(self._waiting.pop(0))

    async def _until_free(self) -> None:
        loop = asyncio.get_running_loop()
        free_since_s: float | None = None
        while free_since_s is None or loop.time() - free_since_s < QUIET_S:
            await asyncio.sleep(LOOK_S)
            if not self.floor_is_free():
                free_since_s = None
            elif free_since_s is None:
                free_since_s = loop.time()
