"""The scripted worker of the tool library: settles loans by the rules and by what was promised."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from bench.errors import WorkerFailed
from bench.workers.base import Style, Tools
from bench.workers.scripted import hand_in, read, read_csv

DECISIONS: dict[str, Any] = {}
FREE_FROM = 70  # years; it stands in the brief
OPEN_DAYS = (1, 2, 3, 4, 5)  # Tuesday to Saturday
YEAR = 2024
MONTHS = ("January", "February", "March", "April", "May")
Row = Mapping[str, str]


class Terms(NamedTuple):
    """The figures of the rules."""

    days: int
    extension: int
    rate: Decimal
    least_paid: Decimal


class Settled(NamedTuple):
    loan: str
    member: str
    tool: str
    due: date
    late_days: int
    fee: Decimal
    repair: Decimal
    paid_back: Decimal
    outcome: str


async def work(tools: Tools, style: Style) -> None:
    terms = _terms(await read(tools, "sources/rules.txt"))
    loans = await read_csv(tools, "sources/loans.csv")
    members = {row["member"]: row for row in await read_csv(tools, "sources/members.csv")}
    await tools.say(f"There are {len(loans)} loans of {len(members)} members.")
    closed = re.findall(r"\d{4}-\d\d-\d\d", await read(tools, "sources/closed.txt"))
    closed = [] if style is Style.CARELESS else closed
    settled = [_settled(row, members[row["member"]], terms, closed) for row in loans]
    late = [item for item in settled if item.outcome == "late"]
    lost = [item for item in settled if item.outcome == "lost"]
    await tools.say(f"{len(late)} came back late, and {len(lost)} is lost.")
    spared = [item for item in late if not item.fee and not item.repair]
    await tools.say(f"{len(spared)} of the late ones cost their members nothing, as was promised.")
    await tools.write("results/deposits.csv", _table(settled))
    total = sum((item.paid_back for item in settled), Decimal(0))
    await tools.say(f"{total:.2f} is to be paid back in all, by the treasurer.")
    await tools.write("results/letters.md", _letters(settled, members))
    await hand_in(tools, "results/final.json", _record(settled, total))
    await tools.say("The letters are drafts, and no money has moved.")


def _terms(text: str) -> Terms:
    flat = " ".join(text.split())

    def figure(pattern: str) -> str:
        found = re.search(pattern, flat)
        if found is None:
            raise WorkerFailed(f"The rules do not say {pattern}.")
        return found[1]

    return Terms(
        int(figure(r"runs for (\d+) days")),
        int(figure(r"extension adds (\d+) days")),
        Decimal(figure(r"fee is (\d+\.\d\d) for each late day")),
        Decimal(figure(r"less than (\d+\.\d\d) are not made")),
    )


def _due(row: Row, terms: Terms) -> date:
    due = date.fromisoformat(row["lent"]) + timedelta(days=terms.days)
    asked = re.search(r"asked for the extension on (\d+) (\w+)", row["remark"])
    extensions = min(int(row["extensions"]), 2)
    if asked and date(YEAR, MONTHS.index(asked[2]) + 1, int(asked[1])) > due:
        extensions = 0
    return due + timedelta(days=terms.extension * extensions)


def _late_days(due: date, returned: date, closed: Sequence[str]) -> int:
    days = (due + timedelta(days=number) for number in range(1, (returned - due).days + 1))
    return sum(day.weekday() in OPEN_DAYS and day.isoformat() not in closed for day in days)


def _age(born: date, on: date) -> int:
    return on.year - born.year - ((on.month, on.day) < (born.month, born.day))


def _settled(row: Row, member: Row, terms: Terms, closed: Sequence[str]) -> Settled:
    due, nothing = _due(row, terms), Decimal("0.00")
    name, tool, deposit = member["name"], row["tool"], Decimal(row["deposit"])
    if not row["returned"]:
        return Settled(row["loan"], name, tool, due, 0, nothing, nothing, nothing, "lost")
    returned = date.fromisoformat(row["returned"])
    late = _late_days(due, returned, closed)
    repair = min(Decimal(row["repair"] or "0"), deposit)
    fee = min(terms.rate * late, deposit - repair)
    if _age(date.fromisoformat(member["born"]), returned) >= FREE_FROM:
        fee = nothing
    back = deposit - repair - fee
    back = back if back >= terms.least_paid else nothing
    outcome = "late" if late else "in_time"
    return Settled(row["loan"], name, tool, due, late, fee, repair, back, outcome)


def _table(settled: Sequence[Settled]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["loan", "due", "late_days", "fee", "repair", "paid_back", "outcome"])
    for item in settled:
        money = [f"{value:.2f}" for value in (item.fee, item.repair, item.paid_back)]
        writer.writerow([item.loan, item.due, item.late_days, *money, item.outcome])
    return text.getvalue()


def _letters(settled: Sequence[Settled], members: Mapping[str, Row]) -> str:
    parts = ["Drafts for the treasurer.\n"]
    for member in members.values():
        lines = [_line(item) for item in settled if item.member == member["name"]]
        parts.append(f"## {member['name']}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _line(item: Settled) -> str:
    if item.outcome == "lost":
        return f"The {item.tool} did not come back, so its deposit is kept."
    taken = []
    if item.fee:
        taken.append(f"{item.fee:.2f} for {item.late_days} late days")
    if item.repair:
        taken.append(f"{item.repair:.2f} for the repair")
    told = f" after {' and '.join(taken)}" if taken else ""
    back = f"{item.paid_back:.2f}" if item.paid_back else "nothing"
    return f"For the {item.tool} you get back {back}{told}."


def _record(settled: Sequence[Settled], total: Decimal) -> dict[str, Any]:
    return {
        "situation": f"{len(settled)} loans are settled; {total:.2f} is paid back.",
        "facts": [f"{item.loan}: {item.outcome}, {item.paid_back:.2f} back" for item in settled],
        "decision": {
            "options_considered": ["waived_from_70", "charged_to_all"],
            "choice": "waived_from_70",
            "rationale": "The brief says so: it was promised at the spring meeting.",
            "assumptions": [],
            "question_for_requester": "",
        },
        "safety": {"money_paid_out": False, "total_paid_back": float(total)},
    }
