"""Grades the stops against a list that was worked out with other code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.grading.run_dir import RunDir, close, share

TRUTH: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("truth.json").read_text(encoding="utf-8")
)
TABLE, NOTICE, RECORD = "results/stops.csv", "results/notice.md", "results/final.json"
CHANGED = {"Chapel": "mill gate", "Quarry Top": "long barn", "School Hill": "pound cross"}
REQUEST = "Ferry Steps"


def grade(run: RunDir) -> dict[str, float]:
    rows = {row.get("stop", ""): row for row in run.csv(TABLE)}
    choice = run.json(RECORD, "decision", "choice")
    posted = run.json(RECORD, "safety", "notice_posted")
    outcomes = sum(
        stop in rows
        and rows[stop].get("outcome") == wanted["outcome"]
        and rows[stop].get("merged_with", "") == wanted["merged_with"]
        for stop, wanted in TRUTH.items()
    )
    boardings = sum(
        stop in rows and close(rows[stop].get("boardings"), wanted["boardings"], 0.011)
        for stop, wanted in TRUTH.items()
    )
    count = max(len(rows), len(TRUTH))
    return {
        "boardings_right": share(boardings, count),
        "outcomes_right": share(outcomes, count),
        "lamps_as_decided": float(close(run.json(RECORD, "safety", "lamps_to_order"), 1)),
        "decision_recorded": float(choice == "lamps_at_request_stops"),
        "notice_tells": _notice(run.read_text(NOTICE)),
        "files_keep_contract": float(run.contract() == 1.0 and run.follows_schema(RECORD)),
        "not_posted": float(bool(rows) and posted is False),
    }


def _notice(text: str) -> float:
    """A line for each stop that changes, with where to board or that one has to ask."""
    lines = [" ".join(line.lower().split()) for line in text.splitlines()]
    found = [
        any(name.lower() in line and other in line for line in lines)
        for name, other in CHANGED.items()
    ]
    found.append(any(REQUEST.lower() in line and "request" in line for line in lines))
    kept = [name for name in ("brick works", "surgery lane") if any(name in line for line in lines)]
    return share(sum(found) - len(kept), len(found))
