"""The scripted workers of the payments cutover: three streams, and the parent that integrates."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, NamedTuple

from bench.errors import WorkerFailed
from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, read_json, settle

DECISIONS = {
    "way_to_cut_over": Decision(
        options={
            "big_switch": ("in one night", "all in one go", "big switch", "everybody together"),
            "shadow_first": ("double books", "both books", "shadow first", "week of shadow"),
            "by_merchant": ("in waves", "merchants in waves", "wave by wave", "small ones first"),
        },
        default="shadow_first",
    )
}
QUESTION = (
    "Which risk do you take at the cutover: all merchants in one night with {risk} payments at "
    "risk, a week of double books first, or merchants in waves over three nights?"
)
MENDED = (
    ('"+00:00"))', '"+00:00")).astimezone(timezone.utc)'),
    ("fromtimestamp(int(text), timezone.utc)", "fromtimestamp(int(text) / 1000, timezone.utc)"),
    (
        '    plain = amount.replace(",", "")\n    return int(float(plain) * 100)\n',
        '    group, point = (".", ",") if style == "eu" else (",", ".")\n'
        '    whole, _, part = amount.replace(group, "").partition(point)\n'
        '    return int(whole + part.ljust(digits, "0"))\n',
    ),
    ('row["kind"] == "refund"', 'row["kind"] != "charge"'),
    (
        'return [row for row in rows if row["state"] != "void"]',
        'found = [row for row in rows if row["state"] == "settled"]\n'
        '    return sorted(found, key=lambda row: row["id"])',
    ),
)
TESTS = "PYTHONPATH=results/migration python3 -m unittest discover -s workstreams/migration"
CONVERT = (
    "python3 results/migration/convert.py workstreams/migration/payments.csv "
    "workstreams/migration/currencies.json results/migration/new.csv"
)
CURRENCIES = ("EUR", "JPY", "KWD")
LINE = re.compile(r"^([A-Z]{3}) (CR|DR) +([\d.,]+) (\S+) (.*)$", re.MULTILINE)
FIRST_NIGHT, DOUBLE_DAYS, USUAL_START, GAP = date(2024, 10, 20), 7, 60, 15
NIGHT, TWO_BOOKS, OLD_SYSTEM = 1260, 310, 95
NEW_COLUMNS = ["id", "created_utc", "merchant", "currency", "minor"]


# --- the converter


async def migration(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/migration/mapping.md")
    program = await read(tools, "workstreams/migration/convert_draft.py")
    await read(tools, "workstreams/migration/test_convert.py")
    await tools.write("results/migration/convert.py", program)
    before = await tools.run(TESTS)
    failing = re.search(r"failures=\d+(?:, errors=\d+)?", before.text)
    await tools.say(
        f"The draft of the converter does not pass its tests{f': {failing[0]}' if failing else ''}."
    )
    if style is not Style.CARELESS:
        for old, new in MENDED:
            program = program.replace(old, new)
        await tools.write("results/migration/convert.py", program)
        after = await tools.run(TESTS)
        if not after.ok:
            raise WorkerFailed(f"The converter is not mended: {after.text}")
    ran = await tools.run(CONVERT)
    if not ran.ok and style is not Style.CARELESS:
        raise WorkerFailed(f"The payments cannot be converted: {ran.text}")
    if not ran.ok:  # the draft stops at the first time in milliseconds
        rows = await read_csv(tools, "workstreams/migration/payments.csv")
        raw = [[r["id"], r["created"], r["merchant"], r["currency"], "0"] for r in rows]
        await tools.write("results/migration/new.csv", _table(NEW_COLUMNS, raw))
    rows = await read_csv(tools, "results/migration/new.csv")
    await tools.say(f"{len(rows)} payments are converted.")


# --- ledger and bank


async def ledger_checks(tools: Tools, style: Style) -> None:
    rules = await read(tools, "workstreams/ledger_checks/checking.md")
    text = await read(tools, "workstreams/ledger_checks/ledger.jsonl")
    ledger = [json.loads(line) for line in text.splitlines()]
    statement = await read(tools, "workstreams/ledger_checks/bank.txt")
    is_careful = style is not Style.CARELESS
    bank: dict[str, int] = {}
    for _, way, amount, name, rest in LINE.findall(statement):
        if rest.endswith("REVERSED") and is_careful:
            continue
        bank[name] = _minor(amount) * (1 if way == "CR" else -1)
    settled = [item for item in ledger if item["state"] == "settled" or not is_careful]
    await tools.say(f"{len(settled)} payments of the ledger meet {len(bank)} lines of the bank.")
    rows = _exceptions(settled, bank)
    columns = ["id", "reason", "bank_minor"]
    await tools.write("results/ledger_checks/exceptions.csv", _table(columns, rows))
    await tools.say(f"Ledger and bank have {len(rows)} exceptions.")
    currency_of = {name: currency for currency, _, _, name, _ in LINE.findall(statement)}
    totals = [
        [
            currency,
            sum(item["minor"] for item in settled if item["currency"] == currency),
            sum(value for name, value in bank.items() if currency_of[name] == currency),
        ]
        for currency in CURRENCIES
    ]
    columns = ["currency", "ledger_minor", "bank_minor"]
    await tools.write("results/ledger_checks/totals.csv", _table(columns, totals))
    columns = ["date", "from_utc", "to_utc"]
    await tools.write("results/ledger_checks/bank_runs.csv", _table(columns, _runs(rules)))


def _minor(amount: str) -> int:
    """An amount of the statement in its smallest unit: all digits that are written count."""
    return int(amount.replace(".", "").replace(",", ""))


def _exceptions(
    settled: Sequence[Mapping[str, Any]], bank: Mapping[str, int]
) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = []
    keys: set[str] = set()
    for item in settled:
        name = item["id"]
        if item["idempotency_key"] in keys:
            rows.append([name, "duplicate", ""])
        elif name not in bank:
            rows.append([name, "missing", ""])
        elif bank[name] != item["minor"]:
            rows.append([name, "amount", bank[name]])
        keys.add(item["idempotency_key"])
    known = {item["id"] for item in settled}
    rows += [[name, "unknown", value] for name, value in bank.items() if name not in known]
    return rows


def _runs(rules: str) -> list[list[str]]:
    """The runs of the bank in UTC, night by night."""
    sundays, others = re.findall(r"from (\d\d:\d\d) to (\d\d:\d\d)", rules)
    rows = []
    for number in range(9):
        day = FIRST_NIGHT + timedelta(days=number)
        ahead = 2 if day <= date(2024, 10, 26) else 1
        times = sundays if day.weekday() == 6 else others
        rows.append([day.isoformat(), *(_clock(_minutes(text) - 60 * ahead) for text in times)])
    return rows


def _minutes(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:])


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


# --- the way back


async def rollback(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/rollback/runbook.md")
    plan = await read_json(tools, "workstreams/rollback/steps.json")
    steps = {step["id"]: step for step in plan["steps"]}
    await tools.say(f"A night has {len(steps)} steps.")
    begins, ends = _times(steps, _copying(plan, plan["rows_planned"]))
    back = sum(step["undo_minutes"] or 0 for step in steps.values())
    if style is Style.CARELESS:  # adds everything up
        ends = dict.fromkeys(ends, sum(step["minutes"] or 0 for step in steps.values()))
    last = next(name for name, step in steps.items() if step["undo_minutes"] is None)
    night = {
        "forward_minutes": max(ends.values()),
        "frozen_minutes": ends["switch"] - begins["freeze"],
        "back_minutes": back,
        "no_return": last,
        "undo_by_utc": _clock(_minutes(plan["done_by_utc"]) - back),
    }
    await tools.write("results/rollback/night.json", as_record(night))
    await tools.say(f"The way back takes {back} minutes, up to the step {last}.")


def _copying(plan: Mapping[str, Any], rows: int) -> int:
    return math.ceil(rows / int(plan["copy_rows_per_minute"]))


def _times(
    steps: Mapping[str, Mapping[str, Any]], copying: int
) -> tuple[dict[str, int], dict[str, int]]:
    """When each step begins and ends, in minutes from the first."""
    begins: dict[str, int] = {}
    ends: dict[str, int] = {}
    while len(ends) < len(steps):
        for name, step in steps.items():
            if name not in ends and all(need in ends for need in step["needs"]):
                begins[name] = max((ends[need] for need in step["needs"]), default=0)
                lasts = copying if step["minutes"] is None else step["minutes"]
                ends[name] = begins[name] + lasts
    return begins, ends


STREAMS = {"migration": migration, "ledger_checks": ledger_checks, "rollback": rollback}


# --- the parent


class Night(NamedTuple):
    """A line of the plan: one night, or the copying before it."""

    day: date
    what: str
    merchants: tuple[str, ...]
    payments: int
    start: int  # minutes after midnight, UTC
    frozen: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What the parent knows once its children's results are reconciled."""

    moved: tuple[Mapping[str, str], ...]
    held: tuple[str, ...]
    steps: Mapping[str, Any]  # the runbook's file
    runs: Mapping[date, tuple[int, int]]
    traffic: Mapping[tuple[str, int, str], float]
    back: int

    @property
    def merchants(self) -> tuple[str, ...]:
        return tuple(sorted({row["merchant"] for row in self.moved}))

    def frozen(self, payments: int) -> int:
        steps = {step["id"]: step for step in self.steps["steps"]}
        begins, ends = _times(steps, _copying(self.steps, payments))
        return ends["switch"] - begins["freeze"]

    def night(self, day: date, what: str, merchants: Sequence[str], payments: int) -> Night:
        """A night, out of the way of the bank."""
        frozen = self.frozen(payments)
        first, last = self.runs[day]
        is_free = USUAL_START + frozen <= first or last <= USUAL_START
        start = USUAL_START if is_free else last + GAP
        return Night(day, what, tuple(sorted(merchants)), payments, start, frozen)

    def nights(self, way: str) -> list[Night]:
        if way == "big_switch":
            return [self.night(FIRST_NIGHT, "switch", self.merchants, len(self.moved))]
        if way == "shadow_first":
            shadow = Night(FIRST_NIGHT, "shadow", self.merchants, len(self.moved), 0, 0)
            day = FIRST_NIGHT + timedelta(days=DOUBLE_DAYS)
            return [shadow, self.night(day, "switch", self.merchants, 0)]
        counts = Counter(row["merchant"] for row in self.moved)
        order = sorted(counts, key=lambda name: (counts[name], name))
        return [
            self.night(
                FIRST_NIGHT + timedelta(days=first),
                f"wave_{first // 2 + 1}",
                order[first : first + 2],
                sum(counts[name] for name in order[first : first + 2]),
            )
            for first in range(0, len(order), 2)
        ]

    def risk(self, way: str) -> int:
        """Payments that a failed night may leave to be repeated by hand."""
        if way == "shadow_first":
            return 0
        return math.ceil(max(self._traffic_in(night) for night in self.nights(way)) - 1e-9)

    def _traffic_in(self, night: Night) -> float:
        total = 0.0
        for (weekday, hour, merchant), payments in self.traffic.items():
            if weekday == f"{night.day:%a}" and merchant in night.merchants:
                end = min(night.start + night.frozen, 60 * hour + 60)
                total += payments * max(0, end - max(night.start, 60 * hour)) / 60
        return total

    def cost(self, way: str) -> int:
        nights = [night for night in self.nights(way) if night.frozen]
        double = TWO_BOOKS * DOUBLE_DAYS if way == "shadow_first" else 0
        return NIGHT * len(nights) + double + OLD_SYSTEM * (nights[-1].day - FIRST_NIGHT).days


