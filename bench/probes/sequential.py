"""The reference: the same engines one after the other, as a plain voice pipeline runs them.

    VAD -> 0.544 s of silence -> the whole utterance in Whisper's whole window -> the whole reply ->
    sentence by sentence, each synthesized whole -> loudspeaker

Nothing is prepared ahead, revised, cached or streamed; a turn ends by silence alone. While the
agent speaks 0.8 s of speech stops it, or a finished utterance with words in it. These are the
published parameters of the prototype, so the reference is fair: it only does one thing at a time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from audio.asr.base import Final, Recognizer
from audio.engine import CancelToken
from audio.errors import Cancelled, EngineError
from audio.near_end import NearEnd, NearEndFrame
from audio.playback import Playback
from audio.resample import resample
from audio.tts.phrasing import Phraser, PhrasingSettings
from audio.tts.spoken_text import speak
from audio.turn.barge_in import SustainedSpeech, words_of
from audio.turn.events import FrameHeard
from audio.turn.segmenter import Segmenter, SpeechBegan, SpeechPaused
from audio.turn.settings import TurnSettings
from jarvis_voice import clock, events
from jarvis_voice.conversation import Parts
from jarvis_voice.conversation.ears import Ears

END_S = 0.544
BARGE_IN_S = 0.8
BARGE_IN_GAP_S = 0.2
PRE_ROLL_S = 0.4
MOST_FRAMES = 3750  # of one utterance: two minutes
WAITING = 4  # utterances that wait for the recognizer; older ones are forgotten
WATCH_S = 0.02


@dataclass(frozen=True, slots=True)
class _Utterance:
    turn: int
    frames: tuple[NearEndFrame, ...]
    ended_s: float


class SequentialPipeline:
    """A conversation of one stage after the other; held like ``Conversation``."""

    def __init__(self, parts: Parts, publish: Callable[[events.ConversationEvent], None]) -> None:
        self._parts = parts
        self._publish = publish
        self._playback = Playback(parts.playback.info.rate)
        near_end = NearEnd(parts.capture.info.rate, self._playback.rate, parts.canceller, parts.vad)
        self._ears = Ears(parts.capture, near_end, self._playback.far_end, self._failed)
        self._segmenter = Segmenter(replace(TurnSettings(), settle_s=END_S, end_s=END_S))
        self._sustained = SustainedSpeech(BARGE_IN_GAP_S)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="sequential")
        self._waiting: deque[_Utterance] = deque(maxlen=WAITING)
        self._asked: deque[tuple[int, str]] = deque(maxlen=WAITING)
        self._arrived = asyncio.Event()
        self._stopping = asyncio.Event()
        self._frames: list[NearEndFrame] | None = None  # of the utterance under way
        self._token = CancelToken()  # of the reply under way
        self.answers_turns = True
        self._turns = 0
        self._reply = 0
        self._told_started = self._told_stopped = 0  # newest reply whose sound was told of

    async def run(self) -> None:
        """Talk until ``stop``. Raises DeviceUnavailable."""
        info = self._parts.playback.info
        self._parts.playback.start(self._playback.render, self.stop)
        self._playback.latency_samples = round(info.latency_s * info.rate)
        try:
            self._ears.open(self.stop)
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(work)
                    for work in (self._listen(), self._answer(), self._watch())
                ]
                await self._stopping.wait()
                self._cut()
                for task in tasks:
                    task.cancel()
        finally:
            self._ears.close()
            self._parts.playback.stop()
            self._pool.shutdown(wait=True)

    def stop(self, reason: str = "stopped") -> None:
        """End it soon."""
        self._stopping.set()

    # --- what a server for voice clients needs besides ---

    def ask(self, text: str) -> None:
        """Answer a text as if it had been said."""
        self._turns += 1
        self._asked.append((self._turns, text))
        self._arrived.set()

    def cancel(self) -> None:
        """Stop the reply under way."""
        self._cut()

    def voiced(self) -> tuple[int, str] | None:
        """The reply that sounds, and its text so far; None while nothing sounds."""
        progress = self._playback.progress()
        return (progress.reply, "") if progress.sounding else None

    def correct(self, reply: int, heard: str) -> None:
        """Nothing is remembered, so nothing is corrected."""

    # --- hearing ---

    async def _listen(self) -> None:
        async for heard in self._ears.frames():
            self._ears.hurry(active=True)
            if self._frames is not None and len(self._frames) < MOST_FRAMES:
                self._frames.append(heard.frame)
            before_s = self._segmenter.voiced_until_s
            fact = FrameHeard(heard.at_s, heard.frame.probability)
            found = self._segmenter.heard(fact, clock.session_now())
            until_s = self._segmenter.voiced_until_s
            if isinstance(found, SpeechBegan):
                self._began(found)
            elif isinstance(found, SpeechPaused):
                self._paused(found)
            elif until_s > before_s:
                self._sustained.voiced(until_s - fact.duration_s, until_s)
            if self._segmenter.speaking and self._sustained.seconds >= BARGE_IN_S:
                self._barge_in(f"{self._sustained.seconds:.2f} s of speech")

    def _began(self, began: SpeechBegan) -> None:
        self._turns += 1
        self._sustained.voiced(began.onset_s, self._segmenter.voiced_until_s)
        self._frames = self._ears.since(began.onset_s - PRE_ROLL_S)
        now_s = clock.session_now()
        self._publish(events.SpeechStarted(now_s, self._turns, began.onset_s))

    def _paused(self, paused: SpeechPaused) -> None:
        frames, self._frames = self._frames or [], None
        now_s = clock.session_now()
        self._publish(events.TurnSettled(now_s, self._turns, paused.ended_s))
        self._waiting.append(_Utterance(self._turns, tuple(frames), paused.ended_s))
        self._arrived.set()

    def _barge_in(self, reason: str) -> None:
        if self._told_started > self._told_stopped:
            onset_s = self._sustained.onset_s
            now_s = clock.session_now()
            self._publish(events.BargedIn(now_s, onset_s, self._reply, reason))
            self._cut()

    def _cut(self) -> None:
        self._token.cancel()
        self._playback.flush()

    def _failed(self, error: EngineError) -> None:
        now_s = clock.session_now()
        self._publish(events.Faulted(now_s, "sequential", error.problem, error.remedy))

    # --- answering ---

    async def _answer(self) -> None:
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            while self._waiting or self._asked:
                try:
                    if self._asked:
                        await self._reply_to(*self._asked.popleft())
                    else:
                        await self._turn(self._waiting.popleft())
                except Cancelled:
                    continue
                except EngineError as error:
                    self._failed(error)

    async def _turn(self, utterance: _Utterance) -> None:
        loop = asyncio.get_running_loop()
        began_s = clock.session_now()
        recognizer = self._parts.recognizer
        final = await loop.run_in_executor(self._pool, _recognize, recognizer, utterance.frames)
        now_s = clock.session_now()
        number = utterance.turn
        self._publish(
            events.TranscriptSettled(
                now_s, number, final.text, final.engine, final.reason, now_s - began_s
            )
        )
        if not words_of(final.text):
            self._publish(events.TurnDiscarded(now_s, number, final.reason))
            return
        self._barge_in("an utterance with words")
        due_s = utterance.ended_s + END_S
        self._publish(
            events.TurnCommitted(now_s, number, final.text, utterance.ended_s, "silence", due_s)
        )
        await self._reply_to(number, final.text)

    async def _reply_to(self, number: int, text: str) -> None:
        self._cut()
        self._token = CancelToken()
        self._reply += 1
        reply = self._reply
        now_s = clock.session_now()
        self._publish(events.ReplyStarted(now_s, number, reply, False))
        question = events.Question(number, text, now_s, clock.unix_now())
        whole = "".join([piece async for piece in self._parts.brain.reply(question)])
        self._parts.brain.committed(question)
        self._publish(events.ReplyWorded(clock.session_now(), number, reply))
        self._playback.begin(reply)
        for place, sentence in enumerate(_sentences(whole)):
            self._token.raise_if_cancelled()
            await self._say(sentence, number, place)
        self._playback.finish(reply)

    async def _say(self, sentence: str, number: int, place: int) -> None:
        loop = asyncio.get_running_loop()
        began_s = clock.session_now()
        sound = await loop.run_in_executor(self._pool, self._synthesize, sentence, self._token)
        now_s = clock.session_now()
        self._publish(
            events.PhraseReady(now_s, number, self._reply, place, sentence, now_s - began_s)
        )
        self._playback.enqueue(self._reply, sound)

    def _synthesize(self, sentence: str, token: CancelToken) -> np.ndarray:
        synthesizer = self._parts.synthesizer
        chunks = [chunk.samples for chunk in synthesizer.synthesize(speak(sentence), token)]
        if not chunks:
            return np.zeros(0, np.float32)
        return resample(np.concatenate(chunks), synthesizer.rate, self._playback.rate)

    async def _watch(self) -> None:
        """Tell when a reply begins to sound and when it has ended."""
        while True:
            await asyncio.sleep(WATCH_S)
            progress = self._playback.progress(self._reply)
            now_s = clock.session_now()
            audible = progress.first_audible_sample
            if self._reply > self._told_started and audible is not None:
                at = self._playback.sounded_at(self._reply, audible)
                if at is not None and at <= self._playback.rendered_samples:
                    self._told_started = self._reply
                    ago_s = (self._playback.rendered_samples - at) / self._playback.rate
                    started = events.AgentSpeechStarted(now_s - ago_s, self._turns, self._reply)
                    self._publish(started)
            over = progress.finished or (progress.cut and not progress.sounding)
            if self._told_started > self._told_stopped and over:
                self._told_stopped = self._told_started
                self._publish(
                    events.AgentSpeechStopped(now_s, self._turns, self._reply, "", "", progress.cut)
                )


def _sentences(text: str) -> list[str]:
    """Whole sentences: a phraser that never cuts inside one."""
    most = PhrasingSettings(max_words=400, first_min_words=400, first_max_words=400)
    phraser = Phraser(most)
    phrases = [*phraser.feed(text), *phraser.finish()]
    return [phrase.text for phrase in phrases if phrase.text.strip()]


def _recognize(recognizer: Recognizer, frames: tuple[NearEndFrame, ...]) -> Final:
    stream = recognizer.stream()
    try:
        for frame in frames:
            stream.push(frame.samples, frame.probability)
        return stream.final(CancelToken())
    finally:
        stream.close()
