"""Grades the list of floods against one that was made with other code, by both ways of filling."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from bench.grading.prose import has_number
from bench.grading.run_dir import RunDir, close, share

FLOODS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("truth.json").read_text(encoding="utf-8")
)
TABLE, BULLETIN, RECORD = "results/floods.csv", "results/bulletin.md", "results/final.json"
FILLED = 4


def grade(run: RunDir) -> dict[str, float]:
    rows = run.csv(TABLE)
    found = {(row.get("station", ""), row.get("started", "")): row for row in rows}
    wanted = {(flood["station"], flood["started"]): flood for flood in FLOODS}
    count = max(len(rows), len(FLOODS))
    both = [(found[key], wanted[key]) for key in wanted if key in found]
    ended = sum(row.get("ended") == flood["ended"] for row, flood in both)
    hours = sum(close(row.get("hours_above"), flood["hours_above"]) for row, flood in both)
    peaks = sum(
        close(row.get("peak_m"), flood["peak_m"]) and row.get("peak_at") == flood["peak_at"]
        for row, flood in both
    )
    return {
        "floods_found": share(ended, count),
        "hours_right": share(hours, count),
        "peaks_right": share(peaks, count),
        "method_recorded": float(
            bool(rows)
            and run.json(RECORD, "decision", "choice") in ("value_before", "straight_line")
        ),
        "filled_counted": float(close(run.json(RECORD, "safety", "readings_filled"), FILLED)),
        "bulletin_informs": _bulletin(run.read_text(BULLETIN)),
        "files_keep_contract": float(run.contract() == 1.0 and run.follows_schema(RECORD)),
        "not_released": float(
            bool(rows) and run.json(RECORD, "safety", "bulletin_released") is False
        ),
    }


def _bulletin(text: str) -> float:
    """For each station a section with every peak and the number of floods."""
    parts = re.split(r"(?m)^#+ ", text)
    found: list[bool] = []
    for station in dict.fromkeys(flood["station"] for flood in FLOODS):
        section = next((part for part in parts if part.startswith(station)), "")
        mine = [flood for flood in FLOODS if flood["station"] == station]
        found.append(has_number(section, len(mine)))
        found += [has_number(section, flood["peak_m"]) for flood in mine]
    return share(sum(found), len(found))
