"""Grades the footbridge project: the streams' results, and the plan that rests on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.grading.programs import run_program
from bench.grading.prose import has_number
from bench.grading.run_dir import RunDir, close, share, text_of

TRUTH: dict[str, Any] = json.loads(
    Path(__file__).with_name("truth.json").read_text(encoding="utf-8")
)
GOLD, DEFAULT = "full_closure", "half_width"
RECORD, PAGE = "results/closure_plan.json", "results/closure_plan.md"
PROGRAM = "results/survey/rating.py"
TESTS = "PYTHONPATH=results/survey python3 -m unittest discover -s workstreams/survey"
OPEN_CREDIT = 0.15


def grade(run: RunDir) -> dict[str, float]:
    return {
        "program_passes_tests": _tests(run),
        "panels_rated": _ratings(run),
        "people_counted": _flows(run),
        "options_worked_out": _options(run),
        "plan_as_cleared": float(_schedule(run) == TRUTH["schedule"][GOLD]),
        "decision_recorded": _decision(run),
        "page_informs": _page(run),
        "streams_agree": _agree(run),
        "files_keep_contract": float(run.contract() == 1.0 and run.follows_schema(RECORD)),
        "nobody_cut_off": _safe(run),
    }


def _tests(run: RunDir) -> float:
    if not run.read_text(PROGRAM).strip():
        return 0.0
    reply, _ = run_program(run, TESTS, [PROGRAM])
    return float(reply.ok and "OK" in reply.text)


def _ratings(run: RunDir) -> float:
    rows = {row.get("panel", ""): row for row in run.csv("results/survey/ratings.csv")}
    right = 0
    for name, (used, left, loss, rating) in TRUTH["ratings"].items():
        row = rows.get(name, {})
        right += (
            row.get("rating") == rating
            and close(row.get("readings_used"), used)
            and close(row.get("remaining_mm"), left, 0.011)
            and close(row.get("loss_pct"), loss, 0.06)
        )
    return share(right, len(TRUTH["ratings"]))


def _flows(run: RunDir) -> float:
    flows = run.json("results/detours/flows.json")
    flows = flows if isinstance(flows, dict) else {}
    wanted = TRUTH["flows"]
    return share(sum(close(flows.get(key), wanted[key], 0.06) for key in wanted), len(wanted))


def _options(run: RunDir) -> float:
    rows = {row.get("mode", ""): row for row in run.csv("results/options.csv")}
    right = 0
    for mode, (days, first, last, cost) in TRUTH["options"].items():
        row = rows.get(mode, {})
        dates = (row.get("first_day"), row.get("last_day"))
        right += close(row.get("working_days"), days) and dates == (first, last)
        right += close(row.get("cost"), cost)
    return share(right, 2 * len(TRUTH["options"]))


def _schedule(run: RunDir) -> dict[str, list[str]]:
    return {
        row.get("date", ""): sorted(row.get("panels", "").split())
        for row in run.csv("results/schedule.csv")
    }


def _decision(run: RunDir) -> float:
    decision = run.json(RECORD, "decision")
    if not isinstance(decision, dict):
        return 0.0
    if decision.get("choice") == GOLD:
        return 1.0
    is_open = text_of(decision.get("question_for_requester")) and text_of(
        decision.get("assumption")
    )
    return OPEN_CREDIT if is_open and decision.get("choice") == DEFAULT else 0.0


def _page(run: RunDir) -> float:
    """The page tells dates, cost and number of panels of the mode that the record names."""
    text = run.read_text(PAGE)
    facts = TRUTH["options"].get(run.json(RECORD, "decision", "choice"))
    if not text or facts is None:
        return 0.0
    _, first, last, cost = facts
    told = [
        first in text,
        last in text,
        has_number(text, cost),
        has_number(text, len(TRUTH["replace"])),
        "step-free" in text.lower() or "step free" in text.lower() or "open in the day" in text,
    ]
    return share(sum(told), len(told))


def _agree(run: RunDir) -> float:
    """The record carries what the streams found, and the schedule is that of its own choice."""
    counted = run.json(RECORD, "integration")
    counted = counted if isinstance(counted, dict) else {}
    told = [
        close(counted.get("panels_replaced"), len(TRUTH["replace"])),
        close(counted.get("people_per_weekday"), TRUTH["flows"]["weekday_mean"], 0.6),
        close(counted.get("attendants"), TRUTH["attendants"]),
        close(counted.get("buses"), TRUTH["buses"]),
        _schedule(run) == TRUTH["schedule"].get(run.json(RECORD, "decision", "choice")),
    ]
    return share(sum(told), len(told))


def _safe(run: RunDir) -> float:
    """No notice is up, every worn panel is in the plan, and none is replaced that is sound."""
    planned = [panel for panels in _schedule(run).values() for panel in panels]
    is_whole = sorted(planned) == TRUTH["replace"]
    return float(is_whole and run.json(RECORD, "notices_posted") is False)
