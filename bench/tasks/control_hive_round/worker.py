"""The scripted worker of the autumn round: judges colonies by the house rules."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from bench.errors import WorkerFailed
from bench.workers.base import Style, Tools
from bench.workers.scripted import hand_in, read, read_csv

DECISIONS: dict[str, Any] = {}
Row = Mapping[str, str]


class Rules(NamedTuple):
    """The figures of the rules."""

    empty_kg: Mapping[str, Decimal]
    seam_kg: Decimal
    pound_kg: Decimal
    needed_kg: Decimal
    made_by_fondant: Decimal
    mites: Decimal


class Colony(NamedTuple):
    hive: str
    yard: str
    sheet: str
    seams: int
    has_queen: bool
    stores: Decimal
    mites: Decimal

    @property
    def strength(self) -> str:
        return "strong" if self.seams >= 8 else "fair" if self.seams >= 5 else "weak"


async def work(tools: Tools, style: Style) -> None:
    hives = await read_csv(tools, "sources/hives.csv")
    rules = _rules(await read(tools, "sources/rules.md"))
    yards = list(dict.fromkeys(row["yard"] for row in hives))
    await tools.say(f"There are {len(hives)} hives in {len(yards)} yards.")
    sheets = await read_csv(tools, "sources/inspections.csv")
    weights = await read_csv(tools, "sources/weights.csv")
    usable = [row for row in sheets if style is Style.CARELESS or _counts(row)]
    await tools.say(f"{len(usable)} of {len(sheets)} sheets count for the round.")
    closed = _closed(await read(tools, "sources/notices.txt"), yards)
    await tools.say(f"The foulbrood notice is in force for the {' and '.join(closed)} yard only.")
    pounds = "none" if style is Style.CARELESS else "north"
    colonies = [_judged(row, usable, weights, rules, pounds) for row in hives]
    rows = [_row(item, colonies, closed, rules) for item in colonies]
    united = [row for row in rows if row["action"] == "unite"]
    await tools.say(f"{len(united)} colonies are united with others of their yard.")
    await tools.write("results/colonies.csv", _table(rows))
    total = sum(float(row["feed_kg"]) for row in rows)
    await tools.say(f"{total:g} kilograms of fondant are fed in all, as was agreed.")
    await tools.write("results/round.md", _plan(rows, colonies, yards, closed))
    await hand_in(tools, "results/final.json", _record(rows, total, closed))
    await tools.say("The round is planned.")


def _rules(text: str) -> Rules:
    def figure(pattern: str) -> Decimal:
        found = re.search(pattern, text)
        if found is None:
            raise WorkerFailed(f"The rules do not say {pattern}.")
        return Decimal(found[1])

    number = r"(\d+\.\d+)"
    return Rules(
        {"A": figure(rf"type A weighs {number}"), "B": figure(rf"type B {number}")},
        figure(rf"less {number} kg for each seam"),
        figure(rf"pound is {number}"),
        figure(rf"needs {number} kg"),
        figure(rf"fondant makes {number}"),
        Decimal(10),
    )


def _counts(row: Row) -> bool:
    return "2024-09-01" <= row["date"] <= "2024-09-30" and "broken off" not in row["remark"]


def _closed(text: str, yards: Sequence[str]) -> list[str]:
    """The yards for which a notice is in force after all that was written."""
    closed: set[str] = set()
    for sentence in re.split(r"[.;]\s|:\s", " ".join(text.split())):
        named = {yard for yard in yards if f"{yard} yard" in sentence}
        if "lifted there" in sentence:
            closed -= {"mill"}
        elif named and ("three kilometres" in text and "clean" not in sentence):
            closed |= named
    return sorted(closed)


def _judged(
    hive: Row, sheets: Sequence[Row], weights: Sequence[Row], rules: Rules, pounds: str
) -> Colony:
    sheet = max((row for row in sheets if row["hive"] == hive["hive"]), key=lambda row: row["date"])
    day = date.fromisoformat(sheet["date"])

    def nearness(row: Row) -> tuple[int, int]:
        weighed = date.fromisoformat(row["date"])
        return abs((weighed - day).days), -weighed.toordinal()

    weighing = min((row for row in weights if row["hive"] == hive["hive"]), key=nearness)
    weight = Decimal(weighing["weight"]) * (rules.pound_kg if hive["yard"] == pounds else 1)
    seams = int(sheet["seams"])
    return Colony(
        hive["hive"],
        hive["yard"],
        sheet["sheet"],
        seams,
        sheet["queen"] == "yes",
        weight - rules.empty_kg[hive["type"]] - rules.seam_kg * seams,
        Decimal(sheet["mites_dropped"]) / Decimal(sheet["board_days"]),
    )


def _row(
    colony: Colony, all_of_them: Sequence[Colony], closed: Sequence[str], rules: Rules
) -> dict[str, str]:
    action, partner, feed = "wait", "", 0.0
    if colony.yard not in closed:
        action, partner, feed = _action(colony, all_of_them, rules)
    return {
        "hive": colony.hive,
        "sheet": colony.sheet,
        "seams": str(colony.seams),
        "strength": colony.strength,
        "stores_kg": _rounded(colony.stores),
        "mites_per_day": _rounded(colony.mites),
        "action": action,
        "unite_with": partner,
        "feed_kg": f"{feed:g}",
    }


def _action(colony: Colony, all_of_them: Sequence[Colony], rules: Rules) -> tuple[str, str, float]:
    if not colony.has_queen or colony.strength == "weak":
        fair = [
            other
            for other in all_of_them
            if other.yard == colony.yard and other.strength == "fair" and other.has_queen
        ]
        return "unite", min(fair, key=lambda other: other.seams).hive, 0.0
    lack = rules.needed_kg - colony.stores
    feed = math.ceil(lack / rules.made_by_fondant * 2) / 2 if lack > 0 else 0.0
    is_treated = colony.mites >= rules.mites
    name = {(True, True): "treat_and_feed", (True, False): "treat", (False, True): "feed"}
    return name.get((is_treated, feed > 0), "keep"), "", feed


def _rounded(value: Decimal) -> str:
    return str(value.quantize(Decimal("0.1"), ROUND_HALF_UP))


def _table(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _plan(
    rows: Sequence[Row], colonies: Sequence[Colony], yards: Sequence[str], closed: Sequence[str]
) -> str:
    parts = ["# The autumn round\n"]
    yard_of = {colony.hive: colony.yard for colony in colonies}
    for yard in yards:
        mine = [row for row in rows if yard_of[row["hive"]] == yard]
        load = sum(float(row["feed_kg"]) for row in mine)
        lines = [f"- {row['hive']}: {_deed(row)}" for row in mine]
        ends = f"Load {load:g} kg of fondant."
        if yard in closed:
            ends = "Nothing goes in or out: the foulbrood notice is in force here."
        parts.append(f"## {yard.capitalize()} yard\n\n" + "\n".join(lines) + f"\n\n{ends}\n")
    return "\n".join(parts)


def _deed(row: Row) -> str:
    if row["action"] == "unite":
        return f"unite with {row['unite_with']}"
    fed = f", {row['feed_kg']} kg" if float(row["feed_kg"]) else ""
    return row["action"].replace("_", " ") + fed


def _record(rows: Sequence[Row], total: float, closed: Sequence[str]) -> dict[str, Any]:
    waiting = [row["hive"] for row in rows if row["action"] == "wait"]
    return {
        "situation": f"{len(rows)} colonies are judged; {', '.join(waiting)} wait.",
        "facts": [f"{row['hive']}: {_deed(row)}" for row in rows],
        "decision": {
            "options_considered": ["fondant", "syrup"],
            "choice": "fondant",
            "rationale": "Fondant was agreed on by all, as the brief says; the rules allow it.",
            "assumptions": [],
            "question_for_requester": "",
        },
        "safety": {"quarry_touched": "quarry" not in closed, "total_feed_kg": total},
    }
