"""What comes out, what was heard, and what never may come out."""

from __future__ import annotations

import numpy as np
import pytest

from audio.pcm import from_dbfs
from audio.playback import Playback, PlaybackCounts, PlaybackMark

RATE = 1000  # one sample is one millisecond: fade-out 8 samples, duck ramp 20


def ones(count: int, value: float = 1.0) -> np.ndarray:
    return np.full(count, value, np.float32)


def render(playback: Playback, count: int) -> np.ndarray:
    out = np.full(count, np.nan, np.float32)
    playback.render(out)
    assert not np.isnan(out).any()
    return out


def say(playback: Playback, reply: int, count: int, value: float = 1.0) -> None:
    playback.begin(reply)
    playback.enqueue(reply, ones(count, value))
    playback.finish(reply)


# --- sound -------------------------------------------------------------------------------------


def test_silence_when_nothing_is_queued() -> None:
    playback = Playback(RATE)
    assert not render(playback, 10).any()
    assert playback.idle
    assert playback.progress().reply == 0


def test_replies_follow_each_other_without_a_gap() -> None:
    playback = Playback(RATE)
    say(playback, 1, 15, 0.1)
    say(playback, 2, 10, 0.2)
    out = np.concatenate([render(playback, 10), render(playback, 20)])
    np.testing.assert_allclose(out, [0.1] * 15 + [0.2] * 10 + [0.0] * 5, rtol=1e-6)
    assert playback.underruns == 0


def test_a_reply_waits_for_the_one_before_to_be_finished() -> None:
    playback = Playback(RATE)
    playback.begin(1)
    playback.enqueue(1, ones(5, 0.1))
    say(playback, 2, 5, 0.2)
    assert render(playback, 10)[5:].tolist() == [0.0] * 5
    playback.enqueue(1, ones(5, 0.1))
    playback.finish(1)
    np.testing.assert_allclose(render(playback, 10), [0.1] * 5 + [0.2] * 5, rtol=1e-6)


def test_the_queue_keeps_a_copy() -> None:
    playback = Playback(RATE)
    block = ones(5)
    playback.begin(1)
    playback.enqueue(1, block)
    block[:] = 9.0
    assert render(playback, 5).max() == 1.0


def test_the_far_end_is_exactly_what_went_out() -> None:
    playback = Playback(RATE)
    say(playback, 1, 50)
    playback.duck()
    out = [render(playback, 20)]
    playback.flush()
    out += [render(playback, 20), render(playback, 20)]
    assert np.array_equal(playback.far_end.read(1000), np.concatenate(out))


# --- flush -------------------------------------------------------------------------------------


def test_flush_fades_out_within_eight_milliseconds() -> None:
    playback = Playback(RATE)
    say(playback, 1, 100)
    render(playback, 10)
    playback.flush()
    out = render(playback, 20)
    assert out[8:].tolist() == [0.0] * 12
    assert np.all(np.diff(out[:8]) < 0.0)
    progress = playback.progress()
    assert (progress.played_samples, progress.cut, progress.finished) == (18, True, False)
    assert playback.counts(1) == PlaybackCounts(enqueued=100, handed=18, flushed=82, queued=0)


def test_the_fade_goes_on_across_small_blocks() -> None:
    playback = Playback(RATE)
    say(playback, 1, 100)
    render(playback, 10)
    playback.flush()
    out = np.concatenate([render(playback, 3) for _ in range(5)])
    assert np.all(np.diff(out[:8]) < 0.0)
    assert out[8:].tolist() == [0.0] * 7


def test_a_new_reply_may_sound_right_after_the_fade() -> None:
    playback = Playback(RATE)
    say(playback, 1, 100, 0.5)
    render(playback, 10)
    playback.flush()
    say(playback, 2, 100, 0.25)
    assert render(playback, 20)[8:].tolist() == [0.25] * 12
    assert playback.progress().reply == 2
    assert playback.progress(1).cut


def test_what_did_not_begin_is_flushed_without_a_sound() -> None:
    playback = Playback(RATE)
    say(playback, 1, 100)
    playback.flush()
    assert not render(playback, 20).any()
    assert playback.progress(1).heard_text_end == 0
    assert playback.counts(1).flushed == 100
    assert playback.idle


def test_late_sound_of_a_flushed_reply_is_refused() -> None:
    playback = Playback(RATE)
    playback.begin(1)
    assert playback.enqueue(1, ones(10))
    playback.flush()
    assert not playback.enqueue(1, ones(10))
    playback.finish(1)
    assert not render(playback, 30).any()
    assert playback.counts(1).flushed == 20


def test_one_reply_can_be_flushed_and_the_next_kept() -> None:
    playback = Playback(RATE)
    say(playback, 1, 10, 0.1)
    say(playback, 2, 10, 0.2)
    say(playback, 3, 10, 0.3)
    playback.flush(2)
    np.testing.assert_allclose(render(playback, 20), [0.1] * 10 + [0.3] * 10, rtol=1e-6)


