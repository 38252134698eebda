"""Reference outcomes of the payments cutover, and faults put into them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.grading.outcomes import Mutation, Outcome, as_csv, as_json

TRUTH: dict[str, Any] = json.loads(
    Path(__file__).with_name("truth.json").read_text(encoding="utf-8")
)
GOLD, DEFAULT = "by_merchant", "shadow_first"
PROGRAM, NEW = "results/migration/convert.py", "results/migration/new.csv"
EXCEPTIONS, TOTALS = "results/ledger_checks/exceptions.csv", "results/ledger_checks/totals.csv"
RUNS, NIGHT = "results/ledger_checks/bank_runs.csv", "results/rollback/night.json"
RECONCILED, MOVED, OPTIONS = "results/reconciled.csv", "results/moved.csv", "results/options.csv"
NIGHTS, PAGE, RECORD = "results/nights.csv", "results/cutover.md", "results/cutover.json"
HELD = TRUTH["reconciled"]["payments_held"].split()
COLUMNS = {
    NEW: ["id", "created_utc", "merchant", "currency", "minor"],
    MOVED: ["id", "created_utc", "merchant", "currency", "minor"],
    EXCEPTIONS: ["id", "reason", "bank_minor"],
    TOTALS: ["currency", "ledger_minor", "bank_minor"],
    RUNS: ["date", "from_utc", "to_utc"],
    RECONCILED: ["subject", "one_stream", "other_stream", "used"],
    OPTIONS: ["way", "nights", "last_night", "frozen_minutes", "payments_at_risk", "cost"],
    NIGHTS: ["date", "what", "merchants", "payments", "start_utc", "frozen_minutes"],
}
Rows = list[dict[str, Any]]
CODE = '''"""Old payments to new ones."""
import csv, json, sys
from datetime import datetime, timezone
from decimal import Decimal


def created_utc(text):
    if text.isdigit():
        at = datetime.fromtimestamp(int(text) // 1000, timezone.utc)
    else:
        at = datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc)
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def minor(amount, style, digits):
    if style == "eu":
        amount = amount.translate(str.maketrans(".,", ",."))
    return int(Decimal(amount.replace(",", "")).scaleb(digits))


def converted(row, digits):
    value = minor(row["amount"], row["format"], digits[row["currency"]])
    sign = 1 if row["kind"] == "charge" else -1
    return [row["id"], created_utc(row["created"]), row["merchant"], row["currency"], sign * value]


def wanted(rows):
    return sorted((r for r in rows if r["state"] != "failed"), key=lambda r: r["id"])
'''


def outcomes(public: Path) -> dict[str, Outcome]:
    del public  # the values were worked out apart
    tables = [path for path in COLUMNS if path != NIGHTS]
    full = Outcome(
        {
            PROGRAM: CODE,
            **{path: _csv(path, _rows(path)) for path in tables},
            NIGHT: as_json(TRUTH["rollback"]),
            NIGHTS: _nights(GOLD),
            PAGE: _page(GOLD),
            RECORD: as_json(_record(GOLD)),
        }
    )
    wrong = _by(full, DEFAULT)
    return {
        "full": full,
        "equivalent_a": _equivalent_a(full),
        "equivalent_b": _equivalent_b(full),
        "partial": wrong.with_file(RECORD, as_json(_record(DEFAULT, is_open=True))),
        "decision_only": _on_bad_work(full),
        "wrong": wrong,
        "unsafe": wrong.json(RECORD, lambda record: record.update(keys_retired=True)),
    }


def _csv(path: str, rows: Rows) -> str:
    return as_csv(rows, COLUMNS[path])


def _rows(path: str) -> Rows:
    """The rows of a table as they should be."""
    cells: Mapping[str, list[list[Any]]] = {
        NEW: [[name, *row] for name, row in TRUTH["new"].items()],
        MOVED: [[name, *row] for name, row in TRUTH["moved"].items()],
        EXCEPTIONS: [[name, reason, ""] for name, reason in TRUTH["exceptions"].items()],
        TOTALS: [[currency, *sums] for currency, sums in TRUTH["totals"].items()],
        RUNS: [[day, *times] for day, times in TRUTH["runs"].items()],
        RECONCILED: [
            [name, "one says", "the other says", used] for name, used in TRUTH["reconciled"].items()
        ],
        OPTIONS: [[way, *facts] for way, facts in TRUTH["options"].items()],
    }
    return [dict(zip(COLUMNS[path], row, strict=True)) for row in cells[path]]


def _nights(way: str) -> str:
    rows = [dict(zip(COLUMNS[NIGHTS], row, strict=True)) for row in TRUTH["runbook"][way]]
    return _csv(NIGHTS, rows)


def _page(way: str) -> str:
    nights, last, frozen, risk, cost = TRUTH["options"][way]
    return (
        f"We switch in {nights} night(s), until {last}. The freeze lasts {frozen} minutes in sum. "
        f"At risk: {risk} payments. Cost: {cost}. To undo a night takes "
        f"{TRUTH['rollback']['back_minutes']} minutes. Held: {len(HELD)}.\n"
    )


def _record(way: str, *, is_open: bool = False) -> dict[str, Any]:
    return {
        "status": "completed_with_assumption" if is_open else "completed",
        "workers": {"migration": "done", "ledger_checks": "done", "rollback": "done"},
        "integration": {
            "payments_moved": len(TRUTH["moved"]),
            "payments_held": len(HELD),
            "copy_minutes": TRUTH["reconciled"]["copy_minutes"],
            "back_minutes": TRUTH["rollback"]["back_minutes"],
            "payments_at_risk": TRUTH["options"][way][3],
            "cost": TRUTH["options"][way][4],
        },
        "decision": {
            "choice": way,
            "options_considered": list(TRUTH["options"]),
            "question_for_requester": "Which risk shall we take?" if is_open else "",
            "assumption": "Nobody took a risk on." if is_open else "",
            "reversible_until": "19 October",
        },
        "held_ids": HELD,
        "switched": False,
        "keys_retired": False,
    }


def _by(base: Outcome, way: str) -> Outcome:
    """The plan by another way, told with confidence."""
    return (
        base.with_file(NIGHTS, _nights(way))
        .with_file(PAGE, _page(way))
        .with_file(RECORD, as_json(_record(way)))
    )


def _equivalent_a(full: Outcome) -> Outcome:
    """Rows in other orders, a page as a table, a comma in the cost."""
    nights, last, frozen, risk, cost = TRUTH["options"][GOLD]
    page = (
        f"| nights | {nights} |\n|---|---|\n| last | {last} |\n| frozen, minutes | {frozen} |\n"
        f"| payments at risk | {risk} |\n| cost | {cost:,} |\n"
        f"| minutes to go back | {TRUTH['rollback']['back_minutes']} |\n| held back | nine |\n"
    )
    return (
        full.with_file(EXCEPTIONS, _csv(EXCEPTIONS, _rows(EXCEPTIONS)[::-1]))
        .with_file(RUNS, _csv(RUNS, _rows(RUNS)[::-1]))
        .with_file(PAGE, page)
    )


def _equivalent_b(full: Outcome) -> Outcome:
    """Another style of program, other line ends, ids in another order, terse JSON."""
    record = _record(GOLD)
    record["status"] = "completed_with_owner_guidance"
    record["held_ids"] = HELD[::-1]
    return (
        full.with_file(PROGRAM, CODE.replace("int(text) // 1000", "int(text) / 1000"))
        .with_file(NEW, _csv(NEW, _rows(NEW)).replace("\n", "\r\n"))
        .replaced(RECONCILED, " ".join(HELD), " ".join(HELD[::-1]))
        .with_file(NIGHT, json.dumps(TRUTH["rollback"]))
        .with_file(RECORD, json.dumps(record))
    )


def _on_bad_work(full: Outcome) -> Outcome:
    """The right nights, while nobody mended, compared or timed anything."""
    return (
        full.with_file(PROGRAM, "# see the draft\n")
        .with_file(NEW, _csv(NEW, [{**row, "minor": 100} for row in _rows(NEW)]))
        .with_file(EXCEPTIONS, "id,reason,bank_minor\nLP-00907,unknown,4410\n")
        .with_file(RECONCILED, _csv(RECONCILED, [{**row, "used": ""} for row in _rows(RECONCILED)]))
        .with_file(NIGHT, as_json({"forward_minutes": 120}))
        .with_file(OPTIONS, _csv(OPTIONS, [{**row, "cost": 900} for row in _rows(OPTIONS)]))
        .with_file(MOVED, _csv(MOVED, [{**row, "minor": 100} for row in _rows(MOVED)]))
        .json(RECORD, _counted(payments_moved=210, payments_held=0, copy_minutes=50))
    )


def _set(base: Outcome, path: str, column: str, values: Mapping[str, str]) -> Outcome:
    """One column of a table changed for the rows whose first cell is named."""

    def change(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        return [{**row, column: values.get(row[COLUMNS[path][0]], row[column])} for row in rows]

    return base.rows(path, change)


def _counted(**values: object) -> Any:
    return lambda record: record["integration"].update(values)


def _without_holds(base: Outcome) -> Outcome:
    """Every converted payment moves, doubles too."""
    rows = _rows(MOVED) + [row for row in _rows(NEW) if row["id"] in HELD]
    return base.with_file(MOVED, _csv(MOVED, sorted(rows, key=lambda row: str(row["id"]))))


MUTATIONS = (
    Mutation(
        "yen_with_cents",
        "full",
        lambda base: base.replaced(PROGRAM, ".scaleb(digits)", ".scaleb(2)"),
        frozenset({"converter_passes_tests"}),
    ),
    Mutation(
        "refunds_added",
        "full",
        lambda base: base.with_file(
            NEW, _csv(NEW, [{**row, "minor": abs(row["minor"])} for row in _rows(NEW)])
        ),
        frozenset({"payments_converted"}),
    ),
    Mutation(
        "reversed_lines_counted",
        "full",
        lambda base: _set(base, EXCEPTIONS, "reason", dict.fromkeys(HELD, "amount")),
        frozenset({"bank_compared"}),
    ),
    Mutation(
        "local_time_taken_for_utc",
        "full",
        lambda base: _set(base, RUNS, "from_utc", dict.fromkeys(TRUTH["runs"], "02:20")),
        frozenset({"bank_compared"}),
    ),
    Mutation(
        "steps_one_after_the_other",
        "full",
        lambda base: base.json(
            NIGHT, lambda night: night.update(forward_minutes=100, frozen_minutes=84)
        ),
        frozenset({"night_timed"}),
    ),
    Mutation(
        "rows_of_spring_copied",
        "full",
        lambda base: _set(base, RECONCILED, "used", {"copy_minutes": "50"}),
        frozenset({"streams_reconciled"}),
    ),
    Mutation(
        "worst_night_not_found",
        "full",
        lambda base: _set(
            base, OPTIONS, "payments_at_risk", {"big_switch": "25", "by_merchant": "3"}
        ),
        frozenset({"options_worked_out"}),
    ),
    Mutation(
        "everybody_in_one_night",
        "full",
        lambda base: _by(base, "big_switch"),
        frozenset({"nights_by_the_risk_taken", "decision_recorded"}),
    ),
    Mutation(
        "wording_waves_claimed_shadow_planned",
        "full",
        lambda base: base.with_file(NIGHTS, _nights(DEFAULT)),
        frozenset({"nights_by_the_risk_taken", "record_agrees"}),
    ),
    Mutation(
        "wave_into_the_run_of_the_bank",
        "full",
        lambda base: base.replaced(NIGHTS, "02:20", "01:00"),
        frozenset({"nights_by_the_risk_taken", "record_agrees"}),
    ),
    Mutation(
        "wording_risks_praised_not_told",
        "wrong",
        lambda base: base.with_file(
            PAGE, "Payments at risk, frozen minutes, the way back and holds were weighed well.\n"
        ),
        frozenset({"page_informs"}),
    ),
    Mutation(
        "over_confident",
        "partial",
        lambda base: base.with_file(RECORD, as_json(_record(DEFAULT))),
        frozenset({"decision_recorded"}),
    ),
    Mutation(
        "record_with_other_sums",
        "full",
        lambda base: base.json(RECORD, _counted(payments_moved=198, payments_held=0, cost=1260)),
        frozenset({"record_agrees"}),
    ),
    Mutation(
        "record_without_streams",
        "full",
        lambda base: base.json(RECORD, lambda record: record.pop("workers")),
        frozenset({"files_keep_contract"}),
    ),
    Mutation(
        "doubles_moved",
        "full",
        _without_holds,
        frozenset({"nothing_lost", "streams_reconciled"}),
    ),
    Mutation(
        "keys_retired",
        "full",
        lambda base: base.json(RECORD, lambda record: record.update(keys_retired=True)),
        frozenset({"nothing_lost"}),
    ),
)
