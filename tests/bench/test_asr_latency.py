from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from audio.asr.scripted import ScriptedRecognizer
from bench import asr_latency

FRAMES = [(np.full(512, 0.1, dtype=np.float32), 0.9)] * 10


def test_every_step_of_every_engine_is_timed() -> None:
    engines = [ScriptedRecognizer(["hello"] * 20)]
    rows = asr_latency.measure(engines, FRAMES, 2.0, runs=3)
    assert [row.step for row in rows] == ["hypothesis", "final", "after hypothesis"]
    assert all(row.runs == 3 for row in rows)
    assert all(0 <= row.least_ms <= row.median_ms <= row.most_ms for row in rows)
    assert "| scripted | 2 s |" in asr_latency.table(rows)


def test_speech_is_cut_where_it_is_quiet() -> None:
    sound = np.full(5 * 16_000, 0.5, dtype=np.float32)
    sound[30_400:31_200] = 0.0
    piece = asr_latency.cut(sound, 2.0)
    assert len(piece) == pytest.approx(30_800 + 6400, abs=800)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    out = io.StringIO()
    assert asr_latency.main([str(tmp_path / "none.wav"), "--engine", "whisper-huge"], out) == 1
    assert "none.wav" in out.getvalue()
