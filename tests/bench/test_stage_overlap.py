"""The demo's questions, exactly: nothing but the silence is waited for where answers are known."""

from __future__ import annotations

import pytest

from bench.stage_overlap import FIRST_WORD_S, QUESTIONS, measure

SILENCE_S, BEAT_S = 0.544, 0.04  # the beat of the room, and of the look at playback


def test_all_that_can_be_hidden_in_the_silence_is() -> None:
    found = measure()
    assert [len(record["turns"]) for record in found.values()] == [len(QUESTIONS)] * 3
    ready = [turn for turn in found["anticipated"]["turns"] if turn["synthesizer"] < 1e-9]
    assert len(ready) == 4  # the run changed while the user asked the second question
    for turn in ready:
        assert turn["recognizer"] + turn["brain"] == pytest.approx(0.0, abs=1e-9)
        assert turn["response"] == pytest.approx(SILENCE_S, abs=BEAT_S)
    for turn in found["prepared"]["turns"]:
        assert turn["recognizer"] + turn["brain"] == pytest.approx(0.0, abs=1e-9)
    assert found["anticipated"]["p95_s"] <= 0.9
    saved_s = found["prepared"]["median_s"] - found["anticipated"]["median_s"]
    assert saved_s > 0.3
    late_s = found["chat model"]["median_s"] - found["prepared"]["median_s"]
    assert FIRST_WORD_S <= late_s < FIRST_WORD_S + 0.3  # and the words of its first phrase
