"""Kokoro in windows: the first half second of a phrase sounds while the rest is still being made.

Joins need no cross-fade: with the norms given, each window computes the very samples that the whole
would have. What differs from whole-sentence synthesis is that the norms are foretold, not measured;
``bench.stream_quality`` tells how much. A machine that falls behind says whole phrases until it has
room again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from audio.clocks import Clock, Clocks
from audio.engine import CancelToken
from audio.errors import EngineCorrupt, EngineFailed, EngineMissing
from audio.tts.kokoro_model import KokoroModel
from audio.tts.phoneme_speech import RATE, Inference, Network, Stream, Window
from audio.tts.phonemes import PAUSES, vocabulary
from audio.tts.streaming import trial
from audio.tts.streaming.generator import SAMPLES
from audio.tts.streaming.network import Plan, TwoHalves
from audio.tts.streaming.pacing import LEAD_S, Pace, cost, next_window
from audio.tts.streaming.statistics import Forecast, load_forecast
from audio.tts.streaming.trial import Rivals, Verdict
from audio.tts.voices import load_styles

# Sound leads the frames of its first token by 20 to 130 ms (96 sentences, speeds 0.85 to 1.2). What
# comes earlier is not decoded but silence, of which trimming keeps as much as this.
_LEAD_SAMPLES = int(0.14 * RATE)
_SILENCE_SAMPLES = int(0.04 * RATE)


class StreamedKokoro:
    """A StreamingNetwork. One call at a time."""

    def __init__(self, halves: TwoHalves, forecast: Forecast, pace: Pace, clock: Clock) -> None:
        self._halves = halves
        self._forecast = forecast
        self._pace = pace
        self._clock = clock

    @property
    def pace(self) -> Pace:
        return self._pace

    def infer(
        self, tokens: list[int], style: NDArray[np.float32], speed: float, cancel: CancelToken
    ) -> Inference:
        """See Network.infer: the whole phrase, with its own norms."""
        plan = self._halves.plan(tokens, style, speed, cancel)
        return Inference(self._whole(plan, cancel), plan.edges)

    def stream(
        self, tokens: list[int], style: NDArray[np.float32], speed: float, cancel: CancelToken
    ) -> Stream:
        """See StreamingNetwork.stream: in windows when the machine keeps up, else in one."""
        plan = self._halves.plan(tokens, style, speed, cancel)
        start, end = sounding(plan, tokens)
        first = self._pace.first(end - start)
        if first is None:
            return Stream(plan.edges, 0, self._at_once(plan, cancel))
        begin = SAMPLES * start - _SILENCE_SAMPLES
        return Stream(plan.edges, begin, self._windows(plan, (start, start + first, end), cancel))

    def _at_once(self, plan: Plan, cancel: CancelToken) -> Iterator[Window]:
        yield Window(self._whole(plan, cancel), last=True)

    def _whole(self, plan: Plan, cancel: CancelToken) -> NDArray[np.float32]:
        began_s = self._clock()
        audio, _ = self._halves.whole(plan, cancel)
        self._pace.spent(self._clock() - began_s, plan.length)
        return audio

    def _windows(
        self, plan: Plan, bounds: tuple[int, int, int], cancel: CancelToken
    ) -> Iterator[Window]:
        norms = self._forecast.norms(plan)
        start, stop, end = bounds  # the first window is [start, stop)
        spent_s = work = 0.0
        ahead_s, slack_s = -LEAD_S, float("inf")
        before = np.zeros(_SILENCE_SAMPLES, np.float32)
        try:
            while start < end:
                began_s = self._clock()
                audio = self._halves.window(plan, norms, start, stop, cancel)
                took_s = self._clock() - began_s
                if work:
                    ahead_s -= took_s
                    slack_s = min(slack_s, ahead_s)
                ahead_s += len(audio) / RATE
                spent_s, work = spent_s + took_s, work + cost(stop - start)
                yield Window(np.concatenate([before, audio]), last=stop == end)
                before = before[:0]
                pace_s = max(self._pace.frame_s, spent_s / work)
                start, stop = stop, stop + next_window(ahead_s, pace_s, end - stop)
        finally:  # also of a phrase that was called off
            self._pace.spent(spent_s, work)
            self._pace.slack(slack_s)

    def close(self) -> None:
        """Release the network; calling it twice is fine."""
        self._halves.close()


def sounding(plan: Plan, tokens: list[int]) -> tuple[int, int]:
    """The frames [start, end) that hold all of a phrase's sound; start is even.

    The closing pause is silence too: the last sound ends 0.16 s or more before its frames.
    """
    start = (int(plan.edges[0]) - _LEAD_SAMPLES) // SAMPLES // 2 * 2
    silent = {vocabulary()[pause] for pause in PAUSES}
    last = len(tokens)
    while last > 1 and tokens[last - 1] in silent:
        last -= 1
    end = -(-int(plan.edges[last]) // SAMPLES)
    start = max(start, _SILENCE_SAMPLES // SAMPLES + 1)
    return min(start, plan.length - 1), max(start + 1, min(end, plan.length))


def open_network(voice: str, threads: int, clocks: Clocks | None) -> Network:
    """The network that suits this machine: in windows where its self-test allows, else whole.

    Without clocks, whole. The first time on a machine takes some seconds more for the test.
    Raises EngineMissing, EngineCorrupt or UnwritableOutput when it cannot speak at all.
    """
    known = trial.recall(voice, threads)
    if clocks is None or (known is not None and known.settled and not known.streams):
        return KokoroModel(threads)
    try:
        streamed = _streamed(voice, threads, clocks, known)
    except (EngineCorrupt, EngineFailed, EngineMissing) as error:
        tries = known.tries + 1 if known else 1
        trial.remember(Verdict(False, error.problem, tries=tries), voice, threads)
        return KokoroModel(threads)
    return streamed or KokoroModel(threads)


def _streamed(
    voice: str, threads: int, clocks: Clocks, known: Verdict | None
) -> StreamedKokoro | None:
    """The network in windows; None when the self-test finds against it."""
    forecast = load_forecast(voice)
    halves = TwoHalves(threads)
    if known is None or not known.streams:
        tries = known.tries + 1 if known else 1
        verdict = _tried(halves, voice, threads, clocks)
        known = replace(verdict, tries=tries)
        trial.remember(known, voice, threads)
    if known.streams:
        return StreamedKokoro(halves, forecast, Pace(known.frame_s), clocks.wall)
    halves.close()
    return None


def _tried(halves: TwoHalves, voice: str, threads: int, clocks: Clocks) -> Verdict:
    """The self-test, in processor time, so that what else the machine does now says nothing."""
    at_once = min(threads, os.cpu_count() or 1)

    def clock() -> float:
        return clocks.cpu() / at_once

    pace = Pace(0.0)  # in windows, whatever it will find
    streamed = StreamedKokoro(halves, load_forecast(voice), pace, clock)
    whole = KokoroModel(threads)
    try:
        rivals = Rivals(whole, streamed, lambda: pace.frame_s, load_styles(voice))
        return trial.try_out(rivals, clock)
    finally:
        whole.close()


def manner(voice: str, threads: int) -> str:
    """How a voice speaks on this machine, as a sentence for people."""
    verdict = trial.recall(voice, threads)
    if verdict is None:
        return "Not tried yet whether it can speak in windows; that is done when it is first used."
    if not verdict.streams:
        return f"Speaks whole phrases: {verdict.reason}."
    return (
        f"Speaks in windows: first sound of a short sentence after {verdict.first_s:.2f} s instead "
        f"of {verdict.whole_s:.2f} s when nothing else runs, mel distance {verdict.mel_db:.1f} dB."
    )
