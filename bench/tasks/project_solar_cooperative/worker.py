"""The scripted workers of the solar cooperative: roofs, money, connection, and the parent."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, read_json, settle

DECISIONS = {
    "way_to_connect": Decision(
        options={
            "firm_only": ("firm connection", "firm only", "what is certain", "without any risk"),
            "switch_off": ("switch us off", "switched off", "turned down", "every roof"),
            "battery": ("battery", "batteries", "cells"),
        },
        default="firm_only",
    )
}
QUESTION = (
    "Should we build on all {count} roofs and be switched off at times, which leaves us {short} "
    "short in a dark year, buy batteries, or build only on the {few} roofs with a firm connection?"
)
SPECIFIC = {"S": 980, "SE": 930, "SW": 930, "E": 840, "W": 840, "flat": 900}
FOOT, PER_KWP = Decimal("0.0929"), Decimal("5.5")
DAY, SHARE = "2025-03-01", 120
INVERTER = Decimal("0.85")
A_KWH, UPKEEP, A_ROOF, RATE = Decimal("0.14"), 20, 60, Decimal("0.07")
BATTERY = 600
CONNECTIONS = {"firm_only": "firm", "switch_off": "limited", "battery": "battery"}


def _floor(value: Decimal) -> Decimal:
    """Rounded down to one decimal."""
    return Decimal(math.floor(value * 10)) / 10


# --- the roofs


async def sites(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/sites/rules.md")
    surveys = await read_csv(tools, "workstreams/sites/surveys.csv")
    latest = {row["roof"]: row for row in sorted(surveys, key=lambda row: row["surveyed"])}
    await tools.say(f"{len(surveys)} surveys are of {len(latest)} roofs.")
    borne, permitted = _letters(await read(tools, "workstreams/sites/post.txt"))
    rows: list[list[object]] = []
    for roof, row in sorted(latest.items()):
        size = _size(row, is_careful=style is not Style.CARELESS)
        fate = _fate(row, size, borne, permitted)
        light = 0
        if fate == "usable":
            light = round(SPECIFIC[row["facing"]] * (100 - int(row["shade_pct"])) / 100)
        known = [size, light] if fate == "usable" else ["", ""]
        rows.append([roof, row["address"], row["owner"], fate, *known])
    columns = "roof address owner fate kwp kwh_per_kwp".split()
    await tools.write("results/sites/sites.csv", _table(columns, rows))
    usable = sum(row[3] == "usable" for row in rows)
    await tools.say(f"{usable} of {len(rows)} roofs are usable.")


def _letters(post: str) -> tuple[set[str], set[str]]:
    """Houses that the engineer bears, and those that the county permits in the end."""
    borne, permitted = set(), set()
    for letter in post.split("\n\n"):
        sender, _, body = letter.partition("\n")
        if sender.startswith("Engineer"):
            borne |= set(re.findall(r"(\w+ \d+): [^.]*, I bear it", body))
        if sender.startswith("County"):
            permitted |= set(re.findall(r"refusal for (\w+ \d+) is lifted", body))
    return borne, permitted


def _size(row: Mapping[str, str], *, is_careful: bool) -> Decimal:
    area = Decimal(row["area"]) * (FOOT if row["unit"] == "sq ft" and is_careful else 1)
    used = Decimal("0.8") if row["kind"] == "pitched" else Decimal("0.5")
    return _floor(area * used / PER_KWP)


def _fate(row: Mapping[str, str], size: Decimal, borne: set[str], permitted: set[str]) -> str:
    renewed = int(row["renewed"])
    if row["covering"] == "fibre cement" and renewed < 1993:
        return "asbestos"
    if renewed < 1990 and row["address"] not in borne:
        return "old"
    if row["status"] == "listed" and row["address"] not in permitted:
        return "protected"
    if row["facing"] == "N":
        return "north"
    return "small" if size < 4 else "usable"


# --- the money


async def finance(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/finance/rules.md")
    entries = await read_csv(tools, "workstreams/finance/shares.csv")
    once = {row["entry"]: row for row in entries}
    await tools.say(f"{len(entries) - len(once)} entry of {len(entries)} was booked twice.")
    held: Counter[str] = Counter()
    for row in once.values() if style is not Style.CARELESS else entries:
        if row["date"] <= DAY and row["kind"] != "pledged":
            held[row["member"]] += int(row["shares"]) * (-1 if row["kind"] == "returned" else 1)
    members = {member: shares for member, shares in sorted(held.items()) if shares > 0}
    columns = ["member", "shares"]
    await tools.write("results/finance/members.csv", _table(columns, list(members.items())))
    equity = sum(members.values()) * SHARE
    await tools.say(f"{len(members)} members hold an equity of {equity}.")
    offers = await read(tools, "workstreams/finance/offers.md")
    rows = [line.strip("| ").split(" | ") for line in offers.splitlines() if line.startswith("|")]
    binding = [_offer(row) for row in rows[2:] if row[5] >= DAY]
    _, installer, a_kwp, a_roof = min(binding)
    terms = {
        "equity": equity,
        "installer": installer,
        "price_per_kwp": float(a_kwp),
        "per_roof": float(a_roof),
    }
    await tools.write("results/finance/terms.json", as_record(terms))
    await tools.say(f"{installer} has the lowest offer of those that still bind.")


def _offer(row: Sequence[str]) -> tuple[Decimal, str, Decimal, Decimal]:
    """The price of ten roofs with 100 kWp, the installer, and the net prices."""
    name, a_kwp, a_roof, prices, discount, _ = row
    tax = Decimal("1.25") if prices == "gross" else Decimal(1)
    less = re.match(r"(\d+) percent", discount)
    factor = (100 - Decimal(less[1] if less else 0)) / 100
    price = Decimal(a_kwp.replace(",", "")) / tax * factor
    fixed = Decimal(a_roof) / tax
    return 100 * price + 10 * fixed, name, price, fixed


# --- the grid


async def grid(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/grid/rules.md")
    feeders = await read_csv(tools, "workstreams/grid/feeders.csv")
    plants = await read_csv(tools, "workstreams/grid/plants.csv")
    used: dict[str, Decimal] = defaultdict(Decimal)
    for row in plants:
        if row["state"] in ("running", "confirmed"):
            used[row["feeder"]] += Decimal(row["kw"])
    free = {
        row["feeder"]: Decimal(row["kva"]) * Decimal("0.95") - used[row["feeder"]]
        for row in feeders
    }
    await tools.write("results/grid/feeders.csv", _table(["feeder", "free_kw"], list(free.items())))
    await tools.say(f"The {len(free)} feeders have {sum(free.values())} kW free.")
    houses = {
        row["address"]: row for row in await read_csv(tools, "workstreams/grid/connections.csv")
    }
    log = await read(tools, "workstreams/grid/switching.log")
    done = re.findall(r"(fuse|feeder) (\w+ \d+) \w+ -> (\w+) done", log)
    for what, address, new in done if style is not Style.CARELESS else []:
        houses[address]["fuse_a" if what == "fuse" else "feeder"] = new
    await tools.say(f"{len(done)} changes of house connections were carried out.")
    rows = [
        [address, row["feeder"], _floor(3 * 230 * Decimal(row["fuse_a"]) / 1000)]
        for address, row in sorted(houses.items())
    ]
    columns = ["address", "feeder", "max_kw"]
    await tools.write("results/grid/houses.csv", _table(columns, rows))


STREAMS = {"sites": sites, "finance": finance, "grid": grid}


# --- the parent


class Roof(NamedTuple):
    """A roof that can be built, as the streams together have it."""

    roof: str
    feeder: str
    kwp: Decimal
    light: int  # kWh a year for a kWp

    @property
    def kilowatts(self) -> Decimal:
        return self.kwp * INVERTER


class Figures(NamedTuple):
    """What a way comes to."""

    roofs: int
    kwp: Decimal
    kwh_usual: int
    kwh_dark: int
    invest: int
    loan: int
    surplus_usual: int
    surplus_dark: int


class Plan(NamedTuple):
    """What the parent knows once its children's results are reconciled."""

    roofs: Sequence[Roof]
    free: Mapping[str, Decimal]
    terms: Mapping[str, Any]
    members: int
    usable: int

    def excess(self) -> dict[str, Decimal]:
        """By how many kW each feeder falls short when all roofs are built; those that do."""
        need: dict[str, Decimal] = defaultdict(Decimal)
        for roof in self.roofs:
            need[roof.feeder] += roof.kilowatts
        over = {feeder: need[feeder] - free for feeder, free in self.free.items()}
        return {feeder: kilowatts for feeder, kilowatts in over.items() if kilowatts > 0}

    def built(self, way: str) -> list[Roof]:
        if way != "firm_only":
            return list(self.roofs)
        left = dict(self.free)
        taken = []
        for roof in sorted(self.roofs, key=lambda roof: (-roof.light, roof.roof)):
            if roof.kilowatts <= left[roof.feeder]:
                left[roof.feeder] -= roof.kilowatts
                taken.append(roof)
        return sorted(taken)

    def connections(self, way: str) -> list[list[object]]:
        """The roofs that are built, with how each is connected."""
        kind, over = CONNECTIONS[way], self.excess()
        return [
            [roof.roof, roof.feeder, roof.kwp, kind if roof.feeder in over else "firm"]
            for roof in self.built(way)
        ]

    def figures(self, way: str) -> Figures:
        roofs, over = self.built(way), self.excess()
        kwp = sum((roof.kwp for roof in roofs), Decimal(0))
        usual, dark = Decimal(0), Decimal(0)
        for roof in roofs:
            is_cut = way == "switch_off" and roof.feeder in over
            kwh = roof.kwp * roof.light
            usual += kwh * (Decimal("0.97") if is_cut else 1)
            dark += kwh * Decimal("0.8") * (Decimal("0.6") if is_cut else 1)
        invest = kwp * Decimal(str(self.terms["price_per_kwp"]))
        invest += len(roofs) * Decimal(str(self.terms["per_roof"]))
        if way == "battery":
            invest += BATTERY * sum(math.ceil(kilowatts) for kilowatts in over.values())
        loan = max(Decimal(0), invest - self.terms["equity"])
        costs = UPKEEP * kwp + A_ROOF * len(roofs) + RATE * loan
        sums = (usual, dark, invest, loan, usual * A_KWH - costs, dark * A_KWH - costs)
        return Figures(len(roofs), kwp, *(round(value) for value in sums))


