"""Figures from recordings whose truth is known, planted faults included."""

from __future__ import annotations

import numpy as np
import pytest

from audio.pcm import RATE
from bench.probes.measures import (
    answered,
    opener_length,
    overlapped,
    said_at,
    word_errors,
)
from bench.probes.tap import Spoken, located
from jarvis_voice.telemetry.recorded import Span

from .scripted_sides import hiss

SECONDS = 14.0


def phrase(source: str, words: int) -> Spoken:
    """A phrase of words of 0.3 s."""
    chunks = [hiss(f"{source}{n}", 0.3, RATE) for n in range(words)]
    starts = {n: n * round(0.3 * RATE) for n in range(words)}
    return Spoken(source, tuple(source.split()), RATE, chunks, starts)


OLD = phrase("the old answer goes on and on " * 4, 28)
NEW = phrase("a new answer", 3)


def agent(*pieces: tuple[float, np.ndarray]) -> np.ndarray:
    """A recording with sound from given seconds on."""
    out = np.zeros(round(SECONDS * RATE), np.float32)
    for start_s, sound in pieces:
        start = round(start_s * RATE)
        out[start : start + sound.size] = sound[: out.size - start]
    return out


def cut(spoken: Spoken, seconds: float) -> np.ndarray:
    return spoken.sound()[: round(seconds * RATE)]


USER = Span(4.0, 5.0)


def test_a_piece_is_found_to_the_sample_at_any_level() -> None:
    recording = agent((3.0, OLD.sound() * np.float32(0.2)))
    recording += hiss("room", SECONDS, RATE, 0.0005)
    assert located(cut(OLD, 0.3), recording) == 3 * RATE
    assert located(NEW.sound(), recording) is None
    assert located(np.zeros(100, np.float32), recording) is None
    assert located(OLD.sound(), recording[:100]) is None


@pytest.mark.parametrize("late_s", [0.25, 0.9, 3.0])
def test_a_late_reply_is_as_late_as_it_is(late_s: float) -> None:
    found = answered(agent((2.0 + late_s, NEW.sound())), 2.0, [OLD, NEW])
    assert found.first_audio_s == pytest.approx(late_s, abs=0.011)
    assert found.first_content_s == found.first_audio_s
    assert found.opener == ""


def test_no_reply_is_none() -> None:
    found = answered(agent((0.5, NEW.sound())), 2.0, [NEW])
    assert (found.first_audio_s, found.first_content_s) == (None, None)


def test_an_opener_is_no_content() -> None:
    spoken = phrase("Well, let me see. It is done.", 7)
    found = answered(agent((2.5, spoken.sound())), 2.0, [OLD, spoken])
    assert found.first_audio_s == pytest.approx(0.5, abs=0.011)
    assert found.first_content_s == pytest.approx(0.5 + 4 * 0.3, abs=0.011)
    assert found.opener == "Well, let me see."


def test_an_opener_that_is_a_phrase_of_its_own_is_no_content_either() -> None:
    opener, moment = phrase("Let me see.", 3), phrase("One moment.", 2)
    sound = agent((2.3, opener.sound()), (3.5, moment.sound()), (4.6, NEW.sound()))
    found = answered(sound, 2.0, [OLD, moment, NEW, opener])
    assert found.first_audio_s == pytest.approx(0.3, abs=0.011)
    assert found.first_content_s == pytest.approx(2.6, abs=0.011)
    assert found.opener == "Let me see. One moment."


def test_an_answer_of_nothing_but_an_opener_is_an_answer() -> None:
    okay = phrase("Okay.", 1)
    found = answered(agent((2.3, okay.sound())), 2.0, [OLD, okay])
    assert found.first_content_s == found.first_audio_s


def test_what_was_never_synthesized_has_no_known_content() -> None:
    found = answered(agent((2.5, hiss("foreign", 1.0, RATE))), 2.0, [OLD, NEW])
    assert found.first_audio_s == pytest.approx(0.5, abs=0.011)
    assert found.first_content_s is None


