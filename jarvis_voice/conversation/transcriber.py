"""The recognizer of the open turn, on its own thread; every result comes back on the loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from audio.asr.base import Final, Hypothesis, Recognizer, RecognizerStream
from audio.engine import CancelToken
from audio.errors import Cancelled, EngineError
from audio.near_end import NearEndFrame
from audio.vad.base import FRAME_SAMPLES, SAMPLE_RATE
from jarvis_voice import clock

T = TypeVar("T")

HYPOTHESIS_EVERY_S = 0.6  # new sound needed before the next rolling hypothesis
HURRIED_EVERY_S = 0.096  # the same while both speak: the words decide who goes on
SPEECH = 0.35  # probability at which a frame is taken for speech that goes on (Silero's lower one)
PAUSE_FRAMES = 3  # about 0.1 s without speech: the turn may be over, so look at once


@dataclass(frozen=True, slots=True)
class Settled:
    """The final of one settling, and how long the recognizer worked on it."""

    turn: int
    revision: int
    final: Final
    compute_s: float
    fault: EngineError | None = None


class Transcriber:
    """Recognizes one turn at a time. All methods are called on the loop."""

    def __init__(
        self,
        recognizer: Recognizer,
        on_hypothesis: Callable[[int, Hypothesis], None],
        on_settled: Callable[[Settled], None],
    ) -> None:
        self._recognizer = recognizer
        self._on_hypothesis = on_hypothesis
        self._on_settled = on_settled
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="recognizer")
        self._turn: int | None = None
        self._pending: list[NearEndFrame] = []
        self._settle: int | None = None  # revision asked for and not yet begun
        self._settling = False  # a final was asked for and has not come
        self._every_s = HYPOTHESIS_EVERY_S
        self._unheard = False  # speech has come that no recognition under way or done covers
        self._silent_frames = 0  # since the last frame of speech
        self._work = asyncio.Event()
        self._token = CancelToken()
        self._stream: RecognizerStream | None = None

    @property
    def settling(self) -> bool:
        """Whether a final was asked for and has not come yet."""
        return self._turn is not None and self._settling

    @property
    def covers_all(self) -> bool:
        """Whether the newest result, or the one under way, holds all that was said so far."""
        return self._turn is not None and not self._unheard

    @property
    def pausing(self) -> bool:
        """Whether the speaker is silent now, for about a tenth of a second or longer."""
        return self._silent_frames >= PAUSE_FRAMES

    def open(self, turn: int, frames: list[NearEndFrame]) -> None:
        """Begin a turn with the sound kept from before it."""
        self.drop()
        self._turn = turn
        self._pending = list(frames)
        self._unheard, self._silent_frames = bool(frames), 0

    def push(self, frame: NearEndFrame) -> None:
        """Add a frame to the open turn; without one it is ignored.

        A hypothesis is made now and then, and as soon as the user pauses: it is ready some time
        before the pause is known to be one, and a final of the same speech then costs nothing.
        """
        if self._turn is None:
            return
        self._pending.append(frame)
        if frame.probability >= SPEECH:
            self._unheard, self._silent_frames = True, 0
        else:
            self._silent_frames += 1
        pauses = self._unheard and self._silent_frames == PAUSE_FRAMES
        enough = len(self._pending) * FRAME_SAMPLES >= self._every_s * SAMPLE_RATE
        if pauses or enough:
            self._work.set()

    def hurry(self, hurried: bool) -> None:
        """Make hypotheses as often as the recognizer can, or now and then."""
        self._every_s = HURRIED_EVERY_S if hurried else HYPOTHESIS_EVERY_S

    def settle(self, revision: int) -> None:
        """Ask for the final of what was said up to now."""
        self._settle = revision
        self._settling = True
        if self._unheard:
            self._token.cancel()  # a hypothesis under way of less than this is no longer wanted
        self._work.set()

    def reopen(self) -> None:
        """The user went on: a final under way is no longer wanted."""
        self._settle = None
        self._settling = False
        self._token.cancel()

    def drop(self) -> None:
        """Forget the open turn."""
        self._turn = None
        self._pending = []
        self._settle = None
        self._settling = False
        self._token.cancel()
        self._work.set()

    async def run(self) -> None:
        """Work for as long as the conversation lasts."""
        current: int | None = None
        while True:
            await self._work.wait()
            self._work.clear()
            if self._turn != current:
                await self._in_thread(self._close_stream)
                current = self._turn
            if self._turn is None:
                continue
            self._token = CancelToken()
            frames, self._pending = self._pending, []
            self._unheard = False
            if self._settle is not None:
                revision, self._settle = self._settle, None
                await self._final(self._turn, revision, frames)
            else:
                await self._hypothesis(self._turn, frames)
            if self._settle is not None or self._turn != current:
                self._work.set()

    def close(self) -> None:
        """Release the thread and the stream."""
        self._token.cancel()
        self._pool.submit(self._close_stream)
        self._pool.shutdown(wait=True)

    async def _final(self, turn: int, revision: int, frames: list[NearEndFrame]) -> None:
        token = self._token
        began_s = clock.session_now()
        fault: EngineError | None = None
        try:
            final = await self._in_thread(lambda: self._push_all(frames).final(token))
        except Cancelled:
            return
        except EngineError as error:
            fault = error
            final = Final(text="", through_sample=0, reason="the recognizer failed")
        if turn == self._turn and not token.cancelled:
            self._settling = False
            took_s = clock.session_now() - began_s
            self._on_settled(Settled(turn, revision, final, took_s, fault))

    async def _hypothesis(self, turn: int, frames: list[NearEndFrame]) -> None:
        token = self._token
        try:
            found = await self._in_thread(lambda: self._push_all(frames).hypothesis(token))
        except (Cancelled, EngineError):
            return  # only a preview was lost; the final reports what matters
        if turn == self._turn and not token.cancelled and found.text:
            self._on_hypothesis(turn, found)

    def _push_all(self, frames: list[NearEndFrame]) -> RecognizerStream:
        if self._stream is None:
            self._stream = self._recognizer.stream()
        for frame in frames:
            self._stream.push(frame.samples, frame.probability)
        return self._stream

    def _close_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            with contextlib.suppress(EngineError):  # its turn is over: nothing is lost
                stream.close()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)
