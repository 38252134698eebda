"""The turn controller of a conversation, on its own thread; every judgement comes back on the loop.

A controller that streams is handed all sound as it comes, some frames at a time. Any other is given
the last seconds at each pause, so that listening costs nothing while nobody pauses. When it is
busier than the sound is fast, the oldest sound is given up; a judgement of a pause that is over by
then is for the turn machine to pass over.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from audio import threads
from audio.controllers.base import SAMPLE_RATE, HeardSound, Judgement, Pause, TurnController
from audio.errors import EngineError
from audio.near_end import NearEndFrame
from audio.turn import events as turn
from audio.vad.base import FRAME_SAMPLES

WAITING_S = 2.0  # of sound that a streaming controller may be behind
MOST_WAITING = round(WAITING_S * SAMPLE_RATE / FRAME_SAMPLES)


class Judged(NamedTuple):
    """A judgement, and the turn that was open when it came."""

    turn: int
    revision: int
    judgement: Judgement


class _Wanted(NamedTuple):
    turn: int
    revision: int
    pause: Pause


class Judging:
    """Hears along with one controller. All methods are called on the loop."""

    def __init__(
        self,
        controller: TurnController,
        on_judged: Callable[[Judged], None],
        on_fault: Callable[[str], None],
    ) -> None:
        """``on_fault`` is told, once until it works again, that the controller cannot judge."""
        self._controller = controller
        self._on_judged = on_judged
        self._on_fault = on_fault
        self._caps = controller.caps
        back = round(self._caps.looks_back_s * SAMPLE_RATE / FRAME_SAMPLES)
        self._frames: deque[NearEndFrame] = deque(
            maxlen=MOST_WAITING if self._caps.streaming else max(back, 1)
        )
        self._pool = threads.worker("turn-controller", threads.NEEDED)
        self._work = asyncio.Event()
        self._wanted: _Wanted | None = None
        self._turn: int | None = None
        self._began_s = 0.0
        self._revision = 0
        self._text = ""
        self._agent_speaks = False
        self._gap = ""
        self._works = True

    def push(self, frame: NearEndFrame, agent_speaks: bool) -> None:
        """Hear the next frame."""
        self._frames.append(frame)
        self._agent_speaks = agent_speaks
        if self._caps.streaming:
            self._work.set()

    def words(self, text: str) -> None:
        """The open turn says this, as far as is known."""
        self._text = text

    def gap(self, why: str) -> None:
        """What comes next does not follow what came before: a device was changed."""
        self._frames.clear()
        self._gap = why
        self._work.set()

    def follow(self, request: turn.Request) -> None:
        """Note what the turn machine asks for, and judge each pause that it settles."""
        match request:
            case turn.OpenTurn():
                self._turn, self._revision, self._text = request.turn, 0, ""
                self._began_s = request.from_s
            case turn.SettleTurn():
                self._revision = request.revision
                self._settle(request)
            case turn.ReopenTurn():
                self._wanted = None
            case turn.CommitTurn() | turn.DiscardTurn():
                self._turn = self._wanted = None

    async def run(self) -> None:
        """Work for as long as the conversation lasts."""
        loop = asyncio.get_running_loop()
        while True:
            await self._work.wait()
            self._work.clear()
            wanted, self._wanted = self._wanted, None
            sounds, why = self._take_sounds(wanted), self._gap
            self._gap = ""
            try:
                found = await loop.run_in_executor(
                    self._pool, self._judge, sounds, why, wanted and wanted.pause
                )
            except EngineError as error:
                self._failed(str(error))
                continue
            self._tell(found, wanted)

    def close(self) -> None:
        """Release the thread and the controller."""
        self._pool.submit(self._controller.close)
        self._pool.shutdown(wait=True)

    def _settle(self, request: turn.SettleTurn) -> None:
        if not self._frames:
            return
        now = self._frames[-1].end_sample
        pause = Pause(
            began_sample=max(0, now - round((request.at_s - self._began_s) * SAMPLE_RATE)),
            ended_sample=max(0, now - round((request.at_s - request.speech_ended_s) * SAMPLE_RATE)),
            at_sample=now,
            text=self._text,
            agent_speaks=self._agent_speaks,
        )
        self._wanted = _Wanted(request.turn, request.revision, pause)
        self._work.set()

    def _take_sounds(self, wanted: _Wanted | None) -> list[HeardSound]:
        if not self._frames or not (self._caps.streaming or wanted):
            return []
        frames = list(self._frames)
        if self._caps.streaming:
            self._frames.clear()
        return [
            HeardSound(
                np.concatenate([frame.samples for frame in run]),
                run[0].start_sample,
                self._text,
                self._agent_speaks,
            )
            for run in _unbroken(frames)
        ]

    def _judge(
        self, sounds: Sequence[HeardSound], why: str, pause: Pause | None
    ) -> list[Judgement]:
        """On the controller's thread."""
        if why:
            self._controller.reset(why)
        found = [judgement for sound in sounds for judgement in self._controller.push(sound)]
        if pause is not None:
            found.append(self._controller.judge(pause))
        return found

    def _tell(self, found: Sequence[Judgement], wanted: _Wanted | None) -> None:
        for judgement in found:
            if judgement.fault:
                self._failed(judgement.fault)
            else:
                self._works = True
            number = wanted.turn if wanted else self._turn
            revision = wanted.revision if wanted else self._revision
            if number is not None:
                self._on_judged(Judged(number, revision, judgement))

    def _failed(self, fault: str) -> None:
        if self._works:
            self._works = False
            self._on_fault(fault)


def _unbroken(frames: Sequence[NearEndFrame]) -> list[list[NearEndFrame]]:
    """The frames in runs without a gap between one and the next."""
    runs: list[list[NearEndFrame]] = []
    for frame in frames:
        if runs and runs[-1][-1].end_sample == frame.start_sample:
            runs[-1].append(frame)
        else:
            runs.append([frame])
    return runs
