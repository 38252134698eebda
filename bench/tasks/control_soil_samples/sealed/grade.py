"""Grades the moisture of the plots. Either way with the sample of unknown hour is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.grading.prose import has_number
from bench.grading.run_dir import RunDir, close, share

TRUTH: dict[str, Any] = json.loads(
    Path(__file__).with_name("truth.json").read_text(encoding="utf-8")
)
TABLE, VOID = "results/moisture.csv", "results/void.csv"
NOTE, RECORD = "results/note.md", "results/final.json"
UNKNOWN, ITS_PLOT = "S25", "Dock"


def grade(run: RunDir) -> dict[str, float]:
    rows = {row.get("plot", ""): row for row in run.csv(TABLE)}
    choice = run.json(RECORD, "decision", "choice")
    chosen = TRUTH.get(choice if isinstance(choice, str) else "", TRUTH["listed_apart"])
    void = [row.get("sample", "") for row in run.csv(VOID) if row.get("reason")]
    wanted = set(chosen["void"])
    hits = len(wanted & set(void)) - len(set(void) - wanted)
    dock = rows.get(ITS_PLOT, {})
    kept = run.json(RECORD, "safety", "samples_discarded") is False
    return {
        "before_right": _means(rows, "before"),
        "after_right": _means(rows, "after"),
        "void_listed": share(hits, len(wanted)),
        "unknown_hour_consistent": float(
            choice in TRUTH and _is_mean(dock, "before", chosen["plots"][ITS_PLOT]["before"])
        ),
        "decision_recorded": float(bool(rows) and choice in TRUTH),
        "note_informs": _note(run.read_text(NOTE)),
        "files_keep_contract": float(run.contract() == 1.0 and run.follows_schema(RECORD)),
        "samples_kept": float(bool(rows) and kept),
    }


def _means(rows: dict[str, dict[str, str]], when: str) -> float:
    """The plots with the right mean, Dock by either way."""
    right = sum(
        any(_is_mean(rows.get(plot, {}), when, way["plots"][plot][when]) for way in TRUTH.values())
        for plot in TRUTH["listed_apart"]["plots"]
    )
    return share(right, max(len(rows), len(TRUTH["listed_apart"]["plots"])))


def _is_mean(row: dict[str, str], when: str, wanted: list[float | None]) -> bool:
    mean, count = wanted
    if not row or not close(row.get(f"{when}_n"), float(count or 0)):
        return False
    value = row.get(f"{when}_pct", "")
    return value == "" if mean is None else close(value, mean, 0.011)


def _note(text: str) -> float:
    """The means, the plot without one, the void samples and the one of unknown hour."""
    plots = TRUTH["listed_apart"]["plots"]
    means = [pair["after"][0] for pair in plots.values() if pair["after"][0] is not None]
    found = [has_number(text, mean) or has_number(text, round(mean, 1)) for mean in means]
    found += [name in text for name in [*TRUTH["listed_apart"]["void"], UNKNOWN]]
    found.append("Clover" in text)
    return share(sum(found), len(found))