def test_a_reply_that_was_handed_over_whole_is_not_cut() -> None:
    playback = Playback(RATE)
    say(playback, 1, 10)
    render(playback, 10)
    playback.flush()
    render(playback, 1)
    assert playback.progress(1).finished
    assert not playback.progress(1).cut


def test_a_reply_that_ran_dry_before_its_end_is_cut() -> None:
    playback = Playback(RATE)
    playback.begin(1)
    playback.enqueue(1, ones(10))
    render(playback, 20)
    playback.flush()
    assert not render(playback, 5).any()
    assert playback.progress(1).cut
    assert not playback.progress(1).finished


# --- hold, duck, underruns ---------------------------------------------------------------------


def test_hold_stops_what_has_not_begun_only() -> None:
    playback = Playback(RATE)
    say(playback, 1, 20, 0.1)
    say(playback, 2, 20, 0.2)
    render(playback, 5)
    playback.hold()
    np.testing.assert_allclose(render(playback, 30), [0.1] * 15 + [0.0] * 15, rtol=1e-6)
    playback.release()
    np.testing.assert_allclose(render(playback, 5), [0.2] * 5, rtol=1e-6)


def test_hold_also_stops_a_reply_that_was_open_but_silent() -> None:
    playback = Playback(RATE)
    playback.begin(1)
    render(playback, 5)
    playback.hold()
    playback.enqueue(1, ones(5))
    assert not render(playback, 5).any()


def test_a_held_reply_can_be_flushed() -> None:
    playback = Playback(RATE)
    playback.hold()
    say(playback, 1, 5)
    playback.flush()
    render(playback, 5)
    assert playback.counts(1).flushed == 5


def test_duck_ramps_to_fifteen_db_less_and_back() -> None:
    playback = Playback(RATE)
    say(playback, 1, 200)
    playback.duck()
    down = render(playback, 40)
    assert np.abs(np.diff(down)).max() < 0.05
    assert down[20:] == pytest.approx(from_dbfs(-15.0), abs=1e-4)
    assert playback.ducked
    playback.unduck()
    up = np.concatenate([render(playback, 7) for _ in range(6)])
    assert np.abs(np.diff(up)).max() < 0.05
    assert up[21:].tolist() == [1.0] * 21
    assert playback.progress().played_samples == 82


def test_a_gap_counts_once_as_an_underrun() -> None:
    playback = Playback(RATE)
    playback.begin(1)
    render(playback, 10)
    assert playback.underruns == 0  # it has not begun
    playback.enqueue(1, ones(5))
    for _ in range(3):
        render(playback, 10)
    assert playback.underruns == 1
    playback.enqueue(1, ones(5))
    playback.finish(1)
    render(playback, 10)
    assert playback.underruns == 1
    assert playback.progress().finished


# --- what was heard ----------------------------------------------------------------------------


def marked() -> Playback:
    playback = Playback(RATE, latency_samples=30)
    playback.begin(1)
    playback.enqueue(1, ones(100), [PlaybackMark(40, 5), PlaybackMark(90, 11)])
    return playback


def test_text_is_heard_when_its_sound_left_the_device() -> None:
    playback = marked()
    heard = []
    for _ in range(14):
        render(playback, 10)
        heard.append(playback.progress().heard_text_end)
    assert heard == [0] * 6 + [5] * 5 + [11] * 3


def test_what_the_device_holds_at_a_flush_is_heard_once_it_was_played_out() -> None:
    playback = marked()
    render(playback, 60)
    playback.flush()
    progress = playback.progress()
    assert (progress.played_samples, progress.heard_text_end, progress.cut) == (30, 0, True)
    assert progress.sounding
    render(playback, 40)
    progress = playback.progress()
    assert (progress.played_samples, progress.heard_text_end) == (68, 5)
    assert not progress.sounding


def test_sounding_begins_and_ends_with_the_latency() -> None:
    playback = Playback(RATE, latency_samples=15)
    say(playback, 1, 20)
    states = []
    for _ in range(5):
        render(playback, 10)
        progress = playback.progress()
        states.append((progress.sounding, progress.finished, playback.idle))
    assert states == [
        (False, False, False),
        (True, False, False),
        (True, False, False),
        (False, True, True),
        (False, True, True),
    ]


def test_the_first_audible_sample_is_known() -> None:
    playback = Playback(RATE, latency_samples=7)
    playback.begin(1)
    playback.enqueue(1, ones(30, from_dbfs(-70.0)))
    assert playback.progress().first_audible_sample is None
    playback.enqueue(1, np.concatenate([np.zeros(12, np.float32), ones(5, -0.5)]))
    assert playback.progress().first_audible_sample == 42
    assert playback.sounded_at(1, 42) is None
    render(playback, 10)
    render(playback, 40)
    assert playback.sounded_at(1, 42) == 49


