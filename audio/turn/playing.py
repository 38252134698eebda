"""What the turn machine has asked of the agent's playback: ducked, paused, stopped, held.

Each request is made once: what is ducked is not ducked again, and what stopped is neither ducked
nor paused any more.
"""

from __future__ import annotations

from enum import Enum, auto

from audio.turn.events import (
    Duck,
    HoldPlayback,
    PausePlayback,
    ReleasePlayback,
    Request,
    ResumePlayback,
    StopPlayback,
    Unduck,
)


class _Agent(Enum):
    SILENT = auto()
    SPEAKING = auto()  # or paused
    STOPPING = auto()  # StopPlayback was asked for; AgentStopped has not come yet


class Playing:
    """The agent's side of the floor; requests are added to ``out``."""

    def __init__(self, out: list[Request]) -> None:
        self._out = out
        self._agent = _Agent.SILENT
        self._ducked = False
        self._paused = False
        self._held = False

    @property
    def speaking(self) -> bool:
        """The agent speaks, or was paused and may go on."""
        return self._agent is _Agent.SPEAKING

    @property
    def ducked(self) -> bool:
        return self._ducked

    @property
    def paused(self) -> bool:
        return self._paused

    @property
    def held(self) -> bool:
        return self._held

    def started(self) -> bool:
        """The agent speaks; False when that was known."""
        known = self.speaking
        self._agent = _Agent.SPEAKING
        return not known

    def stopped(self, now_s: float) -> None:
        """The agent is silent, by itself or because it was asked to be."""
        self._agent = _Agent.SILENT
        self.go_on(now_s, "the agent stopped")

    def stop(self, now_s: float, onset_s: float, reason: str) -> None:
        """Yield for good; with a pause, from the moment on at which it fell silent."""
        self._agent = _Agent.STOPPING
        self._ducked = self._paused = False
        self._out.append(StopPlayback(now_s, onset_s, reason))

    def duck(self, now_s: float, reason: str) -> None:
        """Lower it."""
        if not self._ducked:
            self._ducked = True
            self._out.append(Duck(now_s, reason))

    def pause(self, now_s: float, onset_s: float, reason: str) -> None:
        """Fall silent, ready to go on."""
        if self.speaking and not self._paused:
            self._paused = True
            self._out.append(PausePlayback(now_s, onset_s, reason))

    def resume(self, now_s: float, reason: str) -> None:
        """Go on where the pause began, still ducked."""
        if self._paused:
            self._paused = False
            self._out.append(ResumePlayback(now_s, reason))

    def go_on(self, now_s: float, reason: str) -> None:
        """Leave the pause and speak at full level."""
        self.resume(now_s, reason)
        if self._ducked:
            self._ducked = False
            self._out.append(Unduck(now_s, reason))

    def hold(self, now_s: float, reason: str) -> None:
        """Let no reply begin."""
        if not self._held:
            self._held = True
            self._out.append(HoldPlayback(now_s, reason))

    def release(self, now_s: float, reason: str) -> None:
        """Let replies begin again."""
        if self._held:
            self._held = False
            self._out.append(ReleasePlayback(now_s, reason))
