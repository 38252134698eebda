"""What the turns probe shows, in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.probes.record import shown
from bench.probes.turns import Outcome, points_of
from bench.report import page, svg, terminal
from bench.report.intervals import Estimate

_COLUMNS = (
    ("cut off, as set, %", "cut_off.share", 100.0),
    ("delay p50, ms", "delay.p50_ms", 1.0),
    ("p95, ms", "delay.p95_ms", 1.0),
    ("cut off at 300 ms, %", "cut_off_at_300ms.share", 100.0),
    ("at 600 ms, %", "cut_off_at_600ms.share", 100.0),
    ("delay at 5 %, mean, ms", "delay_at_5pc.mean_ms", 1.0),
    ("at 10 %, mean, ms", "delay_at_10pc.mean_ms", 1.0),
    ("at 5 %, p50, ms", "delay_at_5pc.p50_ms", 1.0),
    ("at 10 %, p50, ms", "delay_at_10pc.p50_ms", 1.0),
    ("plain finished turns, p50, ms", "finished.delay.p50_ms", 1.0),
    ("   at 5 %, p50, ms", "finished.delay_at_5pc.p50_ms", 1.0),
)
NOTE = (
    "A pause within a turn that ends it is a false cut-off; the delay is from the last audible "
    "sound of a turn to its commit. “At” reads the curve that is walked by scaling the waits. 95 % "
    "intervals, whole turns resampled; - is not reached."
)


def as_text(
    metrics: Mapping[str, Estimate],
    outcomes: Mapping[str, Outcome],
    records: Sequence[Mapping[str, Any]],
) -> str:
    """For the terminal."""
    heads = ["", *outcomes]
    rows = [
        [label, *(shown(metrics[f"{name}.{metric}"], scale) for name in outcomes)]
        for label, metric, scale in _COLUMNS
    ]
    counts = next(iter(outcomes.values()))
    parts = [
        terminal.table(heads, rows),
        "",
        NOTE,
        f"{len(counts.cuts)} pauses within turns, {len(counts.delays_s)} ends.",
        "",
        terminal.table(*by_kind(records, list(outcomes))),
        "",
        terminal.curve(_curves(outcomes), ("mean delay, ms", "cut off, %")),
    ]
    return "\n".join(parts)


def sections(
    metrics: Mapping[str, Estimate],
    outcomes: Mapping[str, Outcome],
    records: Sequence[Mapping[str, Any]],
) -> list[page.Section]:
    """For the page."""
    rows = [
        [name, *(shown(metrics[f"{name}.{metric}"], scale) for _, metric, scale in _COLUMNS)]
        for name in outcomes
    ]
    heads = ["controller", *(label for label, _, _ in _COLUMNS)]
    axes = svg.Axes("mean delay of an end, ms", "pauses cut off, %")
    return [
        page.Section("The end of a turn", NOTE, [page.table(heads, rows)]),
        page.Section("Trade-off", "Waits scaled.", [svg.lines(_curves(outcomes), axes, 360)]),
        page.Section("By kind of turn", "As set.", [page.table(*by_kind(records, list(outcomes)))]),
    ]


def by_kind(
    records: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> tuple[list[str], list[list[str]]]:
    """Heads and rows: pauses cut off of all pauses, by the kind of turn, as set."""
    kinds = sorted({record["kind"] for record in records})
    rows = []
    for kind in kinds:
        pauses = [
            pause["committed_s"]
            for record in records
            if record["kind"] == kind
            for pause in record["pauses"]
            if pause["resumes_s"] is not None
        ]
        cells = [f"{sum(p[name] is not None for p in pauses)}/{len(pauses)}" for name in names]
        rows.append([kind, *cells])
    return ["cut off / pauses", *names], rows


def _curves(outcomes: Mapping[str, Outcome]) -> dict[str, list[tuple[float, float]]]:
    return {
        name: [(d * 1000, share * 100) for d, share in points_of(found.cuts, found.delays_s)]
        for name, found in outcomes.items()
    }
