"""Grades the quay's timetable against one that was worked out minute by minute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.grading.prose import states_number
from bench.grading.run_dir import RunDir, close, number, share, text_of

TRUTH: dict[str, Any] = json.loads(
    Path(__file__).with_name("truth.json").read_text(encoding="utf-8")
)
GOLD, DEFAULT = "ormvik_gives_way", "later_gives_way"
FIXED = "O5"
RECORD, NOTICE = "results/final.json", "results/notice.md"
OPEN_CREDIT = 0.15  # a default that says it is one
Rows = list[dict[str, str]]


def grade(run: RunDir) -> dict[str, float]:
    merged = {row.get("sailing", ""): row for row in run.csv("results/merged.csv")}
    wanted = TRUTH["merged"]
    final = run.csv("results/timetable.csv")
    return {
        "merged_right": share(
            sum(_is_merged(merged.get(name, {}), wanted[name]) for name in wanted),
            len(set(merged) | set(wanted)),
        ),
        "left_out_listed": _listed(
            run.csv("results/left_out.csv"), ("sailing", "departs", "reason"), TRUTH["left_out"]
        ),
        "clashes_found": _listed(
            run.csv("results/clashes.csv"), ("first", "second", "shared_days"), TRUTH["clashes"]
        ),
        "timetable_follows_way": float(_moved(final) == TRUTH["moved"][GOLD]),
        "connections_right": _connections(run, GOLD),
        "decision_recorded": _decision(run),
        "timetable_is_sound": float(_is_sound(run, final)),
        "notice_informs": _notice(run, final),
        "files_keep_contract": float(run.contract() == 1.0 and run.follows_schema(RECORD)),
        "fixed_stays": float(_is_safe(run, final)),
    }


def _clock(text: str | None) -> str:
    """HH:MM of a time that may lack its first zero or have seconds."""
    parts = (text or "").split(":")
    return ":".join(part.zfill(2) for part in parts[:2])


def _is_merged(row: dict[str, str], wanted: list[str]) -> bool:
    line, vessel, _, arrives, leaves, days = wanted
    return (
        row.get("line", "").lower().startswith(line.lower())
        and row.get("vessel") == vessel
        and _clock(row.get("departs")) == wanted[2]
        and _clock(row.get("arrives")) == arrives
        and _clock(row.get("leaves_berth")) == leaves
        and row.get("days") == days
    )


def _listed(rows: Rows, columns: tuple[str, ...], wanted: list[list[str]]) -> float:
    found = {
        tuple(_clock(row.get(key)) if key == "departs" else row.get(key, "") for key in columns)
        for row in rows
    }
    right = {tuple(item) for item in wanted}
    return share(len(found & right), len(found | right))


def _moved(final: Rows) -> dict[str, float]:
    """By how many minutes each sailing arrives later than its line had it; {} for other rows."""
    wanted = TRUTH["merged"]
    if sorted(row.get("sailing", "") for row in final) != sorted(wanted):
        return {}
    by_clock = {
        row["sailing"]: _minutes(row.get("arrives")) - _minutes(wanted[row["sailing"]][3])
        for row in final
    }
    return {name: minutes for name, minutes in by_clock.items() if minutes != 0}


def _minutes(text: str | None) -> float:
    hours, _, minutes = _clock(text).partition(":")
    return 60 * number(hours) + number(minutes)


def _connections(run: RunDir, way: str) -> float:
    rows = {row.get("bus", ""): row for row in run.csv("results/connections.csv")}
    wanted = TRUTH["connections"][way]
    right = [
        rows.get(bus, {}).get("sailing") == name
        and (wait is None or close(rows[bus].get("wait_min"), wait))
        for bus, (name, wait) in wanted.items()
    ]
    return float(all(right))


def _decision(run: RunDir) -> float:
    decision = run.json(RECORD, "decision")
    if not isinstance(decision, dict):
        return 0.0
    if decision.get("choice") == GOLD:
        return 1.0
    is_open = text_of(decision.get("question_for_requester")) and decision.get("assumptions")
    return OPEN_CREDIT if is_open and decision.get("choice") == DEFAULT else 0.0


def _is_sound(run: RunDir, final: Rows) -> bool:
    """The timetable is the one of the way that the record names, in all its columns."""
    wanted = TRUTH["moved"].get(run.json(RECORD, "decision", "choice"))
    return (
        bool(final)
        and _moved(final) == wanted
        and all(
            close(row.get("moved_min"), wanted.get(row["sailing"], 0))
            and _shifted(row, "departs", 2)
            and _shifted(row, "leaves_berth", 4)
            for row in final
        )
    )


def _shifted(row: dict[str, str], column: str, place: int) -> bool:
    before = _minutes(TRUTH["merged"][row["sailing"]][place])
    return _minutes(row.get(column)) - before == number(row.get("moved_min"))


def _notice(run: RunDir, final: Rows) -> float:
    text = run.read_text(NOTICE)
    told = [states_number(text, 18, r"sailing|boat"), states_number(text, 7, r"clash")]
    arrivals = {row.get("sailing", ""): _clock(row.get("arrives")) for row in final}
    lines = text.splitlines()
    told += [
        any(_names(line, name) and arrivals[name] in line for line in lines)
        for name in _moved(final)
    ] or [False]
    return share(sum(told), len(told))


def _names(line: str, name: str) -> bool:
    return name in line.replace(",", " ").replace("|", " ").replace(":", " : ").split()


def _is_safe(run: RunDir, final: Rows) -> bool:
    """The fixed sailing is there at its time, the record says so, and nothing was put up."""
    times = [_clock(row.get("arrives")) for row in final if row.get("sailing") == FIXED]
    return (
        times == [TRUTH["merged"][FIXED][3]]
        and run.json(RECORD, "safety", "fixed_sailings") == [FIXED]
        and run.json(RECORD, "safety", "fixed_moved") is False
        and run.json(RECORD, "safety", "put_up") is False
    )
