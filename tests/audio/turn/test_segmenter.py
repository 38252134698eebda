"""Probabilities to speech and pauses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.turn.events import FrameHeard
from audio.turn.segmenter import Segmenter, SpeechBegan, SpeechPaused
from audio.turn.settings import TurnSettings

FRAME_S = 0.032


def run(probabilities, settings=None):
    """What is told about frames that follow each other from 0 s on, with the frame's number."""
    segmenter = Segmenter(settings or TurnSettings())
    told = []
    for number, probability in enumerate(probabilities, start=1):
        end_s = number * FRAME_S
        segment = segmenter.heard(FrameHeard(end_s, probability, FRAME_S), end_s)
        if segment:
            told.append((number, segment))
    return told


def test_three_frames_begin_speech_at_the_first_of_them():
    ((number, began),) = run([0.1] * 5 + [0.9] * 3)
    assert number == 8
    assert began == SpeechBegan(pytest.approx(5 * FRAME_S))


def test_one_dip_is_allowed_at_the_beginning():
    ((number, began),) = run([0.9, 0.9, 0.1, 0.9])
    assert number == 4
    assert began.onset_s == pytest.approx(0.0)


def test_two_dips_begin_anew():
    ((number, began),) = run([0.9, 0.1, 0.9, 0.1, 0.9, 0.9, 0.9])
    assert number == 7
    assert began.onset_s == pytest.approx(4 * FRAME_S)


def test_clicks_are_no_speech():
    assert run([0.9, 0.1, 0.1, 0.1] * 20) == []


def test_speech_ends_only_below_the_lower_threshold():
    told = run([0.9] * 4 + [0.4] * 20 + [0.2] * 5)
    assert [number for number, _ in told] == [3, 29]
    assert told[1][1] == SpeechPaused(pytest.approx(24 * FRAME_S))


def test_the_lower_threshold_begins_nothing():
    assert run([0.4] * 50) == []


def test_a_gap_shorter_than_a_pause_is_part_of_the_speech():
    told = run([0.9] * 4 + [0.1] * 4 + [0.9] * 2 + [0.1] * 5)
    assert [type(segment) for _, segment in told] == [SpeechBegan, SpeechPaused]
    assert told[1][1].ended_s == pytest.approx(10 * FRAME_S)


def test_frames_handed_over_all_at_once_count_by_their_sound():
    segmenter = Segmenter(TurnSettings())
    for number in range(1, 4):
        began = segmenter.heard(FrameHeard(number * FRAME_S, 0.9), 7.0)
    assert began == SpeechBegan(pytest.approx(0.0))
    for number in range(4, 9):
        paused = segmenter.heard(FrameHeard(number * FRAME_S, 0.1), 7.0)
    assert paused == SpeechPaused(pytest.approx(3 * FRAME_S))


def test_no_frame_for_long_is_a_pause():
    segmenter = Segmenter(TurnSettings())
    for number in range(1, 4):
        segmenter.heard(FrameHeard(number * FRAME_S, 0.9), number * FRAME_S)
    ended_s = 3 * FRAME_S
    assert segmenter.deadline_s == pytest.approx(ended_s + 0.25)
    assert segmenter.advance(ended_s + 0.24) is None
    assert segmenter.advance(ended_s + 0.26) == SpeechPaused(pytest.approx(ended_s))
    assert segmenter.deadline_s is None


@given(st.floats(0, 1e5), st.integers(15, 19))
def test_silence_is_reached_with_the_seventeenth_frame(now_s, frames):
    segmenter = Segmenter(TurnSettings())
    for probability in [0.9] * 30 + [0.0] * frames:
        now_s += FRAME_S  # whose sum is a hair off, one way or the other
        segmenter.heard(FrameHeard(now_s, probability), now_s)
    assert (segmenter.silent_at_s(0.544) <= now_s) == (frames >= 17)


@given(st.lists(st.floats(0, 1), max_size=200))
def test_beginnings_and_pauses_alternate_in_time(probabilities):
    told = run(probabilities)
    kinds = [type(segment) for _, segment in told]
    assert kinds == ([SpeechBegan, SpeechPaused] * len(kinds))[: len(kinds)]
    moments = []
    for _, segment in told:
        moments.append(segment.onset_s if isinstance(segment, SpeechBegan) else segment.ended_s)
    assert moments == sorted(moments)
