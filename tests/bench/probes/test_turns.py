"""Ends of turns: curves over planted pauses, with the real turn machine and scripted engines."""

from __future__ import annotations

import numpy as np
import pytest

from audio.asr.scripted import ScriptedRecognizer
from audio.controllers.base import Judgement
from audio.pcm import RATE
from audio.turn.endpointing import FixedEndpointing
from audio.turn.events import TurnState
from audio.turn.semantic import JudgedEndpointing, Waits
from bench import endpoint_curve
from bench.endpoint_curve import FRAME_S, HeardPause
from bench.probes import turns, turns_report
from bench.probes.speaker import Clip, measured
from bench.report import page

from .scripted_sides import hiss

ACOUSTIC = turns.Controller("acoustic", lambda scale: FixedEndpointing(0.544 * scale))


def pause(ended_s: float, resumes_s: float | None, judged: Judgement | None = None) -> HeardPause:
    """Two seconds of speech up to ``ended_s``, then silence."""
    first_s = ended_s - 1.0
    speech = round((ended_s - first_s) / FRAME_S)
    until_s = ended_s + 6.5 if resumes_s is None else resumes_s
    silence = round((until_s - ended_s) / FRAME_S)
    frames = (0.9,) * speech + (0.0,) * silence + ((0.9,) * 6 if resumes_s is not None else ())
    end_s = first_s + speech * FRAME_S
    known = {} if judged is None else {"judge": judged}
    return HeardPause(
        "pause", "pause", end_s, resumes_s, end_s, frames, first_s, "some words", known
    )


def heard(case: str, *pauses: HeardPause) -> turns.HeardTurn:
    return turns.HeardTurn(case, "pause", "some words", list(pauses))


TURNS = [
    heard("short", pause(2.0, 2.3), pause(5.0, None)),
    heard("middle", pause(2.0, 2.8), pause(5.0, None)),
    heard("long", pause(2.0, 4.0), pause(6.0, None)),
    heard("plain", pause(2.0, None)),
]


def test_pauses_longer_than_the_wait_are_cut_off_and_no_others() -> None:
    found = turns.outcome(TURNS, ACOUSTIC)
    as_set = turns.SCALES.index(turns.AS_SET)
    assert found.cuts[:, as_set].tolist() == [False, True, True]
    assert found.delays_s[:, as_set] == pytest.approx([0.544] * 4, abs=2 * FRAME_S)
    assert found.cut_turn.tolist() == [0, 1, 2]
    assert found.end_turn.tolist() == [0, 1, 2, 3]


def test_the_curve_trades_delay_for_cut_offs() -> None:
    found = turns.outcome(TURNS, ACOUSTIC)
    points = turns.points_of(found.cuts, found.delays_s)
    delays, shares = zip(*points, strict=True)
    assert list(delays) == sorted(delays)
    assert list(shares) == sorted(shares, reverse=True)
    assert shares[-1] == 0.0
    figures = turns.metrics({"acoustic": found}, len(TURNS), 1)
    assert figures["acoustic.cut_off.share"].value == pytest.approx(2 / 3)
    assert figures["acoustic.cut_off_at_600ms.share"].value == pytest.approx(2 / 3)
    at_five = figures["acoustic.delay_at_5pc.mean_ms"]
    assert at_five.value is not None
    assert 2000 < at_five.value < 2700  # it must outwait the pause of two seconds
    assert at_five.low is not None
    assert at_five.low <= at_five.value
    by_median = figures["acoustic.delay_at_5pc.p50_ms"].value
    assert by_median == pytest.approx(at_five.value, abs=70)


def test_plain_finished_turns_have_their_own_delay() -> None:
    plain = turns.HeardTurn("plain", "finished", "some words", [pause(2.0, None)])
    found = turns.outcome([*TURNS[:3], plain], ACOUSTIC)
    assert found.finished.tolist() == [False, False, False, True]
    assert found.of_finished().delays_s.shape == (1, len(turns.SCALES))
    figures = turns.metrics({"acoustic": found}, 4, 1)
    assert figures["acoustic.finished.delay.p50_ms"].value == pytest.approx(544, abs=70)
    assert figures["acoustic.finished.delay_at_5pc.p50_ms"].value is not None


def test_a_judge_that_knows_is_worth_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(endpoint_curve.CONTROLLER_S, "judge", 0.02)
    more = Judgement(TurnState.INCOMPLETE, 0, 0.99)
    over = Judgement(TurnState.COMPLETE, 0, 0.99)
    knowing = [
        heard("a", pause(2.0, 2.8, more), pause(5.0, None, over)),
        heard("b", pause(2.0, 3.2, more), pause(5.0, None, over)),
    ]
    judged = turns.Controller("judge", lambda s: JudgedEndpointing(Waits(scale=s)), "judge")
    outcomes = {one.name: turns.outcome(knowing, one) for one in (ACOUSTIC, judged)}
    figures = turns.metrics(outcomes, 2, 1)
    assert figures["acoustic.cut_off.share"].value == 1.0
    assert figures["judge.cut_off.share"].value == 0.0
    ours, theirs = figures["judge.delay.p50_ms"].value, figures["acoustic.delay.p50_ms"].value
    assert ours is not None
    assert theirs is not None
    assert ours < theirs - 100
    records = turns.records(knowing, [ACOUSTIC, judged])
    text = turns_report.as_text(figures, outcomes, records)
    assert "2/2" in text
    assert "0/2" in text
    whole = page.page("turns", "", turns_report.sections(figures, outcomes, records))
    assert whole.count("<svg") == 1


def test_no_pause_gives_no_figure() -> None:
    found = turns.outcome([heard("plain", pause(2.0, None))], ACOUSTIC)
    figures = turns.metrics({"acoustic": found}, 1, 1)
    assert figures["acoustic.cut_off.share"].value is None
    assert figures["acoustic.delay.p50_ms"].value == pytest.approx(544, abs=70)


def test_a_clip_is_staged_with_its_truth() -> None:
    quiet = np.zeros(RATE // 2, np.float32)
    clip = measured(
        Clip("a b", np.concatenate([hiss("a", 1.0, RATE), quiet, hiss("b", 0.5, RATE)]))
    )
    sound, turn = turns.staged("pause", clip)
    [gap] = turn.gaps
    assert gap.start_s == pytest.approx(turns.LEAD_S + 1.0, abs=0.006)
    assert gap.end_s == pytest.approx(turns.LEAD_S + 1.5, abs=0.006)
    assert turn.end_s == pytest.approx(turns.LEAD_S + 2.0, abs=0.006)
    assert sound.size == round((turns.LEAD_S + 2.0 + turns.TAIL_S) * RATE)


@pytest.mark.model
def test_a_turn_is_heard_by_the_real_detector() -> None:
    from bench.probes.corpus import shared_prompts

    listener = turns.Listener(ScriptedRecognizer(["how is it going"] * 5), {})
    turn = listener.hear("one", "finished", shared_prompts()[0].clip)
    assert turn.pauses[-1].resumes_s is None
    assert turn.pauses[-1].ended_s == pytest.approx(turn.pauses[-1].truly_ended_s, abs=0.2)
