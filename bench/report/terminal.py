"""Tables and plots in plain characters. Pure: text out, at most ``width`` columns wide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

WIDTH = 100
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FILLS = "█▓▒░▚▞▤▥"  # told apart without colour
_MARKS = "●○▲△■□"


class Part(NamedTuple):
    """A stretch of a timeline, in seconds."""

    start_s: float
    end_s: float


def table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1, gap: str = "  "
) -> str:
    """Aligned columns; the first ``left`` ones flush left, the others flush right."""
    lines = [list(heads), *(list(row) for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(heads))]
    out = []
    for line in lines:
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        out.append(gap.join(cells).rstrip())
    return "\n".join([out[0], "-" * max(map(len, out)), *out[1:]])


def bars(values: Mapping[str, float], unit: str = "", width: int = WIDTH) -> str:
    """One horizontal bar for each value at or above zero."""
    if not values:
        return ""
    name_width = max(map(len, values))
    most = max(values.values()) or 1.0
    shown = {name: f"{value:.4g}{unit}" for name, value in values.items()}
    room = max(8, width - name_width - max(map(len, shown.values())) - 2)
    return "\n".join(
        f"{name.ljust(name_width)} {_bar(value / most * room)} {shown[name]}"
        for name, value in values.items()
    )


def _bar(cells: float) -> str:
    whole, rest = divmod(max(cells, 0.0), 1.0)
    return "█" * int(whole) + _EIGHTHS[int(rest * 8)].strip()


def stacked(
    rows: Mapping[str, Sequence[float]], parts: Sequence[str], unit: str = "", width: int = WIDTH
) -> str:
    """One bar for each row, made of its parts one after another; a legend follows."""
    if not rows:
        return ""
    name_width = max(map(len, rows))
    totals = {name: sum(values) for name, values in rows.items()}
    most = max(totals.values()) or 1.0
    room = max(8, width - name_width - 12)
    lines = []
    for name, values in rows.items():
        line, reached, drawn = "", 0.0, 0
        for place, value in enumerate(values):
            reached += value
            end = round(reached / most * room)
            line += _FILLS[place % len(_FILLS)] * (end - drawn)
            drawn = end
        lines.append(f"{name.ljust(name_width)} {line} {totals[name]:.4g}{unit}")
    legend = "  ".join(f"{_FILLS[i % len(_FILLS)]} {part}" for i, part in enumerate(parts))
    return "\n".join([*lines, f"{''.ljust(name_width)} {legend}"])


def timeline(
    rows: Mapping[str, Sequence[Part]], span_s: tuple[float, float], width: int = WIDTH
) -> str:
    """Who was audible when: one line for each side over a ruler in seconds."""
    begin_s, end_s = span_s
    name_width = max((len(name) for name in rows), default=0)
    room = max(10, width - name_width - 1)
    scale = room / max(end_s - begin_s, 1e-9)
    lines = []
    for name, parts in rows.items():
        cells = ["·"] * room
        for part in parts:
            first = max(0, int((part.start_s - begin_s) * scale))
            last = min(room, max(first + 1, round((part.end_s - begin_s) * scale)))
            cells[first:last] = "█" * max(0, last - first)
        lines.append(f"{name.ljust(name_width)} {''.join(cells)}")
    ruler = [" "] * room
    step_s = _step((end_s - begin_s) / 8)
    at_s = 0.0
    while at_s <= end_s - begin_s:
        label = f"{at_s:g}"
        place = int(at_s * scale)
        if place + len(label) <= room:
            ruler[place : place + len(label)] = label
        at_s = round(at_s + step_s, 6)
    lines.append(f"{''.ljust(name_width)} {''.join(ruler).rstrip()} s")
    return "\n".join(lines)


def curve(
    series: Mapping[str, Sequence[tuple[float, float]]],
    axes: tuple[str, str],
    size: tuple[int, int] = (64, 14),
) -> str:
    """Points of several series in one frame, x to the right and y upwards, from zero on both."""
    points = [point for line in series.values() for point in line]
    if not points:
        return ""
    columns, rows = size
    most_x = max(x for x, _ in points) or 1.0
    most_y = max(y for _, y in points) or 1.0
    grid = [[" "] * columns for _ in range(rows)]
    for place, line in enumerate(series.values()):
        for x, y in line:
            column = min(columns - 1, int(x / most_x * (columns - 1)))
            row = min(rows - 1, int(y / most_y * (rows - 1)))
            grid[rows - 1 - row][column] = _MARKS[place % len(_MARKS)]
    label = f"{most_y:.3g}"
    lines = [
        f"{(label if number == 0 else '0' if number == rows - 1 else '').rjust(len(label))} │"
        + "".join(cells).rstrip()
        for number, cells in enumerate(grid)
    ]
    foot = f"{'':{len(label)}} └{'─' * columns}"
    ends = f"{'':{len(label)}}  0{f'{most_x:.3g}'.rjust(columns - 1)}"
    legend = "  ".join(f"{_MARKS[i % len(_MARKS)]} {name}" for i, name in enumerate(series))
    return "\n".join([axes[1], *lines, foot, f"{ends} {axes[0]}", legend])


def _step(least: float) -> float:
    """The first of 0.1, 0.2, 0.5, 1, 2, 5 ... that is at least this much."""
    step = 0.1
    factors = (2.0, 2.5, 2.0)
    place = 0
    while step < least:
        step *= factors[place % 3]
        place += 1
    return step
