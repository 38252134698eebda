"""A pause is a cut that can be taken back: nothing sounds, nothing is lost, no word in halves."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from audio.playback import Playback, PlaybackMark

RATE = 1000  # one sample is one millisecond: fades of 8 samples
FADE = 8


def ramp(first: int, count: int) -> np.ndarray:
    """Samples that tell their own place: 1000 is the reply's first one."""
    return np.arange(1000 + first, 1000 + first + count, dtype=np.float32)


def render(playback: Playback, count: int) -> np.ndarray:
    out = np.full(count, np.nan, np.float32)
    playback.render(out)
    assert not np.isnan(out).any()
    return out


def three_words(**changes: int) -> Playback:
    """Words at 0-100, 120-220 and 240-340, of which the text has 4, 8 and 12 characters."""
    playback = Playback(RATE, **changes)
    playback.begin(1)
    marks = [PlaybackMark(100 + 120 * n, 4 + 4 * n, 120 * n) for n in range(3)]
    playback.enqueue(1, ramp(0, 340), marks)
    playback.finish(1)
    return playback


def test_it_falls_silent_and_goes_on_at_the_start_of_the_word_that_was_cut() -> None:
    playback = three_words()
    assert render(playback, 170)[-1] == 1169
    playback.pause()
    fading = render(playback, 20)
    assert 0 < fading[0] < 1170
    assert not fading[FADE - 1 :].any()
    assert not render(playback, 500).any()
    playback.resume()
    again = render(playback, 300)
    assert again[FADE] == 1000 + 120 + FADE  # the second word once more, from its start
    assert again[219] == 1339
    assert not again[220:].any()
    assert playback.progress().finished


def test_between_two_words_nothing_is_said_twice() -> None:
    playback = three_words()
    render(playback, 110)
    playback.pause()
    render(playback, 50)
    playback.resume()
    assert render(playback, 40)[20] == 1130


def test_a_word_that_is_not_all_there_yet_begins_after_the_last_one_that_is() -> None:
    playback = Playback(RATE)
    playback.begin(1)
    playback.enqueue(1, ramp(0, 300), [PlaybackMark(100, 4, 0)])
    render(playback, 250)
    playback.pause()
    render(playback, 50)
    playback.resume()
    assert render(playback, 40)[20] == 1120


def test_a_word_of_more_than_a_second_is_not_said_again() -> None:
    playback = Playback(RATE)
    playback.begin(1)
    playback.enqueue(1, ramp(0, 2000), [PlaybackMark(2000, 9, 0)])
    render(playback, 1500)
    playback.pause()
    render(playback, 50)
    playback.resume()
    assert render(playback, 40)[20] == 2520


def test_what_was_heard_does_not_shrink_while_a_word_is_said_again() -> None:
    playback = three_words()
    render(playback, 219)
    playback.pause()
    render(playback, 20)  # with the fade-out the word was over
    assert playback.progress().heard_text_end == 8
    playback.resume()
    render(playback, 10)
    assert playback.progress().heard_text_end == 8
    assert playback.progress().played_samples == 227
    playback.flush()
    render(playback, 50)
    assert playback.progress().heard_text_end == 8
    assert playback.progress().cut


def test_a_reply_that_is_dropped_in_its_pause_never_sounds_again() -> None:
    playback = three_words()
    render(playback, 170)
    playback.pause()
    render(playback, 20)
    playback.flush()
    playback.resume()
    playback.begin(2)
    playback.enqueue(2, -ramp(0, 50))
    playback.finish(2)
    out = render(playback, 80)
    assert out.max() <= 0
    assert out[49] == -1049
    assert playback.progress(1).cut
    assert playback.progress(1).heard_text_end == 4


def test_no_reply_begins_in_a_pause_and_waiting_is_no_underrun() -> None:
    playback = Playback(RATE)
    playback.begin(1)
    playback.enqueue(1, ramp(0, 50))
    render(playback, 40)
    playback.pause()
    render(playback, 20)
    assert not render(playback, 200).any()  # it has run dry, if it could
    playback.enqueue(1, ramp(50, 50))
    playback.finish(1)
    playback.begin(2)
    playback.enqueue(2, ramp(0, 10))
    assert not render(playback, 200).any()
    assert playback.underruns == 0
    playback.resume()
    assert render(playback, 100).max() == 1099


