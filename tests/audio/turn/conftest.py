"""A conversation as a script: what the user says and the agent does, and what the machine asks."""

from __future__ import annotations

import pytest

from audio.turn.events import (
    AgentStarted,
    AgentStopped,
    CommitTurn,
    DiscardTurn,
    FinalHeard,
    FrameHeard,
    HoldPlayback,
    HypothesisHeard,
    OpenTurn,
    ReleasePlayback,
    Request,
    SettleTurn,
    StopPlayback,
)
from audio.turn.machine import TurnMachine
from audio.turn.settings import TurnSettings

FRAME_S = 0.032


class Script:
    """Plays microphone, recognizer and loudspeaker around a machine.

    The recognizer hears what ``say`` is told, and answers each SettleTurn after ``recognizer_s``;
    ``None`` means that it never answers. The loudspeaker obeys StopPlayback within 20 ms.
    """

    def __init__(self, recognizer_s: float | None = 0.2, settings: TurnSettings | None = None):
        self.machine = TurnMachine(settings or TurnSettings())
        self.recognizer_s = recognizer_s
        self.now_s = 10.0
        self.requests: list[Request] = []
        self._words: list[str] = []
        self._due: list[FinalHeard | AgentStopped] = []

    def say(
        self, seconds: float, words: str = "", claim: float | None = None, below_db: float = 0.0
    ) -> Script:
        if words:
            self._words.append(words)
        return self.frames(seconds, 0.95, claim, below_db)

    def pause(self, seconds: float) -> Script:
        return self.frames(seconds, 0.02)

    def frames(
        self, seconds: float, probability: float, claim: float | None = None, below_db: float = 0.0
    ) -> Script:
        for _ in range(round(seconds / FRAME_S)):
            self._pass(FRAME_S)
            frame = FrameHeard(self.now_s, probability, FRAME_S, claim, below_db)
            self._take(self.machine.feed(frame))
        return self

    def no_frames(self, seconds: float) -> Script:
        self._pass(seconds)
        return self

    def hypothesis(self, text: str) -> Script:
        turn = self.machine.open_turn or 0
        self._take(self.machine.feed(HypothesisHeard(self.now_s, turn, text)))
        return self

    def agent_speaks(self) -> Script:
        self._take(self.machine.feed(AgentStarted(self.now_s)))
        return self

    def agent_ends(self) -> Script:
        self._take(self.machine.feed(AgentStopped(self.now_s)))
        return self

    def _pass(self, seconds: float) -> None:
        end_s = self.now_s + seconds
        while True:
            self._due.sort(key=lambda fact: fact.at_s)
            deadline_s = self.machine.next_deadline_s
            wake_s = end_s if deadline_s is None else min(end_s, deadline_s)
            if self._due and self._due[0].at_s <= wake_s:
                self._take(self.machine.feed(self._due.pop(0)))
            else:
                self._take(self.machine.advance(wake_s))
                if wake_s == end_s:
                    break
        self.now_s = end_s

    def _take(self, requests: list[Request]) -> None:
        for request in requests:
            self.requests.append(request)
            if isinstance(request, SettleTurn) and self.recognizer_s is not None:
                at_s = request.at_s + self.recognizer_s
                text = " ".join(self._words)
                self._due.append(FinalHeard(at_s, request.turn, text, request.revision))
            elif isinstance(request, StopPlayback):
                self._due.append(AgentStopped(request.at_s + 0.02))
            elif isinstance(request, CommitTurn | DiscardTurn):
                self._words.clear()

    @property
    def story(self) -> list[str]:
        """The requests by name, without those that only hold playback."""
        kinds = [type(request).__name__ for request in self.requests]
        return [kind for kind in kinds if kind not in ("HoldPlayback", "ReleasePlayback")]

    @property
    def holds(self) -> list[HoldPlayback | ReleasePlayback]:
        return [r for r in self.requests if isinstance(r, HoldPlayback | ReleasePlayback)]

    def only(self, kind: type[Request]) -> Request:
        found = self.all(kind)
        assert len(found) == 1, (kind.__name__, self.requests)
        return found[0]

    def all(self, kind: type[Request]) -> list[Request]:
        return [request for request in self.requests if isinstance(request, kind)]

    @property
    def opened(self) -> list[OpenTurn]:
        return [request for request in self.requests if isinstance(request, OpenTurn)]


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def make_script() -> type[Script]:
    return Script
