"""The curve of endpointing: what counts as a false cut-off, and what the corpus is made of."""

from dataclasses import replace

import numpy as np
import pytest

from audio.controllers.base import Judgement
from audio.pcm import RATE
from audio.tts.scripted import ScriptedSynthesizer
from audio.turn.endpointing import FixedEndpointing
from audio.turn.events import TurnState
from audio.turn.semantic import SemanticEndpointing, Waits
from bench.endpoint_corpus import Speaker, build
from bench.endpoint_curve import FRAME_S, HeardPause, Point, curve, curves, decide, table


def paused(text: str, pause_s: float | None, kind: str = "thought") -> HeardPause:
    """One second of speech, then a pause, then speech again or nothing more."""
    speech, silence = 31, 220 if pause_s is None else round(pause_s / FRAME_S)
    frames = (0.95,) * speech + (0.02,) * silence + ((0.95,) * 4 if pause_s else ())
    ended_s = speech * FRAME_S
    resumes_s = None if pause_s is None else (speech + silence + 3) * FRAME_S
    return HeardPause(kind, "cut", ended_s, resumes_s, ended_s, frames, 0.0, text)


def test_a_commit_before_the_user_goes_on_is_a_cut_off():
    whole = paused("How is it going?", 1.0)
    assert decide(whole, FixedEndpointing(2.0)) is None
    at_s = decide(whole, FixedEndpointing(0.544))
    assert at_s == pytest.approx(whole.ended_s + 0.544, abs=FRAME_S)
    assert decide(paused("So the thing is", 1.0), SemanticEndpointing(Waits())) is None


def test_no_turn_ends_before_its_words_are_known():
    at_s = decide(paused("How is it going?", None), FixedEndpointing(0.1))
    assert at_s is not None
    assert at_s >= 31 * FRAME_S + 0.16 + 0.12


def test_a_judgement_is_told_to_the_machine():
    whole = paused("Banana.", 1.2)
    sure = replace(whole, judged={"semantic": Judgement(TurnState.INCOMPLETE, 0, 0.95)})
    policy = SemanticEndpointing(Waits())
    assert decide(sure, policy) is not None
    assert decide(sure, policy, "semantic") is None


def test_a_curve_walks_from_quick_and_rash_to_slow_and_sure():
    pauses = [paused("How is it", s) for s in (0.4, 0.6, 0.9)]
    pauses.append(paused("How is it going?", None, "finished"))
    found = curve("acoustic", pauses, lambda scale: FixedEndpointing(0.544 * scale))
    delays = [point.delay_p50_s for point in found.points]
    cuts = [point.cut_off for point in found.points]
    assert delays == sorted(delays)
    assert cuts == sorted(cuts, reverse=True)
    assert cuts[0] == 1.0
    assert cuts[-1] == 0.0
    assert (found.pauses, found.ends) == (3, 1)
    none_cut = found.delay_at(0.0)
    assert isinstance(none_cut, Point)
    assert none_cut.delay_p50_s > 0.8
    assert found.cut_off_at(0.05) is None


def test_the_table_has_a_row_for_each_policy():
    pauses = [paused("How is it", 0.6), paused("How is it going?", None, "finished")]
    text = table(curves(pauses))
    assert "| acoustic |" in text
    assert "| words |" in text
    assert "1 pauses within turns, 1 ends" in text


@pytest.mark.parametrize("text", ["one two three four", "one two | three four", "a b, | c, | d e."])
def test_pauses_of_the_corpus_are_silent_and_where_they_are_said_to_be(text: str):
    sound, gaps, end_s = build(text, "thought", "hum", Speaker(ScriptedSynthesizer()), 1)
    again = build(text, "thought", "hum", Speaker(ScriptedSynthesizer()), 1)
    assert np.array_equal(sound, again[0])
    assert len(gaps) == text.count("|")
    for gap in gaps:
        silent = sound[int((gap.start_s + 0.01) * RATE) : int((gap.end_s - 0.01) * RATE)]
        assert np.sqrt(np.mean(silent**2)) < 0.002
        assert gap.end_s - gap.start_s >= 0.25
    after = sound[int((end_s + 0.01) * RATE) :]
    assert len(after) >= 2.9 * RATE
    assert np.sqrt(np.mean(after**2)) < 0.002