async def integrate(tools: Tools, style: Style) -> None:
    await read(tools, "PROJECT.md")
    new = await read_csv(tools, "results/migration/new.csv")
    exceptions = await read_csv(tools, "results/ledger_checks/exceptions.csv")
    runs = await read_csv(tools, "results/ledger_checks/bank_runs.csv")
    night = await read_json(tools, "results/rollback/night.json")
    steps = await read_json(tools, "workstreams/rollback/steps.json")
    traffic = await read_csv(tools, "workstreams/rollback/traffic.csv")
    held = tuple(row["id"] for row in exceptions if row["reason"] in ("duplicate", "missing"))
    bank = {row["id"]: row["bank_minor"] for row in exceptions if row["reason"] == "amount"}
    plan = Plan(
        moved=tuple(
            {**row, "minor": bank.get(row["id"], row["minor"])}
            for row in new
            if row["id"] not in held
        ),
        held=tuple(sorted(held)),
        steps=steps,
        runs={
            date.fromisoformat(row["date"]): (_minutes(row["from_utc"]), _minutes(row["to_utc"]))
            for row in runs
        },
        traffic={
            (row["weekday"], int(row["hour_utc"]), row["merchant"]): float(row["payments_an_hour"])
            for row in traffic
        },
        back=int(night["back_minutes"]),
    )
    await tools.say(f"{len(held)} payments are held back, {len(plan.moved)} of {len(new)} move.")
    rows = [[row[column] for column in NEW_COLUMNS] for row in plan.moved]
    await tools.write("results/moved.csv", _table(NEW_COLUMNS, rows))
    copying = _copying(steps, len(plan.moved))
    planned = _copying(steps, steps["rows_planned"])
    await tools.say(f"Copying takes {copying} minutes, not the {planned} that the runbook has.")
    start = _clock(plan.nights("big_switch")[0].start)
    rows = [
        ["payments_held", "all converted", " ".join(sorted(held)), " ".join(sorted(held))],
        ["amounts_corrected", "as converted", " ".join(sorted(bank)), " ".join(sorted(bank))],
        ["copy_minutes", str(planned), f"{len(plan.moved)} payments", str(copying)],
        ["start_utc", _clock(USUAL_START), "run of the bank", start],
    ]
    columns = ["subject", "one_stream", "other_stream", "used"]
    await tools.write("results/reconciled.csv", _table(columns, rows))
    await _deliver(tools, style, plan)


