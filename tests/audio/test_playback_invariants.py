"""What holds in playback for any order of calls, and with a device thread at full speed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from audio.playback import Playback, PlaybackMark

RATE = 1000  # one sample is one millisecond: fade-out 8 samples


def ones(count: int, value: float = 1.0) -> np.ndarray:
    return np.full(count, value, np.float32)


def render(playback: Playback, count: int) -> np.ndarray:
    out = np.full(count, np.nan, np.float32)
    playback.render(out)
    assert not np.isnan(out).any()
    return out


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Let threads take turns 50 times as often as usual, to find races sooner."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("eager_threads")
def test_a_device_thread_and_the_conductor_agree() -> None:
    """After a flush: the block under way at full level, then the fade, then nothing of it.

    Replies have levels of 1.0001, 1.0002 ..., so that every sample of a fade-out is below 1.
    """
    playback = Playback(16_000)
    stop = threading.Event()
    out: list[np.ndarray] = []

    def device() -> None:
        while not stop.is_set():
            out.append(render(playback, 160))

    thread = threading.Thread(target=device)
    thread.start()
    levels = [np.float32(1 + reply * 1e-4) for reply in range(61)]
    flushed_at = [0]
    cut = 0
    for reply in range(1, 61):
        playback.begin(reply)
        playback.enqueue(reply, ones(80_000, levels[reply]))
        while playback.counts(reply).handed == 0:
            pass  # the device thread is at work
        playback.flush()
        flushed_at.append(playback.rendered_samples)
        cut += playback.progress(reply).cut
    stop.set()
    thread.join()
    stream = np.concatenate(out)
    assert cut > 50
    for reply in range(1, 61):
        at_full_level = np.flatnonzero(stream == levels[reply])
        assert at_full_level.size
        assert at_full_level[-1] < flushed_at[reply] + 160
        counts = playback.counts(reply)
        if counts.enqueued:  # still remembered
            assert 0 <= counts.handed - at_full_level.size <= 128  # the fade-out of 8 ms
    loud = stream[stream > 1]
    assert np.all(np.diff(loud) >= 0)


class AnyOrderOfCalls(RuleBasedStateMachine):
    """Each reply's samples all have one value of its own, so that its sound can be recognized."""

    def __init__(self) -> None:
        super().__init__()
        self.playback = Playback(RATE, latency_samples=13)
        self.newest = 0
        self.open: set[int] = set()
        self.flushed: set[int] = set()
        self.enqueued: dict[int, int] = {}
        self.came_out: dict[int, int] = {}
        self.fading = 0  # samples of a fade-out that may still come
        self.played: dict[int, int] = {}
        self.heard: dict[int, int] = {}
        self.say(30, finished=False)

    @staticmethod
    def value(reply: int) -> float:
        return 0.9 ** (reply % 7) if reply % 2 else -(0.9 ** (reply % 7))

    @rule(count=st.integers(0, 60), finished=st.booleans())
    def say(self, count: int, finished: bool) -> None:
        if self.newest == 30:
            return  # more would be forgotten
        self.newest += 1
        self.playback.begin(self.newest)
        self.open.add(self.newest)
        self.enqueued[self.newest] = self.came_out[self.newest] = 0
        self.enqueue(count, 0)
        if finished:
            self.finish(0)

    @rule(count=st.integers(0, 60), back=st.integers(0, 2))
    def enqueue(self, count: int, back: int) -> None:
        reply = max(1, self.newest - back)
        end = self.enqueued[reply] + count
        took = self.playback.enqueue(
            reply, ones(count, self.value(reply)), [PlaybackMark(end, end)]
        )
        assert took == (reply in self.open)
        self.enqueued[reply] = end

    @rule(back=st.integers(0, 2))
    def finish(self, back: int) -> None:
        reply = max(1, self.newest - back)
        self.playback.finish(reply)
        self.open.discard(reply)

    @rule()
    def flush(self) -> None:
        self.playback.flush()
        self.note_flush(range(1, self.newest + 1))

    @rule(back=st.integers(0, 2))
    def flush_one(self, back: int) -> None:
        reply = max(1, self.newest - back)
        self.playback.flush(reply)
        self.note_flush([reply])

    def note_flush(self, replies: Iterable[int]) -> None:
        for reply in replies:
            if reply not in self.flushed and self.playback.progress(reply).cut:
                self.flushed.add(reply)
                self.open.discard(reply)
                self.fading = 8 if 0 < self.came_out[reply] < self.enqueued[reply] else self.fading

    @rule(act=st.sampled_from(["hold", "release", "duck", "unduck"]))
    def steer(self, act: str) -> None:
        getattr(self.playback, act)()

    @rule(count=st.sampled_from([1, 3, 10, 25, 70]))
    def render(self, count: int) -> None:
        held = self.playback.held
        before = {reply: self.playback.counts(reply).handed for reply in self.enqueued}
        out = render(self.playback, count)
        sounding = int(np.count_nonzero(out))
        handed = 0
        for reply, earlier in before.items():
            moved = self.playback.counts(reply).handed - earlier
            handed += moved
            self.came_out[reply] += moved
            if held and earlier == 0:
                assert moved == 0
            if reply in self.flushed:
                assert moved <= self.fading
                self.fading -= moved
        # The last sample of a fade-out is zero; everything else that was handed over is sound.
        assert sounding <= handed <= sounding + 1

    @invariant()
    def nothing_is_lost(self) -> None:
        for reply, enqueued in self.enqueued.items():
            counts = self.playback.counts(reply)
            assert counts.enqueued == enqueued
            assert counts.enqueued == counts.handed + counts.flushed + counts.queued
            assert min(counts.handed, counts.flushed, counts.queued) >= 0
            assert counts.handed == self.came_out[reply]

    @invariant()
    def heard_is_a_growing_prefix(self) -> None:
        for reply, enqueued in self.enqueued.items():
            progress = self.playback.progress(reply)
            assert self.played.get(reply, 0) <= progress.played_samples <= enqueued
            assert self.heard.get(reply, 0) <= progress.heard_text_end
            assert progress.heard_text_end <= progress.played_samples
            assert not (progress.finished and progress.cut)
            self.played[reply] = progress.played_samples
            self.heard[reply] = progress.heard_text_end


AnyOrderOfCalls.TestCase.settings = settings(
    max_examples=150, stateful_step_count=40, deadline=None
)
TestAnyOrderOfCalls = AnyOrderOfCalls.TestCase
