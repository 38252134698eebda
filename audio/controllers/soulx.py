"""A client of SoulX-Duplug, a model that follows a conversation as it goes, on a server elsewhere.

Its websocket ``/turn`` is fed 160 ms of sound at a time and answers each with a state, in lock
step::

    -> {"type": "audio", "session_id": ..., "audio": base64 of float32 at 16 kHz}
    <- {"type": "turn_state", "session_id": ..., "state": {"state": "speak", ...}, ...}

``speak`` says that the turn is over, ``nonidle`` that the user speaks, ``blank`` that it cannot
tell. ``idle`` is told of silence, of a backchannel and of an unfinished turn alike; a server that
also sends ``debug.internal_state`` tells them apart.

A thread of its own talks to the server, so that nobody ever waits for it. When three steps of sound
went by without an answer, the server is passed over: silence alone decides until it answers again.
A lost connection is tried anew, after longer and longer waits. All sound of the microphone goes to
that server while this controller is chosen.
"""

from __future__ import annotations

import base64
import json
import queue
import threading
import uuid
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from audio.controllers.base import SAMPLE_RATE, ControllerCaps, HeardSound, Judgement, Pause
from audio.turn.events import TurnState

NAME = "soulx"
HOP = 2560  # samples: 160 ms
STALL_HOPS = 3
_QUEUED = 2 * STALL_HOPS  # steps that wait to be sent; older ones are given up
_ANSWER_S = 2.0  # a server that answers later than this is connected to anew
_FIRST_RETRY_S, _LONGEST_RETRY_S = 0.5, 30.0
_MOST_BYTES = 1 << 20  # of one answer, which carries some text and is a few hundred bytes
_SLACK = SAMPLE_RATE // 5  # the server looks 40 ms ahead and answers in steps of 160 ms

_STATES = {
    "speak": TurnState.COMPLETE,
    "nonidle": TurnState.SPEECH,
    "idle": TurnState.IDLE,
    "blank": TurnState.UNKNOWN,
}
_INTERNAL = {
    "user_idle": TurnState.IDLE,
    "user_nonidle": TurnState.SPEECH,
    "user_backchannel": TurnState.BACKCHANNEL,
    "user_complete": TurnState.COMPLETE,
    "user_incomplete": TurnState.INCOMPLETE,
}


class _Step(NamedTuple):
    """A stretch of sound of HOP samples."""

    samples: NDArray[np.float32]
    end_sample: int


class _Answer(NamedTuple):
    """What the server made of the sound up to a sample."""

    state: TurnState
    end_sample: int