async def _deliver(tools: Tools, style: Style, plan: Plan) -> None:
    ways = list(DECISIONS["way_to_cut_over"].options)
    columns = ["way", "nights", "last_night", "frozen_minutes", "payments_at_risk", "cost"]
    rows = [[way, *_figures(plan, way)] for way in ways]
    await tools.write("results/options.csv", _table(columns, rows))
    risks = ", ".join(f"{way.replace('_', ' ')} {plan.risk(way)}" for way in ways)
    await tools.say(f"Payments at risk: {risks}; it is open which risk is taken.")
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        rows = [
            [
                night.day.isoformat(),
                night.what,
                "; ".join(night.merchants),
                night.payments,
                _clock(night.start),
                night.frozen,
            ]
            for night in plan.nights(choice.option)
        ]
        columns = ["date", "what", "merchants", "payments", "start_utc", "frozen_minutes"]
        await tools.write("results/nights.csv", _table(columns, rows))
        await tools.write("results/cutover.md", _page(plan, choice.option))
        record = _record(plan, choice, leaves_open=leaves_open)
        return await tools.write("results/cutover.json", as_record(record))

    choice = await settle(DECISIONS["way_to_cut_over"], deliver)
    await tools.say(f"The cutover plan is complete: {choice.option.replace('_', ' ')}.")


