"""What the duplex probe shows, in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.probes.duplex import IGNORED, Item
from bench.probes.record import shown
from bench.report import page, svg, terminal
from bench.report.intervals import Estimate

_PERCENT = (
    ("yielded to an interruption, %", "yield.share"),
    ("old sound after the stop, %", "stale.share"),
    ("words of interruptions lost, %", "words_lost.share"),
    ("first words lost, %", "first_word_lost.share"),
    ("stopped although nobody interrupted, %", "false_barge_in.share"),
    ("   of these, went on again, %", "resumed.share"),
    *((f"ignored: {kind}, %", f"ignored.{kind}.share") for kind in IGNORED),
    ("cases that could be measured, %", "measured.share"),
)
_MS = (
    ("onset to silence, median, ms", "yield.p50_ms"),
    ("onset to silence, p95, ms", "yield.p95_ms"),
    ("end of interruption to its answer, median, ms", "answered.p50_ms"),
    ("longest gap where it should go on, p95, ms", "gap.p95_ms"),
)
NOTE = (
    "From the recorded sound of both sides, with 95 % intervals. It yielded when the answer falls "
    "silent for a second, within two seconds of the onset; it ignored what was heard when the "
    "answer goes on and nothing else is answered."
)


def rows(metrics: Mapping[str, Estimate], sides: Sequence[str]) -> list[list[str]]:
    """The table: one row a figure, one column a side."""
    prefixes = ["", *(f"{side}." for side in sides[1:])]
    found = []
    for listed, scale, digits in ((_PERCENT, 100.0, 1), (_MS, 1.0, 0)):
        for label, name in listed:
            if metrics[name].count:
                cells = [shown(metrics[f"{prefix}{name}"], scale, digits) for prefix in prefixes]
                found.append([label, *cells, str(metrics[name].count)])
    talk = [shown(metrics[f"{prefix}talk_over.mean_s"], 1, 2) for prefix in prefixes]
    found.append(["both speak, mean, s", *talk, str(metrics["talk_over.mean_s"].count)])
    ratio = metrics.get("ratio.yield_p50")
    if ratio is not None and ratio.value is not None:
        padding = [""] * (len(sides) - 1)
        times = f"{shown(ratio, 1, 2)} times"
        found.append([f"{sides[1]} stops later by", times, *padding, str(ratio.count)])
    return found


def as_text(metrics: Mapping[str, Estimate], items: Sequence[Item], sides: Sequence[str]) -> str:
    """For the terminal."""
    parts = [terminal.table(["", *sides, "n"], rows(metrics, sides)), "", NOTE]
    wrong = [item for item in items if item.side == sides[0] and not item.right]
    if wrong:
        parts += ["", "Not as a good listener would:"]
        parts += [f"  {item.case:20} {_what(item)}" for item in wrong]
    for item in _examples(items):
        lines = {
            "you": [terminal.Part(*item.user)],
            item.side: [terminal.Part(*part) for part in item.agent],
        }
        parts += ["", f"{item.case}: {item.said}", terminal.timeline(lines, _span(item))]
    return "\n".join(parts)


def sections(
    metrics: Mapping[str, Estimate], items: Sequence[Item], sides: Sequence[str]
) -> list[page.Section]:
    """For the page."""
    table = page.table(["", *sides, "n"], rows(metrics, sides))
    found = [page.Section("While Jarvis speaks", NOTE, [table])]
    shares = {
        f"{kind}, {side}": (metrics[f"{prefix}ignored.{kind}.share"].value or 0.0) * 100
        for kind in IGNORED
        for side, prefix in zip(sides, ["", *(f"{s}." for s in sides[1:])], strict=True)
        if metrics[f"{prefix}ignored.{kind}.share"].count
    }
    found.append(page.Section("Rightly ignored", "Percent of cases.", [svg.bars(shares, " %")]))
    plots = []
    for item in items:
        if item.found is None or (item.right and item not in _examples(items)):
            continue
        lines = {
            "you": [svg.Stretch(*item.user, item.said)],
            item.side: [svg.Stretch(*part, item.side) for part in item.agent],
        }
        plots.append(page.paragraph(f"{item.case}: {_what(item)}"))
        plots.append(svg.timeline(lines, _span(item), [(item.user[0], "onset")]))
    found.append(page.Section("Who spoke when", "Examples, and all that went wrong.", plots))
    return found


def _what(item: Item) -> str:
    if item.found is None:
        return item.missed
    parts = []
    if item.found.stop_s is not None:
        parts.append(f"stopped after {item.found.stop_s * 1000:.0f} ms")
    if item.found.resumed:
        parts.append("went on")
    if item.kind != "interruption" and item.found.answered_s is not None:
        parts.append("answered it")
    if not parts:
        parts.append("went on speaking" if item.found.carried_on else "ended")
    if item.heard:
        parts.append(f"heard “{item.heard[:60]}”")
    return ", ".join(parts)


def _examples(items: Sequence[Item]) -> list[Item]:
    """The first interruption and the first backchannel that could be measured."""
    chosen = []
    for kind in ("interruption", "backchannel"):
        chosen += [item for item in items if item.kind == kind and item.found is not None][:1]
    return chosen


def _span(item: Item) -> tuple[float, float]:
    return max(0.0, item.user[0] - 3.0), item.user[1] + 4.0