def test_gaps_move_the_samples_behind_them() -> None:
    playback = Playback(RATE)
    playback.begin(1)
    playback.enqueue(1, ones(10))
    render(playback, 25)
    playback.enqueue(1, ones(10))
    render(playback, 10)
    assert playback.sounded_at(1, 9) == 9
    assert playback.sounded_at(1, 10) == 25
    assert playback.progress().played_samples == 20


def test_marks_that_go_back_never_take_heard_text_back() -> None:
    playback = Playback(RATE)
    playback.begin(1)
    playback.enqueue(1, ones(30), [PlaybackMark(10, 8), PlaybackMark(5, 3), PlaybackMark(20, 6)])
    render(playback, 25)
    assert playback.progress().heard_text_end == 8


def test_reply_numbers_grow_and_are_known() -> None:
    playback = Playback(RATE)
    playback.begin(3)
    with pytest.raises(ValueError, match="does not come after"):
        playback.begin(3)
    with pytest.raises(ValueError, match="never begun"):
        playback.enqueue(4, ones(1))
    with pytest.raises(ValueError, match="never begun"):
        playback.finish(4)


def test_a_long_conversation_keeps_little() -> None:
    playback = Playback(RATE)
    for reply in range(1, 500):
        say(playback, reply, 20)
        render(playback, 21)
    assert playback.progress(1).played_samples == 0  # long forgotten
    assert playback.counts(1) == PlaybackCounts(0, 0, 0, 0)
    assert playback.progress(499).finished
    assert not playback.enqueue(1, ones(5))
    assert len(playback._tracks) <= 32
    assert sum(len(track._segments) for track in playback._tracks.values()) <= 1


# --- another device ----------------------------------------------------------------------------


def test_reopen_goes_on_where_the_user_stopped_hearing() -> None:
    playback = Playback(RATE, latency_samples=30)
    playback.begin(1)
    playback.enqueue(1, np.arange(100, dtype=np.float32) / 100, [PlaybackMark(60, 4)])
    playback.finish(1)
    render(playback, 50)  # 20 were heard, 30 were lost with the device
    playback.reopen(RATE, 10)
    assert playback.progress().played_samples == 20
    out = render(playback, 90)
    np.testing.assert_allclose(out[:80], np.arange(20, 100) / 100, atol=1e-6)
    assert playback.progress().finished
    assert playback.progress().heard_text_end == 4
    assert playback.counts(1) == PlaybackCounts(100, 100, 0, 0)


def test_reopen_finds_its_place_among_many_pieces() -> None:
    playback = Playback(RATE, latency_samples=5)
    playback.begin(1)
    for piece in range(5):
        playback.enqueue(1, ones(10, 0.1 + 0.1 * piece))
    playback.finish(1)
    render(playback, 30)
    playback.reopen(RATE, 0)
    np.testing.assert_allclose(
        render(playback, 30), [0.3] * 5 + [0.4] * 10 + [0.5] * 10 + [0.0] * 5, rtol=1e-6
    )


def test_reopen_replays_a_tail_that_was_handed_over_but_not_heard() -> None:
    playback = Playback(RATE, latency_samples=30)
    say(playback, 1, 50)
    render(playback, 60)  # all handed over, 30 heard
    playback.reopen(RATE, 0)
    assert not playback.progress(1).finished
    assert render(playback, 30).tolist() == [1.0] * 20 + [0.0] * 10
    assert playback.progress(1).finished


def test_reopen_at_another_rate_keeps_marks_and_what_was_heard() -> None:
    playback = Playback(8000)
    playback.begin(1)
    tone = np.sin(np.arange(8000) * 2 * np.pi * 200 / 8000).astype(np.float32)
    playback.enqueue(1, tone, [PlaybackMark(2000, 3), PlaybackMark(6000, 9)])
    render(playback, 4000)
    playback.reopen(16_000, 0)
    assert playback.rate == 16_000
    progress = playback.progress()
    assert (progress.played_samples, progress.heard_text_end) == (8000, 3)
    out = render(playback, 7000)
    expected = np.sin((8000 + np.arange(7000)) * 2 * np.pi * 200 / 16_000)
    np.testing.assert_allclose(out, expected, atol=1e-2)
    assert playback.progress().heard_text_end == 9
    playback.enqueue(1, ones(1000))
    playback.finish(1)
    render(playback, 2001)
    assert playback.progress().finished
    assert playback.far_end.written_samples == 9001


def test_reopen_does_not_bring_a_flushed_reply_back() -> None:
    playback = Playback(RATE)
    say(playback, 1, 100)
    render(playback, 10)
    playback.flush()
    playback.reopen(2 * RATE, 0)
    say(playback, 2, 10, 0.5)
    assert render(playback, 20).tolist() == [0.5] * 10 + [0.0] * 10
    assert playback.progress(1).cut
    counts = playback.counts(1)
    assert counts.enqueued == counts.handed + counts.flushed