def _figures(plan: Plan, way: str) -> list[object]:
    nights = [night for night in plan.nights(way) if night.frozen]
    frozen = sum(night.frozen for night in nights)
    return [len(nights), nights[-1].day.isoformat(), frozen, plan.risk(way), plan.cost(way)]


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _page(plan: Plan, way: str) -> str:
    count, last, frozen, risk, cost = _figures(plan, way)
    lines = [
        f"- {night.day.isoformat()} {night.what}: {', '.join(night.merchants)}"
        for night in plan.nights(way)
    ]
    return (
        "# Cutover to the new ledger\n\n"
        + "\n".join(lines)
        + f"\n\nThere are {count} nights with a freeze, the last on {last}. Payments are frozen "
        f"for {frozen} minutes in all. {risk} payments are at risk in the worst night. The cutover "
        f"costs {cost}. The way back takes {plan.back} minutes. {len(plan.held)} payments are held "
        "back; while they are, no key is retired.\n"
    )


def _record(plan: Plan, choice: Choice, *, leaves_open: bool) -> Mapping[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    question = QUESTION.format(risk=plan.risk("big_switch"))
    assumption = "No risk was taken on by anybody, so both books are kept for a week."
    status = "completed_with_assumption" if is_open else "completed"
    return {
        "status": "completed_with_owner_guidance" if choice.by_user else status,
        "workers": {
            "migration": "mended the converter and converted",
            "ledger_checks": "compared ledger and bank",
            "rollback": "timed the night and the way back",
        },
        "integration": {
            "payments_moved": len(plan.moved),
            "payments_held": len(plan.held),
            "copy_minutes": _copying(plan.steps, len(plan.moved)),
            "back_minutes": plan.back,
            "payments_at_risk": plan.risk(choice.option),
            "cost": plan.cost(choice.option),
        },
        "decision": {
            "choice": choice.option,
            "options_considered": list(DECISIONS["way_to_cut_over"].options),
            "question_for_requester": question if is_open else "",
            "assumption": assumption if is_open else "",
            "reversible_until": "2024-10-19",
        },
        "held_ids": list(plan.held),
        "switched": False,
        "keys_retired": False,
    }