class SoulXController:
    """Passes all sound on, and judges by what comes back."""

    def __init__(
        self, url: str, first_retry_s: float = _FIRST_RETRY_S, answer_s: float = _ANSWER_S
    ) -> None:
        """``url`` is that of the endpoint, such as "ws://gpu.local:8000/turn".

        A connection that brings no answer within ``answer_s`` is made anew; the first try comes
        after ``first_retry_s``, each later one after twice as long, up to half a minute.
        Never raises for a server that is not there: it is looked for again and again.
        """
        self._url = url
        self._first_retry_s = first_retry_s
        self._answer_s = answer_s
        self._steps: queue.Queue[_Step] = queue.Queue(_QUEUED)
        self._answers: deque[_Answer] = deque(maxlen=2 * _QUEUED)  # to be looked at by ``push``
        self._closing = threading.Event()
        self._problem = "it has not answered yet"  # the newest trouble of the thread
        self._rest: NDArray[np.float32] = np.zeros(0, np.float32)
        self._heard = 0  # samples of the stream up to here were pushed
        self._answered: int | None = None  # ... and up to here were judged; None before any sound
        self._passed_over = False
        self._spoke, self._over = -1, -1  # samples of the newest SPEECH and COMPLETE
        self._last = TurnState.UNKNOWN
        self._thread = threading.Thread(target=self._run, name="soulx", daemon=True)
        self._thread.start()

    @property
    def caps(self) -> ControllerCaps:
        states = frozenset(_STATES.values()) | frozenset(_INTERNAL.values())
        return ControllerCaps(NAME, states, streaming=True, algorithmic_s=0.2)

    def push(self, sound: HeardSound) -> Sequence[Judgement]:
        """Queue the sound; give the ends of turns that were told, and a stall once."""
        if self._answered is None or sound.at_sample != self._heard:
            self._rest = np.zeros(0, np.float32)
            self._answered = sound.at_sample
        self._heard = sound.end_sample
        self._queue(np.concatenate((self._rest, sound.samples)).astype(np.float32))
        found = self._take_answers()
        if not self._passed_over and self._heard - self._answered >= (STALL_HOPS + 1) * HOP:
            self._passed_over = True
            fault = (
                f"The turn controller at {self._url} does not answer ({self._problem}); "
                "silence alone ends turns until it does."
            )
            found.append(Judgement(TurnState.UNKNOWN, self._heard, reason="stalled", fault=fault))
        return found

    def judge(self, pause: Pause) -> Judgement:
        """What was told of this pause so far."""
        if self._passed_over or self._answered is None:
            return Judgement(TurnState.UNKNOWN, pause.at_sample, reason="the server is passed over")
        if self._over > self._spoke and self._over >= pause.ended_sample - _SLACK:
            return Judgement(TurnState.COMPLETE, self._over)
        if self._last in (TurnState.BACKCHANNEL, TurnState.UNKNOWN):
            return Judgement(self._last, self._answered)
        return Judgement(TurnState.INCOMPLETE, self._answered, reason="no end of the turn seen yet")

    def reset(self, why: str) -> None:
        """Forget what was told; the sound that comes next is another stretch."""
        self._answered = None
        self._spoke = self._over = -1
        self._last = TurnState.UNKNOWN
        self._answers.clear()

    def close(self) -> None:
        """End the thread; the connection is given up without a farewell when it hangs."""
        self._closing.set()
        self._thread.join(self._answer_s + 1.0)

    def _queue(self, sound: NDArray[np.float32]) -> None:
        whole = len(sound) // HOP * HOP
        end = self._heard - len(sound)
        for start in range(0, whole, HOP):
            end += HOP
            if self._steps.full():
                self._drop_oldest()
            self._steps.put(_Step(sound[start : start + HOP], end))  # only this thread adds
        self._rest = sound[whole:]

    def _drop_oldest(self) -> None:
        try:
            self._steps.get_nowait()
        except queue.Empty:
            return  # the thread was quicker

    def _take_answers(self) -> list[Judgement]:
        found: list[Judgement] = []
        while self._answers:
            answer = self._answers.popleft()
            if answer.end_sample > self._heard:
                continue  # of before a reset
            self._answered = max(self._answered or 0, answer.end_sample)
            if self._heard - self._answered < STALL_HOPS * HOP:
                self._passed_over = False
            self._last = answer.state
            if answer.state is TurnState.SPEECH:
                self._spoke = answer.end_sample
            elif answer.state is TurnState.COMPLETE:
                self._over = answer.end_sample
                found.append(Judgement(TurnState.COMPLETE, answer.end_sample))
        return found

    # --- the thread ---

    def _run(self) -> None:
        retry_s = self._first_retry_s
        while not self._closing.wait(0):
            try:
                with connect(
                    self._url,
                    open_timeout=self._answer_s,
                    close_timeout=0.5,
                    max_size=_MOST_BYTES,
                    compression=None,  # sound does not get smaller
                    proxy=None,  # only the server that was named hears the microphone
                ) as connection:
                    retry_s = self._talk(connection, retry_s)
            except (OSError, WebSocketException, ValueError) as error:
                self._problem = str(error) or type(error).__name__
            self._closing.wait(retry_s)
            retry_s = min(2 * retry_s, _LONGEST_RETRY_S)

    def _talk(self, connection: Connection, retry_s: float) -> float:
        """Send and receive in lock step; the wait before the next try, short once it worked."""
        session = uuid.uuid4().hex
        while not self._closing.is_set():
            try:
                step = self._steps.get(timeout=0.1)
            except queue.Empty:
                continue
            connection.send(_request(session, step))
            state = _state_of(connection.recv(timeout=self._answer_s))
            self._answers.append(_Answer(state, step.end_sample))
            retry_s = self._first_retry_s
        return retry_s


def _request(session: str, step: _Step) -> str:
    sound = base64.b64encode(step.samples.astype("<f4").tobytes()).decode("ascii")
    return json.dumps({"type": "audio", "session_id": session, "audio": sound})


def _state_of(message: str | bytes) -> TurnState:
    """The state in an answer. Raises ValueError for what is no answer."""
    document: Any = json.loads(message)
    if not isinstance(document, dict) or document.get("type") != "turn_state":
        raise ValueError("it answered with something else than a turn_state")
    state = document.get("state")
    if not isinstance(state, dict):
        raise ValueError("its turn_state holds no state")
    debug = state.get("debug", document.get("debug"))
    internal = debug.get("internal_state") if isinstance(debug, dict) else None
    told = str(state.get("state"))
    if told == "speak":
        return TurnState.COMPLETE  # also after it has waited for an unfinished turn long enough
    if isinstance(internal, str) and internal in _INTERNAL:
        return _INTERNAL[internal]
    return _STATES.get(told, TurnState.UNKNOWN)
