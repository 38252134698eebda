"""The comparison of windows with wholes, on three short sentences."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bench import stream_quality, stream_statistics
from bench.pitch import pitch, pitch_difference
from bench.stream_statistics import Sample, error, fit

RATE = 24_000


@pytest.mark.model
def test_windows_are_near_the_whole_and_joins_add_nothing(tmp_path: Path, capsys) -> None:
    record = tmp_path / "quality.json"
    assert stream_quality.main(["--quick", "--json", str(record)]) == 0
    found = json.loads(record.read_text())["likeness"]
    by_way = {
        way: [each for each in found if each["way"] == way]
        for way in ("windows", "windows, own norms", "int8")
    }
    assert [len(each) for each in by_way.values()] == [3, 3, 3]
    assert max(each["mel_db"] for each in by_way["windows, own norms"]) < 0.1
    assert np.mean([each["mel_db"] for each in by_way["windows"]]) < 3.5
    assert "| am_michael | windows | 3 |" in capsys.readouterr().out


def test_sentences_are_told_apart_and_come_at_seeded_speeds() -> None:
    found = stream_statistics.sentences()
    assert found == stream_statistics.sentences()
    held_out = {sentence.text for sentence in found if sentence.held_out}
    fitted = [sentence for sentence in found if not sentence.held_out]
    assert len(fitted) >= 60
    assert len(held_out) >= 12
    assert not held_out & {sentence.text for sentence in fitted}
    assert all(0.85 <= sentence.speed <= 1.2 for sentence in found)


def test_a_linear_relation_is_found(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    inwards, outwards = rng.standard_normal((1024, 5)), rng.standard_normal((5, 2 * 8448))
    known = rng.standard_normal((90, 5)) @ inwards.T + 3.0
    measured = known @ inwards @ outwards / 1e4 - 2.0
    samples = [
        Sample(one.astype("f4"), other, held_out=n >= 80)
        for n, (one, other) in enumerate(zip(known, measured, strict=True))
    ]
    forecast = fit([each for each in samples if not each.held_out], ridge=1e-3)
    usual = forecast._replace(inwards=np.zeros_like(forecast.inwards))
    held_out = [each for each in samples if each.held_out]
    for wrong, more_wrong in zip(error(forecast, held_out), error(usual, held_out), strict=True):
        assert wrong < 0.05 * more_wrong
    path = tmp_path / "forecast.npz"
    stream_statistics.save(forecast, path)
    assert path.stat().st_size < 1 << 20


@pytest.mark.parametrize("hertz", [90.0, 140.5, 310.0])
def test_pitch_is_that_of_the_tone(hertz: float) -> None:
    time = np.arange(RATE) / RATE
    tone = sum(np.sin(2 * np.pi * n * hertz * time) / n for n in (1, 2, 3)) * 0.1
    found = pitch(tone.astype(np.float32), RATE)
    assert np.median(found) == pytest.approx(hertz, rel=0.005)
    higher = np.interp(time * 2 ** (1 / 12), time, tone).astype(np.float32)[: RATE // 2]
    cents, off = pitch_difference(tone.astype(np.float32)[: RATE // 2], higher, RATE)
    assert cents == pytest.approx(100, abs=5)
    assert off > 0.9


def test_noise_and_silence_have_no_pitch() -> None:
    noise = np.random.default_rng(1).standard_normal(RATE).astype(np.float32) * 0.1
    assert (pitch(noise, RATE) > 0).mean() < 0.1
    assert not pitch(np.zeros(RATE, np.float32), RATE).any()
    assert pitch_difference(noise[:10], noise[:10], RATE) == (0.0, 0.0)
