"""Plots as inline SVG text. Pure: data in, one ``<svg>`` element out; no script, no outside link.

Every text is escaped. Values that are no number (NaN, infinity) are left out. Sizes are in pixels
of the view box; the picture scales with the page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

WIDTH = 720
COLOURS = ("#2f6fde", "#e08a1e", "#3a9e5c", "#c2417c", "#7a5bd0", "#4aa3b8", "#8c6d46", "#888888")
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 14, 40
_ROW = 22
_LETTER = 6.6  # pixels of an average letter at the font size used


class Stretch(NamedTuple):
    """A stretch of a timeline in seconds, with a text that a pointer shows."""

    start_s: float
    end_s: float
    label: str = ""


class Axes(NamedTuple):
    """Names of the two axes, and the least that each must reach; 0 lets the data decide."""

    x: str
    y: str
    x_least: float = 0.0
    y_least: float = 0.0


def bars(
    values: Mapping[str, float], unit: str = "", marks: Mapping[str, str] | None = None
) -> str:
    """Horizontal bars; ``marks`` are texts written behind a bar instead of its value."""
    return stacked({name: (value,) for name, value in values.items()}, (), unit, marks)


def stacked(
    rows: Mapping[str, Sequence[float]],
    parts: Sequence[str],
    unit: str = "",
    marks: Mapping[str, str] | None = None,
) -> str:
    """Horizontal bars made of parts one after another, with a legend when the parts have names."""
    finite = {name: [v if math.isfinite(v) else 0.0 for v in row] for name, row in rows.items()}
    left = 16 + _LETTER * max((len(name) for name in rows), default=0)
    most = max((sum(row) for row in finite.values()), default=0.0) or 1.0
    room = WIDTH - left - 90
    body = []
    for line, (name, row) in enumerate(finite.items()):
        y = 8 + line * _ROW
        body.append(_text(left - 8, y + 13, name, "end"))
        x = float(left)
        for place, value in enumerate(row):
            width = max(value, 0.0) / most * room
            title = f"{parts[place]} " if parts else ""
            body.append(
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="16" '
                f'fill="{_colour(place)}"><title>{escape(title)}{value:.4g}{escape(unit)}</title>'
                "</rect>"
            )
            x += width
        shown = (marks or {}).get(name, f"{sum(row):.4g}{unit}")
        body.append(_text(x + 6, y + 13, shown))
    height = 16 + len(finite) * _ROW
    if parts:
        body.append(_legend(parts, left, height))
        height += 24
    return _svg(height, body)


def lines(
    series: Mapping[str, Sequence[tuple[float, float]]], axes: Axes, height: int = 300
) -> str:
    """Points joined by lines, in the order given."""
    return _plot(series, axes, height, joined=True)


def scatter(
    series: Mapping[str, Sequence[tuple[float, float]]], axes: Axes, height: int = 300
) -> str:
    """Points by themselves."""
    return _plot(series, axes, height, joined=False)


def timeline(
    rows: Mapping[str, Sequence[Stretch]],
    span_s: tuple[float, float],
    marks: Sequence[tuple[float, str]] = (),
) -> str:
    """Who was audible when, one line for each side; ``marks`` are moments with a name."""
    begin_s, end_s = span_s
    left = 16 + _LETTER * max((len(name) for name in rows), default=0)
    scale = (WIDTH - left - _RIGHT) / max(end_s - begin_s, 1e-9)
    body = []
    for line, (name, stretches) in enumerate(rows.items()):
        y = 20 + line * _ROW
        body.append(_text(left - 8, y + 12, name, "end"))
        for stretch in stretches:
            x = left + (stretch.start_s - begin_s) * scale
            width = max(1.0, (stretch.end_s - stretch.start_s) * scale)
            body.append(
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="15" rx="2" '
                f'fill="{_colour(line)}"><title>{escape(stretch.label)}</title></rect>'
            )
    foot = 20 + len(rows) * _ROW
    for at_s, label in marks:
        x = left + (at_s - begin_s) * scale
        body.append(f'<path class="mark" d="M{x:.1f} 14V{foot}"/>')
        body.append(_text(x, 10, label, "middle"))
    for tick in _ticks(end_s - begin_s):
        x = left + tick * scale
        body.append(f'<path class="grid" d="M{x:.1f} 18V{foot}"/>')
        body.append(_text(x, foot + 14, f"{tick:g} s", "middle"))
    return _svg(foot + 22, body)


def _plot(
    series: Mapping[str, Sequence[tuple[float, float]]], axes: Axes, height: int, *, joined: bool
) -> str:
    kept = {
        name: [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
        for name, points in series.items()
    }
    most_x = max([axes.x_least, *(x for line in kept.values() for x, _ in line)]) or 1.0
    most_y = max([axes.y_least, *(y for line in kept.values() for _, y in line)]) or 1.0
    right, foot = WIDTH - _RIGHT, height - _BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        across = _LEFT + x / most_x * (right - _LEFT)
        return across, foot - y / most_y * (foot - _TOP)

    body = []
    for tick in _ticks(most_x):
        x, _ = place(tick, 0.0)
        body.append(f'<path class="grid" d="M{x:.1f} {_TOP}V{foot}"/>')
        body.append(_text(x, foot + 14, f"{tick:g}", "middle"))
    for tick in _ticks(most_y):
        _, y = place(0.0, tick)
        body.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{right}"/>')
        body.append(_text(_LEFT - 6, y + 4, f"{tick:g}", "end"))
    for number, (name, points) in enumerate(kept.items()):
        body += _series(name, [place(x, y) for x, y in points], _colour(number), joined=joined)
    body.append(_text((_LEFT + right) / 2, height - 8, axes.x, "middle"))
    body.append(
        f'<text transform="translate(14 {(_TOP + foot) / 2:.0f}) rotate(-90)" '
        f'text-anchor="middle">{escape(axes.y)}</text>'
    )
    body.append(_legend(list(kept), _LEFT, height))
    return _svg(height + 24, body)


def _series(
    name: str, points: Sequence[tuple[float, float]], colour: str, *, joined: bool
) -> list[str]:
    body = []
    if joined and len(points) > 1:
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        body.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
    body += [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"><title>{escape(name)}</title>'
        "</circle>"
        for x, y in points
    ]
    return body


def _ticks(most: float) -> list[float]:
    """From 0 up to ``most``, four to ten of them, at round numbers."""
    if not most > 0:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(most))
    step = next(
        power * part for part in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0) if most / (power * part) <= 8
    )
    return [round(number * step, 10) for number in range(int(most / step + 1e-9) + 1)]


def _legend(names: Sequence[str], x: float, y: float) -> str:
    body = []
    for number, name in enumerate(names):
        body.append(
            f'<rect x="{x:.1f}" y="{y + 4:.0f}" width="11" height="11" fill="{_colour(number)}"/>'
        )
        body.append(_text(x + 16, y + 14, name))
        x += 30 + _LETTER * len(name)
    return "".join(body)


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _svg(height: float, body: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img">'
        + "".join(body)
        + "</svg>"
    )
