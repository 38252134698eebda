"""The cost table has every row, as text and as JSON."""

from __future__ import annotations

import io
import json

from bench.frontend_cost import Cost, main, table

PARTS = [
    "silero",
    "echo canceller, idle",
    "echo canceller, agent speaks",
    "near end, idle",
    "near end, agent speaks",
    "near end, headphones",
]


def test_json_has_every_part_with_its_figures() -> None:
    out = io.StringIO()
    assert main(["--frames", "20", "--json"], out) == 0
    rows = json.loads(out.getvalue())
    assert [row["part"] for row in rows] == PARTS
    for row in rows:
        assert row["frames"] == 20
        assert 0.0 < row["median_ms"] <= row["p99_ms"]


def test_the_table_is_aligned() -> None:
    text = table([Cost("silero", 10, 0.0941, 4.2, 0.331, "median < 0.2 ms")])
    header, row = text.splitlines()
    assert header.index("ms") + 1 == row.index("0.094") + 4
    assert row.endswith("0.33  median < 0.2 ms")