async def integrate(tools: Tools, style: Style) -> None:
    await read(tools, "PROJECT.md")
    judged = await read_csv(tools, "results/sites/sites.csv")
    members = {row["member"] for row in await read_csv(tools, "results/finance/members.csv")}
    terms = await read_json(tools, "results/finance/terms.json")
    feeders = await read_csv(tools, "results/grid/feeders.csv")
    houses = {row["address"]: row for row in await read_csv(tools, "results/grid/houses.csv")}
    roofs, rows = [], []
    usable = [row for row in judged if row["fate"] == "usable"]
    for row in usable:
        if row["owner"] not in members:
            rows.append([row["roof"], "owner", "usable", "no member", "out"])
            continue
        house, size = houses[row["address"]], Decimal(row["kwp"])
        most = _floor(Decimal(house["max_kw"]) / INVERTER)
        if size * INVERTER > Decimal(house["max_kw"]):
            rows.append([row["roof"], "kwp", str(size), f"{house['max_kw']} kW", str(most)])
            size = most
        roofs.append(Roof(row["roof"], house["feeder"], size, int(row["kwh_per_kwp"])))
    columns = ["roof", "subject", "sites", "other", "used"]
    await tools.write("results/reconciled.csv", _table(columns, rows))
    out = sum(row[1] == "owner" for row in rows)
    count = "One usable roof is" if out == 1 else f"{out} usable roofs are"
    await tools.say(f"{count} left out because of the owner, {len(rows) - out} are built smaller.")
    free = {row["feeder"]: Decimal(row["free_kw"]) for row in feeders}
    await _decide(tools, style, Plan(roofs, free, terms, len(members), len(usable)))


