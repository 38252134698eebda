"""Words to the loudspeaker: the synthesizer on its own thread, playback, and what was heard."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.devices.base import PlaybackPort
from audio.playback import Playback, PlaybackMark, PlaybackProgress
from audio.resample import StreamResampler
from audio.tts.base import SpeechChunk, SpokenPhrase, WordMark
from audio.tts.spoken_text import heard_source
from jarvis_voice import clock
from jarvis_voice.conversation.answer import Answer, Sound
from jarvis_voice.conversation.voice import Urgency, Voice

TICK_S = 0.02  # how often playback is looked at while an answer sounds
AHEAD_S = 20.0  # no more than this is synthesized ahead of what was heard
PLENTY_S = 3.0  # of sound that waits to be heard: what comes after it is not urgent


class Mouth:
    """Speaks one answer at a time over one playback stream that stays open."""

    def __init__(
        self,
        port: PlaybackPort,
        playback: Playback,
        voice: Voice,
        on_started: Callable[[Answer, float], None],
        on_stopped: Callable[[Answer, float, str, bool], None],
    ) -> None:
        """``on_started(answer, at_s)`` and ``on_stopped(answer, at_s, heard, cut)``.

        ``cut`` tells that not all of it sounded: the user interrupted, or the synthesizer failed.
        """
        self.playback = playback
        self._port = port
        self._voice = voice
        self._on_started = on_started
        self._on_stopped = on_stopped
        self._current: Answer | None = None
        self._cut: dict[int, Answer] = {}  # cut, while the device still plays what it holds
        self._lost = False  # the device is gone: a new one is not for playback until we know it
        self._active = asyncio.Event()
        self._moved = asyncio.Condition()

    @property
    def current(self) -> Answer | None:
        """The answer that sounds or is about to."""
        return self._current

    def voiced(self) -> tuple[int, str] | None:
        """The number of the current answer and the part of its text that has sounded."""
        answer = self._current
        if answer is None:
            return None
        progress = self.playback.progress(answer.number)
        return answer.number, answer.said[: progress.heard_text_end]

    def open(self, lost: Callable[[str], None]) -> None:
        """Start the loudspeaker. Raises DeviceUnavailable."""
        self._port.start(self._render, lost)
        self.playback.latency_samples = self._latency_samples()

    def close(self) -> None:
        """Stop the loudspeaker and the worker."""
        self._port.stop()
        if self._current is not None:
            self._current.token.cancel()
        for answer in tuple(self._cut.values()):  # what the device still held is not heard now
            self._played_out(answer)
        self._voice.close()

    # --- synthesis ---

    async def synthesize(self, phrase: SpokenPhrase, answer: Answer) -> AsyncIterator[Sound]:
        """Audio of a phrase at the playback rate, as it becomes ready. Raises EngineError."""
        synthesizer = self._voice.synthesizer
        chunks = synthesizer.synthesize(phrase, answer.token)
        resampler = StreamResampler(synthesizer.rate, self.playback.rate)
        place = _Place(phrase, answer.samples, self.playback.rate / synthesizer.rate)
        step = functools.partial(_next_sound, chunks, resampler, place)
        while True:
            answer.token.raise_if_cancelled()
            plenty = answer is self._current and self._ahead_s(answer) > PLENTY_S
            sound = await self._voice.run(step, Urgency.SOON if plenty else Urgency.NOW)
            if sound is None:
                return
            answer.samples += sound.samples.size
            yield sound

    # --- playback ---

    def begin(self, answer: Answer) -> None:
        """Make this answer the one that sounds; whatever sounded before must have ended."""
        self._current = answer
        self.playback.unduck()  # an answer that was cut while it was lowered left it so
        self.playback.begin(answer.number)
        for sound in answer.waiting:
            self.enqueue(answer, sound)
        answer.waiting.clear()
        self._active.set()

    def enqueue(self, answer: Answer, sound: Sound) -> None:
        """Queue a piece of the answer that sounds; pieces of any other are dropped."""
        if answer is self._current and not answer.silenced:
            self.playback.enqueue(answer.number, sound.samples, sound.marks)

    def finish(self, answer: Answer) -> None:
        """No more pieces of it will come."""
        if answer is self._current and not answer.silenced:
            self.playback.finish(answer.number)

    def cut(self) -> Answer | None:
        """Stop the sound at once; returns the answer that was cut, None when none was on.

        What the device already holds still sounds, so ``on_stopped`` follows one latency later.
        """
        answer = self._current
        if answer is None:
            self.playback.resume()
            return None
        self._current = None
        answer.silence()
        self.playback.flush(answer.number)
        self.playback.resume()  # after the flush: of what is dropped nothing goes on
        latency_s = self.playback.latency_samples / self.playback.rate
        if latency_s > 0:
            self._cut[answer.number] = answer
            asyncio.get_running_loop().call_later(latency_s, self._played_out, answer)
        else:
            self._ended(answer)
        return answer

    def pause(self) -> tuple[int, float] | None:
        """Fall silent and keep the place; the answer's number and when the last of it is heard."""
        answer = self._current
        if answer is None:
            return None
        self.playback.pause()
        latency_s = self.playback.latency_samples / self.playback.rate
        return answer.number, clock.session_now() + latency_s

    def resume(self) -> int | None:
        """Go on, from the start of the word that was cut; the answer's number."""
        self.playback.resume()
        return None if self._current is None else self._current.number

    def lost(self) -> None:
        """The device is gone: whatever asks for sound gets silence until ``reopened``.

        A new stream asks before anybody can say that it is there; playback counts its samples from
        the moment on at which it was told of it.
        """
        self._lost = True

    def reopened(self) -> None:
        """The device is back: go on at the first sample that was not heard."""
        self.playback.reopen(self.playback.rate, self._latency_samples())
        self._lost = False

    def _render(self, out: NDArray[np.float32]) -> None:
        if self._lost:
            out[:] = 0.0
        else:
            self.playback.render(out)

    def _latency_samples(self) -> int:
        return round(self._port.info.latency_s * self.playback.rate)

    async def room_for(self, answer: Answer) -> None:
        """Wait until no more than AHEAD_S of audio waits to be heard."""
        async with self._moved:
            await self._moved.wait_for(
                lambda: (
                    answer.silenced
                    or answer is not self._current
                    or self._ahead_s(answer) < AHEAD_S
                )
            )

    async def run(self) -> None:
        """Watch playback for as long as the conversation lasts."""
        while True:
            await self._active.wait()
            self._look()
            async with self._moved:
                self._moved.notify_all()
            if self._current is None:
                self._active.clear()
            else:
                await asyncio.sleep(TICK_S)

    def _ahead_s(self, answer: Answer) -> float:
        played = self.playback.progress(answer.number).played_samples
        return (answer.samples - played) / self.playback.rate

    def _look(self) -> None:
        answer = self._current
        if answer is None:
            return
        now_s = clock.session_now()
        progress = self.playback.progress(answer.number)
        if not answer.started:
            started_s = self._audible_since(progress, now_s)
            if started_s is not None:
                answer.started = True
                self._on_started(answer, started_s)
        if progress.finished:
            self._current = None
            self._ended(answer)

    def _audible_since(self, progress: PlaybackProgress, now_s: float) -> float | None:
        """When its first audible sample sounded, None while it has not."""
        first = progress.first_audible_sample
        if first is None:
            return None
        position = self.playback.sounded_at(progress.reply, first)
        ago = self.playback.rendered_samples - (position or 0)
        if position is None or ago < 0:
            return None
        return now_s - ago / self.playback.rate

    def _played_out(self, answer: Answer) -> None:
        if self._cut.pop(answer.number, None) is not None:
            self._ended(answer)

    def _ended(self, answer: Answer) -> None:
        progress = self.playback.progress(answer.number)
        answer.ended = True
        cut = answer.broken or not progress.finished
        heard = answer.said[: progress.heard_text_end] if cut else answer.said
        self._on_stopped(answer, clock.session_now(), heard, cut)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a phrase's audio begins in its answer, and how its samples scale to playback."""

    phrase: SpokenPhrase
    start_sample: int
    scale: float

    def mark(self, mark: WordMark) -> PlaybackMark:
        return PlaybackMark(
            sample=self.start_sample + int(mark.end_sample * self.scale),
            start_sample=self.start_sample + int(mark.start_sample * self.scale),
            text_end=self.phrase.offset + len(heard_source(self.phrase, mark.word + 1)),
        )


def _next_sound(
    chunks: Iterator[SpeechChunk], resampler: StreamResampler, place: _Place
) -> Sound | None:
    chunk = next(chunks, None)
    if chunk is None:
        tail = resampler.flush()
        return Sound(tail, ()) if tail.size else None
    marks = tuple(place.mark(mark) for mark in chunk.marks)
    return Sound(resampler.process(chunk.samples), marks)