def test_a_pause_that_is_taken_back_at_once_may_go_unnoticed() -> None:
    playback = three_words()
    render(playback, 50)
    playback.pause()
    playback.resume()
    assert render(playback, 10)[0] == 1050


def test_a_device_that_comes_back_in_a_pause_stays_silent_and_no_word_is_lost() -> None:
    playback = three_words(latency_samples=30)
    render(playback, 170)  # 140 have sounded
    playback.pause()
    render(playback, 5)
    playback.reopen(2 * RATE, 30)
    assert not render(playback, 400).any()
    playback.resume()
    out = render(playback, 60)
    assert abs(out[40] - (1000 + 120 + 20)) < 1.5  # at twice the rate, from the second word on
    render(playback, 1000)
    assert playback.progress().finished


class PausedAndCut(RuleBasedStateMachine):
    """Replies before a flush have one sign, those after it the other: stale sound shows."""

    def __init__(self) -> None:
        super().__init__()
        self.playback = Playback(RATE, latency_samples=13, duck_db=-6.0)
        self.sign = 1
        self.newest = 0
        self.since_flush = self.since_pause = 1000  # samples rendered
        self.paused = False
        self.heard: dict[int, int] = {}
        self.dropped: set[int] = set()
        self.say(40, True)

    @rule(count=st.integers(1, 90), finished=st.booleans())
    def say(self, count: int, finished: bool) -> None:
        if self.newest == 30:
            return
        self.newest += 1
        self.playback.begin(self.newest)
        self.go_on(count)
        if finished:
            self.playback.finish(self.newest)

    @rule(count=st.integers(1, 60))
    def go_on(self, count: int) -> None:
        done = self.playback.counts(self.newest).enqueued
        marks = [PlaybackMark(done + count, done + count, done)]
        self.playback.enqueue(self.newest, np.full(count, self.sign, np.float32), marks)

    @rule()
    def flush(self) -> None:
        self.playback.flush()
        self.dropped.update(range(1, self.newest + 1))
        self.sign = -self.sign
        self.since_flush = 0

    @rule()
    def pause(self) -> None:
        self.playback.pause()
        if not self.paused:
            self.since_pause = 0
        self.paused = True

    @rule()
    def resume(self) -> None:
        self.playback.resume()
        self.paused = False

    @rule()
    def cut(self) -> None:
        """As a barge-in does: drop, then leave the pause."""
        self.flush()
        self.resume()

    @rule(act=st.sampled_from(["hold", "release", "duck", "unduck"]))
    def steer(self, act: str) -> None:
        getattr(self.playback, act)()

    @rule(latency=st.integers(0, 30))
    def reopen(self, latency: int) -> None:
        self.playback.reopen(RATE, latency)

    @rule(count=st.sampled_from([1, 3, 10, 25, 70]))
    def render(self, count: int) -> None:
        out = render(self.playback, count)
        stale = np.flatnonzero(out * self.sign < 0)
        assert not stale.size or stale[-1] + self.since_flush < FADE
        if self.paused:
            sounding = np.flatnonzero(out)
            assert not sounding.size or sounding[-1] + self.since_pause < 2 * FADE
        self.since_flush += count
        self.since_pause += count

    @invariant()
    def nothing_is_lost_or_unheard_again(self) -> None:
        for reply in range(1, self.newest + 1):
            counts = self.playback.counts(reply)
            assert counts.enqueued == counts.handed + counts.flushed + counts.queued
            assert min(counts.handed, counts.flushed, counts.queued) >= 0
            end = self.playback.progress(reply).heard_text_end
            assert end >= self.heard.get(reply, 0)
            self.heard[reply] = end

    def teardown(self) -> None:
        """Left alone, everything that was not dropped is heard to its end."""
        self.playback.resume()
        self.playback.release()
        for reply in range(1, self.newest + 1):
            self.playback.finish(reply)
        for _ in range(40):
            render(self.playback, 200)
        for reply in range(1, self.newest + 1):
            progress = self.playback.progress(reply)
            assert progress.finished or (progress.cut and reply in self.dropped)
            if progress.finished:
                assert progress.played_samples == self.playback.counts(reply).enqueued - (
                    self.playback.counts(reply).flushed
                )


PausedAndCut.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
TestPausedAndCut = PausedAndCut.TestCase