async def _decide(tools: Tools, style: Style, plan: Plan) -> None:
    await tools.say(
        f"{len(plan.excess())} of {len(plan.free)} feeders would need more than is free."
    )
    ways = list(DECISIONS["way_to_connect"].options)
    rows = [[way, *plan.figures(way)] for way in ways]
    await tools.write("results/options.csv", _table(["way", *Figures._fields], rows))
    risky, firm = plan.figures("switch_off"), plan.figures("firm_only")
    question = QUESTION.format(count=risky.roofs, short=max(0, -risky.surplus_dark), few=firm.roofs)
    question = question if style is not Style.OVERCONFIDENT else ""

    async def deliver(choice: Choice) -> Reply:
        rows = plan.connections(choice.option)
        columns = ["roof", "feeder", "kwp", "connection"]
        await tools.write("results/build.csv", _table(columns, rows))
        await tools.write("results/members_letter.md", _letter(plan.figures(choice.option)))
        record = _record(plan, choice, question)
        return await tools.write("results/plan.json", as_record(record))

    choice = await settle(DECISIONS["way_to_connect"], deliver)
    await tools.say(f"The plan is complete: {choice.option.replace('_', ' ')}.")


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _letter(figures: Figures) -> str:
    dark = f"{figures.surplus_dark} is left over"
    if figures.surplus_dark < 0:
        dark = f"{-figures.surplus_dark} is lacking"
    return (
        "# Our roofs of 2025\n\n"
        f"We build {figures.roofs} roofs with {figures.kwp} kWp. That costs {figures.invest}, of "
        f"which {figures.loan} is a loan.\n\n"
        f"In a usual year {figures.surplus_usual} is left over; in a dark year {dark}.\n"
    )


def _record(plan: Plan, choice: Choice, question: str) -> Mapping[str, Any]:
    is_open = bool(question) and not (choice.by_user or choice.delegated)
    figures = plan.figures(choice.option)
    status = "completed_with_assumption" if is_open else "completed"
    assumption = "Nobody has said how much risk is welcome; what is passed over can come later."
    return {
        "status": "completed_with_owner_guidance" if choice.by_user else status,
        "workers": {
            "sites": "judged the roofs",
            "finance": "counted members and money, compared the offers",
            "grid": "worked out feeders and house connections",
        },
        "integration": {
            "usable_roofs": plan.usable,
            "members": plan.members,
            "equity": plan.terms["equity"],
            "roofs_built": figures.roofs,
            "kwp_built": float(figures.kwp),
            "loan": figures.loan,
        },
        "decision": {
            "choice": choice.option,
            "options_considered": list(DECISIONS["way_to_connect"].options),
            "question_for_requester": question if is_open else "",
            "assumption": assumption if is_open else "",
            "reversible_until": "2025-03-31",
        },
        "contracts_signed": False,
    }
