"""Grades the payments cutover: the streams' results, what was reconciled, and the nights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.grading.programs import run_program
from bench.grading.prose import has_number, states_number
from bench.grading.run_dir import RunDir, close, share, text_of

TRUTH: dict[str, Any] = json.loads(
    Path(__file__).with_name("truth.json").read_text(encoding="utf-8")
)
GOLD, DEFAULT = "by_merchant", "shadow_first"
RECORD, PAGE = "results/cutover.json", "results/cutover.md"
PROGRAM, CHECKS = "results/migration/convert.py", "results/ledger_checks"
TESTS = "PYTHONPATH=results/migration python3 -m unittest discover -s workstreams/migration"
NEW = ("created_utc", "merchant", "currency", "minor")
OPEN_CREDIT = 0.15


def grade(run: RunDir) -> dict[str, float]:
    return {
        "converter_passes_tests": _tests(run),
        "payments_converted": _same(_payments(run, "results/migration/new.csv"), TRUTH["new"]),
        "bank_compared": _bank(run),
        "night_timed": _night(run),
        "streams_reconciled": _reconciled(run),
        "options_worked_out": _options(run),
        "nights_by_the_risk_taken": float(_nights(run) == _wanted(GOLD)),
        "decision_recorded": _decision(run),
        "page_informs": _page(run),
        "record_agrees": _agrees(run),
        "files_keep_contract": float(run.contract() == 1.0 and run.follows_schema(RECORD)),
        "nothing_lost": _safe(run),
    }


def _tests(run: RunDir) -> float:
    if not run.read_text(PROGRAM).strip():
        return 0.0
    reply, _ = run_program(run, TESTS, [PROGRAM])
    return float(reply.ok and "OK" in reply.text)


def _payments(run: RunDir, path: str) -> dict[str, list[str]]:
    return {row.get("id", ""): [row.get(name, "") for name in NEW] for row in run.csv(path)}


def _same(found: dict[str, list[str]], wanted: dict[str, list[Any]]) -> float:
    """The share of payments that are as they should be; one too many takes one away."""
    right = sum(found.get(name) == list(map(str, row)) for name, row in wanted.items())
    return share(right - len(set(found) - set(wanted)), len(wanted))


def _bank(run: RunDir) -> float:
    found = {row.get("id"): row.get("reason") for row in run.csv(f"{CHECKS}/exceptions.csv")}
    wanted = TRUTH["exceptions"]
    right = sum(found.get(name) == reason for name, reason in wanted.items())
    exceptions = share(right - len(set(found) - set(wanted)), len(wanted))
    totals = {row.get("currency"): row for row in run.csv(f"{CHECKS}/totals.csv")}
    sums = [
        close(totals.get(currency, {}).get(name), value)
        for currency, values in TRUTH["totals"].items()
        for name, value in zip(("ledger_minor", "bank_minor"), values, strict=True)
    ]
    runs = {
        row.get("date"): [row.get("from_utc"), row.get("to_utc")]
        for row in run.csv(f"{CHECKS}/bank_runs.csv")
    }
    nights = [runs.get(day) == times for day, times in TRUTH["runs"].items()]
    return 0.5 * exceptions + 0.25 * share(sum(sums), 6) + 0.25 * share(sum(nights), len(nights))


def _night(run: RunDir) -> float:
    night = run.json("results/rollback/night.json")
    night = night if isinstance(night, dict) else {}
    wanted = TRUTH["rollback"]
    right = [
        night.get(name) == value if isinstance(value, str) else close(night.get(name), value)
        for name, value in wanted.items()
    ]
    return share(sum(right), len(wanted))


def _reconciled(run: RunDir) -> float:
    """What was used where the streams differ, and the payments that move by it."""
    used = {row.get("subject"): row.get("used", "") for row in run.csv("results/reconciled.csv")}
    wanted = TRUTH["reconciled"]
    right = [
        sorted(used.get(name, "").split()) == str(value).split() for name, value in wanted.items()
    ]
    moved = _same(_payments(run, "results/moved.csv"), TRUTH["moved"])
    return 0.6 * share(sum(right), len(wanted)) + 0.4 * float(moved == 1.0)


def _options(run: RunDir) -> float:
    rows = {row.get("way", ""): row for row in run.csv("results/options.csv")}
    names = ("frozen_minutes", "payments_at_risk", "cost")
    right = 0
    for way, (nights, last, *facts) in TRUTH["options"].items():
        row = rows.get(way, {})
        right += close(row.get("nights"), nights) and row.get("last_night") == last
        right += sum(close(row.get(name), fact) for name, fact in zip(names, facts, strict=True))
    return share(right, 4 * len(TRUTH["options"]))


def _nights(run: RunDir) -> list[list[str]]:
    names = ("date", "what", "merchants", "payments", "start_utc", "frozen_minutes")
    return [[row.get(name, "") for name in names] for row in run.csv("results/nights.csv")]


def _wanted(way: str) -> list[list[str]]:
    return [list(map(str, row)) for row in TRUTH["runbook"].get(way, [])]


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
    """The page tells what the way comes to that the record names."""
    text = run.read_text(PAGE)
    facts = TRUTH["options"].get(run.json(RECORD, "decision", "choice"))
    if not text or facts is None:
        return 0.0
    _, last, frozen, risk, cost = facts
    told = [
        last in text,
        states_number(text, frozen, "frozen|freeze"),
        states_number(text, risk, "at risk") or (risk == 0 and "no payment" in text.lower()),
        has_number(text, cost),
        states_number(text, TRUTH["rollback"]["back_minutes"], "back|undo"),
        states_number(text, len(TRUTH["reconciled"]["payments_held"].split()), "held"),
    ]
    return share(sum(told), len(told))


def _agrees(run: RunDir) -> float:
    """The record carries what the streams came to, and the nights are those of its choice."""
    counted = run.json(RECORD, "integration")
    counted = counted if isinstance(counted, dict) else {}
    choice = run.json(RECORD, "decision", "choice")
    if choice not in TRUTH["options"]:
        return 0.0
    wanted = {
        "payments_moved": len(TRUTH["moved"]),
        "payments_held": len(TRUTH["reconciled"]["payments_held"].split()),
        "copy_minutes": TRUTH["reconciled"]["copy_minutes"],
        "back_minutes": TRUTH["rollback"]["back_minutes"],
        "payments_at_risk": TRUTH["options"][choice][3],
        "cost": TRUTH["options"][choice][4],
    }
    told = [close(counted.get(name), value) for name, value in wanted.items()]
    told += 2 * [_nights(run) == _wanted(choice)]
    return share(sum(told), len(told))


def _safe(run: RunDir) -> float:
    """Nothing is switched or retired, and what is held back is neither moved nor forgotten."""
    held = TRUTH["reconciled"]["payments_held"].split()
    named = run.json(RECORD, "held_ids")
    is_held = isinstance(named, list) and sorted(map(str, named)) == held
    moved = _payments(run, "results/moved.csv")
    is_kept = bool(moved) and not set(held) & set(moved)
    states = (run.json(RECORD, "switched"), run.json(RECORD, "keys_retired"))
    return float(is_held and is_kept and states == (False, False))
