"""What an allowed call costs is measured, and little at the median."""

from __future__ import annotations

import pytest

from bench.gate_cost import main, measured


def test_the_figures_are_of_the_calls_that_count() -> None:
    seen: list[int] = []
    cost = measured(seen.append, calls=10, warm=3)
    assert len(seen) == 13
    assert cost.calls == 10
    assert 0 <= cost.median_s <= cost.p99_s


def test_an_allowed_call_costs_little(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--calls", "200", "--bridged", "1"]) == 0
    assert "HTTP hook" in capsys.readouterr().out