def test_which_phrase_sounds_is_told_by_its_sound() -> None:
    told = said_at(agent((2.5, NEW.sound())), 2.5, [OLD, NEW])
    assert told is not None
    assert told[0] is NEW
    assert told[1] == pytest.approx(2.5, abs=0.001)


@pytest.mark.parametrize(
    ("words", "length"),
    [
        ("Well, it failed.", 1),
        ("Okay, so, let me check. Two tests failed.", 5),
        ("It failed.", 0),
        ("Okay.", 1),
        ("One moment.", 2),
        ("So far it is fine.", 1),
    ],
)
def test_openers(words: str, length: int) -> None:
    assert opener_length(words.split()) == length


def test_a_clean_stop_for_an_interruption() -> None:
    sound = agent((1.0, cut(OLD, 3.4)), (5.8, NEW.sound()))
    found = overlapped(sound, USER, ([OLD], [NEW]))
    assert found.spoke
    assert found.stopped
    assert found.stop_s == pytest.approx(0.4, abs=0.011)
    assert not found.resumed
    assert found.stale_s == 0.0
    assert found.answered_s == pytest.approx(0.8, abs=0.011)
    assert found.talk_over_s == pytest.approx(0.4, abs=0.011)


def test_stale_sound_after_a_stop_is_found_even_quietly() -> None:
    rest = OLD.sound()[round(3.4 * RATE) :][: round(0.5 * RATE)]
    sound = agent((1.0, cut(OLD, 3.4)), (6.0, rest * np.float32(0.3)), (7.5, NEW.sound()))
    found = overlapped(sound, USER, ([OLD], [NEW]))
    assert found.stopped
    assert found.resumed
    assert found.stale_s == pytest.approx(0.5, abs=0.03)
    assert found.answered_s == pytest.approx(2.5, abs=0.02)


def test_an_agent_that_does_not_yield() -> None:
    found = overlapped(agent((1.0, OLD.sound())), USER, ([OLD], [NEW]))
    assert found.spoke
    assert not found.stopped
    assert found.stop_s is None
    assert found.carried_on
    assert found.gap_s == 0.0
    assert found.talk_over_s == pytest.approx(1.0, abs=0.02)


def test_stopping_too_late_is_not_yielding() -> None:
    found = overlapped(agent((1.0, cut(OLD, 5.4))), USER, ([OLD], [NEW]))
    assert not found.stopped


def test_a_duck_is_no_stop_and_a_breath_is_none_either() -> None:
    sound = OLD.sound().copy()
    sound[3 * RATE : 4 * RATE] *= np.float32(0.18)
    sound[round(4.2 * RATE) : round(4.8 * RATE)] = 0.0
    found = overlapped(agent((1.0, sound)), USER, ([OLD], [NEW]))
    assert not found.stopped
    assert found.carried_on
    assert found.gap_s == pytest.approx(0.6, abs=0.02)


def test_going_on_after_a_false_stop_is_a_stop_and_a_resumption() -> None:
    rest = OLD.sound()[round(3.4 * RATE) :]
    sound = agent((1.0, cut(OLD, 3.4)), (6.2, rest))
    found = overlapped(sound, USER, ([OLD], []))
    assert found.stopped
    assert found.resumed
    assert found.carried_on
    assert found.gap_s == pytest.approx(1.6, abs=0.02)


def test_an_answer_that_had_ended_was_not_spoken_over() -> None:
    found = overlapped(agent((0.2, cut(OLD, 1.5))), USER, ([OLD], [NEW]))
    assert not found.spoke


def test_a_lost_word_is_counted_and_a_misheard_one_is_not_lost() -> None:
    found = word_errors("Wait, what failed?", "what fails")
    assert (found.deleted, found.substituted, found.inserted) == (1, 1, 0)
    assert not found.first_kept
    assert word_errors("Stop.", "Stop!").errors == 0
    assert word_errors("one two", "").deleted == 2
    assert word_errors("", "noise").inserted == 1
    kept = word_errors("Hold on a second", "Old on a second, please")
    assert (kept.deleted, kept.substituted, kept.inserted) == (0, 1, 1)
    assert kept.first_kept
