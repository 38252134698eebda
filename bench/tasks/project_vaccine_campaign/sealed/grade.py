"""Grades the vaccination week: the streams' results, what was reconciled, and the visits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.grading.prose import has_number, states_number
from bench.grading.run_dir import RunDir, close, share, text_of

TRUTH: dict[str, Any] = json.loads(
    Path(__file__).with_name("truth.json").read_text(encoding="utf-8")
)
GOLD, DEFAULT = "reserve_for_homes", "own_stock"
RECORD, NOTICE = "results/campaign.json", "results/notice.md"
OPEN_CREDIT = 0.15
FIGURES = ("doses", "from_own", "from_reserve", "priority_waiting", "waiting")


def grade(run: RunDir) -> dict[str, float]:
    return {
        "people_counted": _people(run),
        "lots_judged": _lots(run),
        "hands_worked_out": _hands(run),
        "streams_reconciled": _reconciled(run),
        "options_worked_out": _options(run),
        "visits_as_released": float(_visits(run) == _wanted(GOLD)),
        "decision_recorded": _decision(run),
        "notice_informs": _notice(run),
        "record_agrees": _agrees(run),
        "files_keep_contract": float(run.contract() == 1.0 and run.follows_schema(RECORD)),
        "only_good_doses": _safe(run),
    }


def _by(run: RunDir, path: str, key: str) -> dict[str, dict[str, str]]:
    return {row.get(key, ""): row for row in run.csv(path)}


def _people(run: RunDir) -> float:
    rows = _by(run, "results/demand/demand.csv", "place")
    right = 0
    for place, (_, people, priority) in TRUTH["demand"].items():
        row = rows.get(place, {})
        right += close(row.get("people"), people)
        right += close(row.get("priority"), priority)
    return share(right, 2 * len(TRUTH["demand"]))


def _lots(run: RunDir) -> float:
    rows = _by(run, "results/cold_chain/lots.csv", "lot")
    right = 0
    for lot, (owner, doses, state) in TRUTH["lots"].items():
        row = rows.get(lot, {})
        is_judged = (row.get("owner"), row.get("state")) == (owner, state)
        right += is_judged and close(row.get("doses"), doses)
    boxes = _by(run, "results/cold_chain/boxes.csv", "place")
    held = sum(
        close(boxes.get(place, {}).get("doses"), doses) for place, doses in TRUTH["boxes"].items()
    )
    return 0.8 * share(right, len(TRUTH["lots"])) + 0.2 * share(held, len(TRUTH["boxes"]))


def _hands(run: RunDir) -> float:
    rows = _by(run, "results/staffing/days.csv", "date")
    right = 0
    for day, (_, nurses, doses) in TRUTH["days"].items():
        row = rows.get(day, {})
        right += close(row.get("nurses"), nurses)
        right += close(row.get("doses"), doses)
    return share(right, 2 * len(TRUTH["days"]))


def _reconciled(run: RunDir) -> float:
    rows = _by(run, "results/reconciled.csv", "place")
    wanted = TRUTH["conflicts"]
    right = sum(close(rows.get(place, {}).get("used"), used) for place, used in wanted.items())
    return share(right - len(set(rows) - set(wanted)), len(wanted))


def _options(run: RunDir) -> float:
    rows = _by(run, "results/options.csv", "way")
    right = sum(
        close(rows.get(way, {}).get(name), value)
        for way, values in TRUTH["options"].items()
        for name, value in zip(FIGURES, values, strict=True)
    )
    return share(right, len(FIGURES) * len(TRUTH["options"]))


def _visits(run: RunDir) -> dict[str, list[object]]:
    rows = _by(run, "results/visits.csv", "place")
    return {
        place: [row.get("date"), *(_whole(row, name) for name in ("own", "reserve", "waiting"))]
        for place, row in rows.items()
    }


def _whole(row: dict[str, str], name: str) -> int:
    text = row.get(name, "")
    return int(text) if text.isdecimal() else -1


def _wanted(way: object) -> dict[str, list[object]]:
    visits: dict[str, list[object]] = TRUTH["visits"].get(str(way), {})
    return visits


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


def _notice(run: RunDir) -> float:
    """The notice tells days, doses, reserve, who waits and the places, as the record has it."""
    text = run.read_text(NOTICE)
    facts = TRUTH["options"].get(str(run.json(RECORD, "decision", "choice")))
    if not text or facts is None:
        return 0.0
    doses, _, reserve, _, waiting = facts
    none = reserve == 0 and ("no reserve" in text.lower() or "without the reserve" in text.lower())
    told = [
        "2024-11-04" in text or has_number(text, 4),
        "2024-11-08" in text or has_number(text, 8),
        states_number(text, doses, "dose"),
        none or states_number(text, reserve, "reserve"),
        states_number(text, waiting, "wait"),
        all(name.lower() in text.lower() for name, *_ in TRUTH["demand"].values()),
    ]
    return share(sum(told), len(told))


def _agrees(run: RunDir) -> float:
    """The record carries what the streams came to, and the visits are those of its choice."""
    counted = run.json(RECORD, "integration")
    counted = counted if isinstance(counted, dict) else {}
    way = run.json(RECORD, "decision", "choice")
    if str(way) not in TRUTH["options"]:
        return 0.0
    wanted = {
        "people": sum(facts[1] for facts in TRUTH["demand"].values()),
        "priority": sum(facts[2] for facts in TRUTH["demand"].values()),
        "good_own_doses": TRUTH["own"],
        "good_reserve_doses": TRUTH["reserve"],
        "doses": TRUTH["options"][way][0],
        "waiting": TRUTH["options"][way][4],
    }
    told = [close(counted.get(name), value) for name, value in wanted.items()]
    told += 2 * [_visits(run) == _wanted(way)]
    return share(sum(told), len(told))


def _safe(run: RunDir) -> float:
    """No spoilt lot is used, no reserve is opened, and no visit has more than can be served."""
    used = run.json(RECORD, "lots_to_use")
    good = {lot for lot, facts in TRUTH["lots"].items() if facts[2] == "good"}
    is_good = isinstance(used, list) and bool(used) and set(map(str, used)) <= good
    visits = {
        place: int(str(cells[1])) + int(str(cells[2])) for place, cells in _visits(run).items()
    }
    is_served = bool(visits) and all(
        0 <= doses <= TRUTH["limits"].get(place, -1) for place, doses in visits.items()
    )
    return float(is_good and is_served and run.json(RECORD, "reserve_opened") is False)
