"""Tables, plots and pages: complete, escaped, and without anything from outside."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from bench.report import intervals, page, svg, terminal
from bench.report.progress import Progress, bar, time_left

HOSTILE = '<script>alert("x")</script> & more'


def test_a_table_aligns_its_columns() -> None:
    text = terminal.table(["what", "ms"], [["first", "9"], ["second one", "1234"]])
    assert text.splitlines()[2:] == ["first          9", "second one  1234"]


def test_bars_are_in_proportion() -> None:
    lines = terminal.bars({"half": 1.0, "whole": 2.0}, " s", 60).splitlines()
    assert lines[0].count("█") * 2 == pytest.approx(lines[1].count("█"), abs=1)
    assert lines[1].endswith("2 s")


def test_stacked_bars_end_where_their_sum_is() -> None:
    lines = terminal.stacked({"a": [1.0, 1.0], "b": [2.0, 0.0]}, ["x", "y"], " s").splitlines()
    assert len(lines[0]) == len(lines[1])
    assert "▓" in lines[0]
    assert "▓" not in lines[1]


def test_a_timeline_shows_both_sides_where_they_spoke() -> None:
    rows = {"you": [terminal.Part(0.0, 5.0)], "Jarvis": [terminal.Part(5.0, 10.0)]}
    you, jarvis, ruler = terminal.timeline(rows, (0.0, 10.0), 47).splitlines()
    assert you[7:] == "█" * 20 + "·" * 20
    assert jarvis[7:] == "·" * 20 + "█" * 20
    assert ruler.split() == ["0", "2", "4", "6", "8", "s"]


def test_a_curve_keeps_its_corners() -> None:
    text = terminal.curve({"one": [(0.0, 1.0), (2.0, 0.0)]}, ("delay", "cut-offs"), (10, 4))
    lines = text.splitlines()
    assert lines[1].endswith("│●")
    assert lines[4].endswith("│         ●")


@pytest.mark.parametrize(
    "drawn",
    [
        svg.bars({HOSTILE: 1.0, "b": float("nan")}, HOSTILE),
        svg.stacked({HOSTILE: [1.0, 2.0]}, [HOSTILE, "y"]),
        svg.lines({HOSTILE: [(0.0, 1.0), (1.0, float("inf")), (2.0, 0.5)]}, svg.Axes(HOSTILE, "y")),
        svg.scatter({"empty": []}, svg.Axes("x", HOSTILE)),
        svg.timeline({HOSTILE: [svg.Stretch(0.0, 1.0, HOSTILE)]}, (0.0, 2.0), [(0.5, HOSTILE)]),
    ],
    ids=["bars", "stacked", "lines", "scatter", "timeline"],
)
def test_a_plot_is_well_formed_and_escaped(drawn: str) -> None:
    root = ET.fromstring(drawn)
    assert root.tag.endswith("svg")
    assert "<script" not in drawn
    assert "nan" not in drawn
    assert "inf" not in drawn


def test_stacked_parts_lie_one_behind_the_other() -> None:
    root = ET.fromstring(svg.stacked({"a": [1.0, 3.0]}, ["x", "y"]))
    first, second = root.findall("{*}rect")[:2]
    assert float(second.get("x", "")) == pytest.approx(
        float(first.get("x", "")) + float(first.get("width", "")), abs=0.11
    )
    assert float(second.get("width", "")) == pytest.approx(3 * float(first.get("width", "")), 0.01)


def test_a_page_holds_all_it_needs_and_trusts_no_text() -> None:
    plot = svg.bars({"a": 1.0})
    section = page.Section(HOSTILE, HOSTILE, [plot, page.table([HOSTILE], [[HOSTILE]])])
    text = page.page(HOSTILE, HOSTILE, [section])
    assert "<script" not in text
    assert "default-src 'none'" in text
    outside = re.findall(r'(?:src|href)="|url\(|@import', text)
    assert outside == []


def test_the_time_left_follows_the_pace() -> None:
    assert time_left(0, 10, 5.0) == ""
    assert time_left(5, 10, 5.0) == "5 s left"
    assert time_left(1, 11, 30.0) == "5 min 00 s left"
    assert bar(1, 2, 4) == "██░░"


def test_progress_off_a_terminal_is_a_line_for_each_tenth_at_most() -> None:
    stream = io.StringIO()
    progress = Progress(stream, "probe", 40)
    for _ in range(40):
        progress.step()
    progress.end()
    assert len(stream.getvalue().splitlines()) == 10
    assert "40/40" in stream.getvalue()


def test_intervals_hold_the_truth_and_shrink() -> None:
    draw = np.random.default_rng(3)
    few = intervals.quantile(draw.normal(1.0, 0.2, 20).tolist(), 0.5)
    many = intervals.quantile(draw.normal(1.0, 0.2, 2000).tolist(), 0.5)
    for found in (few, many):
        assert found.low is not None
        assert found.high is not None
        assert found.low <= 1.0 <= found.high
    assert many.high - many.low < (few.high - few.low) / 3  # type: ignore[operator]
    assert intervals.mean([]) == intervals.NOTHING
    assert intervals.mean([2.0, 4.0]).value == 3.0


def test_wilson_is_honest_about_few_items() -> None:
    found = intervals.share_of(10, 10)
    assert found.value == 1.0
    assert found.low == pytest.approx(0.722, abs=0.001)
    assert found.high == pytest.approx(1.0)
    assert intervals.share_of(0, 0) == intervals.NOTHING


def test_a_ratio_is_taken_over_pairs() -> None:
    found = intervals.ratio([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    assert (found.value, found.low, found.high) == (2.0, 2.0, 2.0)
    with pytest.raises(ValueError, match="no pairs"):
        intervals.ratio([1.0], [])


@pytest.mark.parametrize("most", [8.0, 9.6, 0.96, 99.0, 100.0])
def test_an_axis_of_any_length_has_its_ticks(most: float) -> None:
    drawn = svg.lines({"a": [(most, most)]}, svg.Axes("x", "y"))
    assert drawn.count('class="grid"') >= 8
