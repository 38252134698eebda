from __future__ import annotations

import io

from bench.fold_speed import Load, line, live, main
from jarvis_voice.runs.sources import new_sorter
from jarvis_voice.runs.sources.lines import Line


async def test_a_small_load_is_measured() -> None:
    found = await live(Load(runs=3, rate=2000, seconds=0.05))
    assert found.events >= 100
    assert 0 <= found.median_ms <= found.p99_ms <= found.worst_ms


def test_the_report_names_every_figure(monkeypatch) -> None:
    monkeypatch.setattr("bench.fold_speed.EVENTS", 30)
    out = io.StringIO()
    assert main(["--runs", "2", "--rate", "1000", "--seconds", "0.05"], out) == 0
    reducer, whole = out.getvalue().splitlines()
    assert "events/s on one core" in reducer
    for part in ("2 live runs", "p99", "of a core for each", "memory"):
        assert part in whole


def test_the_load_is_what_runs_write() -> None:
    sorter = new_sorter("x")
    kinds = []
    for number in range(6):
        text = line(number, runs=2)
        for told in sorter.line(Line(text, whole=True, size=len(text)), number):
            kinds += [type(event).__name__ for event in told.events]
    assert kinds == [name for name in ("ToolRequested", "ToolFinished", "AgentSaid") for _ in "ab"]
