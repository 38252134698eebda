"""What the latency probe shows, in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.probes.latency import Item
from bench.probes.record import shown
from bench.report import page, svg, terminal
from bench.report.intervals import Estimate
from jarvis_voice.telemetry.latency import STAGES

_ROWS = (
    ("five shared prompts, mean", "shared.mean_ms"),
    ("five shared prompts, median", "shared.p50_ms"),
    ("all prompts, first audio, median", "first_audio.p50_ms"),
    ("all prompts, first audio, p95", "first_audio.p95_ms"),
    ("   in quiet, median", "first_audio.quiet.p50_ms"),
    ("   in quiet, p95", "first_audio.quiet.p95_ms"),
    ("   in noise, median", "first_audio.noisy.p50_ms"),
    ("   in noise, p95", "first_audio.noisy.p95_ms"),
    ("all prompts, first content, median", "first_content.p50_ms"),
    ("all prompts, first content, p95", "first_content.p95_ms"),
)
_SHARES = (
    ("not answered", "unanswered.share"),
    ("answered before the user had ended", "early.share"),
    ("words misheard", "word_errors.share"),
)
NOTE = (
    "Milliseconds from the end of the user's speech to the agent's first audible sample, from the "
    "recorded sound of both sides, with 95 % intervals. The first shared prompt is left out."
)


def rows(metrics: Mapping[str, Estimate], sides: Sequence[str]) -> list[list[str]]:
    """The table: one row a figure, one column a side."""
    prefixes = ["", *(f"{side}." for side in sides[1:])]
    found = []
    for label, name in _ROWS:
        if metrics[name].count if name in metrics else 0:
            found.append([label, *(shown(metrics[f"{prefix}{name}"]) for prefix in prefixes)])
    for label, name in _SHARES:
        cells = [shown(metrics[f"{prefix}{name}"], 100, 1) for prefix in prefixes]
        found.append([f"{label}, %", *cells])
    for label, name in (("prompts", "ratio.p50"), ("shared prompts", "ratio.shared_p50")):
        if name in metrics and metrics[name].value is not None:
            times = f"{shown(metrics[name], 1, 2)} times"
            found.append([f"{sides[1]} takes longer, {label}", times, *[""] * (len(sides) - 1)])
    return found


def stages(metrics: Mapping[str, Estimate], sides: Sequence[str]) -> dict[str, list[float]]:
    """Mean milliseconds by stage, one row a side."""
    prefixes = ["", *(f"{side}." for side in sides[1:])]
    return {
        side: [metrics[f"{prefix}stage.{stage}.mean_ms"].value or 0.0 for stage in STAGES]
        for side, prefix in zip(sides, prefixes, strict=True)
    }


def as_text(metrics: Mapping[str, Estimate], items: Sequence[Item], sides: Sequence[str]) -> str:
    """For the terminal."""
    parts = [terminal.table(["ms", *sides], rows(metrics, sides)), "", NOTE, ""]
    parts += ["Where the time goes, mean:", terminal.stacked(stages(metrics, sides), STAGES, " ms")]
    for item in _examples(items, sides):
        span = _span(item)
        sides_of = {
            "you": [terminal.Part(*part) for part in item.user],
            item.side: [terminal.Part(*part) for part in item.agent],
        }
        parts += ["", f"“{item.text}”", terminal.timeline(sides_of, span)]
    return "\n".join(parts)


def sections(
    metrics: Mapping[str, Estimate], items: Sequence[Item], sides: Sequence[str]
) -> list[page.Section]:
    """For the page."""
    waterfall = svg.stacked(stages(metrics, sides), STAGES, " ms")
    found = [
        page.Section("Response", NOTE, [page.table(["ms", *sides], rows(metrics, sides))]),
        page.Section("Where the time goes", "Mean of each stage, from the timeline.", [waterfall]),
    ]
    points = {
        side: [
            (index, item.first_audio_s * 1000)
            for index, item in enumerate(i for i in items if i.side == side)
            if item.first_audio_s is not None
        ]
        for side in sides
    }
    axes = svg.Axes("prompt", "first audio, ms")
    found.append(page.Section("Every prompt", "", [svg.scatter(points, axes)]))
    plots = []
    for item in _examples(items, sides):
        lines = {
            "you": [svg.Stretch(*part, item.text) for part in item.user],
            item.side: [svg.Stretch(*part, item.side) for part in item.agent],
        }
        plots += [page.paragraph(item.text), svg.timeline(lines, _span(item))]
    found.append(page.Section("Who spoke when", "The median prompt of each side.", plots))
    return found


def _examples(items: Sequence[Item], sides: Sequence[str]) -> list[Item]:
    """The item nearest to the median, one for each side."""
    chosen = []
    for side in sides:
        own = [item for item in items if item.side == side and item.first_audio_s is not None]
        own.sort(key=lambda item: item.first_audio_s or 0.0)
        if own:
            chosen.append(own[len(own) // 2])
    return chosen


def _span(item: Item) -> tuple[float, float]:
    begin_s = max(0.0, item.user[0][0] - 0.5)
    ended_s = item.user[0][1]
    return begin_s, ended_s + (item.first_audio_s or 1.0) + 1.5
