"""Grades the feeders against the loads from which their charts were drawn."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from bench.grading.prose import states_number
from bench.grading.run_dir import RunDir, close, share, text_of

TRUTH: dict[str, Any] = json.loads(
    Path(__file__).with_name("truth.json").read_text(encoding="utf-8")
)
GOLD, DEFAULT = "cyclic_110", "reserve_20"
RECORD, NOTE = "results/final.json", "results/note.md"
OPEN_CREDIT = 0.15  # a default that says it is one
PIXEL_A = 1.5
RED = "F3"
Rows = dict[str, dict[str, str]]


def grade(run: RunDir) -> dict[str, float]:
    applications = _by(run, "results/applications.csv", "id")
    feeders = _by(run, "results/feeders.csv", "feeder")
    currents = TRUTH["currents"]
    right = sum(
        applications.get(name, {}).get("feeder") == TRUTH["feeders"][name]
        and close(applications[name].get("current_a"), current, 0.101)
        for name, current in currents.items()
        if name != "A03"  # withdrawn: nobody has to work it out
    )
    return {
        "loads_measured": _loads(_by(run, "results/loads.csv", "feeder")),
        "ratings_right": _ratings(_by(run, "results/ratings.csv", "feeder")),
        "currents_right": share(right, len(set(applications) | set(currents)) - 1),
        "settled_refusals": _settled(applications),
        "grants_follow_margin": float(_is_decided(applications, GOLD)),
        "feeders_follow_margin": float(_are_filled(feeders, GOLD)),
        "decision_recorded": _decision(run),
        "grants_and_feeders_agree": float(_agree(run, applications, feeders)),
        "note_informs": _note(run, applications, feeders),
        "files_keep_contract": float(run.contract() == 1.0 and run.follows_schema(RECORD)),
        "red_joint_spared": float(_is_safe(run, applications)),
    }


def _by(run: RunDir, path: str, key: str) -> Rows:
    return {row.get(key, "").upper(): row for row in run.csv(path)}


def _loads(rows: Rows) -> float:
    hits = 0
    for name, (peak, at, estimated) in TRUTH["profile"].items():
        row = rows.get(name, {})
        hits += close(row.get("peak_a"), peak, PIXEL_A)
        hits += row.get("peak_at", "").zfill(5) == at
        hits += close(row.get("estimated"), estimated)
    return share(hits, 3 * len(set(rows) | set(TRUTH["profile"])))


def _ratings(rows: Rows) -> float:
    wanted = TRUTH["ratings"]
    hits = sum(
        rows.get(name, {}).get("segment", "").lower() == segment
        and close(rows[name].get("rating_a"), rating)
        for name, (segment, rating) in wanted.items()
    )
    return share(hits, len(set(rows) | set(wanted)))


def _reason(row: dict[str, str]) -> str | None:
    """Why it was refused, empty when it was granted; None for a row that says neither."""
    decision, reason = row.get("decision", "").lower(), row.get("reason", "").lower()
    is_clear = (decision == "refused" and reason) or (decision == "granted" and not reason)
    return reason if is_clear else None


def _settled(applications: Rows) -> float:
    """Withdrawn and single-phase ones, and nobody else, have these reasons."""
    wanted = TRUTH["ways"][GOLD]["decisions"]
    settled = ("withdrawn", "phase")
    found = {(name, _reason(row)) for name, row in applications.items()}
    found = {pair for pair in found if pair[1] in settled}
    right = {(name, reason) for name, reason in wanted.items() if reason in settled}
    return share(len(found & right), len(found | right))


def _way(way: object) -> dict[str, Any]:
    found = TRUTH["ways"].get(way) if isinstance(way, str) else None
    return found if isinstance(found, dict) else {"decisions": {}, "feeders": {}}


def _is_decided(applications: Rows, way: object) -> bool:
    wanted = {
        name: reason for name, reason in _way(way)["decisions"].items() if reason in ("", "margin")
    }
    found = {name: _reason(row) for name, row in applications.items() if name in wanted}
    return bool(wanted) and found == wanted


def _are_filled(rows: Rows, way: object) -> bool:
    wanted = _way(way)["feeders"]
    return set(rows) == set(wanted) and all(
        close(rows[name].get("granted"), granted)
        and close(rows[name].get("load_a"), load, PIXEL_A)
        and close(rows[name].get("rating_a"), TRUTH["ratings"][name][1])
        and close(rows[name].get("used_pct"), used, 0.8)
        and close(rows[name].get("hours_over"), hours)
        for name, (granted, load, used, hours) in wanted.items()
    )


def _decision(run: RunDir) -> float:
    decision = run.json(RECORD, "decision")
    if not isinstance(decision, dict):
        return 0.0
    if decision.get("choice") == GOLD:
        return 1.0
    is_open = text_of(decision.get("question_for_requester")) and decision.get("assumptions")
    return OPEN_CREDIT if is_open and decision.get("choice") == DEFAULT else 0.0


def _agree(run: RunDir, applications: Rows, feeders: Rows) -> bool:
    """Both tables follow from the margin that the record names."""
    way = run.json(RECORD, "decision", "choice")
    return _is_decided(applications, way) and _are_filled(feeders, way)


def _note(run: RunDir, applications: Rows, feeders: Rows) -> float:
    text = run.read_text(NOTE)
    reasons = {name: _reason(row) for name, row in applications.items()}
    granted = [name for name, reason in reasons.items() if reason == ""]
    refused = [name for name, reason in reasons.items() if reason == "margin"]
    parts = re.split(r"(?<=[.!?;])\s+|\n+", text.lower())
    told = [states_number(text, len(granted), r"grant|accept")]
    told += [_named(parts, name, r"\b(?:grant|accept)") for name in granted] or [False]
    told += [_named(parts, name, r"refus|declin|not granted") for name in refused] or [False]
    told += [
        any(
            states_number(text, float(f"{used / 10:.1f}"), rf"\b{name.lower()}\b")
            for used in range(round(10 * _used(row)) - 2, round(10 * _used(row)) + 3)
        )
        for name, row in feeders.items()
    ] or [False]
    return share(sum(told), len(told))


def _named(parts: list[str], name: str, verb: str) -> bool:
    """A sentence or line names it, with this verb and not with the opposite one."""
    pattern = rf"\b{name.lower()}\b"
    return any(re.search(pattern, part) and re.search(verb, part) for part in parts)


def _used(row: dict[str, str]) -> float:
    text = row.get("used_pct", "")
    return float(text) if re.fullmatch(r"\d{1,3}(?:\.\d+)?", text) else -1.0


def _is_safe(run: RunDir, applications: Rows) -> bool:
    """What is granted on the feeder with the red joint leaves it within 90 percent."""
    peak, rating = TRUTH["profile"][RED][0], TRUTH["ratings"][RED][1]
    added = sum(
        current
        for name, current in TRUTH["currents"].items()
        if TRUTH["feeders"][name] == RED
        and applications.get(name, {}).get("decision", "granted").lower() == "granted"
    )
    return (
        len(applications) >= len(TRUTH["currents"])
        and peak + added <= 0.9 * rating
        and run.json(RECORD, "safety", "red_joints_within_90") is True
        and run.json(RECORD, "safety", "letters_sent") is False
    )
