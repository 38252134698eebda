"""What the overlap benchmark reads from a recording, and what it lets somebody say."""

from __future__ import annotations

import numpy as np
import pytest

from audio.pcm import RATE, rms_dbfs
from bench.overlap import OUTPUT_RATE, Outcome, outcomes, passes, summarize
from bench.overlap_cases import Case
from bench.overlap_sounds import SOUNDS, at_level, make_sound
from bench.overlap_texts import (
    BACKCHANNELS,
    INTERRUPTIONS,
    LEARN_BACKCHANNELS,
    LEARN_INTERRUPTIONS,
)
from jarvis_voice import events


def tone(seconds: float) -> np.ndarray:
    return np.full(round(seconds * RATE), 0.1, np.float32)


def recording(agent: list[tuple[float, float]]) -> np.ndarray:
    sound = np.zeros((10 * OUTPUT_RATE, 2), np.float32)
    for start_s, end_s in agent:
        sound[round(start_s * OUTPUT_RATE) : round(end_s * OUTPUT_RATE), 1] = 0.1
    return sound


def become(agent: list[tuple[float, float]], *told: events.ConversationEvent) -> Outcome:
    case = Case("interruption", "what failed", tone(1.0), "test", transcript="What failed?")
    seen = [events.SessionStarted(100.0, "r", "s", "b", "now"), *told]
    (found,) = outcomes([(case, 2.0)], seen, recording(agent))
    return found


def test_a_silence_that_was_asked_for_is_a_stop() -> None:
    found = become(
        [(0.0, 2.3), (4.0, 5.0)],
        events.PlaybackPaused(102.29, True, 1, "the sound asks for the floor (0.90)", 102.3),
        events.BargedIn(102.5, 102.0, 1, "words over the agent"),
        events.TurnCommitted(103.5, 1, "What failed?", 103.0, "silence"),
        events.AgentSpeechStarted(104.0, 1, 2),
    )
    assert found.stopped_s == pytest.approx(0.3)
    assert found.by_sound
    assert found.stale_s == 0.0
    assert found.heard == ["What failed?"]
    record = summarize([found])
    assert record["interruption"]["yield_p50_s"] == pytest.approx(0.3)
    assert record["interruption"]["first_word_lost"] == []
    assert passes(record)


def test_thinking_is_added_where_words_decided() -> None:
    found = become([(0.0, 2.3)], events.BargedIn(102.29, 102.0, 1, 'stop phrase "wait"'))
    assert summarize([found])["interruption"]["yield_p50_s"] == pytest.approx(0.4)
    assert summarize([found])["interruption"]["first_word_lost"] == ["what failed"]


def test_drawing_breath_is_no_stop_and_a_short_pause_is_none_either() -> None:
    assert become([(0.0, 2.3), (2.7, 6.0)]).stopped_s is None
    paused = events.PlaybackPaused(102.3, True, 1, "a word over the agent", 102.3)
    assert become([(0.0, 2.3), (2.5, 6.0)], paused).stopped_s is None
    resumed = events.PlaybackPaused(102.4, False, 1, 'backchannel "yeah"')
    assert become([(0.0, 2.3), (2.7, 6.0)], paused, resumed).stopped_s is None  # then it breathed
    late = events.PlaybackPaused(102.7, False, 1, 'backchannel "yeah"')
    assert become([(0.0, 2.3), (2.7, 6.0)], paused, late).stopped_s == pytest.approx(0.3)


def test_old_sound_after_the_cut_is_stale() -> None:
    cut = events.BargedIn(102.3, 102.0, 1, "words over the agent")
    found = become([(0.0, 2.3), (2.7, 2.9)], cut, events.AgentSpeechStarted(103.4, 1, 2))
    assert found.stale_s == pytest.approx(0.2, abs=0.02)
    assert not passes(summarize([found]))


def test_what_is_learned_from_is_not_what_is_reported() -> None:
    assert not set(LEARN_INTERRUPTIONS) & set(INTERRUPTIONS) - {
        *("Stop.", "No.", "Wait.", "Hold on.", "Never mind that."),
    }
    assert len(set(INTERRUPTIONS)) == 60
    assert len(set(BACKCHANNELS)) == 40
    assert set(LEARN_BACKCHANNELS) & set(BACKCHANNELS)  # there are not that many in a language


@pytest.mark.parametrize("kind", list(SOUNDS))
def test_a_noise_is_the_same_each_time_and_has_its_level(kind: str) -> None:
    once, again = (make_sound(kind, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(once, again)
    assert once.dtype == np.float32
    assert 0.01 < len(once) / RATE < 3.0
    assert np.abs(once).max() == pytest.approx(0.7, rel=1e-3)
    quiet = at_level(once, -40.0)
    loudest = max(rms_dbfs(quiet[start : start + 1600]) for start in range(0, len(quiet), 400))
    assert loudest == pytest.approx(-40.0, abs=1.5)
