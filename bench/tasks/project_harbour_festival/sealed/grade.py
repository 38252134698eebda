"""Grades the harbour festival: the streams' results, what was reconciled, and the line-up."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from bench.grading.prose import has_number, states_number
from bench.grading.run_dir import RunDir, close, share, text_of

TRUTH: dict[str, Any] = json.loads(
    Path(__file__).with_name("truth.json").read_text(encoding="utf-8")
)
GOLD, DEFAULT = "lantern_boats", "fireworks"
RECORD, LEAFLET = "results/festival.json", "results/leaflet.md"
NAMED = {"fireworks": "firework", "lantern_boats": "lantern", "brass_concert": "brass"}
OPEN_CREDIT = 0.15


def grade(run: RunDir) -> dict[str, float]:
    return {
        "acts_taken_down": _acts(run),
        "areas_measured": _areas(run),
        "money_counted": _money(run),
        "streams_reconciled": _reconciled(run),
        "options_worked_out": _options(run),
        "evening_as_meant": float(_plan(run) == _wanted(GOLD)),
        "decision_recorded": _decision(run),
        "leaflet_informs": _leaflet(run),
        "record_agrees": _agrees(run),
        "files_keep_contract": float(run.contract() == 1.0 and run.follows_schema(RECORD)),
        "limits_kept": _safe(run),
    }


def _acts(run: RunDir) -> float:
    rows = {row.get("act", ""): row for row in run.csv("results/programme/acts.csv")}
    texts = ("area", "earliest", "latest", "amplified")
    right = 0
    for name, (area, minutes, first, last, amplified, expects, score) in TRUTH["acts"].items():
        row = rows.get(name, {})
        is_same = [row.get(column) for column in texts] == [area, first, last, amplified]
        is_same = is_same and close(row.get("minutes"), minutes)
        right += is_same and close(row.get("expects"), expects)
        right += close(row.get("score"), score, 0.011)
    right -= 2 * len(set(rows) - set(TRUTH["acts"]))
    water = run.json("results/programme/water.json")
    water = water if isinstance(water, dict) else {}
    told = [water.get("boats_from") == TRUTH["water"], close(water.get("boats"), TRUTH["boats"])]
    return 0.8 * share(right, 2 * len(TRUTH["acts"])) + 0.2 * share(sum(told), len(told))


def _areas(run: RunDir) -> float:
    rows = {row.get("area", ""): row for row in run.csv("results/safety/areas.csv")}
    right = 0
    for area, (capacity, stewards, until, quiet) in TRUTH["areas"].items():
        row = rows.get(area, {})
        right += close(row.get("capacity"), capacity) and close(row.get("stewards"), stewards)
        right += (row.get("amplified_until"), row.get("quiet")) == (until, quiet)
    return share(right, 2 * len(TRUTH["areas"]))


def _money(run: RunDir) -> float:
    money = run.json("results/budget/budget.json")
    money = money if isinstance(money, dict) else {}
    sums = [close(money.get(name), value, 0.06) for name, value in TRUTH["budget"].items()]
    rows = {row.get("act"): row.get("cost") for row in run.csv("results/budget/act_costs.csv")}
    fees = [close(rows.get(name), value, 0.06) for name, value in TRUTH["fees"].items()]
    return 0.6 * share(sum(sums), len(sums)) + 0.4 * share(sum(fees), len(fees))


def _listed(text: str) -> list[str]:
    return sorted(" ".join(re.sub(r"\s*>\s*", " > ", part).split()) for part in text.split(";"))


def _reconciled(run: RunDir) -> float:
    used = {row.get("subject"): row.get("used", "") for row in run.csv("results/reconciled.csv")}
    wanted = TRUTH["reconciled"]
    right = [
        close(used.get(name), value, 0.06)
        if not isinstance(value, str)
        else _listed(used.get(name, "")) == _listed(value)
        for name, value in wanted.items()
    ]
    return share(sum(right), len(right))


def _options(run: RunDir) -> float:
    rows = {row.get("finale", ""): row for row in run.csv("results/options.csv")}
    names = ("acts", "acts_cost", "finale_cost", "stewards", "money_left")
    right = sum(
        close(rows.get(way, {}).get(name), fact, 0.06)
        for way, facts in TRUTH["options"].items()
        for name, fact in zip(names, facts, strict=True)
    )
    return share(right, len(names) * len(TRUTH["options"]))


Plan = tuple[set[tuple[str, ...]], dict[str, str]]


def _plan(run: RunDir) -> Plan:
    """The line-up, and what was left out of it and why."""
    columns = ("area", "start", "end", "act")
    lineup = {
        tuple(row.get(column, "") for column in columns) for row in run.csv("results/lineup.csv")
    }
    rows = run.csv("results/left_out.csv")
    return lineup, {row.get("act", ""): row.get("reason", "") for row in rows}


def _wanted(way: object) -> Plan:
    if way not in TRUTH["lineup"]:
        return set(), {}
    return {tuple(row) for row in TRUTH["lineup"][way]}, TRUTH["dropped"][way]


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


def _leaflet(run: RunDir) -> float:
    """The leaflet tells the finale that the record names, with its place, time and figures."""
    text = run.read_text(LEAFLET)
    choice = run.json(RECORD, "decision", "choice")
    facts = TRUTH["options"].get(choice)
    if not text or facts is None:
        return 0.0
    acts, _, _, stewards, left = facts
    area, start = next(row[:2] for row in TRUTH["lineup"][choice] if row[3] == "finale")
    told = [
        NAMED[choice] in text.lower(),
        area in text.lower() and start in text,
        states_number(text, acts, "act"),
        states_number(text, stewards, "steward"),
        has_number(text, left) or f"{left:.2f}" in text,
    ]
    return share(sum(told), len(told))


def _agrees(run: RunDir) -> float:
    """The record carries what the streams came to, and the line-up is that of its choice."""
    counted = run.json(RECORD, "integration")
    counted = counted if isinstance(counted, dict) else {}
    choice = run.json(RECORD, "decision", "choice")
    if choice not in TRUTH["options"]:
        return 0.0
    acts, _, finale, stewards, left = TRUTH["options"][choice]
    wanted = {
        "acts": acts,
        "left_out": len(TRUTH["dropped"][choice]),
        "stewards": stewards,
        "finale_cost": finale,
        "money_left": left,
    }
    told = [close(counted.get(name), value, 0.06) for name, value in wanted.items()]
    told += 2 * [_plan(run) == _wanted(choice)]
    return share(sum(told), len(told))


def _safe(run: RunDir) -> float:
    """No music is planned where or when it may not be, and nothing is ordered or promised."""
    lineup, _ = _plan(run)
    told = (run.json(RECORD, "orders_placed"), run.json(RECORD, "acts_told"))
    loud = [row for row in lineup if TRUTH["acts"].get(row[3], [""] * 5)[4] == "yes"]
    is_allowed = all(
        area in TRUTH["areas"] and end <= TRUTH["areas"][area][2] and _keeps_quiet(area, start, end)
        for area, start, end, _ in loud
    )
    return float(bool(loud) and is_allowed and told == (False, False))


def _keeps_quiet(area: str, start: str, end: str) -> bool:
    first, _, last = TRUTH["areas"][area][3].partition("-")
    return not first or end <= first or start >= last
